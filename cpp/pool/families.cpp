// Floor: per family one key and one count of every row, and one logarithm per class of every cell of a fold.
#include "pool/families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "common/parallel.hpp"

namespace bayleaf {

namespace {

// Strengths that are tried at once: a fixed number becomes vector code.
constexpr std::size_t kTogether = 10;
using Together = std::array<double, kTogether>;
// Likelihoods are multiplied up to so many times before a logarithm is taken of their product.
constexpr double kFewTimes = 4;
constexpr double kSmallProduct = 1e-200;

// key / divisor for keys in ascending order: a division for each would take longer than all else.
class Quotients {
  public:
    explicit Quotients(std::uint64_t divisor) : divisor_(divisor), end_(divisor) {}
    std::uint64_t operator()(std::uint64_t key) {
        for (; key >= end_; end_ += divisor_) ++quotient_;
        return quotient_;
    }

  private:
    std::uint64_t divisor_, end_, quotient_ = 0;
};

// A level of a family: the cells (parents known to it, state) in which there are rows, in the order of their
// keys.
struct Level {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> below;    // the cell of the level below; at level 1 the state itself
    std::vector<std::uint32_t> context;  // numbers of the parents' configurations
    std::vector<std::uint8_t> used;      // false where a value is missing: the level below speaks
    std::vector<double> counts;          // [cell, class]
    std::vector<double> totals;          // [context, class] of the used cells

    std::size_t cells() const { return keys.size(); }
};

// With a number of classes that the compiler knows it unrolls the loops over them; 0 stands for any other.
template <std::size_t Classes>
class Family {
  public:
    Family(const GridRows& rows, std::size_t child, std::span<const std::int64_t> parents)
        : rows_(rows),
          child_(child),
          parents_(parents),
          any_classes_(rows.n_classes),
          states_(static_cast<std::size_t>(rows.arities[child])) {
        levels_.resize(parents.size() + 1);
        find_cells();
        for (std::size_t l = levels_.size(); l-- > 1;) descend(l);
        levels_[0].below.resize(levels_[0].cells());
        for (std::size_t u = 0; u < levels_[0].cells(); ++u)
            levels_[0].below[u] = static_cast<std::uint32_t>(levels_[0].keys[u]);
        for (std::size_t l = 0; l < levels_.size(); ++l) total(l);
        state_counts_ = states_of(levels_[0].counts);
    }

    // The strength of every level with the highest leave-one-out likelihood; ties go to the first.
    void choose_strengths(std::span<const double> strengths) {
        std::vector<double> left_out = state_left_out();
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const double chosen = best_strength(l, left_out, strengths);
            chosen_.push_back(chosen);
            if (l + 1 < levels_.size()) left_out = left_out_of(l, left_out, chosen);
        }
    }

    // Scores [row, class] of the rows of a fold by counts without them.
    void score_fold(std::span<const std::int64_t> fold, float* scores) {
        prepare_fold_space();
        const std::size_t top = levels_.size() - 1;
        for (const std::int64_t row : fold) {
            const std::uint32_t u = cell_[static_cast<std::size_t>(row)];
            touch(top, u);
            fold_counts_[top][u * classes() + class_of(row)] += weight(row);
        }
        for (std::size_t l = top; l > 0; --l)
            for (const std::uint32_t u : touched_[l]) {
                const std::uint32_t v = levels_[l].below[u];
                touch(l - 1, v);
                add(&fold_counts_[l - 1][v * classes()], &fold_counts_[l][u * classes()]);
            }
        for (std::size_t l = 0; l <= top; ++l)
            for (const std::uint32_t u : touched_[l])
                if (levels_[l].used[u])
                    add(&fold_totals_[l][levels_[l].context[u] * classes()], &fold_counts_[l][u * classes()]);
        estimate_touched();
        for (const std::int64_t row : fold) {
            const float* logs = &logs_[cell_[static_cast<std::size_t>(row)] * classes()];
            std::copy(logs, logs + classes(), scores + static_cast<std::size_t>(row) * classes());
        }
        forget_fold();
    }

