// Floor: per set one key of every row, and two additions per class.
#include "pool/gains.hpp"

#include <algorithm>
#include <vector>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {

namespace {

// What is kept from set to set. Most cells of a table over several columns have no row: the others are
// numbered.
struct Space {
    std::vector<std::uint32_t> keys;
    std::vector<std::uint32_t> number;  // of every cell
    std::vector<double> sums;           // [cell, class, residual or variance, fold], with empty lanes behind
    std::vector<double> gains;          // [lane]
};

template <std::size_t Classes>
void add_rows(const std::uint32_t* cells, const std::uint8_t* fold, std::size_t rows, const float* residuals,
              const float* variances, std::size_t any_classes, std::size_t lanes, double* sums) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t r = 0; r < rows; ++r) {
        double* cell = sums + cells[r] * classes * 2 * lanes + fold[r];
        for (std::size_t c = 0; c < classes; ++c) {
            cell[2 * c * lanes] += static_cast<double>(residuals[r * classes + c]);
            cell[(2 * c + 1) * lanes] += static_cast<double>(variances[r * classes + c]);
        }
    }
}

void add_rows(const std::uint32_t* cells, const std::uint8_t* fold, std::size_t rows, const float* residuals,
              const float* variances, std::size_t classes, std::size_t lanes, double* sums) {
    BAYLEAF_BY_CLASSES(classes, add_rows, cells, fold, rows, residuals, variances, classes, lanes, sums);
}

// Puts the cell of each row into space.keys; returns how many there are.
std::size_t find_cells(const CodeMatrix<std::uint16_t>& codes, std::span<const std::int64_t> arities,
                       std::span<const std::int64_t> columns, Space& space) {
    std::size_t cells = 1;
    space.keys.assign(codes.rows, 0);
    for (const std::int64_t j : columns) {
        const auto column = static_cast<std::size_t>(j);
        const auto arity = static_cast<std::uint32_t>(arities[column]);
        const std::uint16_t* states = codes.column(column);
        for (std::size_t r = 0; r < codes.rows; ++r) space.keys[r] = space.keys[r] * arity + states[r];
        cells *= arity;
    }
    return cells;
}

// Numbers the cells that have rows, in their order, and puts the numbers in place of the cells.
std::size_t number_cells(std::size_t cells, Space& space) {
    space.number.assign(cells, 0);
    for (const std::uint32_t key : space.keys) space.number[key] = 1;
    std::uint32_t used = 0;
    for (std::uint32_t& number : space.number) {
        const std::uint32_t has_rows = number;
        number = used;
        used += has_rows;
    }
    for (std::uint32_t& key : space.keys) key = space.number[key];
    return used;
}

// Adds what the used cells gain outside each fold, and with all rows, which is outside a fold without rows:
// there are such lanes behind those of the folds, so that their number is even.
template <std::size_t Lanes>
void add_gains(const double* sums, std::size_t used, std::size_t folds, std::size_t any_lanes,
               std::size_t classes, double penalty, double* gains) {
    const std::size_t lanes = Lanes ? Lanes : any_lanes;
    for (std::size_t i = 0; i < used * classes; ++i) {
        const double* residuals = sums + i * 2 * lanes;
        const double* variances = residuals + lanes;
        double residual = 0.0, variance = 0.0;
        for (std::size_t f = 0; f < folds; ++f) {
            residual += residuals[f];
            variance += variances[f];
        }
        for (std::size_t f = 0; f < lanes; ++f) {
            const double left = residual - residuals[f];
            gains[f] += left * left / (2.0 * (std::max(variance - variances[f], 0.0) + penalty));
        }
    }
}

void add_gains(const double* sums, std::size_t used, std::size_t folds, std::size_t lanes,
               std::size_t classes, double penalty, double* gains) {
    switch (lanes) {
        case 4:
            return add_gains<4>(sums, used, folds, lanes, classes, penalty, gains);
        case 6:
            return add_gains<6>(sums, used, folds, lanes, classes, penalty, gains);
        default:
            return add_gains<0>(sums, used, folds, lanes, classes, penalty, gains);
    }
}

}  // namespace

void set_gains(const CodeMatrix<std::uint16_t>& codes, std::span<const std::int64_t> arities,
               const GainSets& sets, const std::uint8_t* fold, std::size_t folds, const float* residuals,
               const float* variances, std::size_t classes, double penalty, double* gains, int threads) {
    const std::size_t lanes = (folds + 2) / 2 * 2;
    parallel_with<Space>(sets.size(), threads, [&](Space& space, std::size_t s) {
        const std::size_t used = number_cells(find_cells(codes, arities, sets.of(s), space), space);
        space.sums.assign(used * classes * 2 * lanes, 0.0);
        add_rows(space.keys.data(), fold, codes.rows, residuals, variances, classes, lanes,
                 space.sums.data());
        space.gains.assign(lanes, 0.0);
        add_gains(space.sums.data(), used, folds, lanes, classes, penalty, space.gains.data());
        for (std::size_t f = 0; f <= folds; ++f) gains[f * sets.size() + s] = space.gains[f];
    });
}

}  // namespace bayleaf
