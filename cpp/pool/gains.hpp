// What a table over some columns could still gain: by the residuals of held-out probabilities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

// Sets of columns laid end to end: set s is columns[offsets[s]] to columns[offsets[s + 1] - 1].
struct GainSets {
    std::span<const std::int64_t> columns;
    std::span<const std::int64_t> offsets;

    std::size_t size() const { return offsets.size() - 1; }
    std::span<const std::int64_t> of(std::size_t set) const {
        return columns.subspan(static_cast<std::size_t>(offsets[set]),
                               static_cast<std::size_t>(offsets[set + 1] - offsets[set]));
    }
};

// Of every set the sum over its cells k and the classes c of (sum g_kc)^2 / (2 (sum h_kc + penalty)), where g
// are residuals and h their variances, both [row, class]. gains is [folds + 1, sets]: first the gains on the
// rows outside each fold, then those on all rows.
void set_gains(const CodeMatrix<std::uint16_t>& codes, std::span<const std::int64_t> arities,
               const GainSets& sets, const std::uint8_t* fold, std::size_t folds, const float* residuals,
               const float* variances, std::size_t classes, double penalty, double* gains, int threads);

}  // namespace bayleaf
