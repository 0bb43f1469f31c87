// How the values of new rows become codes: what a schema knows about each column, arranged for prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayleaf {

enum class Reading : std::uint8_t {
    kCuts,      // numbers, cut into intervals
    kNumbers,   // numbers that are categories
    kStrings,   // text
    kBooleans,  // true and false
    kNothing,   // fit saw no value: whatever comes is missing
};

struct ColumnRule {
    Reading reading;
    std::vector<double> points;        // the cuts, or the numbers that are categories, increasing
    std::vector<std::uint16_t> codes;  // of these numbers
    std::int64_t fill;                 // the code in place of a missing value; -1 where it stays missing
    std::int64_t unknown;              // the code in place of a category that fit has not seen; likewise
    bool pools;                        // whether that is what the code is for: there is nothing to report
    std::vector<std::uint16_t>
        dense;               // codes of the whole numbers from the first to the last category, if few
    bool ascending = false;  // these are 0, 1, 2, ... unless there are numbers between them

    bool reads_numbers() const { return reading != Reading::kStrings && reading != Reading::kBooleans; }
};

// Makes a rule ready for use: `dense` has the codes of categories that are whole numbers close together, with
// the missing code between them.
void complete_rule(ColumnRule& rule);

// What reading came across; several may hold.
using Met = unsigned;
inline constexpr Met kMetMissing = 1;   // a missing value, which has the missing code now
inline constexpr Met kMetUnknown = 2;   // a category that fit has not seen, likewise
inline constexpr Met kMetInfinite = 4;  // an infinite number: its code is worthless
inline constexpr Met kMetOther = 8;     // an object of a type that is not read here: likewise

// A matrix of numbers in any memory order; strides are in elements.
template <class Number>
struct NumberMatrix {
    const Number* data;
    std::size_t rows;
    std::size_t columns;
    std::int64_t row_stride;
    std::int64_t column_stride;
};

// Rows that are read together: few enough that their values stay in the first-level cache.
inline constexpr std::size_t kReadBlock = 256;

// Codes of `rows` (at most kReadBlock) rows from `begin` on: column j starts at codes + j * stride, has room
// for kReadBlock codes, and met[j] says what was met in it.
template <class Number, class Code>
void read_block(const std::vector<ColumnRule>& rules, const NumberMatrix<Number>& values, std::size_t begin,
                std::size_t rows, Code* codes, std::size_t stride, Met* met);

// The code of one number that is neither missing nor infinite; -1 for an unknown category.
std::int64_t code_of(const ColumnRule& rule, double value);

// Codes of all rows, column after column; returns what was met, and per column whether a value is missing.
template <class Number, class Code>
Met read_numbers(const std::vector<ColumnRule>& rules, const NumberMatrix<Number>& values, Code* codes,
                 std::uint8_t* missing, int threads);

}  // namespace bayleaf
