// Columns of numbers: as they lie in memory where that is possible.
#pragma once

#include "encode/arrow_stream.hpp"

namespace bayleaf {

// The values of a column of integers or of float64 that lies in one piece and has no missing value, else
// null.
const void* plain_numbers(const ArrowTable& table, std::size_t column);

// Whether a value of a column is missing.
bool any_missing(const ArrowTable& table, std::size_t column);

// Copies a column of integers without missing values, in their own type.
void copy_integers(const ArrowTable& table, std::size_t column, void* out);

// Copies a column of numbers of any type as float64, NaN for missing.
void copy_floats(const ArrowTable& table, std::size_t column, double* out);

// Bytes of one value of a type of integers.
std::size_t integer_width(char letter);

}  // namespace bayleaf
