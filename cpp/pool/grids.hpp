// Grids of all columns in one pass, and the graphs of networks on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bayleaf {

// What the rows of each fine code weigh, column after column: those of column j are counts[offsets[j]] to
// counts[offsets[j + 1] - 1]. The first intervals[j] of them are intervals of numbers; the others are
// categories.
struct FineCounts {
    std::span<const double> counts;
    std::span<const std::int64_t> offsets;
    std::span<const std::int64_t> intervals;

    std::size_t columns() const { return intervals.size(); }
    std::span<const double> of(std::size_t column) const {
        return counts.subspan(static_cast<std::size_t>(offsets[column]),
                              static_cast<std::size_t>(offsets[column + 1] - offsets[column]));
    }
};

// How finely columns are cut.
struct Cutting {
    std::size_t bins;
    const double* shifts;  // of each column, or null
    double least_rows;     // of a bin
    std::size_t categories;
};

// The state of every fine code and of a missing value, which is the last: those of column j begin at
// states[offsets[j] + j]. arities[j] is their number.
void grid_states(const FineCounts& fine, const Cutting& cutting, std::uint16_t* states,
                 std::int64_t* arities);

// Which parents a column may have, and how well they suit it.
struct Candidates {
    const bool* withheld;      // [child, parent]
    const double* dependence;  // [child, parent]
    std::span<const std::int64_t> order;
    std::span<const std::int64_t> arities;
};

// Of the columns before a child in the order, its `most` parents of the largest dependence, as far as its
// table has no more than `most_numbers` numbers: parents [child, most], -1 where there are fewer. Parents are
// withheld unless all are.
void network_graph(const Candidates& candidates, std::size_t most, std::int64_t classes,
                   std::int64_t most_numbers, std::int64_t* parents);

}  // namespace bayleaf
