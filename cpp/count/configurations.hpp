// Rows numbered by the joint value of some columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/codes.hpp"

namespace bayleaf {

// How many cells a table over the rows may have before it is counted over the values that occur, by sorting.
inline std::size_t most_cells(std::size_t rows) {
    return std::min(std::size_t{65536} + 16 * rows, std::size_t{1} << 31);
}

struct Configurations {
    std::vector<std::uint32_t> of_row;  // `count` where a value is missing
    std::size_t count = 1;
    // Whether every possible configuration has its place; otherwise only those that occur have.
    bool every = true;
};

// Numbers each row by its values in the columns, the last varying fastest. Where there are too many possible
// configurations, those that occur are numbered in the same order. `has_missing` tells which columns of the
// table lack values.
template <class Code>
void number_configurations(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                           const std::vector<bool>& has_missing, std::span<const std::int64_t> columns,
                           Configurations& out);

// Numbers each row by its configuration and its value in one more column; rows that lack a value get the
// number after the last. `complete` says that there are none.
template <class Code>
void number_cells(const Configurations& configurations, const Code* column, std::size_t arity, bool complete,
                  std::vector<std::uint32_t>& cells);

}  // namespace bayleaf
