// Floor of a grid: a few passes over the fine codes of every column; of a graph: one look at every pair.
#include "pool/grids.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace bayleaf {

namespace {

// Adds up numbers in the order in which numpy does, so that sums of fractional weights are the same.
double sum_in_pairs(const double* numbers, std::size_t n) {
    constexpr std::size_t lanes = 8, block = 128;
    if (n > block) {
        const std::size_t half = n / 2 - n / 2 % lanes;
        return sum_in_pairs(numbers, half) + sum_in_pairs(numbers + half, n - half);
    }
    double total = 0.0;
    std::size_t i = 0;
    if (n >= lanes) {
        double sums[lanes];
        std::copy_n(numbers, lanes, sums);
        for (i = lanes; i + lanes <= n; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) sums[k] += numbers[i + k];
        total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
    for (; i < n; ++i) total += numbers[i];
    return total;
}

// Buffers that are kept from column to column.
struct Space {
    std::vector<std::uint8_t> heavy, last;
    std::vector<std::size_t> more, order;
    std::vector<double> light, upto;
};

// Marks the values that have a bin of their own: each has as much weight as a bin of the rest would have.
// Returns their number; what is left of the weights is in space.light.
std::size_t find_heavy(std::span<const double> weight, std::size_t bins, Space& space) {
    space.heavy.assign(weight.size(), 0);
    space.light.assign(weight.begin(), weight.end());
    std::size_t count = 0;
    while (true) {
        const std::size_t left = bins - count;
        const double light = sum_in_pairs(space.light.data(), space.light.size());
        space.more.clear();
        for (std::size_t v = 0; v < weight.size(); ++v)
            if (!space.heavy[v] && weight[v] * static_cast<double>(std::max<std::size_t>(left, 1)) >= light)
                space.more.push_back(v);
        if (space.more.empty() || space.more.size() >= left) return count;
        for (const std::size_t v : space.more) space.heavy[v] = 1;
        count += space.more.size();
        space.light.clear();
        for (std::size_t v = 0; v < weight.size(); ++v)
            if (!space.heavy[v]) space.light.push_back(weight[v]);
    }
}

// Marks the last value of each bin but the last one: see `last_of_bins` in data/discretize/bins.py.
void find_last(std::span<const double> weight, const Cutting& cutting, double shift, Space& space) {
    const std::size_t n = weight.size();
    space.last.assign(n, n <= cutting.bins);
    if (n <= cutting.bins) return;
    const std::size_t heavy = find_heavy(weight, cutting.bins, space);
    const double light = sum_in_pairs(space.light.data(), space.light.size());
    const double all = sum_in_pairs(weight.data(), n);
    const double per_bin =
        std::max(light / static_cast<double>(std::max<std::size_t>(cutting.bins - heavy, 1)),
                 std::min(cutting.least_rows, std::sqrt(all)));
    for (std::size_t begin = 0; begin <= n;) {
        std::size_t end = begin;
        space.upto.clear();
        for (double total = 0.0; end < n && !space.heavy[end]; ++end)
            space.upto.push_back(total += weight[end]);
        if (end < n) {  // a heavy value begins a bin and ends it
            space.last[end] = 1;
            if (end > 0) space.last[end - 1] = 1;
        }
        if (!space.upto.empty()) {
            const double total = space.upto.back();
            const double parts = std::max(1.0, std::nearbyint(total / per_bin));
            const double borders = shift > 0 ? parts : parts - 1;
            for (double border = 1; border <= borders; ++border) {
                const double wanted = (border - shift) * (total / parts) * (1 - 1e-12);
                const auto at = std::lower_bound(space.upto.begin(), space.upto.end(), wanted);
                const std::size_t value = begin + static_cast<std::size_t>(at - space.upto.begin());
                if (value < n) space.last[value] = 1;
            }
        }
        begin = end + 1;
    }
}

// Gives the most frequent categories a state each, in their order, and all others one together.
void group_rare(std::span<const double> counts, std::size_t most, Space& space, std::uint16_t* states) {
    if (counts.size() <= most) {
        std::iota(states, states + counts.size(), std::uint16_t{0});
        return;
    }
    space.order.resize(counts.size());
    std::iota(space.order.begin(), space.order.end(), std::size_t{0});
    const auto end = space.order.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::partial_sort(space.order.begin(), end, space.order.end(), [&](std::size_t a, std::size_t b) {
        return counts[a] > counts[b] || (counts[a] == counts[b] && a < b);
    });
    std::sort(space.order.begin(), end);
    std::fill_n(states, counts.size(), static_cast<std::uint16_t>(most - 1));
    for (std::size_t k = 0; k + 1 < most; ++k) states[space.order[k]] = static_cast<std::uint16_t>(k);
}

}  // namespace

void grid_states(const FineCounts& fine, const Cutting& cutting, std::uint16_t* states,
                 std::int64_t* arities) {
    Space space;
    for (std::size_t j = 0; j < fine.columns(); ++j) {
        const std::span<const double> counts = fine.of(j);
        const auto intervals = static_cast<std::size_t>(fine.intervals[j]);
        std::uint16_t* own = states + static_cast<std::size_t>(fine.offsets[j]) + j;
        std::uint16_t missing = 0;
        if (intervals > 0) {
            find_last(counts.first(intervals), cutting, cutting.shifts ? cutting.shifts[j] : 0.0, space);
            space.last[intervals - 1] = 1;  // no category is a part of a bin
            for (std::size_t code = 0; code < counts.size(); ++code) {
                own[code] = missing;
                if (code >= intervals || space.last[code]) ++missing;
            }
        } else {
            group_rare(counts, cutting.categories, space, own);
            missing = static_cast<std::uint16_t>(std::min(counts.size(), cutting.categories));
        }
        own[counts.size()] = missing;
        arities[j] = missing + 1;
    }
}

void network_graph(const Candidates& candidates, std::size_t most, std::int64_t classes,
                   std::int64_t most_numbers, std::int64_t* parents) {
    const std::size_t columns = candidates.order.size();
    std::vector<std::int64_t> best;
    for (std::size_t position = 0; position < columns; ++position) {
        const auto child = static_cast<std::size_t>(candidates.order[position]);
        const bool* withheld = candidates.withheld + child * columns;
        const double* dependence = candidates.dependence + child * columns;
        const std::span<const std::int64_t> before = candidates.order.first(position);
        const bool all_withheld =
            std::all_of(before.begin(), before.end(), [&](std::int64_t j) { return withheld[j]; });
        best.clear();
        for (const std::int64_t j : before) {
            if (withheld[j] && !all_withheld) continue;
            if (best.size() == most && !(dependence[j] > dependence[best.back()])) continue;
            if (best.size() == most) best.pop_back();
            std::size_t place = best.size();  // of equal ones the first in the order
            while (place > 0 && dependence[j] > dependence[best[place - 1]]) --place;
            best.insert(best.begin() + static_cast<std::ptrdiff_t>(place), j);
        }
        std::int64_t size = classes * candidates.arities[child];
        std::int64_t* taken = parents + child * most;
        std::fill_n(taken, most, -1);
        for (const std::int64_t j : best) {
            const std::int64_t arity = candidates.arities[static_cast<std::size_t>(j)];
            if (size * arity > most_numbers) continue;
            *taken++ = j;
            size *= arity;
        }
    }
}

}  // namespace bayleaf
