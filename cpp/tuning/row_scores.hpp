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

// Base scores [row][class]; for every family and row the cell that adds its correction, or -1; and numbers of
// every row, which add their coefficients. Families own disjoint stretches of cells.
struct CellScores {
    const double* base;
    const std::int32_t* cells;  // [family][row]
    std::size_t families;
    std::size_t n_cells;
    const double* numbers;  // [number][row]
    std::size_t n_numbers;

    std::size_t terms() const { return families + n_numbers; }
};

// What a row's scores are made of, in one stretch of parameters: bias + scale * base + sum of the corrections
// of its cells + sum of number * coefficient.
template <class Parameter>
struct CellParameters {
    Parameter* scale;
    Parameter* bias;          // [class]
    Parameter* corrections;   // [cell][class]
    Parameter* coefficients;  // [number][class]

    CellParameters(Parameter* first, const CellScores& scores, std::size_t classes)
        : scale(first),
          bias(first + 1),
          corrections(bias + classes),
          coefficients(corrections + scores.n_cells * classes) {}
};

// Returns minus the sum over rows of weight * log P(own class); writes its gradient.
double cell_loss(const CellScores& scores, const Labels& labels, const double* parameters, double* gradient,
                 int threads);

// Lowers the loss + sum of pull / 2 * (parameter - centre)^2 from where the parameters are. The centre of the
// scale is 1, that of all others 0; what is pulled infinitely stays where it is.
void lower_cell_loss(const CellScores& scores, const Labels& labels, std::span<const double> pull,
                     const DescentLimits& limits, std::span<double> parameters, int threads);

// out[row][class] = the scores.
void cell_scores(const CellScores& scores, std::size_t rows, std::size_t classes, const double* parameters,
                 double* out, int threads);

}  // namespace bayleaf
