// Families of the networks of a pool: tables that back off level by level, and scores of rows by tables that
// were counted without their fold. Level 0 knows nothing, level 1 the class, every further level one parent
// more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/codes.hpp"

namespace bayleaf {

// Rows on one grid. The last state of a column stands for a missing value, which is no evidence.
struct GridRows {
    CodeMatrix<std::uint16_t> codes;
    std::span<const std::int64_t> arities;  // the last state included
    const std::int32_t* classes;
    std::size_t n_classes;
    const double* weights;  // null where every row counts once
};

// Rows in the order of their folds: those of fold f are order[starts[f]] to order[starts[f + 1] - 1]. They
// are the first rows of all; those behind them belong to no fold.
struct FoldRows {
    std::span<const std::int64_t> order;
    std::span<const std::int64_t> starts;

    std::size_t folds() const { return starts.size() - 1; }
    std::span<const std::int64_t> rows(std::size_t fold) const {
        return order.subspan(static_cast<std::size_t>(starts[fold]),
                             static_cast<std::size_t>(starts[fold + 1] - starts[fold]));
    }
};

// Parents of every column, graph after graph: those of column j in graph g are
// parents[offsets[g * columns + j]] and so on, in the order in which the levels take them up.
struct ParentLists {
    std::span<const std::int64_t> parents;
    std::span<const std::int64_t> offsets;

    std::span<const std::int64_t> of(std::size_t list) const {
        return parents.subspan(static_cast<std::size_t>(offsets[list]),
                               static_cast<std::size_t>(offsets[list + 1] - offsets[list]));
    }
};

// Log-probabilities [column, row, class] of each row's own states by the graph of its fold, with tables of
// the rows outside this fold. How strongly a level counts is chosen from `strengths` once per family, on all
// rows, by leave-one-out likelihood.
void crossfit_families(const GridRows& rows, const FoldRows& folds, const ParentLists& graphs,
                       std::span<const double> strengths, float* scores, int threads);

// Tables of log-probabilities of all columns of one graph, [parents in their order, state, class] each, the
// first number of column j at table_offsets[j]. Nothing is said by a state that no row has.
void shrunk_tables(const GridRows& rows, const ParentLists& graph, std::span<const double> strengths,
                   std::span<const std::int64_t> table_offsets, double* tables, int threads);

}  // namespace bayleaf