    // The whole table, [parents, state, class].
    void fill_table(double* table) const {
        std::vector<double> below(states_ * classes());
        const double all = sum(state_counts_);
        for (std::size_t x = 0; x < states_; ++x)
            std::fill_n(&below[x * classes()], classes(), start(state_counts_[x], all));
        std::size_t contexts = 1;
        std::size_t shared = 1;  // contexts of this level for each of the level below
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            if (l > 0) shared = static_cast<std::size_t>(rows_.arities[parent(l - 1)]);
            contexts *= shared;
            below = dense_level(l, below, contexts, shared);
        }
        for (std::size_t q = 0; q < contexts; ++q)
            for (std::size_t x = 0; x < states_; ++x) {
                const std::size_t cell = (q * states_ + x) * classes();
                for (std::size_t c = 0; c < classes(); ++c)
                    table[cell + c] = state_counts_[x] > 0 ? std::log(below[cell + c]) : 0.0;
            }
    }

  private:
    std::size_t classes() const { return Classes ? Classes : any_classes_; }
    std::size_t parent(std::size_t k) const { return static_cast<std::size_t>(parents_[k]); }
    std::size_t class_of(std::int64_t row) const {
        return static_cast<std::size_t>(rows_.classes[static_cast<std::size_t>(row)]);
    }
    std::uint64_t arity(std::size_t column) const {
        return static_cast<std::uint64_t>(rows_.arities[column]);
    }
    double weight(std::int64_t row) const {
        return rows_.weights ? rows_.weights[static_cast<std::size_t>(row)] : 1.0;
    }
    void add(double* to, const double* numbers) const {
        for (std::size_t c = 0; c < classes(); ++c) to[c] += numbers[c];
    }
    static double sum(const std::vector<double>& numbers) {
        double total = 0.0;
        for (const double number : numbers) total += number;
        return total;
    }
    // The estimate of level 0, in which a missing value is no state.
    double start(double count, double all) const {
        return (count + 0.5) / (all + 0.5 * static_cast<double>(states_ - 1));
    }

    bool is_missing(std::size_t column, std::uint64_t state) const {
        return state + 1 == static_cast<std::uint64_t>(rows_.arities[column]);
    }

    // Gives the keys that occur numbers in the order of the keys, and puts them in place of the keys.
    template <class Key>
    static std::vector<std::uint64_t> number_keys(const std::vector<Key>& keys, std::size_t possible,
                                                  std::vector<std::uint32_t>& numbers) {
        std::vector<std::uint32_t> number(possible, 0);
        for (const Key key : keys) number[key] = 1;
        std::vector<std::uint64_t> found(std::min(possible, keys.size()) + 1);
        std::uint32_t count = 0;
        for (std::size_t key = 0; key < possible;
             ++key) {  // no branch: whether a key occurs is hard to foresee
            const std::uint32_t occurs = number[key];
            found[count] = key;
            number[key] = count;
            count += occurs;
        }
        found.resize(count);
        numbers.resize(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) numbers[i] = number[keys[i]];
        return found;
    }

    std::size_t configurations(std::size_t parents) const {
        std::size_t product = 1;
        for (std::size_t k = 0; k < parents; ++k)
            product *= static_cast<std::size_t>(rows_.arities[parent(k)]);
        return product;
    }

    void find_cells() {
        const std::size_t n = rows_.codes.rows;
        std::vector<std::uint32_t> keys(n, 0);  // tables have some million cells at most
        for (std::size_t k = 0; k <= parents_.size(); ++k) {
            const std::size_t column = k < parents_.size() ? parent(k) : child_;
            const std::uint16_t* codes = rows_.codes.column(column);
            const auto arity = static_cast<std::uint32_t>(rows_.arities[column]);
            for (std::size_t r = 0; r < n; ++r) keys[r] = keys[r] * arity + codes[r];
        }
        Level& top = levels_.back();
        top.keys = number_keys(keys, configurations(parents_.size()) * states_, cell_);
        top.counts.assign(top.cells() * classes(), 0.0);
        for (std::size_t r = 0; r < n; ++r)
            top.counts[cell_[r] * classes() + static_cast<std::size_t>(rows_.classes[r])] +=
                weight(static_cast<std::int64_t>(r));
    }

    // Makes the level below from level l, which is one with parents.
    void descend(std::size_t l) {
        Level& level = levels_[l];
        Level& lower = levels_[l - 1];
        std::vector<std::uint64_t> keys(level.cells());
        Quotients contexts(states_), lower_contexts(arity(parent(l - 1)));
        for (std::size_t u = 0; u < level.cells(); ++u) {
            const std::uint64_t context = contexts(level.keys[u]);
            keys[u] = level.keys[u] - (context - lower_contexts(context)) * states_;
        }
        lower.keys = number_keys(keys, configurations(l - 1) * states_, level.below);
        lower.counts.assign(lower.cells() * classes(), 0.0);
        for (std::size_t u = 0; u < level.cells(); ++u)
            add(&lower.counts[level.below[u] * classes()], &level.counts[u * classes()]);
    }

