#include "common/bindings.hpp"
#include "tuning/family_cells.hpp"
#include "tuning/row_scores.hpp"

namespace {

template <class T>
using Cube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Target = Vector<const std::int32_t>;
using Cells = Rows<const std::int32_t>;

template <class Score>
double pool_loss(const Cube<const Score>& scores, const Target& target, const Weights& weights,
                 const Weights& doubt, const Vector<const double>& member_weights,
                 const Vector<const double>& bias, Vector<double> member_gradient,
                 Vector<double> bias_gradient, Threads threads) {
    nb::gil_scoped_release release;
    const bayleaf::Labels labels{target.data(), pointer(weights), pointer(doubt), scores.shape(1),
                                 scores.shape(2)};
    return bayleaf::pool_loss<Score>({scores.data(), scores.shape(0)}, labels, member_weights.data(),
                                     bias.data(), member_gradient.data(), bias_gradient.data(), threads);
}

template <class Score>
void pool_scores(const Cube<const Score>& scores, const Vector<const double>& member_weights,
                 const Vector<const double>& bias, Rows<double> out, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::pool_scores<Score>({scores.data(), scores.shape(0)}, scores.shape(1), scores.shape(2),
                                member_weights.data(), bias.data(), out.data(), threads);
}

using Numbers = std::optional<Rows<const double>>;

// The parameters are scale, bias, corrections of the cells and coefficients of the numbers, one after the
// other.
bayleaf::CellScores cell_rows(const Rows<const double>& base, const Cells& cells, const Numbers& numbers,
                              std::size_t parameters) {
    const std::size_t classes = base.shape(1), n_numbers = numbers ? numbers->shape(0) : 0;
    return {base.data(),
            cells.data(),
            cells.shape(0),
            (parameters - 1) / classes - 1 - n_numbers,
            numbers ? numbers->data() : nullptr,
            n_numbers};
}

double cell_loss(const Rows<const double>& base, const Cells& cells, const Numbers& numbers,
                 const Target& target, const Weights& weights, const Weights& doubt,
                 const Vector<const double>& parameters, Vector<double> gradient, Threads threads) {
    nb::gil_scoped_release release;
    const bayleaf::Labels labels{target.data(), pointer(weights), pointer(doubt), base.shape(0),
                                 base.shape(1)};
    return bayleaf::cell_loss(cell_rows(base, cells, numbers, parameters.shape(0)), labels, parameters.data(),
                              gradient.data(), threads);
}

void lower_cell_loss(const Rows<const double>& base, const Cells& cells, const Numbers& numbers,
                     const Target& target, const Weights& weights, const Weights& doubt,
                     const Vector<const double>& pull, int max_iter, double smallest_gain,
                     double smallest_gradient, Vector<double> parameters, Threads threads) {
    nb::gil_scoped_release release;
    const bayleaf::Labels labels{target.data(), pointer(weights), pointer(doubt), base.shape(0),
                                 base.shape(1)};
    bayleaf::lower_cell_loss(cell_rows(base, cells, numbers, parameters.shape(0)), labels, span(pull),
                             {max_iter, smallest_gain, smallest_gradient},
                             {parameters.data(), parameters.shape(0)}, threads);
}

void cell_scores(const Rows<const double>& base, const Cells& cells, const Numbers& numbers,
                 const Vector<const double>& parameters, Rows<double> out, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::cell_scores(cell_rows(base, cells, numbers, parameters.shape(0)), base.shape(0), base.shape(1),
                         parameters.data(), out.data(), threads);
}

template <class Code>
void family_cells(const Columns<const Code>& codes, const Integers& columns, const Integers& offsets,
                  const Integers& first, const Integers& arities, std::size_t most_parents,
                  Rows<std::int32_t> out, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::family_cells(matrix(codes), {span(columns), span(offsets), span(first), span(arities)},
                          most_parents, out.data(), threads);
}

void scores_of_cells(const Cells& cells, const Integers& members, const Integers& places,
                     const Rows<const double>& tables, Cube<float> out, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::scores_of_cells(cells.data(), span(members), span(places), tables.data(), tables.shape(1),
                             out.shape(1), out.data(), threads);
}

template <class Score>
void bind_for_score(nb::module_& m) {
    m.def("pool_loss", &pool_loss<Score>, "scores"_a.noconvert(), "target"_a.noconvert(),
          "weights"_a.noconvert().none(), "doubt"_a.noconvert().none(), "member_weights"_a.noconvert(),
          "bias"_a.noconvert(), "member_gradient"_a.noconvert(), "bias_gradient"_a.noconvert(),
          "n_jobs"_a.none(),
          "Minus the conditional log-likelihood of a log-linear pool; writes its gradient.");
    m.def("pool_scores", &pool_scores<Score>, "scores"_a.noconvert(), "member_weights"_a.noconvert(),
          "bias"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a.none(),
          "Bias plus the weighted sum of the members' scores.");
}

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("family_cells", &family_cells<Code>, "codes"_a.noconvert(), "columns"_a.noconvert(),
          "offsets"_a.noconvert(), "first"_a.noconvert(), "arities"_a.noconvert(), "most_parents"_a,
          "out"_a.noconvert(), "n_jobs"_a.none(),
          "The cell of each family, [family, row], at the deepest level that a row reaches.");
}

}  // namespace

void bind_tuning(nb::module_& m) {
    bind_for_score<float>(m);
    bind_for_score<double>(m);
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
    m.def("cell_loss", &cell_loss, "base"_a.noconvert(), "cells"_a.noconvert(),
          "numbers"_a.noconvert().none(), "target"_a.noconvert(), "weights"_a.noconvert().none(),
          "doubt"_a.noconvert().none(), "parameters"_a.noconvert(), "gradient"_a.noconvert(),
          "n_jobs"_a.none(),
          "Minus the conditional log-likelihood of corrected scores; writes its gradient.");
    m.def("lower_cell_loss", &lower_cell_loss, "base"_a.noconvert(), "cells"_a.noconvert(),
          "numbers"_a.noconvert().none(), "target"_a.noconvert(), "weights"_a.noconvert().none(),
          "doubt"_a.noconvert().none(), "pull"_a.noconvert(), "max_iter"_a, "smallest_gain"_a,
          "smallest_gradient"_a, "parameters"_a.noconvert(), "n_jobs"_a.none(),
          "Lowers the penalised loss from where the parameters are.");
    m.def("cell_scores", &cell_scores, "base"_a.noconvert(), "cells"_a.noconvert(),
          "numbers"_a.noconvert().none(), "parameters"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a.none(),
          "Bias plus scaled base scores plus what each row's cells and numbers add.");
    m.def("scores_of_cells", &scores_of_cells, "cells"_a.noconvert(), "members"_a.noconvert(),
          "places"_a.noconvert(), "tables"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a.none(),
          "Entries of tables by the cells of rows, written to the places [member, row, class] of families "
          "and rows.");
}
