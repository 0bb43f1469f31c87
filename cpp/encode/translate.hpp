// Codes by other codes, and integers as codes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayleaf {

// out[i] = lookup[codes[i]], and -1 where codes[i] is negative.
template <class From, class To>
void translate(const From* codes, std::size_t rows, const std::int32_t* lookup, std::size_t levels, To* out);

// present[values[i] - low] = 1. Strides are in elements.
template <class Integer>
void mark_integers(const Integer* values, std::size_t rows, std::int64_t stride, std::int64_t low,
                   std::uint8_t* present);

// out[i] = lookup[values[i] - low].
template <class Integer, class To>
void number_integers(const Integer* values, std::size_t rows, std::int64_t stride, std::int64_t low,
                     const std::int32_t* lookup, To* out);

}  // namespace bayleaf