    // Numbers the contexts of a level and adds up their used cells.
    void total(std::size_t l) {
        Level& level = levels_[l];
        const std::size_t n = level.cells();
        level.context.resize(n);
        level.used.resize(n);
        std::uint32_t contexts = 0;
        std::uint64_t before = 0;
        Quotients context_of(states_), lower_contexts(l == 0 ? 1 : arity(parent(l - 1)));
        for (std::size_t u = 0; u < n; ++u) {
            const std::uint64_t context = context_of(level.keys[u]);
            if (u > 0 && context != before) ++contexts;
            before = context;
            level.context[u] = contexts;
            if (l == 0) {
                level.used[u] = !is_missing(child_, level.keys[u]);
            } else {
                const std::size_t last = parent(l - 1);
                const std::uint64_t state = context - lower_contexts(context) * arity(last);
                level.used[u] = levels_[l - 1].used[level.below[u]] && !is_missing(last, state);
            }
        }
        level.totals.assign((contexts + 1) * classes(), 0.0);
        for (std::size_t u = 0; u < n; ++u)
            if (level.used[u]) add(&level.totals[level.context[u] * classes()], &level.counts[u * classes()]);
    }

    // Rows of every state, all classes together; none of the missing state.
    std::vector<double> states_of(const std::vector<double>& counts) const {
        std::vector<double> found(states_, 0.0);
        const Level& first = levels_[0];
        for (std::size_t u = 0; u < first.cells(); ++u)
            if (first.used[u])
                for (std::size_t c = 0; c < classes(); ++c)
                    found[first.below[u]] += counts[u * classes() + c];
        return found;
    }

    // For each cell of level 1 and class what a row left out has at level 0.
    std::vector<double> state_left_out() const {
        const Level& first = levels_[0];
        const double all = sum(state_counts_);
        std::vector<double> left_out(first.cells() * classes(), 1.0);
        for (std::size_t u = 0; u < first.cells(); ++u) {
            const double count = state_counts_[first.below[u]];
            const double row = std::min(count, 1.0);
            if (first.used[u])
                std::fill_n(&left_out[u * classes()], classes(), start(count - row, all - row));
        }
        return left_out;
    }

    double best_strength(std::size_t l, const std::vector<double>& below, std::span<const double> strengths) {
        std::vector<double> likelihood;
        for (std::size_t first = 0; first < strengths.size(); first += kTogether) {
            const std::size_t count = std::min(kTogether, strengths.size() - first);
            Together tried;
            for (std::size_t m = 0; m < kTogether; ++m) tried[m] = strengths[first + std::min(m, count - 1)];
            const Together found = likelihoods(l, below, tried);
            likelihood.insert(likelihood.end(), found.begin(), found.begin() + count);
        }
        const auto best = std::max_element(likelihood.begin(), likelihood.end()) - likelihood.begin();
        return strengths[static_cast<std::size_t>(best)];
    }

    // The leave-one-out likelihood of a level by each strength.
    Together likelihoods(std::size_t l, const std::vector<double>& below, const Together& strengths) const {
        const Level& level = levels_[l];
        Together likelihood, product, ratio;
        likelihood.fill(0.0);
        product.fill(1.0);
        for (std::size_t u = 0; u < level.cells(); ++u) {
            if (!level.used[u]) continue;
            const double* from = l == 0 ? &below[u * classes()] : &below[level.below[u] * classes()];
            for (std::size_t c = 0; c < classes(); ++c) {
                const double count = level.counts[u * classes() + c];
                if (count <= 0) continue;
                const double row = std::min(count, 1.0);
                const double others = level.totals[level.context[u] * classes() + c] - row;
                const double same = count - row, lower = from[c];
                for (std::size_t m = 0; m < kTogether; ++m)
                    ratio[m] = (same + strengths[m] * lower) / (others + strengths[m]);
                if (count <= kFewTimes && count == std::floor(count)) {
                    for (double time = 0; time < count; ++time)
                        for (std::size_t m = 0; m < kTogether; ++m) product[m] *= ratio[m];
                    bool small = false;
                    for (std::size_t m = 0; m < kTogether; ++m) small |= product[m] < kSmallProduct;
                    if (small) collect(product, likelihood);
                } else {
                    for (std::size_t m = 0; m < kTogether; ++m) likelihood[m] += count * std::log(ratio[m]);
                }
            }
        }
        collect(product, likelihood);
        return likelihood;
    }

