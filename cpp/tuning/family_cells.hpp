// Which cell of a family's table a row is in, and what tables say of rows by their cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

// Families of columns laid end to end: those of family f are columns[offsets[f]] ... columns[offsets[f + 1] -
// 1], the node first, then its parents in the order in which levels take them up. Its cells begin at
// first[f]: the states of the node alone, then with the first parent, then with the second, ...
struct Families {
    std::span<const std::int64_t> columns;
    std::span<const std::int64_t> offsets;
    std::span<const std::int64_t> first;
    std::span<const std::int64_t> arities;  // of the columns of the table

    std::size_t size() const { return first.size(); }
};

// out[family][row]: the cell of the deepest level whose parents are all known, of those with at most
// `most_parents`; -1 where the node is missing.
// On level l it is first + cells of the levels above + code + r (code_1 + r_1 (code_2 + r_2 (...))).
template <class Code>
void family_cells(const CodeMatrix<Code>& codes, const Families& families, std::size_t most_parents,
                  std::int32_t* out, int threads);

// out[members[f]][places[i]][class] = tables[cell of family f and row i][class]; zeros for a row without a
// cell.
void scores_of_cells(const std::int32_t* cells, std::span<const std::int64_t> members,
                     std::span<const std::int64_t> places, const double* tables, std::size_t classes,
                     std::size_t all_rows, float* out, int threads);

}  // namespace bayleaf
