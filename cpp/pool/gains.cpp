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
    std::vector<std::uint32_t> number;   // of every cell
    std::vector<std::uint8_t> has_rows;  // [cell, fold]
    std::vector<double> sums;            // [cell, fold, class, residual or variance]
    std::vector<double> all;             // [class, residual or variance] of one cell
    std::vector<double> gains;           // [fold], then of all rows
};

template <std::size_t Classes>
void add_rows(const std::uint32_t* places, std::size_t rows, const float* residuals, const float* variances,
              std::size_t any_classes, double* sums) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t r = 0; r < rows; ++r) {
        double* cell = sums + places[r] * classes * 2;
        for (std::size_t c = 0; c < classes; ++c) {
            cell[2 * c] += static_cast<double>(residuals[r * classes + c]);
            cell[2 * c + 1] += static_cast<double>(variances[r * classes + c]);
        }
    }
}

void add_rows(const std::uint32_t* places, std::size_t rows, const float* residuals, const float* variances,
              std::size_t classes, double* sums) {
    BAYLEAF_BY_CLASSES(classes, add_rows, places, rows, residuals, variances, classes, sums);
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

double term_of(double residual, double variance, double penalty) {
    return residual * residual / (2.0 * (std::max(variance, 0.0) + penalty));
}

// Adds what one cell gains outside each fold and on all rows. Without the rows of a fold that has none in the
// cell it gains what it gains with all.
void add_cell(const double* sums, const std::uint8_t* has_rows, std::size_t folds, std::size_t classes,
              double penalty, Space& space) {
    const std::size_t numbers = 2 * classes;
    space.all.assign(numbers, 0.0);
    for (std::size_t f = 0; f < folds; ++f)
        if (has_rows[f])
            for (std::size_t i = 0; i < numbers; ++i) space.all[i] += sums[f * numbers + i];
    for (std::size_t i = 0; i < numbers; i += 2) {
        const double with_all = term_of(space.all[i], space.all[i + 1], penalty);
        for (std::size_t f = 0; f < folds; ++f)
            space.gains[f] += has_rows[f] ? term_of(space.all[i] - sums[f * numbers + i],
                                                    space.all[i + 1] - sums[f * numbers + i + 1], penalty)
                                          : with_all;
        space.gains[folds] += with_all;
    }
}

}  // namespace

void set_gains(const CodeMatrix<std::uint16_t>& codes, std::span<const std::int64_t> arities,
               const GainSets& sets, const std::uint8_t* fold, std::size_t folds, const float* residuals,
               const float* variances, std::size_t classes, double penalty, double* gains, int threads) {
    parallel_with<Space>(sets.size(), threads, [&](Space& space, std::size_t s) {
        const std::size_t used = number_cells(find_cells(codes, arities, sets.of(s), space), space);
        space.has_rows.assign(used * folds, 0);
        for (std::size_t r = 0; r < codes.rows; ++r) {
            space.keys[r] = space.keys[r] * static_cast<std::uint32_t>(folds) + fold[r];
            space.has_rows[space.keys[r]] = 1;
        }
        const std::size_t numbers = 2 * classes;
        space.sums.assign(used * folds * numbers, 0.0);
        add_rows(space.keys.data(), codes.rows, residuals, variances, classes, space.sums.data());
        space.gains.assign(folds + 1, 0.0);
        for (std::size_t u = 0; u < used; ++u)
            add_cell(&space.sums[u * folds * numbers], &space.has_rows[u * folds], folds, classes, penalty,
                     space);
        for (std::size_t f = 0; f <= folds; ++f) gains[f * sets.size() + s] = space.gains[f];
    });
}

}  // namespace bayleaf
