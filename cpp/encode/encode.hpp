// Turning integers into codes.
#pragma once

#include <cstdint>

#include "common/codes.hpp"

namespace bayleaf {

// Copies a matrix of integers into one column of bytes after another, when every value lies in [0, 254].
// Returns false (and leaves `out` in any state) when one does not. Strides are in elements; `largest`
// receives the largest value of each column.
template <class Integer>
bool pack_integers(const Integer* values, std::size_t rows, std::size_t columns, std::int64_t row_stride,
                   std::int64_t column_stride, std::uint8_t* out, std::uint8_t* largest, int threads);

// present[j][s] = whether state s, at most largest[j], occurs in column j; 255 entries per column.
void present_states(const CodeMatrix<std::uint8_t>& codes, const std::uint8_t* largest, std::uint8_t* present,
                    int threads);

// Per column, the largest code that is not the missing one (-1 when there is none) and whether any value is
// missing.
template <class Code>
void column_range(const CodeMatrix<Code>& codes, std::int64_t* largest, std::uint8_t* missing, int threads);

}  // namespace bayleaf
