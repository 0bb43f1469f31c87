// All subsets of the last few variables at once. Internal to the exact search.
//
// The last variables span a small table of cells. Given a group of rows (those that agree on a set S of the
// other variables), the leaf adds the terms of every set S + R, R a subset of the last variables: the group
// fills its table, which is summed along every axis, and the terms of all marginal cells are looked up,
// several groups side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/lanes.hpp"

namespace bayleaf {

class Leaf {
  public:
    // `arities` are those of the last variables, variable 0 in bit 0.
    explicit Leaf(std::span<const std::int64_t> arities);
    Leaf(const Leaf&) = delete;  // the lanes refer to the layout

    std::size_t subsets() const { return terms_.size(); }

    // Starts a set S: functions[R] belongs to S + R.
    void begin(std::span<const CellFunction* const> functions);
    // Adds a group; cell[row] is the cell of a row.
    void add(std::span<const WeightedRow> rows, const std::uint16_t* cell);
    // Terms of the groups since begin, one per R.
    const std::vector<double>& finish();

  private:
    // Counts of groups of up to so many rows fit into a byte and a few registers; each bound has its lanes.
    static constexpr std::uint64_t kMedium[] = {15, 31, 63};

    LeafLayout layout_;
    std::vector<Lanes<std::uint8_t>> medium_;
    Lanes<std::uint32_t> large_;
    std::vector<const CellFunction*> functions_;
    std::vector<double> terms_;
};

}  // namespace bayleaf
