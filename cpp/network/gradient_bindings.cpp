#include "network/gradient.hpp"

#include <algorithm>
#include <stdexcept>

#include "common/bindings.hpp"

namespace {

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
                              const Weights& weights, std::optional<Vector<double>> expected, int threads) {
    const bayleaf::Factors factors{span(variables),     span(strides),   span(offsets),
                                   span(table_offsets), span(has_query), query_states};
    nb::gil_scoped_release release;
    check_classes(matrix(codes), query, query_states);
    return bayleaf::conditional_likelihood(matrix(codes), factors, log_tables.data(), log_tables.shape(0),
                                           query, weights ? weights->data() : nullptr,
                                           expected ? expected->data() : nullptr, threads);
}

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("conditional_likelihood", &conditional_likelihood<Code>, "codes"_a.noconvert(),
          "variables"_a.noconvert(), "strides"_a.noconvert(), "offsets"_a.noconvert(),
          "table_offsets"_a.noconvert(), "has_query"_a.noconvert(), "query"_a, "query_states"_a,
          "log_tables"_a.noconvert(), "weights"_a.noconvert().none(), "expected"_a.noconvert().none(),
          "threads"_a, "Conditional log-likelihood; adds expected counts under the posterior.");
}

}  // namespace

void bind_gradient(nb::module_& m) {
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
}
