// Tables of the class over sets of columns, backed off column by column, and scores of rows by tables that
// were counted without their fold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pool/families.hpp"
#include "pool/gains.hpp"

namespace bayleaf {

// Of every set the logarithm of P(c | its columns): a table [cell, class] that begins at table_offsets[set],
// the last column changing fastest, and scores [set, row of a fold, class] by the rows outside the fold. A
// cell has `borrowed` rows of the level with one column less; a missing value is its lower level.
void class_tables(const GridRows& rows, const FoldRows& folds, const GainSets& sets, double borrowed,
                  std::span<const std::int64_t> table_offsets, double* tables, float* scores, int threads);

}  // namespace bayleaf
