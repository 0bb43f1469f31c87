// A junction tree: the cliques of a triangulated graph, joined so that every variable lies in a connected
// part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayleaf {

using Scope = std::vector<std::int64_t>;

struct Clique {
    Scope scope;          // the variables, the one eliminated last first; those shared with the parent lead
    std::size_t shared;   // how many of them the parent has too
    std::int64_t parent;  // a later clique, or -1
};

struct JunctionTree {
    std::vector<Clique> cliques;  // children before parents
    std::vector<std::int64_t>
        home;  // of each variable: the clique in which it is summed out, -1 where absent
    std::vector<std::int64_t> rank;  // of each variable: its position in the elimination order
    double largest = 0;              // entries of the largest clique
    double total = 0;                // entries of all cliques
};

// The tree for a product of factors over these scopes. Variables are eliminated greedily: always one whose
// neighbours lack the fewest edges, of those the one with the smallest clique. Variables in `kept` come last
// and lie together in one clique, a root.
JunctionTree junction_tree(std::span<const std::int64_t> arities, const std::vector<Scope>& scopes,
                           const Scope& kept);

}  // namespace bayleaf
