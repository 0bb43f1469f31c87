// Leave-one-out losses of all k-dependence classifiers over the first features of an order, in one pass.
#pragma once

#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

// Feature s of the order has the columns[offsets[s] .. offsets[s + 1]): its parents, the strongest first, and
// itself last. Its table with the first j parents starts at tables[levels[offsets[s] + j]] and has an axis
// for each of them, one for the feature and one for the class; that at totals[total_levels[...]] lacks the
// feature.
struct PrefixFamilies {
    std::span<const std::int64_t> columns;
    std::span<const std::int64_t> offsets;
    std::span<const std::int64_t> levels;
    std::span<const std::int64_t> total_levels;
    const double* tables;
    const double* totals;

    std::size_t size() const { return offsets.size() - 1; }
};

// sums[k][i] += the weighted sum over rows of (1 - P(own class | first i features))^2, where each feature has
// its first k parents, and the row itself is left out of all counts. P(x | pa, c) = (N(x, pa, c) + m / r) /
// (N(pa, c) + m) with `smoothing` m; families in which a row has a gap say nothing about it. Sums are made
// over chunks of rows of fixed size, added in their order: threads do not change the result.
template <class Code>
void prefix_losses(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities, std::int64_t target,
                   const PrefixFamilies& families, const double* class_counts, const double* weights,
                   double smoothing, std::size_t most_parents, double* sums, int threads);

}  // namespace bayleaf
