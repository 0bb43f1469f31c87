// Floor of a candidate: one pass over the codes of its family to count, and one over the rows' margins to
// judge; the log-joint itself is read only for rows that the margin leaves open.
#include "bayleaf/candidates.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "bayleaf/family_terms.hpp"
#include "bayleaf/parallel.hpp"
#include "bayleaf/row_losses.hpp"

namespace bayleaf {
namespace {

constexpr std::size_t kRowsPerTask = 4096;

// The judged rows in the order in which candidates look at them, with their true classes.
struct Judged {
    std::vector<std::uint32_t> row;
    std::vector<std::uint16_t> truth;
};

template <class Code>
Judged judged_rows(const Sample<Code>& sample) {
    Judged judged;
    const Code* truth = sample.codes.column(sample.target);
    for (std::size_t i = 0; i < sample.codes.rows; ++i)
        if (sample.judged(i)) {
            judged.row.push_back(static_cast<std::uint32_t>(i));
            judged.truth.push_back(static_cast<std::uint16_t>(truth[i]));
        }
    return judged;
}

// Rows that are hard for the current network come first: a candidate that cannot win shows it there.
template <class Code>
Judged hard_rows_first(const Sample<Code>& sample, const double* log_joint) {
    const Judged all = judged_rows(sample);
    const std::size_t classes = sample.classes();
    std::vector<std::uint8_t> hard(all.row.size());
    for (std::size_t k = 0; k < hard.size(); ++k) {
        const double* row = log_joint + all.row[k] * classes;
        hard[k] = *std::max_element(row, row + classes) > row[all.truth[k]];
    }
    Judged sorted;
    for (const bool wanted : {true, false})
        for (std::size_t k = 0; k < hard.size(); ++k)
            if (hard[k] == wanted) {
                sorted.row.push_back(all.row[k]);
                sorted.truth.push_back(all.truth[k]);
            }
    return sorted;
}

template <class Code>
void apply_terms(const Sample<Code>& sample, const FamilyTerms<Code>& terms, double sign, double* log_joint,
                 int threads) {
    if (terms.neutral()) return;
    const std::size_t classes = sample.classes();
    parallel_blocks(sample.codes.rows, kRowsPerTask, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double* entry = terms.entry(i);
            double* row = log_joint + i * classes;
            for (std::size_t c = 0; c < classes; ++c) row[c] += sign * entry[c];
        }
    });
}

// The smallest loss found so far, shared by all threads. Giving up a candidate whose loss already exceeds it
// never changes which candidate is best, so the order in which threads finish does not matter.
class Limit {
  public:
    Limit(bool only_best, std::int64_t bound)
        : active_(only_best), smallest_(only_best ? bound - 1 : kWorse) {}
    bool exceeded_by(std::int64_t loss) const { return active_ && loss > smallest_.load(); }
    void lower_to(std::int64_t loss) {
        std::int64_t known = smallest_.load();
        while (loss < known && !smallest_.compare_exchange_weak(known, loss)) {
        }
    }
    void drop_worse(std::int64_t* losses, std::size_t n) const {
        if (!active_) return;
        for (std::size_t k = 0; k < n; ++k)
            if (losses[k] > smallest_.load()) losses[k] = kWorse;
    }

  private:
    bool active_;
    std::atomic<std::int64_t> smallest_;
};

// Sums `block(begin, end)` over the judged rows until the limit is exceeded.
template <class Block>
std::int64_t limited_sum(std::size_t rows, std::size_t step, std::int64_t start, Limit& limit,
                         Block&& block) {
    std::int64_t total = start;
    for (std::size_t begin = 0; begin < rows; begin += step) {
        if (limit.exceeded_by(total)) return kWorse;
        total += block(begin, std::min(rows, begin + step));
    }
    if (limit.exceeded_by(total)) return kWorse;
    limit.lower_to(total);
    return total;
}

// What an exchange of one node's term needs to know of each row, to count errors.
struct Margins {
    std::vector<double> margin;
    std::vector<std::uint16_t> rival;
};

Margins margins(const Judged& judged, const double* base, std::size_t classes, int threads) {
    Margins facts{std::vector<double>(judged.row.size()), std::vector<std::uint16_t>(judged.row.size())};
    parallel_blocks(judged.row.size(), kRowsPerTask, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const double* row = base + judged.row[k] * classes;
            double top = -std::numeric_limits<double>::infinity();
            std::size_t rival = judged.truth[k];
            for (std::size_t c = 0; c < classes; ++c)
                if (c != judged.truth[k] && row[c] > top) top = row[rival = c];
            facts.margin[k] = row[judged.truth[k]] - top;
            facts.rival[k] = static_cast<std::uint16_t>(rival);
        }
    });
    return facts;
}

template <class Code>
std::int64_t block_of_sums(const Sample<Code>& sample, const Loss& loss, const Judged& judged,
                           std::size_t begin, std::size_t end, const double* sums) {
    return block_loss(loss, {sums, &judged.truth[begin], &judged.row[begin],
                             sample.folds > 0 ? sample.fold : nullptr, end - begin, sample.classes()});
}

// Memory of one thread, kept from one candidate to the next.
template <class Code>
struct Workspace {
    FamilyTerms<Code> terms;
    std::vector<double> lead;
    std::vector<double> sums;
};

}  // namespace

template <class Code>
void add_families(const Sample<Code>& sample, const Families& families, double sign, double* log_joint,
                  int threads) {
    FamilyTerms<Code> terms;
    for (std::size_t f = 0; f < families.size(); ++f) {
        terms.build(sample, families.nodes[f], families.parents_of(f));
        apply_terms(sample, terms, sign, log_joint, threads);
    }
}

