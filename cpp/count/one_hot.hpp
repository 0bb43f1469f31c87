// Rows as words of one-hot bits: one bit per state of each narrow column. Adding up the words of some rows,
// bit by bit, counts the states of some twenty columns at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/codes.hpp"

namespace bayleaf {

struct OneHotRows {
    // Where a column's bits lie. The last state of a column without missing values has none: it is what the
    // others leave. A missing value sets no bit.
    struct Place {
        std::size_t word = 0;
        unsigned first = 0;
        unsigned bits = 0;
        bool present = false;
    };
    std::size_t rows = 0;
    std::size_t words = 0;
    std::vector<Place> places;         // per column
    std::vector<std::uint64_t> table;  // word after word

    const std::uint64_t* word(std::size_t w) const { return table.data() + w * rows; }
    bool has(std::size_t column) const { return column < places.size() && places[column].present; }
};

// Columns of more than eight states are left out: the words take no more memory than the encoded table.
OneHotRows one_hot_rows(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                        const std::vector<bool>& has_missing, int threads);

}  // namespace bayleaf
