// Everything that information measures need to know of all pairs of features, in one call.
#pragma once

#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

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

}  // namespace bayleaf
