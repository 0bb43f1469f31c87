#include "count/cells.hpp"

#include <algorithm>
#include <utility>

#include "common/dispatch.hpp"

namespace bayleaf {
namespace {

// out = cells * arity + column; a missing value stands for the first state until the end.
#define BAYLEAF_EXTEND_ROWS(Code)                                                                     \
    BAYLEAF_CLONES void extend_rows(const std::uint32_t* cells, const Code* column, std::size_t rows, \
                                    std::uint32_t arity, std::uint32_t* out) {                        \
        for (std::size_t i = 0; i < rows; ++i)                                                        \
            out[i] = cells[i] * arity + (column[i] == kMissing<Code> ? 0u : column[i]);               \
    }                                                                                                 \
    BAYLEAF_CLONES void first_rows(const Code* column, std::size_t rows, std::uint32_t* out) {        \
        for (std::size_t i = 0; i < rows; ++i) out[i] = column[i] == kMissing<Code> ? 0u : column[i]; \
    }
BAYLEAF_EXTEND_ROWS(std::uint8_t)
BAYLEAF_EXTEND_ROWS(std::uint16_t)
#undef BAYLEAF_EXTEND_ROWS

// One more column with so many states that even a list of all possible numbers is too long.
template <class Code>
void extend_by_sorting(const Code* column, std::uint64_t arity, Configurations& rows) {
    std::vector<std::uint64_t> keys(rows.of_row.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = rows.of_row[i] * arity + (column[i] == kMissing<Code> ? 0u : column[i]);
    std::vector<std::uint64_t> distinct(keys);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::size_t i = 0; i < keys.size(); ++i)
        rows.of_row[i] = static_cast<std::uint32_t>(
            std::lower_bound(distinct.begin(), distinct.end(), keys[i]) - distinct.begin());
    rows.count = std::max<std::size_t>(distinct.size(), 1);
}

// Stretches of the rows are counted in turn, each in a lane of its own, while that is little memory.
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

#define BAYLEAF_EXTEND_CELLS(Code)                                                              \
    BAYLEAF_CLONES Code extend_cells(const Code* column, std::size_t rows, std::uint32_t arity, \
                                     std::uint32_t* cells) {                                    \
        Code top = 0;                                                                           \
        for (std::size_t i = 0; i < rows; ++i) {                                                \
            cells[i] = cells[i] * arity + column[i];                                            \
            top = top > column[i] ? top : column[i];                                            \
        }                                                                                       \
        return top;                                                                             \
    }
BAYLEAF_EXTEND_CELLS(std::uint8_t)
BAYLEAF_EXTEND_CELLS(std::uint16_t)
#undef BAYLEAF_EXTEND_CELLS

template <class Code>
void number_configurations(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                           const std::vector<bool>& has_missing, std::span<const std::int64_t> columns,
                           Configurations& out) {
    out.of_row.resize(codes.rows);
    if (columns.empty()) std::fill(out.of_row.begin(), out.of_row.end(), 0u);
    out.count = 1;
    out.every = true;
    const std::size_t limit = most_cells(codes.rows);
    for (const std::int64_t j : columns) {
        const auto arity = static_cast<std::size_t>(arities[j]);
        std::uint32_t* cells = out.of_row.data();
        if (j == columns.front()) {
            first_rows(codes.column(j), codes.rows, cells);
            out.count = arity;
            continue;
        }
        if (out.count * arity > limit) {
            out.every = false;
            out.count = std::max<std::size_t>(1, ObservedNumbers().renumber(out.of_row, out.count));
        }
        if (out.count * arity > limit) {
            extend_by_sorting(codes.column(j), arity, out);
        } else {
            extend_rows(cells, codes.column(j), codes.rows, static_cast<std::uint32_t>(arity), cells);
            out.count *= arity;
        }
    }
    for (const std::int64_t j : columns)
        if (has_missing[j])
            for (std::size_t i = 0; i < codes.rows; ++i)
                if (codes.column(j)[i] == kMissing<Code>)
                    out.of_row[i] = static_cast<std::uint32_t>(out.count);
}

template <class Code>
void number_cells(const Configurations& configurations, const Code* column, std::size_t arity, bool complete,
                  std::vector<std::uint32_t>& cells) {
    const std::vector<std::uint32_t>& of_row = configurations.of_row;
    cells.resize(of_row.size());
    extend_rows(of_row.data(), column, of_row.size(), static_cast<std::uint32_t>(arity), cells.data());
    if (complete) return;
    const auto nowhere = static_cast<std::uint32_t>(configurations.count * arity);
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (of_row[i] == configurations.count || column[i] == kMissing<Code>) cells[i] = nowhere;
}

template void number_cells(const Configurations&, const std::uint8_t*, std::size_t, bool,
                           std::vector<std::uint32_t>&);
template void number_cells(const Configurations&, const std::uint16_t*, std::size_t, bool,
                           std::vector<std::uint32_t>&);
template void number_configurations(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>,
                                    const std::vector<bool>&, std::span<const std::int64_t>, Configurations&);
template void number_configurations(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>,
                                    const std::vector<bool>&, std::span<const std::int64_t>, Configurations&);

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
