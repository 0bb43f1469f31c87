#include "bayleaf/gradient.hpp"

#include "arrays.hpp"

namespace {

template <class Code>
double conditional_likelihood(const Columns<const Code>& codes, const Integers& variables,
                              const Integers& strides, const Integers& offsets, const Integers& table_offsets,
                              const Vector<const std::uint8_t>& has_query, std::int64_t query,
                              std::int64_t query_states, const Vector<const double>& log_tables,
                              const Weights& weights, std::optional<Vector<double>> expected, int threads) {
    const bayleaf::Factors factors{span(variables),     span(strides),   span(offsets),
                                   span(table_offsets), span(has_query), query_states};
    nb::gil_scoped_release release;
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
