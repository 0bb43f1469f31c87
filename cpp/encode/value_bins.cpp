#include "encode/value_bins.hpp"

#include <limits>

namespace bayleaf {

namespace {

// Rows of a bin: fewer make more borders to look at, more make looser bounds inside.
constexpr std::size_t kBinRows = 32;

// The number of values, from `from` on, that are at most `limit`.
std::int64_t advance(const double* values, std::int64_t from, std::int64_t end, double limit) {
    std::int64_t at = from;
    std::int64_t step = 1;
    for (; at + step <= end && values[at + step - 1] <= limit; step *= 2) at += step;
    for (; step > 0; step /= 2)
        if (at + step <= end && values[at + step - 1] <= limit) at += step;
    return at;
}

// Every so many-th value of each class, and the largest of all. The column has rows.
std::vector<double> bin_borders(const ClassRuns& column) {
    const std::size_t classes = column.counts.size();
    // With many classes there are fewer bins: the table of positions stays smaller than the column.
    const std::size_t stride = std::max(kBinRows, 2 * classes);
    double largest = -std::numeric_limits<double>::infinity();
    std::vector<double> borders;
    std::vector<double> spare;
    std::vector<std::size_t> ends;
    for (std::size_t c = 0; c < classes; ++c) {
        const double* values = column.values + column.starts[c];
        const auto count = static_cast<std::size_t>(column.counts[c]);
        for (std::size_t i = stride / 2; i < count; i += stride) borders.push_back(values[i]);
        if (count > 0) largest = std::max(largest, values[count - 1]);
        ends.push_back(borders.size());
    }
    merge_runs(borders, spare, ends);
    borders.push_back(largest);
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return borders;
}

}  // namespace

ValueBins bins_of(const ClassRuns& column) {
    const std::size_t classes = column.counts.size();
    ValueBins bins{classes, bin_borders(column), {}};
    bins.before.assign((bins.size() + 1) * classes, 0);
    for (std::size_t b = 0; b < bins.size(); ++b) {
        const std::int64_t* below = bins.before.data() + b * classes;
        std::int64_t* above = bins.before.data() + (b + 1) * classes;
        for (std::size_t c = 0; c < classes; ++c) {
            const double* values = column.values + column.starts[c];
            above[c] = advance(values, below[c], column.counts[c], bins.upper[b]);
            // The classes lie far apart: what comes next is fetched in time.
            __builtin_prefetch(values + above[c] + (above[c] - below[c]));
            __builtin_prefetch(values + above[c] + 2 * (above[c] - below[c]));
        }
    }
    return bins;
}

ValueBins bins_of(const ValueCounts& column) {
    ValueBins bins{column.classes, {}, std::vector<std::int64_t>(column.classes, 0)};
    for (std::size_t v = 0; v < column.values; ++v) {
        const std::int64_t* counts = column.counts + v * column.classes;
        if (std::all_of(counts, counts + column.classes, [](std::int64_t n) { return n == 0; })) continue;
        bins.upper.push_back(static_cast<double>(column.lowest + static_cast<std::int64_t>(v)));
        const std::size_t last = bins.before.size() - column.classes;
        for (std::size_t c = 0; c < column.classes; ++c)
            bins.before.push_back(bins.before[last + c] + counts[c]);
    }
    return bins;
}

}  // namespace bayleaf
