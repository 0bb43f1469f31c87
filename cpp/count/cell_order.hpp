// Rows sorted by the cell they lie in: a counting sort.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bayleaf {

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
