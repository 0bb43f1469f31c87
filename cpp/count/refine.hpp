// How much one more feature tells about the class, given a partition of the rows by the features chosen so
// far.
#pragma once

#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

// `rows` lists the rows group by group; group g is rows[starts[g] .. starts[g + 1]). Per feature,
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
