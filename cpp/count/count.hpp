// Kernels that count rows: contingency tables, pairs of features, partitions of the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/codes.hpp"

namespace bayleaf {

// Column sets in compressed form: set s holds columns[offsets[s] .. offsets[s + 1]). The table of a set is
// laid out with its last column varying fastest and starts at tables + table_offsets[s]. Rows with a missing
// value in a set are left out of that set's table.
struct ColumnSets {
    std::span<const std::int64_t> columns;
    std::span<const std::int64_t> offsets;
    std::span<const std::int64_t> table_offsets;

    std::size_t size() const { return offsets.size() - 1; }
};

// Adds the rows to `tables` (zero at the start). Total is int64 for plain counts, double for weighted ones; a
// weighted table is always summed in row order, by one thread, so that threads never change the result.
template <class Code, class Total>
void count(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities, const ColumnSets& sets,
           const double* weights, Total* tables, int threads);

// Per pair (i < j) and over the rows where both features and the class are known, the sums of N log N over
// the cells of eight tables. Any entropy or mutual information of (X_i, X_j, C) is a difference of these.
enum PairSum { kCIJ, kCI, kCJ, kC, kIJ, kI, kJ, kAll, kTotal, kPairSums };  // kTotal: the rows themselves

// `features` are column numbers, `target` the class column. `pseudo` is spread evenly over the cells of each
// pair's joint table (0: plain counts, 1: Laplace smoothing). `sums` has kPairSums values per pair, pairs in
// the order (0,1), (0,2), ..., (1,2), ...
template <class Code>
void pair_sums(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
               std::span<const std::int64_t> features, std::int64_t target, const double* weights,
               double pseudo, double* sums, int threads);

// Adds the rows to the tables [class][i][j] of all pairs, one after another in the same order, so that
// batches of rows can follow each other. Total is int64 for plain counts, double for sums of weights.
template <class Code, class Total>
void pair_counts(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                 std::span<const std::int64_t> features, std::int64_t target, const double* weights,
                 Total* tables, int threads);

// Where the table of each pair begins, and where the last one ends.
std::vector<std::size_t> pair_table_starts(std::span<const std::int64_t> arities,
                                           std::span<const std::int64_t> features, std::int64_t target);

// What pair_sums would give for the rows that were counted. `has_missing` says of each feature whether any of
// those rows lacks it.
template <class Total>
void pair_sums_of_counts(const Total* tables, std::span<const std::int64_t> arities,
                         std::span<const std::int64_t> features, std::int64_t target, const bool* has_missing,
                         double pseudo, double* sums, int threads);

// How much one more feature tells about the class, given a partition of the rows by the features chosen so
// far: `rows` lists the rows group by group; group g is rows[starts[g] .. starts[g + 1]). Per feature,
//   gains[f][0] = sum over the cells of (group, value) of [ sum_c S(n_c) - S(n) ], S(n) = n log n,
//   gains[f][1] = sum over the same cells of the largest n_c,
// with weights in place of rows where given. Never more memory than one small table: a missing value is a
// state of its own.
template <class Code>
void partition_gains(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                     std::int64_t target, const double* weights, std::span<const std::int64_t> features,
                     std::span<const std::int64_t> rows, std::span<const std::int64_t> starts, double* gains,
                     int threads);

}  // namespace bayleaf
