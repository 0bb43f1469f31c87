// Bindings of the exact search.
#include <stdexcept>

#include "common/bindings.hpp"
#include "exact/exact.hpp"

namespace {

// state[0] counts what is done, state[1] asks to stop.
struct BoundWatch {
    explicit BoundWatch(const Vector<std::int64_t>& state)
        : stop(state.data() + 1), view{stop, state.data()} {}

    bayleaf::Stop stop;
    bayleaf::Watch view;
};

template <class Code>
void subset_sums(const Columns<const Code>& codes, const Integers& arities, std::int64_t variables,
                 const Weights& weights, bool integral, std::int64_t term, double shift, double penalty,
                 std::int64_t largest_set, double most_configurations, Vector<double> sums,
                 Vector<std::int64_t> state, Threads threads) {
    const bayleaf::SetScore score{
        {static_cast<bayleaf::CellTerm>(term), shift, penalty}, largest_set, most_configurations};
    const BoundWatch watch(state);
    const double* row_weights = pointer(weights);
    const auto n = static_cast<std::size_t>(variables);
    nb::gil_scoped_release release;
    if (integral) {
        const auto rows = bayleaf::distinct_rows<Code, std::uint32_t>(matrix(codes), row_weights);
        bayleaf::subset_sums(rows, span(arities), n, score, sums.data(), threads, watch.view);
    } else {
        const auto rows = bayleaf::distinct_rows<Code, double>(matrix(codes), row_weights);
        bayleaf::subset_sums(rows, span(arities), n, score, sums.data(), threads, watch.view);
    }
}

template <class Real>
bool best_network(const Vector<const Real>& joint, const Rows<const Real>& given, const Integers& given_of,
                  const Integers& required, const Integers& forbidden, double tolerance,
                  Vector<std::int64_t> parents, Vector<std::int64_t> state, Threads threads) {
    bayleaf::SetSums<Real> sums{joint.data(), {}, parents.shape(0)};
    for (std::size_t child = 0; child < parents.shape(0); ++child) {
        const std::int64_t index = given_of.data()[child];
        sums.given.push_back(index < 0 ? joint.data() : given.data() + index * given.shape(1));
    }
    const BoundWatch watch(state);
    nb::gil_scoped_release release;
    return bayleaf::best_network(sums, {span(required), span(forbidden)}, tolerance, parents.data(), threads,
                                 watch.view);
}

template <class Code>
void bind_sums(nb::module_& m) {
    m.def("subset_sums", &subset_sums<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(), "variables"_a,
          "weights"_a.noconvert().none(), "integral"_a, "term"_a, "shift"_a, "penalty"_a, "largest_set"_a,
          "most_configurations"_a, "sums"_a.noconvert(), "state"_a.noconvert(), "n_jobs"_a.none(),
          "Sum of a term over the cells of every set of the first variables; the other columns are in all "
          "sets.");
}

template <class Real>
void bind_network(nb::module_& m) {
    m.def("best_network", &best_network<Real>, "joint"_a.noconvert(), "given"_a.noconvert(),
          "given_of"_a.noconvert(), "required"_a.noconvert(), "forbidden"_a.noconvert(), "tolerance"_a,
          "parents"_a.noconvert(), "state"_a.noconvert(), "n_jobs"_a.none(),
          "Parents, as bit masks, of the best network; False when stopped or when none is allowed.");
}

}  // namespace

void bind_exact(nb::module_& m) {
    bind_sums<std::uint8_t>(m);
    bind_sums<std::uint16_t>(m);
    bind_network<double>(m);
    bind_network<float>(m);
    m.def("best_network_bytes", &bayleaf::best_network_bytes, "variables"_a, "real_size"_a,
          "Bytes that best_network allocates itself.");
}
