#include "network/search_graph.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace bayleaf {
namespace {

void take_over(const bool* from, std::size_t nodes, bool* to) {
    for (std::size_t k = 0; k < nodes; ++k) to[k] |= from[k];
}

}  // namespace

void add_arc(const SearchGraph& graph, std::size_t parent, std::size_t child) {
    const std::size_t n = graph.nodes;
    graph.arcs[parent * n + child] = true;
    for (std::size_t node = 0; node < n; ++node) {
        bool* above = graph.above + node * n;
        if (node != child && !above[child]) continue;
        take_over(graph.above + parent * n, n, above);
        above[parent] = true;
    }
}

// Only the child and what lies below it can lose ancestors. They are served from above to below: a node has
// more ancestors than any of its ancestors has.
void delete_arc(const SearchGraph& graph, std::size_t parent, std::size_t child) {
    const std::size_t n = graph.nodes;
    graph.arcs[parent * n + child] = false;
    std::vector<std::pair<std::size_t, std::size_t>> below;
    for (std::size_t node = 0; node < n; ++node) {
        const bool* above = graph.above + node * n;
        if (node == child || above[child])
            below.emplace_back(static_cast<std::size_t>(std::count(above, above + n, true)), node);
    }
    std::sort(below.begin(), below.end());
    for (const auto& [ancestors, node] : below) {
        bool* above = graph.above + node * n;
        std::fill_n(above, n, false);
        for (std::size_t p = 0; p < n; ++p) {
            if (!graph.arcs[p * n + node]) continue;
            take_over(graph.above + p * n, n, above);
            above[p] = true;
        }
    }
}

void legal_moves(const SearchGraph& graph, const ArcRules& rules, bool* moves) {
    const std::size_t n = graph.nodes, size = n * n;
    bool *remove = moves, *add = moves + size, *reverse = moves + 2 * size;
    for (std::size_t k = 0; k < size; ++k) {
        remove[k] = graph.arcs[k] & rules.removable[k];
        add[k] = rules.possible[k] & !graph.arcs[k] & !graph.above[k];
    }
    std::fill_n(reverse, size, false);
    if (!rules.reversals) return;
    for (std::size_t p = 0; p < n; ++p)
        for (std::size_t c = 0; c < n; ++c) {
            if (!remove[p * n + c] || !rules.possible[c * n + p]) continue;
            // A cycle would close through another parent of the child that has p among its ancestors.
            bool another_path = false;
            for (std::size_t q = 0; q < n; ++q)
                another_path |= graph.arcs[q * n + c] & graph.above[q * n + p];
            reverse[p * n + c] = !another_path;
        }
}

std::optional<ScoredMove> best_move(std::size_t nodes, const double* toggles, const bool* moves,
                                    double tolerance) {
    const std::size_t n = nodes, size = n * n;
    const bool *remove = moves, *add = moves + size, *reverse = moves + 2 * size;
    const auto gain_of_reversal = [&](std::size_t p, std::size_t c) {
        return toggles[p * n + c] + toggles[c * n + p];
    };
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < size; ++k)
        if (remove[k] | add[k]) top = std::max(top, toggles[k]);
    for (std::size_t k = 0; k < size; ++k)
        if (reverse[k]) top = std::max(top, gain_of_reversal(k / n, k % n));
    if (top == -std::numeric_limits<double>::infinity()) return std::nullopt;
    for (std::size_t c = 0; c < n; ++c)
        for (const auto& [kind, legal] : {std::pair{MoveKind::kDelete, remove}, {MoveKind::kAdd, add}})
            for (std::size_t p = 0; p < n; ++p)
                if (legal[p * n + c] && toggles[p * n + c] >= top - tolerance)
                    return ScoredMove{kind, p, c, toggles[p * n + c]};
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t p = 0; p < n; ++p)
            if (reverse[p * n + c] && gain_of_reversal(p, c) >= top - tolerance)
                return ScoredMove{MoveKind::kReverse, p, c, gain_of_reversal(p, c)};
    return std::nullopt;
}

}  // namespace bayleaf
