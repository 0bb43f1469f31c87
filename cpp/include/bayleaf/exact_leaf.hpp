// All subsets of the last few variables at once. Internal to the exact search.
//
// The last variables span a small table of cells. Given a group of rows (those that agree on a set S of the
// other variables), the leaf adds the terms of every set S + R, R a subset of the last variables:
// - a large group fills its table, which is summed along every axis, and all marginal cells are looked up;
// - in a group of at most four rows a sum over blocks equals a sum over subsets J of the rows that agree on
// R,
//   each with the |J|-th finite difference of the term at zero. So only the number of such subsets matters,
//   which a histogram over "variables on which J differs" gives for all R together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayleaf/exact_cells.hpp"

namespace bayleaf {

class Leaf {
  public:
    // `arities` are those of the last variables, variable 0 in bit 0.
    explicit Leaf(std::span<const std::int64_t> arities);

    std::size_t subsets() const { return subsets_; }
    std::size_t cells() const { return position_.size(); }

    // Starts a set S: functions[R] belongs to S + R.
    void begin(std::span<const CellFunction* const> functions);
    void add_large(const std::uint32_t* rows, std::size_t size, const std::uint16_t* cell,
                   const std::uint32_t* weights, std::uint64_t total);
    void add_small(const std::uint32_t* rows, std::size_t size, const std::uint16_t* cell,
                   const std::uint32_t* weights);
    // Terms of the groups since begin, one per R.
    const std::vector<double>& finish();

    static constexpr std::uint64_t kSmall = 4;

  private:
    void sum_axes();

    std::size_t subsets_;
    std::vector<std::size_t> widths_;       // arity + 1 of each axis: the last entry is the sum
    std::vector<std::uint32_t> position_;   // of each cell in the extended table
    std::vector<std::uint32_t> by_subset_;  // positions in the extended table, grouped by R
    std::vector<std::uint32_t> offsets_;    // of each R in by_subset_
    std::vector<std::uint8_t> differing_;   // [cell][cell]: variables on which two cells differ
    std::vector<std::uint32_t> table_;      // extended table of one group
    std::vector<const CellFunction*> functions_;
    std::vector<double> terms_;
    std::vector<std::int32_t> agreeing_[kSmall + 1];  // [|J|][variables on which J differs]
    std::int64_t units_ = 0;                          // rows of small groups
};

}  // namespace bayleaf
