// From the joint table of (class, feature, feature) to the nine numbers of a pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/cell_terms.hpp"
#include "common/codes.hpp"
#include "count/count.hpp"

namespace bayleaf {

// N log N. Either all counts are in the table or there is none, and sums of weights are never looked up: the
// inner loops need not ask.
class EntropyTerm {
  public:
    explicit EntropyTerm(std::size_t tabulated) : counts_(true, 0.0, tabulated) {}

    double operator()(std::int64_t n) const {
        return counts_.tabulated() > 0 ? counts_.table()[n] : n_log_n(static_cast<double>(n));
    }
    double operator()(double n) const { return n_log_n(n); }

  private:
    CellFunction counts_;
};

// Sums of one feature with the class. Where neither feature of a pair has missing values they are the same
// for every partner.
struct FeatureSums {
    double ci = 0, i = 0, c = 0, all = 0, total = 0;
};

template <class Total>
FeatureSums reduce_margins(const Total* margin, std::size_t classes, std::size_t arity,
                           const EntropyTerm& term) {
    FeatureSums sums;
    std::vector<Total> column(arity, Total{0});
    Total all{0};
    for (std::size_t c = 0; c < classes; ++c) {
        Total in_class{0};
        for (std::size_t x = 0; x < arity; ++x) {
            const Total n = margin[c * arity + x];
            sums.ci += term(n);
            column[x] += n;
            in_class += n;
        }
        sums.c += term(in_class);
        all += in_class;
    }
    for (const Total n : column) sums.i += term(n);
    sums.all = term(all);
    sums.total = static_cast<double>(all);
    return sums;
}

// The two sums that only the whole table joint[c][i][j] tells; `both` is scratch space.
template <class Total>
void reduce_cells(const Total* joint, std::size_t classes, std::size_t cells, const EntropyTerm& term,
                  std::vector<Total>& both, double* sums) {
    both.assign(cells, Total{0});
    double cij = 0, ij = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t k = 0; k < cells; ++k) {
            const Total n = joint[c * cells + k];
            cij += term(n);
            both[k] += n;
        }
    }
    for (const Total n : both) ij += term(n);
    sums[kCIJ] = cij;
    sums[kIJ] = ij;
}

// Margins of one feature of a pair, by summing the other one out of joint[c][i][j].
template <class Total>
std::vector<Total> margin_of(const Total* joint, std::size_t classes, std::size_t ri, std::size_t rj,
                             bool left) {
    const std::size_t arity = left ? ri : rj;
    std::vector<Total> margin(classes * arity, Total{0});
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t x = 0; x < ri; ++x)
            for (std::size_t y = 0; y < rj; ++y)
                margin[c * arity + (left ? x : y)] += joint[(c * ri + x) * rj + y];
    return margin;
}

// The nine numbers of a pair from its table. `left` and `right` are the sums of the two features, if they
// hold for this pair.
template <class Total>
void reduce_pair(const Total* joint, std::size_t classes, std::size_t ri, std::size_t rj,
                 const EntropyTerm& term, const FeatureSums* left, const FeatureSums* right,
                 std::vector<Total>& both, double* sums) {
    reduce_cells(joint, classes, ri * rj, term, both, sums);
    FeatureSums own_left, own_right;
    if (!left || !right) {
        own_left = reduce_margins(margin_of(joint, classes, ri, rj, true).data(), classes, ri, term);
        own_right = reduce_margins(margin_of(joint, classes, ri, rj, false).data(), classes, rj, term);
        left = &own_left;
        right = &own_right;
    }
    sums[kCI] = left->ci;
    sums[kCJ] = right->ci;
    sums[kC] = left->c;
    sums[kI] = left->i;
    sums[kJ] = right->i;
    sums[kAll] = left->all;
    sums[kTotal] = left->total;
}

// From tables of counts to sums of terms. Count is what tables hold (double where rows have weights), Total
// what they are reduced as (double where they are smoothed: `pseudo` is spread evenly over the cells of each
// table).
template <class Count, class Total>
class PairReducer {
  public:
    struct Scratch {
        std::vector<Total> joint, both;
    };

    PairReducer(std::size_t classes, double pseudo, std::size_t tabulated)
        : classes_(classes), pseudo_(pseudo), term_(tabulated) {}

    const EntropyTerm& term() const { return term_; }

