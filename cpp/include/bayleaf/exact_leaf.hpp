// All subsets of the last few variables at once. Internal to the exact search.
//
// The last variables span a small table of cells. Given a group of rows (those that agree on a set S of the
// other variables), the leaf adds the terms of every set S + R, R a subset of the last variables:
// - a large group fills its table, which is summed along every axis, and all marginal cells are looked up
// (several
//   groups side by side, in lanes);
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
    std::size_t cells() const { return sizes_.back(); }

    // Starts a set S: functions[R] belongs to S + R.
    void begin(std::span<const CellFunction* const> functions);
    void add_large(const std::uint32_t* rows, std::size_t size, const std::uint16_t* cell,
                   const std::uint32_t* weights, std::uint64_t total);
    void add_small(const std::uint32_t* rows, std::size_t size, const std::uint16_t* cell,
                   const std::uint32_t* weights);
    // Terms of the groups since begin, one per R.
    const std::vector<double>& finish();

    // Groups of at most so many rows (by weight) are small.
    static constexpr std::uint64_t kSmall = 4;

  private:
    static constexpr std::size_t kLanes = 16;  // large groups that are summed side by side

    void lay_out();
    void flush();
    void sum_margins();
    void look_up();

    std::size_t subsets_;
    std::vector<std::size_t> arities_;
    // The extended table has one more entry per axis, the sum over it. Places are ordered by R, larger R
    // first, so that the cells come first, and every margin after the places it adds up.
    std::vector<std::uint32_t> starts_;   // first place of each R
    std::vector<std::uint32_t> sizes_;    // places of each R
    std::vector<std::uint32_t> sources_;  // places that each margin adds up
    std::vector<std::uint32_t> source_count_;
    std::vector<std::uint8_t> differing_;  // [cell][cell]: variables on which two cells differ
    std::vector<std::uint32_t> table_;     // [place][lane]
    std::size_t lane_ = 0;
    std::uint64_t largest_ = 0;  // rows of the largest group in a lane
    std::vector<const CellFunction*> functions_;
    std::vector<double> terms_;
    std::vector<std::int32_t> agreeing_[kSmall + 1];  // [|J|][variables on which J differs]
    std::int64_t units_ = 0;                          // rows of small groups
};

}  // namespace bayleaf
