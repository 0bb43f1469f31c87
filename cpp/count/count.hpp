// Contingency tables of many column sets.
#pragma once

#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

// Column sets in compressed form: set s holds columns[offsets[s] .. offsets[s + 1]). The table of a set is
// laid out with its last column varying fastest and starts at tables + table_offsets[s]. Rows with a missing
// value in a set are left out of that set's table.
struct ColumnSets {
    std::span<const std::int64_t> columns;
    std::span<const std::int64_t> offsets;
    std::span<const std::int64_t> table_offsets;

    std::size_t size() const { return offsets.size() - 1; }
};

// Adds the rows to `tables` (zero at the start). Total is int64 for plain counts, double for weighted ones; a
// weighted table is always summed in row order, by one thread, so that threads never change the result.
template <class Code, class Total>
void count(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities, const ColumnSets& sets,
           const double* weights, Total* tables, int threads);

}  // namespace bayleaf
