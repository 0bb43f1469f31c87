// Penalised logistic regression on categories and numbers: the conditional likelihood of linear scores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tuning/row_scores.hpp"

namespace bayleaf {

// What a row's scores are made of: one coefficient per class for each of its cells, and for each number. Of a
// family that says nothing of a row the cell is -1.
struct LinearRows {
    const std::int32_t* cells;  // [family][row]
    std::size_t families;
    const double* numbers;  // [number][row]
    std::size_t n_numbers;
};

// Parameters, and gradients likewise: bias [class], coefficients of the numbers [number][class], of the cells
// [cell][class].
struct LinearParameters {
    const double* bias;
    const double* numbers;
    const double* cells;
};

struct LinearGradient {
    double* bias;
    double* numbers;
    double* cells;
};

// Returns minus the sum over rows of weight * log P(own class); the gradient is added.
double linear_loss(const LinearRows& rows, const Labels& labels, const LinearParameters& parameters,
                   const LinearGradient& gradient, int threads);

// out[row][class] = the scores.
void linear_scores(const LinearRows& rows, std::size_t n_rows, std::size_t classes,
                   const LinearParameters& parameters, double* out, int threads);

}  // namespace bayleaf
