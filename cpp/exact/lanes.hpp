// Tables of several groups of rows side by side, one group per lane. Internal to the exact search.
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

// Sum of term[count] over `places` places of `lanes` lanes (a multiple of eight); places lie `stride` counts
// apart. Counts are at most `largest`, and `term` has 64 entries. Every version adds in the same order.
double sum_of_terms(const std::uint8_t* counts, std::size_t places, std::size_t lanes, std::size_t stride,
                    const double* term, std::size_t largest);

// Fills the places of the margins from those of the cells.
void sum_margins(const LeafLayout& layout, std::uint8_t* table);
void sum_margins(const LeafLayout& layout, std::uint32_t* table);

template <class Count>
inline constexpr std::size_t kLanes = 16;
template <>
inline constexpr std::size_t kLanes<std::uint8_t> = 32;

// Groups whose counts fit into Count.
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
    void flush(std::span<const CellFunction* const> functions, std::vector<double>& terms);

  private:
    static constexpr std::size_t kWidth = kLanes<Count>;

    const LeafLayout* layout_;
    std::vector<Count> table_;  // [place][lane]
    std::size_t used_ = 0;
    std::uint64_t largest_ = 0;  // rows of the largest group
};

}  // namespace bayleaf
