// All subsets of the last few variables at once. Internal to the exact search.
//
// The last variables span a small table of cells. Given a group of rows (those that agree on a set S of the
// other variables), the leaf adds the terms of every set S + R, R a subset of the last variables: the group
// fills its table, which is summed along every axis, and the terms of all marginal cells are looked up,
// several groups side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/groups.hpp"

namespace bayleaf {

// Where the cells of the last variables and all their margins stand. Places are ordered by the set R of
// variables they range over, larger R first, so that the cells come first, and every margin after the places
// it adds up.
struct LeafLayout {
    explicit LeafLayout(std::span<const std::int64_t> arities);

    std::size_t cells() const { return sizes.back(); }

    std::size_t places = 0;
    std::vector<std::uint32_t> starts;        // first place of each R
    std::vector<std::uint32_t> sizes;         // places of each R
    std::vector<std::uint32_t> sources;       // places that each margin adds up
    std::vector<std::uint32_t> source_count;  // how many those are
};

// Lanes that lie side by side.
template <class Count>
constexpr std::size_t lanes_of() {
    return sizeof(Count) == 1 ? 32 : 16;
}

// Tables of several groups of rows side by side, one group per lane, whose counts fit into Count.
template <class Count>
class Lanes {
  public:
    explicit Lanes(const LeafLayout& layout) : layout_(&layout), table_(layout.places * kWidth, 0) {}

    bool empty() const { return used_ == 0; }
    bool full() const { return used_ == kWidth; }

    void add(std::span<const WeightedRow> rows, const std::uint16_t* cell, std::uint64_t total) {
        Count* lane = table_.data() + used_++;
        for (const WeightedRow& row : rows) {
            Count& count = lane[cell[row.row] * kWidth];
            count = static_cast<Count>(count + row.weight);
        }
        largest_ = std::max(largest_, total);
    }

    // Adds the terms of the groups to terms[R], and forgets the groups.
    void flush(std::span<const SetFunction* const> functions, std::vector<double>& terms);

  private:
    static constexpr std::size_t kWidth = lanes_of<Count>();

    const LeafLayout* layout_;
    std::vector<Count> table_;  // [place][lane]
    std::size_t used_ = 0;
    std::uint64_t largest_ = 0;  // rows of the largest group
};

class Leaf {
  public:
    // `arities` are those of the last variables, variable 0 in bit 0.
    explicit Leaf(std::span<const std::int64_t> arities);
    Leaf(const Leaf&) = delete;  // the lanes refer to the layout

    std::size_t subsets() const { return terms_.size(); }

    // Starts a set S: functions[R] belongs to S + R.
    void begin(std::span<const SetFunction* const> functions);
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
    std::vector<const SetFunction*> functions_;
    std::vector<double> terms_;
};

}  // namespace bayleaf
