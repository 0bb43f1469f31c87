// The term of one family in the log-joint of every row and class.
//
// Rows are counted in cells: an entry per configuration of the family and table, with one cell per class.
// Only configurations that occur have entries if the whole table would be large; and a table that is large
// even then is made in parts, so that no family takes more memory than a fraction of the log-joint.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "count/cells.hpp"
#include "scores/candidates.hpp"
#include "scores/row_losses.hpp"

namespace bayleaf {

// The shape of a group: the states of a node for one configuration of its parents. Counts and terms are
// [state][table][class], a state's values `stride` apart; terms are made for the first `tables` tables.
struct GroupShape {
    std::size_t states;  // of the node, whether they occur or not
    std::size_t classes;
    std::size_t tables;
    std::size_t stride;
    double cells;   // of the whole family table, over which a sample size is spread
    bool subtract;  // whether a table's terms come from the counts of all the others
};

// From counts to terms: smoothed, as logarithms on a grid, each table without the rows that it will judge.
// Total is std::uint32_t for rows, double for weights.
template <class Total>
class Estimator {
  public:
    Estimator(const Smoothing& smoothing, const GroupShape& shape);

    // Distributions over the states of a feature, one per class: terms of the states that are asked for. The
    // others must have no rows.
    void feature(const Total* counts, std::span<const std::uint32_t> asked, double* terms);
    // The distribution over the classes, for a class that has parents.
    void target(const Total* counts, double* terms);

  private:
    double logarithm(Total n) const;
    // The term of n rows is term_of(n) - rest, or `none` if n is zero.
    double term_of(Total n) const;
    void finish(Total total, std::uint32_t zeros, double& rest, double& none) const;
    const Total* training(const Total* counts, Total* space);
    void write(const Total* n, std::size_t size, double* terms) const;

    const Smoothing& smoothing_;
    GroupShape shape_;
    double share_, rare_, uniform_;
    std::vector<double> log_zero_;  // of 1 + z epsilon: what z states without rows take from the others
    std::vector<Total> all_, training_, totals_;
    std::vector<std::uint32_t> zeros_;
    std::vector<double> rest_, none_;
};

// What is kept beside every term: nothing, its lead over the other classes, or its exponential.
enum class Beside { kNothing, kLeads, kWeights };

// Buffers are kept from one family to the next.
template <class Code>
class FamilyTerms {
  public:
    // Numbers the cells of a family; then its parts are built, one after the other.
    void open(const Sample<Code>& sample, std::int64_t node, std::span<const std::int64_t> parents,
              const RowOrder& order, Beside beside);
    std::size_t parts() const { return part_starts_.size() - 1; }
    // Makes the terms of a part; returns those of its rows that are judged.
    RowList build(const Sample<Code>& sample, const RowOrder& order, std::size_t part);
    // Of the part built last. Rows with a missing value in the family find zeros there.
    TermView view() const { return {terms_.data(), beside_.data(), cells_.data(), first_}; }
    // Whether the family does without the class, so that every term is zero.
    bool neutral() const { return neutral_; }

  private:
    std::size_t locate(const Sample<Code>& sample, std::span<const std::int64_t> columns, bool& missing);
    void divide(const Sample<Code>& sample, std::size_t configurations, const RowOrder& order);
    void list_rows(const RowOrder& order, const Sample<Code>& sample);
    void number_cells(const Sample<Code>& sample, bool missing);
    std::size_t group_end(std::size_t first) const;

    template <class Total>
    RowList build_from(const Sample<Code>& sample, const RowOrder& order, std::size_t part,
                       std::vector<Total>& counts);
    template <class Total>
    void count(const Sample<Code>& sample, std::size_t part, std::vector<Total>& counts);
    // Terms of each row from the rows before it: parts are blocks of rows.
    template <class Total>
    RowList build_in_order(const Sample<Code>& sample, std::size_t part, std::vector<Total>& counts);
    void fill_beside(std::size_t cell, std::size_t cells);

    bool neutral_ = false, is_class_ = false, dense_ = true;
    Beside kind_ = Beside::kNothing;
    GroupShape shape_{};
    std::size_t configurations_ = 0;
    std::uint32_t first_ = 0;                  // first cell of the part
    std::vector<std::uint32_t> cells_;         // of each row
    std::vector<std::uint32_t> group_starts_;  // first configuration of each group, and the end; unless dense
    std::vector<std::size_t> part_starts_;     // first configuration (or row) of each part
    std::vector<std::uint32_t> listed_;        // rows, part by part
    std::vector<std::size_t> list_starts_, list_judged_;
    ObservedNumbers observed_;
    std::vector<double> terms_, beside_;
    std::vector<std::uint32_t> states_;
    std::vector<std::uint32_t> whole_counts_, lanes_;
    std::vector<double> weighted_counts_;
};

}  // namespace bayleaf
