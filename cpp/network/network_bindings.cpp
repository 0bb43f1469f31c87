#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "common/bindings.hpp"
#include "network/factors.hpp"
#include "network/search_graph.hpp"

namespace {

bayleaf::Factors factors(const Integers& variables, const Integers& strides, const Integers& offsets,
                         const Integers& table_offsets, const Vector<const std::uint8_t>& has_query,
                         std::int64_t query_states) {
    return {span(variables),     span(strides),   span(offsets),
            span(table_offsets), span(has_query), query_states};
}

template <class Code>
void log_joint(const Columns<const Code>& codes, const Integers& variables, const Integers& strides,
               const Integers& offsets, const Integers& table_offsets,
               const Vector<const std::uint8_t>& has_query, const Vector<const double>& log_tables,
               Rows<double> out, Threads threads) {
    const auto query_states = static_cast<std::int64_t>(out.shape(1));
    nb::gil_scoped_release release;
    bayleaf::log_joint(matrix(codes),
                       factors(variables, strides, offsets, table_offsets, has_query, query_states),
                       log_tables.data(), out.data(), threads);
}

template <class Code>
void log_joint_missing(const Columns<const Code>& codes, const Integers& arities, const Integers& variables,
                       const Integers& strides, const Integers& offsets, const Integers& table_offsets,
                       const Vector<const std::uint8_t>& has_query, const Vector<const double>& tables,
                       const Integers& topological, const Integers& rank, std::int64_t query,
                       std::int64_t largest_factor, Rows<double> out, Threads threads) {
    const auto query_states = static_cast<std::int64_t>(out.shape(1));
    nb::gil_scoped_release release;
    bayleaf::log_joint_missing(matrix(codes), span(arities),
                               factors(variables, strides, offsets, table_offsets, has_query, query_states),
                               tables.data(), span(topological), span(rank), query, largest_factor,
                               out.data(), threads);
}

void normalize_rows(const Rows<const double>& log_joint, const Vector<const double>& fallback,
                    Rows<double> out, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::normalize_rows(log_joint.data(), log_joint.shape(0), log_joint.shape(1), fallback.data(),
                            out.data(), threads);
}

// The kernel looks up the log-joint of each row's own class: a missing one would be read far outside.
template <class Code>
void check_classes(const bayleaf::CodeMatrix<Code>& codes, std::int64_t query, std::int64_t query_states) {
    if (query < 0 || static_cast<std::size_t>(query) >= codes.columns)
        throw std::invalid_argument("The class is not a column of the codes.");
    const Code* column = codes.column(static_cast<std::size_t>(query));
    Code largest = 0;
    for (std::size_t i = 0; i < codes.rows; ++i) largest = std::max(largest, column[i]);
    if (codes.rows && largest >= query_states)
        throw std::invalid_argument(
            "Conditional likelihood needs the class of every row: a code is missing or out of range.");
}

template <class Code>
double conditional_likelihood(const Columns<const Code>& codes, const Integers& variables,
                              const Integers& strides, const Integers& offsets, const Integers& table_offsets,
                              const Vector<const std::uint8_t>& has_query, std::int64_t query,
                              std::int64_t query_states, const Vector<const double>& log_tables,
                              const Weights& weights, std::optional<Vector<double>> expected,
                              Threads threads) {
    nb::gil_scoped_release release;
    check_classes(matrix(codes), query, query_states);
    return bayleaf::conditional_likelihood(
        matrix(codes), factors(variables, strides, offsets, table_offsets, has_query, query_states),
        log_tables.data(), log_tables.shape(0), query, pointer(weights),
        expected ? expected->data() : nullptr, threads);
}

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

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("log_joint", &log_joint<Code>, "codes"_a.noconvert(), "variables"_a.noconvert(),
          "strides"_a.noconvert(), "offsets"_a.noconvert(), "table_offsets"_a.noconvert(),
          "has_query"_a.noconvert(), "log_tables"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a.none(),
          "Log-joint of every row and query state; rows have no missing values.");
    m.def("log_joint_missing", &log_joint_missing<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "variables"_a.noconvert(), "strides"_a.noconvert(), "offsets"_a.noconvert(),
          "table_offsets"_a.noconvert(), "has_query"_a.noconvert(), "tables"_a.noconvert(),
          "topological"_a.noconvert(), "rank"_a.noconvert(), "query"_a, "largest_factor"_a,
          "out"_a.noconvert(), "n_jobs"_a.none(),
          "Log-joint of every row and query state, missing variables summed out exactly.");
    m.def("conditional_likelihood", &conditional_likelihood<Code>, "codes"_a.noconvert(),
          "variables"_a.noconvert(), "strides"_a.noconvert(), "offsets"_a.noconvert(),
          "table_offsets"_a.noconvert(), "has_query"_a.noconvert(), "query"_a, "query_states"_a,
          "log_tables"_a.noconvert(), "weights"_a.noconvert().none(), "expected"_a.noconvert().none(),
          "n_jobs"_a.none(), "Conditional log-likelihood; adds expected counts under the posterior.");
}

}  // namespace

void bind_council(nb::module_& m);
void bind_value_reader(nb::module_& m);
void bind_junction(nb::module_& m);

void bind_network(nb::module_& m) {
    bind_council(m);
    bind_value_reader(m);
    bind_junction(m);
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
    m.def("normalize_rows", &normalize_rows, "log_joint"_a.noconvert(), "fallback"_a.noconvert(),
          "out"_a.noconvert(), "n_jobs"_a.none(),
          "Posteriors from log-joints; an impossible row gets the fallback.");
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
