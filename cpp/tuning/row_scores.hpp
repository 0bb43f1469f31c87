// Conditional likelihoods of scores that are added up: a row's class c has the probability softmax(scores)_c.
// Everything that is summed over rows is summed block by block, and the blocks in their order: threads do not
// change a bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tuning/descent.hpp"

namespace bayleaf {

// The class of every row, and what it weighs; without weights each row counts once. With `doubt`, a row
// counts for each class as much as that says, and with the rest for its own.
struct Labels {
    const std::int32_t* target;
    const double* weights;
    const double* doubt;
    std::size_t rows;
    std::size_t classes;
};

// Scores of several members, [member][row][class]; a row scores bias + sum of weight * its scores.
template <class Score>
struct MemberScores {
    const Score* scores;
    std::size_t members;
};

// Returns minus the sum over rows of weight * log P(own class), or what doubt makes of it, and its gradient.
template <class Score>
double pool_loss(const MemberScores<Score>& pool, const Labels& labels, const double* member_weights,
                 const double* bias, double* member_gradient, double* bias_gradient, int threads);

// out[row][class] = bias + sum over members of weight * score.
template <class Score>
void pool_scores(const MemberScores<Score>& pool, std::size_t rows, std::size_t classes,
                 const double* member_weights, const double* bias, double* out, int threads);

// Base scores [row][class] and, for every family and row, the cell that adds its correction, or -1. Families
// own disjoint stretches of cells. A row scores bias + scale * base + sum of corrections of its cells.
struct CellScores {
    const double* base;
    const std::int32_t* cells;  // [family][row]
    std::size_t families;
};

// Returns minus the sum over rows of weight * log P(own class). The gradient with respect to the corrections
// [cell][class] is added to `correction_gradient`; that of the bias and of the scale is written.
double cell_loss(const CellScores& scores, const Labels& labels, double scale, const double* bias,
                 const double* corrections, double* scale_gradient, double* bias_gradient,
                 double* correction_gradient, int threads);

// Raises the sum over rows of weight * log P(own class) - sum of pull / 2 * (number - centre)^2 from where
// the numbers are: scale, bias and corrections, one after the other, whose centres are 1, 0 and 0.
void raise_cells(const CellScores& scores, const Labels& labels, std::span<const double> pull,
                 const DescentLimits& limits, std::span<double> numbers, int threads);

// out[row][class] = bias + scale * base + sum of corrections.
void cell_scores(const CellScores& scores, std::size_t rows, std::size_t classes, double scale,
                 const double* bias, const double* corrections, double* out, int threads);

}  // namespace bayleaf
