// From the joint table of (class, feature, feature) to the nine numbers of a pair.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "bayleaf/codes.hpp"
#include "bayleaf/pairs.hpp"

namespace bayleaf {

// N log N, by table where counts are integers and so many cells will ask that the table pays.
class EntropyTerm {
  public:
    EntropyTerm(std::size_t rows, double cells) {
        if (cells < static_cast<double>(rows)) return;
        table_.resize(rows + 1);
        for (std::size_t n = 1; n <= rows; ++n)
            table_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
    }
    double operator()(std::int64_t n) const {
        if (!table_.empty()) return table_[n];
        return n > 0 ? static_cast<double>(n) * std::log(static_cast<double>(n)) : 0.0;
    }
    double operator()(double n) const { return n > 0 ? n * std::log(n) : 0.0; }

  private:
    std::vector<double> table_;
};

// The nine numbers of one pair from its table joint[c][i][j].
template <class Total>
void reduce_table(const Total* joint, std::size_t classes, std::size_t ri, std::size_t rj,
                  const EntropyTerm& term, std::vector<Total>& margins, double* sums) {
    margins.assign(ri * rj + ri + rj, Total{0});
    Total* both = margins.data();
    Total* left = both + ri * rj;
    Total* right = left + ri;
    std::fill_n(sums, kPairSums, 0.0);
    Total all{0};
    std::vector<Total> column(rj);
    for (std::size_t c = 0; c < classes; ++c) {
        std::fill(column.begin(), column.end(), Total{0});
        Total in_class{0};
        for (std::size_t x = 0; x < ri; ++x) {
            Total row{0};
            for (std::size_t y = 0; y < rj; ++y) {
                const Total n = joint[(c * ri + x) * rj + y];
                sums[kCIJ] += term(n);
                both[x * rj + y] += n;
                column[y] += n;
                row += n;
            }
            sums[kCI] += term(row);
            left[x] += row;
            in_class += row;
        }
        for (std::size_t y = 0; y < rj; ++y) {
            sums[kCJ] += term(column[y]);
            right[y] += column[y];
        }
        sums[kC] += term(in_class);
        all += in_class;
    }
    for (std::size_t k = 0; k < ri * rj; ++k) sums[kIJ] += term(both[k]);
    for (std::size_t x = 0; x < ri; ++x) sums[kI] += term(left[x]);
    for (std::size_t y = 0; y < rj; ++y) sums[kJ] += term(right[y]);
    sums[kAll] = term(all);
    sums[kTotal] = static_cast<double>(all);
}

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
