#include "common/bindings.hpp"
#include "count/count.hpp"

namespace {

template <class Code, class Total>
void count(const Columns<const Code>& codes, const Integers& arities, const Integers& columns,
           const Integers& offsets, const Integers& table_offsets, const Weights& weights,
           Vector<Total> tables, Threads threads) {
    const bayleaf::ColumnSets sets{span(columns), span(offsets), span(table_offsets)};
    nb::gil_scoped_release release;
    bayleaf::count(matrix(codes), span(arities), sets, pointer(weights), tables.data(), threads);
}

template <class Code>
void pair_sums(const Columns<const Code>& codes, const Integers& arities, const Integers& features,
               std::int64_t target, const Weights& weights, double pseudo, Rows<double> sums,
               Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::pair_sums(matrix(codes), span(arities), span(features), target, pointer(weights), pseudo,
                       sums.data(), threads);
}

template <class Code, class Total>
void pair_counts(const Columns<const Code>& codes, const Integers& arities, const Integers& features,
                 std::int64_t target, const Weights& weights, Vector<Total> tables, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::pair_counts(matrix(codes), span(arities), span(features), target, pointer(weights),
                         tables.data(), threads);
}

template <class Total>
void pair_sums_of_counts(const Vector<const Total>& tables, const Integers& arities, const Integers& features,
                         std::int64_t target, const Vector<const bool>& has_missing, double pseudo,
                         Rows<double> sums, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::pair_sums_of_counts(tables.data(), span(arities), span(features), target, has_missing.data(),
                                 pseudo, sums.data(), threads);
}

template <class Code>
void partition_gains(const Columns<const Code>& codes, const Integers& arities, std::int64_t target,
                     const Weights& weights, const Integers& features, const Integers& rows,
                     const Integers& starts, Rows<double> gains, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::partition_gains(matrix(codes), span(arities), target, pointer(weights), span(features),
                             span(rows), span(starts), gains.data(), threads);
}

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("count", &count<Code, std::int64_t>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "columns"_a.noconvert(), "offsets"_a.noconvert(), "table_offsets"_a.noconvert(),
          "weights"_a.noconvert().none(), "tables"_a.noconvert(), "n_jobs"_a.none(),
          "Add the rows to one contingency table per column set; rows with a missing value in a set are left "
          "out.");
    m.def("count", &count<Code, double>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "columns"_a.noconvert(), "offsets"_a.noconvert(), "table_offsets"_a.noconvert(),
          "weights"_a.noconvert().none(), "tables"_a.noconvert(), "n_jobs"_a.none());
    m.def("pair_sums", &pair_sums<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "features"_a.noconvert(), "target"_a, "weights"_a.noconvert().none(), "pseudo"_a,
          "sums"_a.noconvert(), "n_jobs"_a.none(),
          "Per pair of features, sums of N log N over the cells of (C,I,J), (C,I), (C,J), (C), (I,J), (I), "
          "(J), () and the number of rows.");
    m.def("pair_counts", &pair_counts<Code, std::int64_t>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "features"_a.noconvert(), "target"_a, "weights"_a.noconvert().none(), "tables"_a.noconvert(),
          "n_jobs"_a.none(), "Add the rows to the tables [class][i][j] of all pairs of features.");
    m.def("pair_counts", &pair_counts<Code, double>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "features"_a.noconvert(), "target"_a, "weights"_a.noconvert().none(), "tables"_a.noconvert(),
          "n_jobs"_a.none());
    m.def("partition_gains", &partition_gains<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "target"_a, "weights"_a.noconvert().none(), "features"_a.noconvert(), "rows"_a.noconvert(),
          "starts"_a.noconvert(), "gains"_a.noconvert(), "n_jobs"_a.none(),
          "What each feature tells about the class within the groups of a partition of the rows.");
}

template <class Total>
void bind_for_total(nb::module_& m) {
    m.def("pair_sums_of_counts", &pair_sums_of_counts<Total>, "tables"_a.noconvert(), "arities"_a.noconvert(),
          "features"_a.noconvert(), "target"_a, "has_missing"_a.noconvert(), "pseudo"_a, "sums"_a.noconvert(),
          "n_jobs"_a.none(), "What pair_sums gives for rows that pair_counts has counted.");
}

}  // namespace

void bind_count(nb::module_& m) {
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
    bind_for_total<std::int64_t>(m);
    bind_for_total<double>(m);
}
