#include "count/cell_order.hpp"

#include <utility>

namespace bayleaf {
namespace {

// Neighbouring rows often lie in the same cell, and an increment must wait for the one before it. Four
// stretches of the rows are counted in turn, each in a lane of its own, while that is little memory.
constexpr std::size_t kLanes = 4;
constexpr std::size_t kFewCells = 4096;

// Calls step(lane, row) for every row, alternating between the lanes; within a lane the rows ascend, and
// those of a lane come before those of the next.
template <class Step>
void in_lanes(std::size_t rows, const Step& step) {
    const std::size_t stretch = rows / kLanes;
    for (std::size_t i = 0; i < stretch; ++i)
        for (std::size_t lane = 0; lane < kLanes; ++lane) step(lane, lane * stretch + i);
    for (std::size_t i = kLanes * stretch; i < rows; ++i) step(kLanes - 1, i);
}

}  // namespace

void CellOrder::count(std::span<const std::uint32_t> cell_of_row, std::size_t cells) {
    lanes_ = cells < kFewCells ? kLanes : 1;
    places_.assign((cells + 1) * lanes_, 0);
    std::uint32_t* counts = places_.data();
    const std::uint32_t* cell = cell_of_row.data();
    if (lanes_ == kLanes)
        in_lanes(cell_of_row.size(),
                 [=](std::size_t lane, std::size_t i) { ++counts[cell[i] * kLanes + lane]; });
    else
        for (std::size_t i = 0; i < cell_of_row.size(); ++i) ++counts[cell[i]];
    starts_.resize(cells + 1);
    std::uint32_t next = 0;
    for (std::size_t k = 0; k <= cells; ++k) {
        starts_[k] = next;
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            std::uint32_t& place = places_[k * lanes_ + lane];
            next += std::exchange(place, next);
        }
    }
}

void CellOrder::sort(std::span<const std::uint32_t> cell_of_row) {
    order_.resize(cell_of_row.size());
    std::uint32_t* places = places_.data();
    std::uint32_t* order = order_.data();
    const std::uint32_t* cell = cell_of_row.data();
    if (lanes_ == kLanes)
        in_lanes(cell_of_row.size(), [=](std::size_t lane, std::size_t i) {
            order[places[cell[i] * kLanes + lane]++] = static_cast<std::uint32_t>(i);
        });
    else
        for (std::size_t i = 0; i < cell_of_row.size(); ++i)
            order[places[cell[i]]++] = static_cast<std::uint32_t>(i);
}

}  // namespace bayleaf
