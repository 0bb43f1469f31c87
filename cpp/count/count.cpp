#include "count/count.hpp"

#include <algorithm>
#include <mutex>
#include <type_traits>
#include <vector>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {
namespace {

// Enough rows to amortise the loop over columns, few enough that cell indices stay in the first-level cache.
constexpr std::size_t kBlock = 2048;

// Cell of each row of [begin, end) in the table of one set, or -1 where a value is missing.
template <class Code>
void cell_indices(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                  std::span<const std::int64_t> set, std::size_t begin, std::size_t end,
                  std::int64_t* cells) {
    const std::size_t n = end - begin;
    std::fill_n(cells, n, std::int64_t{0});
    for (const std::int64_t j : set) {
        const Code* column = codes.column(j) + begin;
        const std::int64_t arity = arities[j];
        for (std::size_t i = 0; i < n; ++i) cells[i] = cells[i] * arity + column[i];
    }
    for (const std::int64_t j : set) {
        const Code* column = codes.column(j) + begin;
        // Most columns have no missing value: a vectorised look decides before any row is touched.
        if (std::find(column, column + n, kMissing<Code>) == column + n) continue;
        for (std::size_t i = 0; i < n; ++i)
            if (column[i] == kMissing<Code>) cells[i] = -1;
    }
}

// Cells fit in 32 bits for all but giant tables: half the memory traffic, and the loop vectorises. Both
// return the largest code met, which is the missing code if there is one.
#define BAYLEAF_EXTEND_CELLS(Code)                                                           \
    BAYLEAF_CLONES Code extend_cells(const Code* column, std::size_t n, std::uint32_t arity, \
                                     std::uint32_t* cells) {                                 \
        Code top = 0;                                                                        \
        for (std::size_t i = 0; i < n; ++i) {                                                \
            cells[i] = cells[i] * arity + column[i];                                         \
            top = top > column[i] ? top : column[i];                                         \
        }                                                                                    \
        return top;                                                                          \
    }
BAYLEAF_EXTEND_CELLS(std::uint8_t)
BAYLEAF_EXTEND_CELLS(std::uint16_t)
#undef BAYLEAF_EXTEND_CELLS

template <class Code>
bool narrow_cells(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                  std::span<const std::int64_t> set, std::size_t begin, std::size_t end,
                  std::uint32_t* cells) {
    std::fill_n(cells, end - begin, 0u);
    Code largest = 0;
    for (const std::int64_t j : set)
        largest = std::max(largest, extend_cells(codes.column(j) + begin, end - begin,
                                                 static_cast<std::uint32_t>(arities[j]), cells));
    return largest != kMissing<Code>;
}

// Neighbouring rows often fall into the same cell of a small table, and an increment must wait for the one
// before it. Four tables in turn avoid the wait.
constexpr std::size_t kLanes = 4;
constexpr std::size_t kSmallTable = 2048;

void increment_lanes(const std::uint32_t* cells, std::size_t n, std::size_t size, std::uint32_t* lanes) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) ++lanes[lane * size + cells[i + lane]];
    for (; i < n; ++i) ++lanes[cells[i]];
}

template <class Total>
void add_rows(const std::uint32_t* cells, std::size_t n, const double* weights, Total* table) {
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (std::is_same_v<Total, double>)
            table[cells[i]] += weights[i];
        else
            ++table[cells[i]];
    }
}

double table_size(std::span<const std::int64_t> arities, std::span<const std::int64_t> set) {
    double size = 1;
    for (const std::int64_t j : set) size *= static_cast<double>(arities[j]);
    return size;
}

// Adds the rows of [first, last) to the table of one set.
template <class Code, class Total>
void count_set(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
               std::span<const std::int64_t> set, const double* weights, std::size_t first, std::size_t last,
               Total* table) {
    const double size = table_size(arities, set);
    const bool narrow = size < 2147483648.0;
    const bool in_lanes =
        std::is_same_v<Total, std::int64_t> && size <= kSmallTable && codes.rows < (1u << 31);
    const std::size_t lane_size = in_lanes ? static_cast<std::size_t>(size) : 0;
    std::vector<std::uint32_t> lanes(kLanes * lane_size, 0);
    std::vector<std::uint32_t> cells(kBlock);
    std::vector<std::int64_t> wide_cells;
    for (std::size_t begin = first; begin < last; begin += kBlock) {
        const std::size_t end = std::min(last, begin + kBlock);
        const double* block_weights = weights ? weights + begin : nullptr;
        if (narrow && narrow_cells(codes, arities, set, begin, end, cells.data())) {
            if (in_lanes)
                increment_lanes(cells.data(), end - begin, lane_size, lanes.data());
            else
                add_rows(cells.data(), end - begin, block_weights, table);
            continue;
        }
        wide_cells.resize(kBlock);
        cell_indices(codes, arities, set, begin, end, wide_cells.data());
        for (std::size_t i = 0; i < end - begin; ++i)
            if (wide_cells[i] >= 0)
                table[wide_cells[i]] += weights ? static_cast<Total>(block_weights[i]) : Total{1};
    }
    for (std::size_t k = 0; k < lanes.size(); ++k) table[k % lane_size] += static_cast<Total>(lanes[k]);
}

// Few sets and many rows: each thread counts a stretch of the rows into a table of its own. Whole numbers
// only, so that the order of adding up does not matter.
template <class Code>
void count_by_rows(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                   std::span<const std::int64_t> set, std::int64_t* table, int threads) {
    const auto size = static_cast<std::size_t>(table_size(arities, set));
    std::mutex guard;
    const std::size_t stretch = (codes.rows + threads - 1) / threads;
    parallel_blocks(codes.rows, stretch, threads, [&](std::size_t first, std::size_t last) {
        std::vector<std::int64_t> own(size, 0);
        count_set<Code, std::int64_t>(codes, arities, set, nullptr, first, last, own.data());
        const std::lock_guard lock(guard);
        for (std::size_t k = 0; k < size; ++k) table[k] += own[k];
    });
}

}  // namespace

template <class Code, class Total>
void count(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities, const ColumnSets& sets,
           const double* weights, Total* tables, int threads) {
    const auto set = [&](std::size_t s) {
        return sets.columns.subspan(sets.offsets[s], sets.offsets[s + 1] - sets.offsets[s]);
    };
    if constexpr (std::is_same_v<Total, std::int64_t>) {
        double widest = 0;
        for (std::size_t s = 0; s < sets.size(); ++s) widest = std::max(widest, table_size(arities, set(s)));
        const bool rows_dominate = 4 * widest * threads < static_cast<double>(codes.rows);
        if (sets.size() < static_cast<std::size_t>(threads) && rows_dominate) {
            for (std::size_t s = 0; s < sets.size(); ++s)
                count_by_rows(codes, arities, set(s), tables + sets.table_offsets[s], threads);
            return;
        }
    }
    parallel_for(sets.size(), threads, [&](std::size_t s) {
        count_set(codes, arities, set(s), weights, 0, codes.rows, tables + sets.table_offsets[s]);
    });
}

template void count(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>, const ColumnSets&,
                    const double*, std::int64_t*, int);
template void count(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>, const ColumnSets&,
                    const double*, double*, int);
template void count(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>, const ColumnSets&,
                    const double*, std::int64_t*, int);
template void count(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>, const ColumnSets&,
                    const double*, double*, int);

}  // namespace bayleaf
