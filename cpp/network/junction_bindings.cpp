#include <nanobind/stl/tuple.h>

#include <tuple>

#include "common/bindings.hpp"
#include "network/junction.hpp"

namespace {

std::tuple<int, double, double, double> propagate(const Integers& arities, const Integers& variables,
                                                  const Integers& strides, const Integers& offsets,
                                                  const Integers& table_offsets,
                                                  const Vector<const double>& tables, const Integers& codes,
                                                  const Vector<const double>& likelihoods,
                                                  const Integers& likelihood_offsets, const Integers& targets,
                                                  bool all, double limit, Vector<double> out) {
    nb::gil_scoped_release release;
    const bayleaf::Factors factors{span(variables), span(strides), span(offsets), span(table_offsets), {}, 1};
    const bayleaf::Question question{
        span(arities), factors, tables.data(), span(codes), span(likelihoods), span(likelihood_offsets),
        span(targets), all,     limit};
    const auto found = bayleaf::propagate(question, out.data());
    return {static_cast<int>(found.answer), found.log_evidence, found.largest, found.total};
}

}  // namespace

void bind_junction(nb::module_& m) {
    m.def("propagate", &propagate, "arities"_a.noconvert(), "variables"_a.noconvert(),
          "strides"_a.noconvert(), "offsets"_a.noconvert(), "table_offsets"_a.noconvert(),
          "tables"_a.noconvert(), "codes"_a.noconvert(), "likelihoods"_a.noconvert(),
          "likelihood_offsets"_a.noconvert(), "targets"_a.noconvert(), "all"_a, "limit"_a,
          "out"_a.noconvert(),
          "Exact distributions by a junction tree: (0 exact, 1 too small, 2 too large; log P(evidence); "
          "entries of the "
          "largest clique and of all).");
}
