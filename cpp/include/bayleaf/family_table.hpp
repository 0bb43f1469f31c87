// Counts of one child with its parents, and with each of many candidates for one parent more. The rows are
// numbered by the joint value of parents and child once; every candidate then costs one of
//   bit sets   an intersection of its bit sets with those of the family's cells: cells * states * rows/64
//              words, each an AND and a population count;
//   direct     one increment per row;
//   sorted     for tables with far more cells than rows, the rows of each configuration are sorted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayleaf/codes.hpp"
#include "bayleaf/column_bitsets.hpp"
#include "bayleaf/configurations.hpp"
#include "bayleaf/exact_cells.hpp"

namespace bayleaf {

template <class Code>
struct SearchRows {
    CodeMatrix<Code> codes;
    std::span<const std::int64_t> arities;
    const double* weights;
    std::vector<bool> has_missing;  // per column
    ColumnBitsets bitsets;          // none where rows have weights
    std::vector<std::uint64_t> everyone;

    std::size_t arity(std::size_t column) const { return static_cast<std::size_t>(arities[column]); }
};

// What the cells of a family add, and what its configurations take off.
struct FamilyFunctions {
    const CellFunction& joint;
    const CellFunction& given;
};

// Buffers of one thread.
template <class Count>
struct FamilyScratch {
    std::vector<Count> table, lanes, totals;
    std::vector<std::int64_t> cells;
    std::vector<std::pair<std::uint64_t, double>> keys;
};

// Count is double where rows have weights.
template <class Code, class Count>
class FamilyTable {
  public:
    // Counts the family, and gets ready for the wanted candidates (one flag per column; none where null).
    void load(const SearchRows<Code>& rows, std::int64_t node, std::span<const std::int64_t> parents,
              const std::uint8_t* wanted, FamilyScratch<Count>& scratch);

    // Sum over the cells minus sum over the configurations: of the family, ...
    double sum(const FamilyFunctions& terms, FamilyScratch<Count>& scratch) const;
    // ... with one parent more, ...
    double sum_with(std::int64_t candidate, const FamilyFunctions& terms,
                    FamilyScratch<Count>& scratch) const;
    // ... and without parent number `position`, if the family's own table tells.
    bool can_drop() const { return complete_ && dense_ && every_; }
    double sum_without(std::size_t position, const FamilyFunctions& terms,
                       FamilyScratch<Count>& scratch) const;

  private:
    bool by_bits(std::int64_t candidate) const;
    bool by_sorting(std::size_t states) const;
    void build_sets(FamilyScratch<Count>& scratch);
    void number_rows(FamilyScratch<Count>& scratch);
    void sort_rows();
    void count_bits(std::int64_t candidate, FamilyScratch<Count>& scratch) const;
    void count_directly(std::int64_t candidate, FamilyScratch<Count>& scratch) const;
    double sum_sorted(std::int64_t candidate, const FamilyFunctions& terms,
                      FamilyScratch<Count>& scratch) const;

    const SearchRows<Code>* rows_ = nullptr;
    std::int64_t node_ = 0;
    std::vector<std::int64_t> parents_;
    std::size_t states_ = 1;     // of the child
    std::size_t configs_ = 1;    // numbered configurations
    bool complete_ = true;       // no parent, nor the child, lacks values
    bool every_ = true;          // every possible configuration is numbered
    bool dense_ = true;          // the family has a table
    std::size_t set_cells_ = 0;  // cells of the family that have bit sets: all or none
    std::vector<std::uint64_t> sets_, half_;
    Configurations configurations_;
    std::vector<std::uint32_t> positions_;  // row -> cell of the family; one cell more for rows left out
    std::vector<std::size_t> starts_;       // rows by configuration
    std::vector<std::uint32_t> order_;
    std::vector<Count> counts_;  // [configuration][state]
};

}  // namespace bayleaf
