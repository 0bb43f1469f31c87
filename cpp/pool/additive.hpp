// The score of a pool: a sum of table entries and of quadratic forms, for every class but the first, against
// the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

// Everything lies end to end, with one more offset than there are parts.
struct AdditiveModel {
    // A reading is a column on one of its grids: the state of every code, the last one of a missing value.
    std::span<const std::int64_t> reading_columns;
    std::span<const std::int64_t> reading_offsets;
    std::span<const std::uint16_t> states;
    // A term is a table over some readings; the cell of a row is the sum of stride * state.
    std::span<const std::int64_t> term_offsets;
    std::span<const std::int64_t> term_readings;
    std::span<const std::int64_t> strides;
    std::span<const std::int64_t> table_offsets;
    const float* tables;  // [cell, score]
    // A form has numbers for every code of its columns, and a symmetric matrix for every score.
    std::span<const std::int64_t> form_offsets;
    std::span<const std::int64_t> form_columns;
    std::span<const std::int64_t> value_offsets;
    const double* values;
    std::span<const std::int64_t> matrix_offsets;
    const double* matrices;  // [score, column, column]
    std::span<const double> bias;

    std::size_t scores() const { return bias.size(); }
    std::size_t readings() const { return reading_columns.size(); }
    std::size_t terms() const { return term_offsets.size() - 1; }
    std::size_t forms() const { return form_offsets.size() - 1; }
};

// out[row][score] = bias + sum of the terms' entries - sum of x' matrix x / 2.
template <class Code>
void additive_scores(const AdditiveModel& model, const CodeMatrix<Code>& codes, double* out, int threads);

// Probabilities [row][class] of a mixture: every model counts `share`, the class frequencies `prior` what is
// left. They add up to one whatever the scores are.
template <class Code>
void mixed_probabilities(std::span<const AdditiveModel> models, double share, std::span<const double> prior,
                         const CodeMatrix<Code>& codes, double* out, int threads);

}  // namespace bayleaf
