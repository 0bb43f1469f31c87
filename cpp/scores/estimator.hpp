// From counts to terms: smoothed, as logarithms on a grid, each table without the rows that it will judge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scores/candidates.hpp"

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

}  // namespace bayleaf
