#include "scores/family_gains.hpp"

#include <algorithm>
#include <utility>

#include "common/parallel.hpp"

namespace bayleaf {
namespace {

// Larger counts are rare, and computed.
constexpr std::size_t kTabulated = 2048;
// Visits of rows below which another thread costs more than it saves.
constexpr std::size_t kSmallWork = std::size_t{1} << 20;

}  // namespace

template <class Code>
FamilyGains<Code>::FamilyGains(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                               const bool* has_missing, const double* weights, FamilyScore score, int threads)
    : rows_{codes, arities, weights, std::vector<bool>(has_missing, has_missing + codes.columns), {}},
      score_(std::move(score)) {
    if constexpr (sizeof(Code) == 1)
        if (!weights)
            rows_.one_hot = one_hot_rows(codes, arities, rows_.has_missing,
                                         codes.rows * codes.columns < kSmallWork ? 1 : threads);
}

template <class Code>
const CellFunction* FamilyGains<Code>::function(const SetTerm& term, double configurations) {
    const bool entropy = term.entropy();
    const double shift = term.shift_of(configurations);
    const std::lock_guard lock(guard_);
    return &functions_.try_emplace({entropy, shift}, entropy, shift, kTabulated, LogGamma::kSeries)
                .first->second;
}

template <class Code>
FamilyFunctions FamilyGains<Code>::functions(std::int64_t node, double configurations) {
    const double cells = configurations * static_cast<double>(rows_.arities[node]);
    return {function(score_.joint, cells), function(score_.given[node], configurations)};
}

template <class Code>
double FamilyGains<Code>::prices(std::int64_t node, double configurations) const {
    const double cells = configurations * static_cast<double>(rows_.arities[node]);
    return score_.given[node].penalty * configurations - score_.joint.penalty * cells;
}

template <class Code>
double FamilyGains<Code>::configurations(const std::vector<std::int64_t>& parents) const {
    double product = 1;
    for (const std::int64_t p : parents) product *= static_cast<double>(rows_.arities[p]);
    return product;
}

template <class Code>
template <class Count>
double FamilyGains<Code>::without(const FamilyTable<Code, Count>& table, const Family& family,
                                  std::size_t position, FamilyScratch<Count>& scratch) {
    const auto& [node, parents] = family;
    std::vector<std::int64_t> left(parents);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(position));
    const double q = configurations(left);
    if (table.can_drop()) return table.sum_without(position, functions(node, q), scratch) + prices(node, q);
    FamilyTable<Code, Count> smaller;
    smaller.load(rows_, node, left, false, scratch);
    return smaller.sum(functions(node, q), scratch) + prices(node, q);
}

// The score of a family, and of all wanted changes of one parent.
template <class Code>
template <class Count>
double FamilyGains<Code>::evaluate_node(const Family& family, const bool* wanted, double* scores, int threads,
                                        Space<Count>& space) {
    const auto& [node, parents] = family;
    const double q = configurations(parents);
    space.family.load(rows_, node, parents, true, space.scratch);
    const std::size_t blocks = space.family.blocks();
    std::vector<std::size_t> dropped;
    std::vector<std::vector<Candidate>> words(rows_.one_hot.words);
    std::vector<Candidate> others;
    Candidate last{-1, {}};  // neighbours often have as many states
    for (std::size_t y = 0; y < rows_.codes.columns; ++y) {
        if (!wanted[y]) continue;
        const auto column = static_cast<std::int64_t>(y);
        const auto place = std::find(parents.begin(), parents.end(), column);
        if (place != parents.end()) {
            dropped.push_back(static_cast<std::size_t>(place - parents.begin()));
            continue;
        }
        const double more = q * static_cast<double>(rows_.arities[y]);
        scores[y] = prices(node, more);
        const bool in_word = blocks > 0 && rows_.one_hot.has(y);
        if (last.column < 0 || rows_.arities[last.column] != rows_.arities[y])
            last.functions = functions(node, more);
        last.column = column;
        (in_word ? words[rows_.one_hot.places[y].word] : others).push_back(last);
    }
    // Parts of a word's sums are added up in the order of the blocks, whoever made them.
    std::vector<std::vector<Candidate>> parts;
    for (std::size_t b = 0; b < blocks; ++b) parts.insert(parts.end(), words.begin(), words.end());
    const std::size_t tasks = parts.size() + others.size() + dropped.size();
    // Named: some compilers capture no names of parts.
    const auto& own_parents = parents;
    parallel_with<FamilyScratch<Count>>(tasks, threads, [&](FamilyScratch<Count>& scratch, std::size_t t) {
        if (t < parts.size()) {
            space.family.add_word_sums(t / words.size(), t % words.size(), parts[t], scratch);
        } else if (t < parts.size() + others.size()) {
            Candidate& other = others[t - parts.size()];
            other.sum = space.family.sum_with(other.column, other.functions, scratch);
        } else {
            const std::size_t position = dropped[t - parts.size() - others.size()];
            scores[own_parents[position]] = without(space.family, family, position, scratch);
        }
    });
    parts.push_back(std::move(others));
    for (const std::vector<Candidate>& part : parts)
        for (const Candidate& candidate : part) scores[candidate.column] += candidate.sum;
    return space.family.sum(functions(node, q), space.scratch) + prices(node, q);
}

template <class Code>
template <class Count>
void FamilyGains<Code>::evaluate_as(std::span<const Family> families, const bool* wanted, double* values,
                                    double* scores, int threads, Space<Count>& own) {
    const std::size_t columns = rows_.codes.columns;
    const auto evaluate_one = [&](Space<Count>& space, std::size_t k, int inner_threads) {
        values[k] =
            evaluate_node(families[k], wanted + k * columns, scores + k * columns, inner_threads, space);
    };
    if (families.size() >= static_cast<std::size_t>(2 * threads) && threads > 1)
        parallel_with<Space<Count>>(families.size(), threads,
                                    [&](auto& space, std::size_t k) { evaluate_one(space, k, 1); });
    else
        for (std::size_t k = 0; k < families.size(); ++k) evaluate_one(own, k, threads);
}

template <class Code>
void FamilyGains<Code>::evaluate(std::span<const Family> families, const bool* wanted, double* values,
                                 double* scores, int threads) {
    const std::size_t work = families.size() * rows_.codes.columns * rows_.codes.rows;
    threads = work < kSmallWork ? 1 : threads;
    if (rows_.weights)
        evaluate_as(families, wanted, values, scores, threads, weighted_);
    else
        evaluate_as(families, wanted, values, scores, threads, whole_);
}

template class FamilyGains<std::uint8_t>;
template class FamilyGains<std::uint16_t>;

}  // namespace bayleaf
