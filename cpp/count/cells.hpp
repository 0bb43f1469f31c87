// Rows numbered by the joint value of some columns, and sorted by such numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "common/codes.hpp"

namespace bayleaf {

// cells[i] = cells[i] * arity + column[i]. Returns the largest code met, which is the missing code if there
// is one.
std::uint8_t extend_cells(const std::uint8_t* column, std::size_t rows, std::uint32_t arity,
                          std::uint32_t* cells);
std::uint16_t extend_cells(const std::uint16_t* column, std::size_t rows, std::uint32_t arity,
                           std::uint32_t* cells);

// Neighbouring rows often lie in the same cell, and an increment must wait for the one before it. A few lanes
// in turn avoid the wait.
inline constexpr std::size_t kLanes = 4;

// Counts the rows, of which row i lies in cell_of(i), in kLanes tables that lie `cells` counts apart.
template <class Count, class CellOf>
void increment_lanes(std::size_t rows, const CellOf& cell_of, std::size_t cells, Count* lanes) {
    std::size_t i = 0;
    for (; i + kLanes <= rows; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) ++lanes[lane * cells + cell_of(i + lane)];
    for (; i < rows; ++i) ++lanes[cell_of(i)];
}

// Adds the tables of all lanes to one.
template <class Count, class Total>
void add_lanes(const std::vector<Count>& lanes, std::size_t cells, Total* counts) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        for (std::size_t k = 0; k < cells; ++k) counts[k] += static_cast<Total>(lanes[lane * cells + k]);
}

// Of a row that has no configuration, because a value is missing.
inline constexpr std::uint32_t kNowhere = 0xffffffffu;

// Numbers for the cells that occur: a table over them is never larger than the data.
class ObservedNumbers {
  public:
    // Replaces positions in [0, range) by their ranks among those that occur, and returns how many occur.
    // kNowhere stays.
    std::size_t renumber(std::vector<std::uint32_t>& positions, std::size_t range) {
        seen_.assign(range / 64 + 1, 0);
        for (const std::uint32_t p : positions)
            if (p != kNowhere) seen_[p / 64] |= std::uint64_t{1} << (p % 64);
        before_.resize(seen_.size());
        std::uint32_t total = 0;
        for (std::size_t w = 0; w < seen_.size(); ++w) {
            before_[w] = total;
            total += static_cast<std::uint32_t>(std::popcount(seen_[w]));
        }
        for (std::uint32_t& p : positions) {
            if (p == kNowhere) continue;
            const std::uint64_t below = seen_[p / 64] & ((std::uint64_t{1} << (p % 64)) - 1);
            p = before_[p / 64] + static_cast<std::uint32_t>(std::popcount(below));
        }
        return total;
    }

    // Calls visit(position) for every position that occurred, in order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t w = 0; w < seen_.size(); ++w)
            for (std::uint64_t left = seen_[w]; left; left &= left - 1)
                visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }

  private:
    std::vector<std::uint64_t> seen_;
    std::vector<std::uint32_t> before_;
};

// How many cells a table over the rows may have before it is counted over the values that occur, by sorting.
inline std::size_t most_cells(std::size_t rows) {
    return std::min(std::size_t{65536} + 16 * rows, std::size_t{1} << 31);
}

struct Configurations {
    std::vector<std::uint32_t> of_row;  // `count` where a value is missing
    std::size_t count = 1;
    // Whether every possible configuration has its place; otherwise only those that occur have.
    bool every = true;
};

// Numbers each row by its values in the columns, the last varying fastest. Where there are too many possible
// configurations, those that occur are numbered in the same order. `has_missing` tells which columns of the
// table lack values.
template <class Code>
void number_configurations(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                           const std::vector<bool>& has_missing, std::span<const std::int64_t> columns,
                           Configurations& out);

// Numbers each row by its configuration and its value in one more column; rows that lack a value get the
// number after the last. `complete` says that there are none.
template <class Code>
void number_cells(const Configurations& configurations, const Code* column, std::size_t arity, bool complete,
                  std::vector<std::uint32_t>& cells);

// Rows sorted by the cell they lie in: a counting sort.
class CellOrder {
  public:
    // Counts the rows of each of `cells` cells; rows with a larger number lie in none. Numbers are at most
    // `cells`.
    void count(std::span<const std::uint32_t> cell_of_row, std::size_t cells);
    // Sorts the rows that were counted, in row order within each cell.
    void sort(std::span<const std::uint32_t> cell_of_row);

    std::uint32_t size(std::size_t cell) const { return starts_[cell + 1] - starts_[cell]; }
    // The rows of the cells from `first` to before `last`.
    std::span<const std::uint32_t> rows(std::size_t first, std::size_t last) const {
        return {order_.data() + starts_[first], order_.data() + starts_[last]};
    }
    // Where the rows of each cell begin, and all rows in their order.
    const std::uint32_t* starts() const { return starts_.data(); }
    const std::uint32_t* order() const { return order_.data(); }

  private:
    std::size_t lanes_ = 1;
    std::vector<std::uint32_t> starts_;  // cells + 1
    std::vector<std::uint32_t> places_;  // per cell and lane: how many rows, then where the next one goes
    std::vector<std::uint32_t> order_;
};

}  // namespace bayleaf
