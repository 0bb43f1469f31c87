// Thin bindings: unwrap arrays, release the interpreter lock, call the kernel. Outputs are allocated in
// Python.
#include "common/bindings.hpp"
#include "count/count.hpp"
#include "encode/encode.hpp"
#include "network/factors.hpp"
#include "count/pairs.hpp"

namespace {

template <class Code, class Total>
void count(const Columns<const Code>& codes, const Integers& arities, const Integers& columns,
           const Integers& offsets, const Integers& table_offsets, const Weights& weights,
           Vector<Total> tables, int threads) {
    const bayleaf::ColumnSets sets{span(columns), span(offsets), span(table_offsets)};
    nb::gil_scoped_release release;
    bayleaf::count(matrix(codes), span(arities), sets, weights ? weights->data() : nullptr, tables.data(),
                   threads);
}

template <class Code>
void pair_sums(const Columns<const Code>& codes, const Integers& arities, const Integers& features,
               std::int64_t target, const Weights& weights, double pseudo, Rows<double> sums, int threads) {
    nb::gil_scoped_release release;
    bayleaf::pair_sums(matrix(codes), span(arities), span(features), target,
                       weights ? weights->data() : nullptr, pseudo, sums.data(), threads);
}

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
               Rows<double> out, int threads) {
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
                       std::int64_t largest_factor, Rows<double> out, int threads) {
    const auto query_states = static_cast<std::int64_t>(out.shape(1));
    nb::gil_scoped_release release;
    bayleaf::log_joint_missing(matrix(codes), span(arities),
                               factors(variables, strides, offsets, table_offsets, has_query, query_states),
                               tables.data(), span(topological), span(rank), query, largest_factor,
                               out.data(), threads);
}

void normalize_rows(const Rows<const double>& log_joint, const Vector<const double>& fallback,
                    Rows<double> out, int threads) {
    nb::gil_scoped_release release;
    bayleaf::normalize_rows(log_joint.data(), log_joint.shape(0), log_joint.shape(1), fallback.data(),
                            out.data(), threads);
}

template <class Integer>
bool pack_integers(const Strided<const Integer>& values, Columns<std::uint8_t> out,
                   Vector<std::uint8_t> largest, int threads) {
    nb::gil_scoped_release release;
    return bayleaf::pack_integers(values.data(), values.shape(0), values.shape(1), values.stride(0),
                                  values.stride(1), out.data(), largest.data(), threads);
}

void present_states(const Columns<const std::uint8_t>& codes, const Vector<const std::uint8_t>& largest,
                    Rows<std::uint8_t> present, int threads) {
    nb::gil_scoped_release release;
    bayleaf::present_states(matrix(codes), largest.data(), present.data(), threads);
}

template <class Code>
void column_range(const Columns<const Code>& codes, Vector<std::int64_t> largest,
                  Vector<std::uint8_t> missing, int threads) {
    nb::gil_scoped_release release;
    bayleaf::column_range(matrix(codes), largest.data(), missing.data(), threads);
}

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("column_range", &column_range<Code>, "codes"_a.noconvert(), "largest"_a.noconvert(),
          "missing"_a.noconvert(), "threads"_a,
          "Per column, the largest code that is not the missing one, and whether any value is missing.");
    m.def("count", &count<Code, std::int64_t>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "columns"_a.noconvert(), "offsets"_a.noconvert(), "table_offsets"_a.noconvert(),
          "weights"_a.noconvert().none(), "tables"_a.noconvert(), "threads"_a,
          "Add the rows to one contingency table per column set; rows with a missing value in a set are left "
          "out.");
    m.def("count", &count<Code, double>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "columns"_a.noconvert(), "offsets"_a.noconvert(), "table_offsets"_a.noconvert(),
          "weights"_a.noconvert().none(), "tables"_a.noconvert(), "threads"_a);
    m.def("pair_sums", &pair_sums<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "features"_a.noconvert(), "target"_a, "weights"_a.noconvert().none(), "pseudo"_a,
          "sums"_a.noconvert(), "threads"_a,
          "Per pair of features, sums of N log N over the cells of (C,I,J), (C,I), (C,J), (C), (I,J), (I), "
          "(J), "
          "() and the number of rows.");
    m.def("log_joint", &log_joint<Code>, "codes"_a.noconvert(), "variables"_a.noconvert(),
          "strides"_a.noconvert(), "offsets"_a.noconvert(), "table_offsets"_a.noconvert(),
          "has_query"_a.noconvert(), "log_tables"_a.noconvert(), "out"_a.noconvert(), "threads"_a,
          "Log-joint of every row and query state; rows have no missing values.");
    m.def("log_joint_missing", &log_joint_missing<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "variables"_a.noconvert(), "strides"_a.noconvert(), "offsets"_a.noconvert(),
          "table_offsets"_a.noconvert(), "has_query"_a.noconvert(), "tables"_a.noconvert(),
          "topological"_a.noconvert(), "rank"_a.noconvert(), "query"_a, "largest_factor"_a,
          "out"_a.noconvert(), "threads"_a,
          "Log-joint of every row and query state, missing variables summed out exactly.");
}

}  // namespace

void bind_candidates(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_family_gains(nb::module_& m);
void bind_gradient(nb::module_& m);
void bind_search_graph(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "Native kernels of bayleaf. They trust their input: call them through the package.";
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
    bind_candidates(m);
    bind_exact(m);
    bind_family_gains(m);
    bind_gradient(m);
    bind_search_graph(m);
    m.def("normalize_rows", &normalize_rows, "log_joint"_a.noconvert(), "fallback"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a,
          "Posteriors from log-joints; an impossible row gets the fallback.");
    m.def("pack_integers", &pack_integers<std::int8_t>, "values"_a.noconvert(), "out"_a.noconvert(),
          "largest"_a.noconvert(), "threads"_a,
          "Copy integers in [0, 254] into columns of bytes; False when a value does not fit.");
    m.def("pack_integers", &pack_integers<std::uint8_t>, "values"_a.noconvert(), "out"_a.noconvert(),
          "largest"_a.noconvert(), "threads"_a);
    m.def("pack_integers", &pack_integers<std::int32_t>, "values"_a.noconvert(), "out"_a.noconvert(),
          "largest"_a.noconvert(), "threads"_a);
    m.def("pack_integers", &pack_integers<std::int64_t>, "values"_a.noconvert(), "out"_a.noconvert(),
          "largest"_a.noconvert(), "threads"_a);
    m.def("present_states", &present_states, "codes"_a.noconvert(), "largest"_a.noconvert(),
          "present"_a.noconvert(), "threads"_a, "Which states occur in each column.");
}
