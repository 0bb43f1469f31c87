#include "count/count.hpp"

#include <algorithm>
#include <mutex>
#include <type_traits>
#include <vector>

#include "common/cell_terms.hpp"
#include "common/parallel.hpp"
#include "count/cells.hpp"

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

// Cells fit in 32 bits for all but giant tables: half the memory traffic. Returns whether no value is
// missing.
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

// Cells of a table that is counted in lanes.
constexpr std::size_t kSmallTable = 2048;

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
    const auto cell_of = [block = cells.data()](std::size_t i) { return block[i]; };
    std::vector<std::int64_t> wide_cells;
    for (std::size_t begin = first; begin < last; begin += kBlock) {
        const std::size_t end = std::min(last, begin + kBlock);
        const double* block_weights = weights ? weights + begin : nullptr;
        if (narrow && narrow_cells(codes, arities, set, begin, end, cells.data())) {
            if (in_lanes)
                increment_lanes(end - begin, cell_of, lane_size, lanes.data());
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
    add_lanes(lanes, lane_size, table);
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

// Counts of one feature with the class, group by group.
template <class Code>
struct GroupCounter {
    const CodeMatrix<Code>& codes;
    const Code* column;
    const Code* truth;
    const double* weights;
    std::size_t states, classes;
    std::vector<double> counts;
    std::vector<std::uint8_t> seen;
    std::vector<std::uint32_t> touched;

    std::size_t state(std::int64_t row) const {
        return column[row] == kMissing<Code> ? states - 1 : column[row];
    }

    void add_group(std::span<const std::int64_t> rows, double* gains) {
        for (const std::int64_t row : rows) {
            const std::size_t s = state(row);
            if (!seen[s]) {
                seen[s] = 1;
                touched.push_back(static_cast<std::uint32_t>(s));
            }
            counts[s * classes + truth[row]] += weights ? weights[row] : 1.0;
        }
        std::sort(touched.begin(), touched.end());  // sums in one order, whatever the order of rows
        for (const std::uint32_t s : touched) {
            double total = 0, parts = 0, largest = 0;
            for (std::size_t c = 0; c < classes; ++c) {
                double& n = counts[s * classes + c];
                total += n;
                parts += n_log_n(n);
                largest = std::max(largest, n);
                n = 0;
            }
            gains[0] += parts - n_log_n(total);
            gains[1] += largest;
            seen[s] = 0;
        }
        touched.clear();
    }
};

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

template <class Code>
void partition_gains(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                     std::int64_t target, const double* weights, std::span<const std::int64_t> features,
                     std::span<const std::int64_t> rows, std::span<const std::int64_t> starts, double* gains,
                     int threads) {
    parallel_for(features.size(), threads, [&](std::size_t f) {
        const auto states = static_cast<std::size_t>(arities[features[f]]) + 1;
        const auto classes = static_cast<std::size_t>(arities[target]);
        GroupCounter<Code> counter{codes,
                                   codes.column(features[f]),
                                   codes.column(target),
                                   weights,
                                   states,
                                   classes,
                                   std::vector<double>(states * classes),
                                   std::vector<std::uint8_t>(states),
                                   {}};
        for (std::size_t g = 0; g + 1 < starts.size(); ++g)
            counter.add_group(rows.subspan(starts[g], starts[g + 1] - starts[g]), gains + 2 * f);
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

template void partition_gains(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>, std::int64_t,
                              const double*, std::span<const std::int64_t>, std::span<const std::int64_t>,
                              std::span<const std::int64_t>, double*, int);
template void partition_gains(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>, std::int64_t,
                              const double*, std::span<const std::int64_t>, std::span<const std::int64_t>,
                              std::span<const std::int64_t>, double*, int);

}  // namespace bayleaf