    // The sums of one feature from its table with the class.
    FeatureSums feature(const Count* counts, std::size_t arity) const {
        std::vector<Total> margin;
        smooth(counts, classes_ * arity, margin);
        return reduce_margins(margin.data(), classes_, arity, term_);
    }

    // The nine numbers of a pair. `left` and `right` are the sums of the two features, if they hold for this
    // pair.
    void pair(const Count* counts, std::size_t ri, std::size_t rj, const FeatureSums* left,
              const FeatureSums* right, Scratch& scratch, double* sums) const {
        smooth(counts, classes_ * ri * rj, scratch.joint);
        reduce_pair(scratch.joint.data(), classes_, ri, rj, term_, left, right, scratch.both, sums);
    }

  private:
    void smooth(const Count* counts, std::size_t cells, std::vector<Total>& smoothed) const {
        smoothed.assign(counts, counts + cells);
        if constexpr (std::is_same_v<Total, double>) {
            const double share = pseudo_ / static_cast<double>(cells);
            for (Total& n : smoothed) n += share;
        }
    }

    std::size_t classes_;
    double pseudo_;
    EntropyTerm term_;
};

// One pair of columns with the class.
template <class Code>
struct PairColumns {
    const Code* labels;
    const Code* left;
    const Code* right;
    std::size_t classes, ri, rj;

    double cells() const {
        return static_cast<double>(classes) * static_cast<double>(ri) * static_cast<double>(rj);
    }
    bool known(std::size_t row) const {
        return labels[row] != kMissing<Code> && left[row] != kMissing<Code> && right[row] != kMissing<Code>;
    }
};

// Whether a table has so many more cells than rows that sorting the rows costs less than filling it.
inline bool sorting_pays(double cells, std::size_t rows) {
    return cells > 65536.0 + 64.0 * static_cast<double>(rows);
}

// Rows as (cell, weight), sorted by cell.
using SortedRows = std::vector<std::pair<std::uint64_t, double>>;

// Sum of N log N over a table of `cells` cells into which cell / divisor puts each row. The cells that no row
// meets hold only their share of `pseudo`.
inline double sum_over_runs(const SortedRows& rows, std::uint64_t divisor, double cells, double pseudo,
                            const EntropyTerm& term) {
    const double share = pseudo / cells;
    double sum = 0;
    double met = 0;
    for (std::size_t i = 0; i < rows.size();) {
        const std::uint64_t cell = rows[i].first / divisor;
        double n = share;
        for (; i < rows.size() && rows[i].first / divisor == cell; ++i) n += rows[i].second;
        sum += term(n);
        ++met;
    }
    return sum + (cells - met) * term(share);
}

// The nine numbers of one pair without its joint table, for features with very many states.
template <class Code>
void reduce_sorted(const PairColumns<Code>& pair, std::size_t rows, const double* weights, double pseudo,
                   const EntropyTerm& term, double* sums) {
    SortedRows sorted;
    auto sort_by = [&](auto cell) {
        sorted.clear();
        for (std::size_t row = 0; row < rows; ++row)
            if (pair.known(row)) sorted.emplace_back(cell(row), weights ? weights[row] : 1.0);
        std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.first < b.first; });
    };
    const std::uint64_t ri = pair.ri;
    const std::uint64_t rj = pair.rj;
    const std::uint64_t classes = pair.classes;
    auto runs = [&](std::uint64_t divisor, std::uint64_t cells) {
        return sum_over_runs(sorted, divisor, static_cast<double>(cells), pseudo, term);
    };
    sort_by([&](std::size_t row) { return (pair.labels[row] * ri + pair.left[row]) * rj + pair.right[row]; });
    sums[kCIJ] = runs(1, classes * ri * rj);
    sums[kCI] = runs(rj, classes * ri);
    sums[kC] = runs(ri * rj, classes);
    sums[kTotal] = pseudo;
    for (const auto& [cell, weight] : sorted) sums[kTotal] += weight;
    sums[kAll] = term(sums[kTotal]);
    sort_by([&](std::size_t row) { return pair.left[row] * rj + pair.right[row]; });
    sums[kIJ] = runs(1, ri * rj);
    sums[kI] = runs(rj, ri);
    sort_by([&](std::size_t row) { return pair.right[row] * classes + pair.labels[row]; });
    sums[kCJ] = runs(1, rj * classes);
    sums[kJ] = runs(classes, rj);
}

}  // namespace bayleaf
