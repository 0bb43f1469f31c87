// The encoded table as the kernels see it: columns of small integer codes, one column after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bayleaf {

template <class Code>
struct CodeMatrix {
    const Code* data;
    std::size_t rows;
    std::size_t columns;

    const Code* column(std::size_t j) const { return data + j * rows; }
};

// A missing value is the largest code, so that any arity up to that number fits.
template <class Code>
inline constexpr Code kMissing = std::numeric_limits<Code>::max();

}  // namespace bayleaf