template <class Code>
std::int64_t total_loss(const Sample<Code>& sample, const Loss& loss, const double* log_joint, int threads) {
    const Judged judged = judged_rows(sample);
    const std::size_t classes = sample.classes(), rows = judged.row.size();
    const std::vector<double> zero(classes, 0.0);
    const std::vector<std::uint32_t> nowhere(sample.codes.rows, 0);
    std::atomic<std::int64_t> total{0};
    parallel_blocks(rows, kRowsPerTask, threads, [&](std::size_t first, std::size_t last) {
        std::vector<double> sums(kLossBlock * classes);
        std::int64_t part = 0;
        for (std::size_t begin = first; begin < last; begin += kLossBlock) {
            const std::size_t end = std::min(last, begin + kLossBlock);
            gather_sums(log_joint, zero.data(), nowhere.data(), &judged.row[begin], end - begin, classes,
                        sums.data());
            part += block_of_sums(sample, loss, judged, begin, end, sums.data());
        }
        total += part;
    });
    return total;
}

template <class Code>
void parent_set_losses(const Sample<Code>& sample, const Loss& loss, const double* log_joint,
                       const Families& current, const Families& candidates, const std::int64_t* extra,
                       bool only_best, std::int64_t bound, std::int64_t* losses, int threads) {
    const std::size_t classes = sample.classes();
    std::vector<double> base(log_joint, log_joint + sample.codes.rows * classes);
    add_families(sample, current, -1.0, base.data(), threads);
    const Judged judged = only_best ? hard_rows_first(sample, log_joint) : judged_rows(sample);
    const bool count_errors = loss.kind == LossKind::kError && classes > 1;
    const Margins facts = count_errors ? margins(judged, base.data(), classes, threads) : Margins{};
    const ErrorFacts errors{base.data(),
                            facts.margin.data(),
                            judged.truth.data(),
                            facts.rival.data(),
                            judged.row.data(),
                            loss.units,
                            classes};
    Limit limit(only_best, bound);
    const std::size_t step = only_best ? 1024 : judged.row.size() + 1;
    parallel_with<Workspace<Code>>(candidates.size(), threads, [&](Workspace<Code>& space, std::size_t k) {
        space.terms.build(sample, candidates.nodes[k], candidates.parents_of(k));
        const double* terms = space.terms.terms();
        const std::uint32_t* positions = space.terms.positions();
        if (count_errors) {
            space.lead.resize(space.terms.entries() * classes);
            if (classes > 2) fill_leads(terms, space.terms.entries(), classes, space.lead.data());
            losses[k] = limited_sum(judged.row.size(), step, extra[k], limit, [&](auto begin, auto end) {
                return exchanged_errors(errors, terms, space.lead.data(), positions, begin, end);
            });
            return;
        }
        space.sums.resize(kLossBlock * classes);
        losses[k] = limited_sum(judged.row.size(), kLossBlock, extra[k], limit, [&](auto begin, auto end) {
            gather_sums(base.data(), terms, positions, &judged.row[begin], end - begin, classes,
                        space.sums.data());
            return block_of_sums(sample, loss, judged, begin, end, space.sums.data());
        });
    });
    limit.drop_worse(losses, candidates.size());
}

template <class Code>
void change_losses(const Sample<Code>& sample, const Loss& loss, const double* log_joint,
                   const Families& removed, const Families& added, std::span<const std::int64_t> starts,
                   const std::int64_t* extra, bool only_best, std::int64_t bound, std::int64_t* losses,
                   int threads) {
    const std::size_t classes = sample.classes(), changes = starts.size() - 1;
    const Judged judged = only_best ? hard_rows_first(sample, log_joint) : judged_rows(sample);
    Limit limit(only_best, bound);
    parallel_with<Workspace<Code>>(changes, threads, [&](Workspace<Code>& space, std::size_t k) {
        space.lead.assign(log_joint, log_joint + sample.codes.rows * classes);
        for (std::int64_t f = starts[k]; f < starts[k + 1]; ++f) {
            space.terms.build(sample, removed.nodes[f], removed.parents_of(f));
            apply_terms(sample, space.terms, -1.0, space.lead.data(), 1);
            space.terms.build(sample, added.nodes[f], added.parents_of(f));
            apply_terms(sample, space.terms, 1.0, space.lead.data(), 1);
        }
        space.sums.resize(kLossBlock * classes);
        const std::vector<double> zero(classes, 0.0);
        const std::vector<std::uint32_t> nowhere(sample.codes.rows, 0);
        losses[k] = limited_sum(judged.row.size(), kLossBlock, extra[k], limit, [&](auto begin, auto end) {
            gather_sums(space.lead.data(), zero.data(), nowhere.data(), &judged.row[begin], end - begin,
                        classes, space.sums.data());
            return block_of_sums(sample, loss, judged, begin, end, space.sums.data());
        });
    });
    limit.drop_worse(losses, changes);
}

#define BAYLEAF_INSTANTIATE(Code)                                                                            \
    template void add_families(const Sample<Code>&, const Families&, double, double*, int);                  \
    template std::int64_t total_loss(const Sample<Code>&, const Loss&, const double*, int);                  \
    template void parent_set_losses(const Sample<Code>&, const Loss&, const double*, const Families&,        \
                                    const Families&, const std::int64_t*, bool, std::int64_t, std::int64_t*, \
                                    int);                                                                    \
    template void change_losses(const Sample<Code>&, const Loss&, const double*, const Families&,            \
                                const Families&, std::span<const std::int64_t>, const std::int64_t*, bool,   \
                                std::int64_t, std::int64_t*, int);
BAYLEAF_INSTANTIATE(std::uint8_t)
BAYLEAF_INSTANTIATE(std::uint16_t)

}  // namespace bayleaf
