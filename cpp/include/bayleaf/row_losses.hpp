// Reductions from rows of log-joints to losses: the inner loops of every class-focused score.
#pragma once

#include <cstdint>

#include "bayleaf/candidates.hpp"

namespace bayleaf {

// Rows per block: their sums stay in the first-level cache.
inline constexpr std::size_t kLossBlock = 128;

// A block of rows: log-joints side by side, and for each row its true class, weight and table.
struct LossRows {
    const double* log_joint;
    const std::uint16_t* truth;
    const std::uint32_t* row;  // position in the sample, for weights
    const std::uint8_t* fold;  // of the sample, or null
    std::size_t rows;
    std::size_t classes;
};

// At most kLossBlock rows.
std::int64_t block_loss(const Loss& loss, const LossRows& rows);

// sums[i] = base[row[i]] + terms[positions[row[i]]], each of `classes` values.
void gather_sums(const double* base, const double* terms, const std::uint32_t* positions,
                 const std::uint32_t* row, std::size_t rows, std::size_t classes, double* sums);

// wrong[i] = whether some class beats the true one after the exchange. Only rows listed in `which` are looked
// at; `base`, `truth` and `row` are in evaluation order, `positions` by row.
struct ErrorFacts {
    const double* base;          // [row][class], without the node's term
    const double* margin;        // true class minus best other class
    const std::uint16_t* truth;  // true class
    const std::uint16_t* rival;  // best other class
    const std::uint32_t* row;
    const std::int64_t* units;  // loss of a wrong row, or null for one
    std::size_t classes;
};

// Loss of rows [begin, end) when the node's term is terms[positions[row]]. `lead[e][c]` is terms[e][c] minus
// the largest of the other classes: a row whose margin stays positive even then is right without looking.
std::int64_t exchanged_errors(const ErrorFacts& facts, const double* terms, const double* lead,
                              const std::uint32_t* positions, std::size_t begin, std::size_t end);

// lead[e][c] = terms[e][c] - max over other classes of terms[e][.], for all entries.
void fill_leads(const double* terms, std::size_t entries, std::size_t classes, double* lead);

}  // namespace bayleaf
