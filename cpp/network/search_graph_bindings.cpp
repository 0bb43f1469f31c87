// Bindings of the graph of a structure search.
#include "network/search_graph.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "common/bindings.hpp"

namespace {

using Square = nb::ndarray<bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ReadSquare = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Moves = nb::ndarray<bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using ReadMoves = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Keeps the matrices alive, which Python reads too.
struct BoundGraph {
    Square arcs, above;

    bayleaf::SearchGraph view() const { return {arcs.shape(0), arcs.data(), above.data()}; }
};

std::optional<std::tuple<int, std::size_t, std::size_t, double>> best_move(const Rows<const double>& toggles,
                                                                           const ReadMoves& moves,
                                                                           double tolerance) {
    const auto found = bayleaf::best_move(toggles.shape(0), toggles.data(), moves.data(), tolerance);
    if (!found) return std::nullopt;
    return std::tuple{static_cast<int>(found->kind), found->parent, found->child, found->gain};
}

}  // namespace

void bind_search_graph(nb::module_& m) {
    nb::class_<BoundGraph>(m, "SearchGraph");
    m.def(
        "search_graph", [](Square arcs, Square above) { return BoundGraph{arcs, above}; },
        "arcs"_a.noconvert(), "above"_a.noconvert(),
        "A graph from its arcs [parent, child] and ancestors [node, ancestor], which it keeps up to date.");
    m.def(
        "add_arc",
        [](const BoundGraph& graph, std::size_t parent, std::size_t child) {
            bayleaf::add_arc(graph.view(), parent, child);
        },
        "graph"_a, "parent"_a, "child"_a, "Add an arc that closes no cycle.");
    m.def(
        "delete_arc",
        [](const BoundGraph& graph, std::size_t parent, std::size_t child) {
            bayleaf::delete_arc(graph.view(), parent, child);
        },
        "graph"_a, "parent"_a, "child"_a, "Delete an arc.");
    m.def(
        "legal_moves",
        [](const BoundGraph& graph, const ReadSquare& possible, const ReadSquare& removable, bool reversals,
           Moves moves) {
            bayleaf::legal_moves(graph.view(), {possible.data(), removable.data(), reversals}, moves.data());
        },
        "graph"_a, "possible"_a.noconvert(), "removable"_a.noconvert(), "reversals"_a, "moves"_a.noconvert(),
        "Which arcs [parent, child] may be deleted, added, reversed: one matrix each.");
    m.def("best_move", &best_move, "toggles"_a.noconvert(), "moves"_a.noconvert(), "tolerance"_a,
          "The first of the best moves: kind, parent, child and gain; None where no move is legal.");
}
