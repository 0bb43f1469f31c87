// The graph of a structure search: ancestors kept up to date arc by arc, legal moves, and the best of them.
#pragma once

#include <cstddef>
#include <optional>

namespace bayleaf {

// Square matrices, row after row.
struct SearchGraph {
    std::size_t nodes;
    bool* arcs;   // [parent][child]
    bool* above;  // [node][ancestor]
};

void add_arc(const SearchGraph& graph, std::size_t parent, std::size_t child);
void delete_arc(const SearchGraph& graph, std::size_t parent, std::size_t child);

// What may change: arcs that may exist as far as their own ends are concerned, and arcs that may go.
struct ArcRules {
    const bool* possible;
    const bool* removable;
    bool reversals;
};

enum class MoveKind { kDelete, kAdd, kReverse };

// moves[kind][parent][child]: whether the move leaves the graph acyclic and obeys the rules. A reversal is
// named by the arc that it removes.
void legal_moves(const SearchGraph& graph, const ArcRules& rules, bool* moves);

struct ScoredMove {
    MoveKind kind;
    std::size_t parent, child;
    double gain;
};

// The first legal move whose gain lies within a tolerance of the largest. `toggles` [parent][child] is what
// adding the arc gains, or deleting it where it is there. Reversals come last; then the first child is
// served first, its deletions before its additions, then the first parent.
std::optional<ScoredMove> best_move(std::size_t nodes, const double* toggles, const bool* moves,
                                    double tolerance);

}  // namespace bayleaf
