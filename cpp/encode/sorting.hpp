// Sorting floats by their bits: no comparison, hence no branch that a processor could guess wrongly.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace bayleaf {

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// A whole number in the order of the floats (-0.0 before 0.0): positive ones above, negative ones upside
// down.
inline std::uint64_t key_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return bits & kSignBit ? ~bits : bits | kSignBit;
}

// The bits of the float again.
inline std::uint64_t bits_of(std::uint64_t key) { return key & kSignBit ? key ^ kSignBit : ~key; }

// In ascending order; `spare` has room for as many.
void sort_keys(std::uint64_t* keys, std::size_t n, std::uint64_t* spare);

}  // namespace bayleaf
