// Columns as bits: counts are then intersections, or sums of words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/codes.hpp"

namespace bayleaf {

// Rows sorted by class and, per (feature, state), one bit set over them: the counts of a pair of features
// within a class are then intersections of bit sets over that class's segment.
struct ClassBitsets {
    std::size_t classes = 0;
    std::vector<std::uint32_t> order;        // rows by class; rows without a class are left out
    std::vector<std::uint64_t> masks;        // per 64 rows and class: which of them belong to it
    std::vector<std::size_t> segment;        // where the rows of a class begin in `order`
    std::vector<std::size_t> segment_words;  // where its words begin
    std::size_t words = 0;                   // words per bit set
    std::vector<std::size_t> first_set;      // per feature: number of its first bit set
    std::vector<unsigned> states;            // per feature: bit sets it has, 0 when it is counted directly
    std::vector<std::int64_t> margins;       // per feature, class, state: rows
    std::vector<std::size_t> margin_offset;
    // Left uninitialised: every word is written when the sets are packed.
    std::unique_ptr<std::uint64_t[]> bits;

    const std::uint64_t* set(std::size_t feature) const { return bits.get() + first_set[feature] * words; }
    const std::int64_t* margin(std::size_t feature) const { return margins.data() + margin_offset[feature]; }
};

// Sorts the rows by class and packs the bit sets. The last state of a feature without missing values has
// none: it is what the others leave. All bit sets together never take more memory than the encoded table:
// the widest features go without. There are fewer than 2^32 rows.
ClassBitsets class_bitsets(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                           std::span<const std::int64_t> features, std::int64_t target,
                           const std::vector<bool>& has_missing, int threads);

// Rows as words of one-hot bits: one bit per state of each narrow column. Adding up the words of some rows,
// bit by bit, counts the states of some twenty columns at once.
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
