// One bit set per state of a column: the rows of a joint value are intersections of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayleaf/codes.hpp"

namespace bayleaf {

struct ColumnBitsets {
    std::size_t words = 0;               // per bit set
    std::vector<std::size_t> first_set;  // per column: number of its first bit set
    std::vector<bool> has_sets;          // per column
    std::unique_ptr<std::uint64_t[]> bits;

    const std::uint64_t* sets(std::size_t column) const { return bits.get() + first_set[column] * words; }
};

// Packs the columns of at most eight states: together they take no more memory than the encoded table. A
// missing value is in no set.
ColumnBitsets column_bitsets(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                             int threads);

}  // namespace bayleaf
