// Floor: per set one key of every row, and two additions per class.
#include "pool/gains.hpp"

#include <algorithm>
#include <vector>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {

namespace {

// Sums of one set, [fold, cell, class, residual or variance], kept from set to set.
struct Space {
    std::vector<double> sums;
    std::vector<std::uint32_t> keys;
};

template <std::size_t Classes>
void add_rows(const std::uint32_t* keys, std::size_t rows, const float* residuals, const float* variances,
              std::size_t any_classes, double* sums) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t r = 0; r < rows; ++r) {
        double* cell = sums + keys[r] * classes * 2;
        for (std::size_t c = 0; c < classes; ++c) {
            cell[2 * c] += static_cast<double>(residuals[r * classes + c]);
            cell[2 * c + 1] += static_cast<double>(variances[r * classes + c]);
        }
    }
}

void add_rows(const std::uint32_t* keys, std::size_t rows, const float* residuals, const float* variances,
              std::size_t classes, double* sums) {
    BAYLEAF_BY_CLASSES(classes, add_rows, keys, rows, residuals, variances, classes, sums);
}

double gain_of(const double* all, const double* fold, std::size_t numbers, double penalty) {
    double gain = 0.0;
    for (std::size_t i = 0; i < numbers; i += 2) {
        const double residual = all[i] - (fold ? fold[i] : 0.0);
        const double variance = all[i + 1] - (fold ? fold[i + 1] : 0.0);
        gain += residual * residual / (2.0 * (std::max(variance, 0.0) + penalty));
    }
    return gain;
}

}  // namespace

void set_gains(const CodeMatrix<std::uint16_t>& codes, std::span<const std::int64_t> arities,
               const GainSets& sets, const std::uint8_t* fold, std::size_t folds, const float* residuals,
               const float* variances, std::size_t classes, double penalty, double* gains, int threads) {
    parallel_with<Space>(sets.size(), threads, [&](Space& space, std::size_t s) {
        std::size_t cells = 1;
        space.keys.assign(fold, fold + codes.rows);
        for (const std::int64_t j : sets.of(s)) {
            const auto column = static_cast<std::size_t>(j);
            const auto arity = static_cast<std::uint32_t>(arities[column]);
            const std::uint16_t* states = codes.column(column);
            for (std::size_t r = 0; r < codes.rows; ++r) space.keys[r] = space.keys[r] * arity + states[r];
            cells *= arity;
        }
        const std::size_t numbers = cells * classes * 2;
        space.sums.assign(numbers * (folds + 1), 0.0);
        double* all = space.sums.data() + numbers * folds;
        add_rows(space.keys.data(), codes.rows, residuals, variances, classes, space.sums.data());
        for (std::size_t f = 0; f < folds; ++f)
            for (std::size_t i = 0; i < numbers; ++i) all[i] += space.sums[f * numbers + i];
        for (std::size_t f = 0; f < folds; ++f)
            gains[f * sets.size() + s] = gain_of(all, &space.sums[f * numbers], numbers, penalty);
        gains[folds * sets.size() + s] = gain_of(all, nullptr, numbers, penalty);
    });
}

}  // namespace bayleaf