    static void collect(Together& product, Together& likelihood) {
        for (std::size_t m = 0; m < kTogether; ++m) {
            likelihood[m] += std::log(product[m]);
            product[m] = 1.0;
        }
    }

    std::vector<double> left_out_of(std::size_t l, const std::vector<double>& below, double strength) const {
        const Level& level = levels_[l];
        std::vector<double> left_out(level.cells() * classes());
        for (std::size_t u = 0; u < level.cells(); ++u) {
            const double* from = l == 0 ? &below[u * classes()] : &below[level.below[u] * classes()];
            const double* totals = &level.totals[level.context[u] * classes()];
            for (std::size_t c = 0; c < classes(); ++c) {
                const double count = level.counts[u * classes() + c], row = std::min(count, 1.0);
                left_out[u * classes() + c] =
                    level.used[u] ? (count - row + strength * from[c]) / (totals[c] - row + strength)
                                  : from[c];
            }
        }
        return left_out;
    }

    void prepare_fold_space() {
        if (!fold_counts_.empty()) return;
        fold_counts_.resize(levels_.size());
        fold_totals_.resize(levels_.size());
        touched_.resize(levels_.size());
        is_touched_.resize(levels_.size());
        estimates_.resize(levels_.size());
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            fold_counts_[l].assign(levels_[l].counts.size(), 0.0);
            fold_totals_[l].assign(levels_[l].totals.size(), 0.0);
            is_touched_[l].assign(levels_[l].cells(), 0);
            estimates_[l].resize(levels_[l].counts.size());
        }
        const Level& top = levels_.back();
        logs_.resize(top.counts.size());
        top_state_.resize(top.cells());
        Quotients contexts(states_);
        for (std::size_t u = 0; u < top.cells(); ++u)
            top_state_[u] = static_cast<std::uint32_t>(top.keys[u] - contexts(top.keys[u]) * states_);
    }

    void touch(std::size_t l, std::uint32_t cell) {
        if (is_touched_[l][cell]) return;
        is_touched_[l][cell] = 1;
        touched_[l].push_back(cell);
    }

    void forget_fold() {
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            for (const std::uint32_t u : touched_[l]) {
                std::fill_n(&fold_counts_[l][u * classes()], classes(), 0.0);
                std::fill_n(&fold_totals_[l][levels_[l].context[u] * classes()], classes(), 0.0);
                is_touched_[l][u] = 0;
            }
            touched_[l].clear();
        }
    }

    // What is left of a count without the fold; with weights rounding errors may be left of nothing.
    static double remaining(double count, double fold) {
        const double rest = count - fold;
        return rest > 1e-9 * count ? rest : 0.0;
    }

    void estimate_touched() {
        const std::vector<double> fold_states = states_of(fold_counts_[0]);
        std::vector<double> states(states_);
        for (std::size_t x = 0; x < states_; ++x) states[x] = remaining(state_counts_[x], fold_states[x]);
        const double all = sum(states);
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const Level& level = levels_[l];
            const double strength = chosen_[l];
            for (const std::uint32_t u : touched_[l]) {
                double* found = &estimates_[l][u * classes()];
                if (l == 0) {
                    std::fill_n(found, classes(), start(states[level.below[u]], all));
                } else {
                    const double* below = &estimates_[l - 1][level.below[u] * classes()];
                    std::copy(below, below + classes(), found);
                }
                if (!level.used[u]) continue;
                const double* count = &level.counts[u * classes()];
                const double* fold = &fold_counts_[l][u * classes()];
                const double* totals = &level.totals[level.context[u] * classes()];
                const double* fold_totals = &fold_totals_[l][level.context[u] * classes()];
                for (std::size_t c = 0; c < classes(); ++c)
                    found[c] = (remaining(count[c], fold[c]) + strength * found[c]) /
                               (remaining(totals[c], fold_totals[c]) + strength);
            }
        }
        const Level& top = levels_.back();
        for (const std::uint32_t u : touched_.back()) {
            const bool known = states[top_state_[u]] > 0;
            for (std::size_t c = 0; c < classes(); ++c) {
                // With enormous weights four levels can leave less than a float holds.
                const auto estimate = static_cast<float>(estimates_.back()[u * classes() + c]);
                logs_[u * classes() + c] =
                    known ? std::log(std::max(estimate, std::numeric_limits<float>::min())) : 0.0F;
            }
        }
    }

    // All cells of a level, those without rows included, from those of the level below.
    std::vector<double> dense_level(std::size_t l, const std::vector<double>& below, std::size_t contexts,
                                    std::size_t shared) const {
        const Level& level = levels_[l];
        const double strength = chosen_[l];
        std::vector<double> table(contexts * states_ * classes());
        for (std::size_t q = 0; q < contexts; ++q)
            std::copy_n(&below[q / shared * states_ * classes()], states_ * classes(),
                        &table[q * states_ * classes()]);
        std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
        Quotients context_of(states_);
        for (std::size_t u = 0; u < level.cells(); ++u) {
            const std::uint64_t context = context_of(level.keys[u]);
            const double* totals = &level.totals[level.context[u] * classes()];
            if (context != last) {
                last = context;
                for (std::size_t x = 0; x < states_; ++x)
                    for (std::size_t c = 0; c < classes(); ++c)
                        table[(context * states_ + x) * classes() + c] *= strength / (totals[c] + strength);
            }
            if (!level.used[u]) continue;
            for (std::size_t c = 0; c < classes(); ++c)
                table[level.keys[u] * classes() + c] +=
                    level.counts[u * classes() + c] / (totals[c] + strength);
        }
        return table;
    }

    const GridRows& rows_;
    std::size_t child_;
    std::span<const std::int64_t> parents_;
    std::size_t any_classes_;
    std::size_t states_;
    std::vector<std::uint32_t> cell_;  // of every row at the highest level
    std::vector<Level> levels_;        // level 1 first
    std::vector<double> state_counts_;
    std::vector<double> chosen_;
    // What the rows of one fold have in the cells that they touch.
    std::vector<std::vector<double>> fold_counts_, fold_totals_, estimates_;
    std::vector<std::vector<std::uint32_t>> touched_;
    std::vector<std::vector<std::uint8_t>> is_touched_;
    std::vector<float> logs_;
    std::vector<std::uint32_t> top_state_;  // of the cells of the highest level
};

