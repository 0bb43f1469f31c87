// Cut points of one column by Fayyad and Irani's minimum description length principle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayleaf {

// A column, the values of each class apart and in ascending order: class c has counts[c] of them, the first
// at values[starts[c]]. Weights, if any, lie as the values do.
struct ClassRuns {
    const double* values;
    const double* weights;  // null: every row counts once
    std::span<const std::int64_t> starts;
    std::span<const std::int64_t> counts;
};

// A column of whole numbers: counts[(value - lowest) * classes + c] rows have that value and class c.
struct ValueCounts {
    std::int64_t lowest;
    std::size_t values;
    std::size_t classes;
    const std::int64_t* counts;
};

// The cuts in ascending order, at most max_bins - 1 of them.
std::vector<double> mdlp_cuts(const ClassRuns& column, std::size_t max_bins);
std::vector<double> mdlp_cuts(const ValueCounts& column, std::size_t max_bins);

}  // namespace bayleaf
