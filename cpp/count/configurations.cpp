#include "count/configurations.hpp"

#include <algorithm>

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

// Gives the numbers that occur new ones, from 0 on and in the same order.
void close_gaps(Configurations& rows) {
    std::vector<std::uint32_t> number(rows.count, 0);
    for (const std::uint32_t cell : rows.of_row) number[cell] = 1;
    std::uint32_t next = 0;
    for (std::uint32_t& entry : number) entry = entry ? next++ : 0;
    for (std::uint32_t& cell : rows.of_row) cell = number[cell];
    rows.count = std::max<std::size_t>(next, 1);
}

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

}  // namespace

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
            close_gaps(out);
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

}  // namespace bayleaf
