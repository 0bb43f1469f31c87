// What the judges of candidates share: the order of the rows, families in place, the limit of a search.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "common/parallel.hpp"
#include "scores/candidates.hpp"
#include "scores/family_terms.hpp"
#include "scores/row_losses.hpp"

namespace bayleaf {

inline constexpr std::size_t kRowsPerTask = 4096;

// Threads that so many exchanges (of one row and class) can keep busy: starting one takes as long as a
// hundred thousand of them.
inline int worthwhile(std::size_t exchanges, int threads) {
    const std::size_t busy = std::max<std::size_t>(1, exchanges / 400'000);
    return static_cast<int>(std::min(busy, static_cast<std::size_t>(std::max(threads, 1))));
}

template <class Code>
std::vector<std::uint16_t> true_classes(const Sample<Code>& sample) {
    const Code* truth = sample.codes.column(sample.target);
    return {truth, truth + sample.codes.rows};
}

template <class Code>
RowFacts row_facts(const Sample<Code>& sample, const std::vector<std::uint16_t>& truth) {
    return {truth.data(), sample.folds > 0 ? sample.fold : nullptr, sample.classes()};
}

// As they come; but rows that are not judged at the end.
template <class Code>
RowOrder natural_order(const Sample<Code>& sample) {
    if (sample.folds <= 0 || !sample.rest) return {{}, sample.codes.rows};
    RowOrder order{{}, 0};
    for (const bool wanted : {true, false})
        for (std::size_t i = 0; i < sample.codes.rows; ++i)
            if (sample.judged(i) == wanted) {
                order.rows.push_back(static_cast<std::uint32_t>(i));
                order.judged += wanted;
            }
    return order;
}

// Rows that are hard for the current network come first: a candidate that cannot win shows it there.
template <class Code>
RowOrder hard_rows_first(const Sample<Code>& sample, const double* log_joint,
                         const std::vector<std::uint16_t>& truth) {
    const std::size_t rows = sample.codes.rows, classes = sample.classes();
    if (sample.folds == kRowsBefore) return natural_order(sample);
    const auto kind = [&](std::size_t i) {
        const double* row = log_joint + i * classes;
        return !sample.judged(i) ? 2 : *std::max_element(row, row + classes) > row[truth[i]] ? 0 : 1;
    };
    std::vector<std::uint8_t> kinds(rows);
    std::size_t sizes[3] = {0, 0, 0};
    for (std::size_t i = 0; i < rows; ++i) ++sizes[kinds[i] = static_cast<std::uint8_t>(kind(i))];
    std::size_t next[3] = {0, sizes[0], sizes[0] + sizes[1]};
    RowOrder order{std::vector<std::uint32_t>(rows), sizes[0] + sizes[1]};
    for (std::size_t i = 0; i < rows; ++i) order.rows[next[kinds[i]]++] = static_cast<std::uint32_t>(i);
    return order;
}

template <class Code>
void add_family(const Sample<Code>& sample, FamilyTerms<Code>& terms, const Families& families, std::size_t f,
                double sign, const RowOrder& order, const RowFacts& facts, double* log_joint, int threads) {
    terms.open(sample, families.nodes[f], families.parents_of(f), order, Beside::kNothing);
    if (terms.neutral()) return;
    for (std::size_t part = 0; part < terms.parts(); ++part) {
        const RowList rows = terms.build(sample, order, part);
        parallel_blocks(rows.size, kRowsPerTask, threads, [&](std::size_t begin, std::size_t end) {
            exchange_terms(terms.view(), sign, rows.slice(begin, end), facts, log_joint);
        });
    }
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

// Adds `block(rows)` for slices of the rows to the total until the limit is exceeded; returns whether not.
template <class Block>
bool add_limited(const RowList& rows, std::size_t step, const Limit& limit, std::int64_t& total,
                 Block&& block) {
    for (std::size_t begin = 0; begin < rows.size; begin += step) {
        if (limit.exceeded_by(total)) return false;
        total += block(rows.slice(begin, std::min(rows.size, begin + step)));
    }
    return !limit.exceeded_by(total);
}

inline std::int64_t settled(bool within, std::int64_t total, Limit& limit) {
    if (!within) return kWorse;
    limit.lower_to(total);
    return total;
}

// The loss of rows of a log-joint, block by block until the limit is exceeded.
inline bool add_losses(const Loss& loss, const double* log_joint, const RowList& rows, const RowFacts& facts,
                       const Limit& limit, std::vector<double>& sums, std::int64_t& total) {
    sums.resize(kLossBlock * facts.classes);
    return add_limited(rows, kLossBlock, limit, total, [&](const RowList& some) {
        copy_rows(log_joint, some, facts.classes, sums.data());
        return block_loss(loss, sums.data(), some, facts);
    });
}

}  // namespace bayleaf
