// From numbers to class probabilities in one pass: read, look up, add and normalise block by block.
#pragma once

#include <cstdint>
#include <vector>

#include "network/factors.hpp"
#include "network/value_reader.hpp"

namespace bayleaf {

// out[row][c] = P(c | row), or its log-joint where `fallback` is null, for the rows without a missing value.
// Rows with one are marked in `incomplete`; what is written for them is worthless. Variables of the factors
// are columns of `values`. When more than missing values is met, all results are worthless.
template <class Number, class Code>
Met score_numbers(const std::vector<ColumnRule>& rules, const NumberMatrix<Number>& values,
                  const Factors& factors, const double* log_tables, const double* fallback, double* out,
                  std::uint8_t* incomplete, int threads);

}  // namespace bayleaf