// One family, and the folds whose graphs have it.
struct Shared {
    std::size_t child;
    std::span<const std::int64_t> parents;
    std::vector<std::size_t> folds;
};

std::vector<Shared> shared_families(const ParentLists& graphs, std::size_t folds, std::size_t columns) {
    std::vector<Shared> families;
    for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t first = families.size();
        for (std::size_t f = 0; f < folds; ++f) {
            const auto parents = graphs.of(f * columns + j);
            auto same = std::find_if(families.begin() + static_cast<std::ptrdiff_t>(first), families.end(),
                                     [&](const Shared& each) {
                                         return std::equal(parents.begin(), parents.end(),
                                                           each.parents.begin(), each.parents.end());
                                     });
            if (same == families.end()) same = families.insert(families.end(), Shared{j, parents, {}});
            same->folds.push_back(f);
        }
    }
    return families;
}

// Calls action(number of classes as the compiler knows it).
template <class Action>
void by_classes(std::size_t classes, const Action& action) {
    switch (classes) {
        case 2:
            return action(std::integral_constant<std::size_t, 2>{});
        case 3:
            return action(std::integral_constant<std::size_t, 3>{});
        default:
            return action(std::integral_constant<std::size_t, 0>{});
    }
}

}  // namespace

void crossfit_families(const GridRows& rows, const FoldRows& folds, const ParentLists& graphs,
                       std::span<const double> strengths, float* scores, int threads) {
    const std::vector<Shared> families = shared_families(graphs, folds.folds(), rows.codes.columns);
    by_classes(rows.n_classes, [&](auto known) {
        parallel_for(families.size(), threads, [&](std::size_t i) {
            const Shared& shared = families[i];
            Family<known> family(rows, shared.child, shared.parents);
            family.choose_strengths(strengths);
            for (const std::size_t fold : shared.folds)
                family.score_fold(folds.rows(fold),
                                  scores + shared.child * folds.order.size() * rows.n_classes);
        });
    });
}

void shrunk_tables(const GridRows& rows, const ParentLists& graph, std::span<const double> strengths,
                   std::span<const std::int64_t> table_offsets, double* tables, int threads) {
    by_classes(rows.n_classes, [&](auto known) {
        parallel_for(rows.codes.columns, threads, [&](std::size_t j) {
            Family<known> family(rows, j, graph.of(j));
            family.choose_strengths(strengths);
            family.fill_table(tables + table_offsets[j]);
        });
    });
}

}  // namespace bayleaf
