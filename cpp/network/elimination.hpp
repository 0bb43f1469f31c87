// How to sum out one pattern of missing values: everything that does not depend on the values of a row. Which
// factors meet, in which order and at which positions is planned once per pattern; a row then only gathers
// numbers, multiplies and adds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/factors.hpp"

namespace bayleaf {

struct Network {
    std::span<const std::int64_t> arities;
    const Factors& factors;
    std::span<const std::int64_t> topological;
    std::span<const std::int64_t> rank;
    std::int64_t query;
    std::size_t classes;
    double largest_factor;
};

// Part of a family table that is left when its observed variables are fixed. Scope: missing variables by
// rank.
struct Slice {
    std::size_t factor;
    std::vector<std::int64_t> positions;  // of each configuration of the scope, relative to the observed part
    std::size_t buffer;                   // where its values go
    bool has_query;
};

// Multiply `inputs`, sum out one variable of `arity` states, and leave a message over the other variables. A
// step that only multiplies has arity 1.
struct Elimination {
    std::int64_t arity;
    std::size_t configurations;
    std::vector<std::size_t> inputs;                    // numbers of working tables
    std::vector<std::vector<std::uint32_t>> positions;  // per input, per (configuration, state)
    std::size_t output;
};

struct WorkingTable {
    std::vector<std::int64_t> scope;
    std::size_t buffer;
    bool has_query;
};

struct EliminationPlan {
    std::vector<std::size_t> observed;  // factors without a missing variable: one logarithm per class
    std::vector<Slice> slices;
    std::vector<Elimination> eliminations;
    std::vector<WorkingTable> tables;   // slices first, then one message per elimination
    std::vector<std::size_t> unscoped;  // messages over no variable: their logarithm joins the sum
    std::size_t buffer_size = 0;
    std::optional<bool> may_underflow;  // found out only when a row asks
};

// Nodes that are observed, queried, or have a descendant that is: all others sum to one and drop out.
std::vector<char> relevant_nodes(const Network& net, const std::vector<char>& missing);

// missing[v]: whether variable v has to be summed out. Throws std::invalid_argument when a step would be too
// large.
EliminationPlan plan_elimination(const Network& net, const std::vector<char>& missing);

}  // namespace bayleaf
