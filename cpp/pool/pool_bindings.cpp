// Kernels of a pool, and the scores by which it predicts.
#include <vector>

#include "common/bindings.hpp"
#include "pool/additive.hpp"
#include "pool/class_tables.hpp"
#include "pool/families.hpp"
#include "pool/gains.hpp"
#include "pool/grids.hpp"

namespace {

using GridCodes = Columns<const std::uint16_t>;
using Bytes = Vector<const std::uint8_t>;
using Classes = Vector<const std::int32_t>;

bayleaf::GridRows grid_rows(const GridCodes& codes, const Integers& arities, const Classes& classes,
                            std::int64_t n_classes, const Weights& weights) {
    return {matrix(codes), span(arities), classes.data(), static_cast<std::size_t>(n_classes),
            pointer(weights)};
}

void crossfit_families(const GridCodes& codes, const Integers& arities, const Classes& classes,
                       std::int64_t n_classes, const Weights& weights, const Integers& order,
                       const Integers& starts, const Integers& parents, const Integers& offsets,
                       const Vector<const double>& strengths,
                       nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu> scores,
                       Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::crossfit_families(grid_rows(codes, arities, classes, n_classes, weights),
                               {span(order), span(starts)}, {span(parents), span(offsets)}, span(strengths),
                               scores.data(), threads);
}

void shrunk_tables(const GridCodes& codes, const Integers& arities, const Classes& classes,
                   std::int64_t n_classes, const Weights& weights, const Integers& parents,
                   const Integers& offsets, const Vector<const double>& strengths,
                   const Integers& table_offsets, Vector<double> tables, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::shrunk_tables(grid_rows(codes, arities, classes, n_classes, weights),
                           {span(parents), span(offsets)}, span(strengths), span(table_offsets),
                           tables.data(), threads);
}

void set_gains(const GridCodes& codes, const Integers& arities, const Integers& columns,
               const Integers& offsets, const Bytes& fold, std::int64_t folds,
               const Rows<const float>& residuals, const Rows<const float>& variances, double penalty,
               Rows<double> gains, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::set_gains(matrix(codes), span(arities), {span(columns), span(offsets)}, fold.data(),
                       static_cast<std::size_t>(folds), residuals.data(), variances.data(),
                       residuals.shape(1), penalty, gains.data(), threads);
}

void grid_states(const Vector<const double>& counts, const Integers& offsets, const Integers& intervals,
                 std::int64_t bins, const Weights& shifts, double least_rows, std::int64_t categories,
                 Vector<std::uint16_t> states, Vector<std::int64_t> arities) {
    nb::gil_scoped_release release;
    const bayleaf::Cutting cutting{static_cast<std::size_t>(bins), pointer(shifts), least_rows,
                                   static_cast<std::size_t>(categories)};
    bayleaf::grid_states({span(counts), span(offsets), span(intervals)}, cutting, states.data(),
                         arities.data());
}

void network_graph(const Rows<const bool>& withheld, const Rows<const double>& dependence,
                   const Integers& order, const Integers& arities, std::int64_t classes,
                   std::int64_t most_numbers, Rows<std::int64_t> parents) {
    nb::gil_scoped_release release;
    bayleaf::network_graph({withheld.data(), dependence.data(), span(order), span(arities)}, parents.shape(1),
                           classes, most_numbers, parents.data());
}

void class_tables(const GridCodes& codes, const Integers& arities, const Classes& classes,
                  std::int64_t n_classes, const Weights& weights, const Integers& order,
                  const Integers& starts, const Integers& columns, const Integers& offsets, double borrowed,
                  const Integers& table_offsets, Vector<double> tables,
                  nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu> scores, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::class_tables(grid_rows(codes, arities, classes, n_classes, weights), {span(order), span(starts)},
                          {span(columns), span(offsets)}, borrowed, span(table_offsets), tables.data(),
                          scores.data(), threads);
}

// Additive models of one set of columns; the arrays stay alive with it.
class AdditiveScores {
  public:
    explicit AdditiveScores(Vector<const double> prior) : prior_(std::move(prior)) {}

    void add(Integers reading_columns, Integers reading_offsets, Vector<const std::uint16_t> states,
             Integers term_offsets, Integers term_readings, Integers strides, Integers table_offsets,
             Vector<const float> tables, Integers form_offsets, Integers form_columns, Integers value_offsets,
             Vector<const double> values, Integers matrix_offsets, Vector<const double> matrices,
             Vector<const double> bias) {
        models_.push_back({span(reading_columns), span(reading_offsets), span(states), span(term_offsets),
                           span(term_readings), span(strides), span(table_offsets), tables.data(),
                           span(form_offsets), span(form_columns), span(value_offsets), values.data(),
                           span(matrix_offsets), matrices.data(), span(bias)});
        for (const Integers& each :
             {reading_columns, reading_offsets, term_offsets, term_readings, strides, table_offsets,
              form_offsets, form_columns, value_offsets, matrix_offsets})
            integers_.push_back(each);
        for (const Vector<const double>& each : {values, matrices, bias}) numbers_.push_back(each);
        states_.push_back(std::move(states));
        tables_.push_back(std::move(tables));
    }

    template <class Code>
    void scores(std::size_t model, const Columns<const Code>& codes, Rows<double> out,
                Threads threads) const {
        nb::gil_scoped_release release;
        bayleaf::additive_scores(models_.at(model), matrix(codes), out.data(), threads);
    }

    template <class Code>
    void probabilities(double share, const Columns<const Code>& codes, Rows<double> out,
                       Threads threads) const {
        nb::gil_scoped_release release;
        bayleaf::mixed_probabilities<Code>(models_, share, span(prior_), matrix(codes), out.data(), threads);
    }

  private:
    Vector<const double> prior_;
    std::vector<bayleaf::AdditiveModel> models_;
    std::vector<Integers> integers_;
    std::vector<Vector<const double>> numbers_;
    std::vector<Vector<const std::uint16_t>> states_;
    std::vector<Vector<const float>> tables_;
};

template <class Code>
void bind_for_code(nb::class_<AdditiveScores>& scores) {
    scores.def("scores", &AdditiveScores::scores<Code>, "model"_a, "codes"_a.noconvert(), "out"_a.noconvert(),
               "n_jobs"_a.none(), "Scores of one model, of every class but the first against the first.");
    scores.def("probabilities", &AdditiveScores::probabilities<Code>, "share"_a, "codes"_a.noconvert(),
               "out"_a.noconvert(), "n_jobs"_a.none(),
               "Probabilities of the classes: each model counts `share`, the prior what is left.");
}

}  // namespace

void bind_pool(nb::module_& m) {
    m.def("crossfit_families", &crossfit_families, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "classes"_a.noconvert(), "n_classes"_a, "weights"_a.noconvert().none(), "order"_a.noconvert(),
          "starts"_a.noconvert(), "parents"_a.noconvert(), "offsets"_a.noconvert(), "strengths"_a.noconvert(),
          "scores"_a.noconvert(), "n_jobs"_a.none(),
          "Log-probabilities [column, row, class] of each row's states by the graph of its fold, with tables "
          "of the rows outside it.");
    m.def("shrunk_tables", &shrunk_tables, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "classes"_a.noconvert(), "n_classes"_a, "weights"_a.noconvert().none(), "parents"_a.noconvert(),
          "offsets"_a.noconvert(), "strengths"_a.noconvert(), "table_offsets"_a.noconvert(),
          "tables"_a.noconvert(), "n_jobs"_a.none(),
          "Log-probability tables [parents, state, class] of all columns of a graph, laid end to end.");
    m.def("grid_states", &grid_states, "counts"_a.noconvert(), "offsets"_a.noconvert(),
          "intervals"_a.noconvert(), "bins"_a, "shifts"_a.noconvert().none(), "least_rows"_a, "categories"_a,
          "states"_a.noconvert(), "arities"_a.noconvert(),
          "States of the fine codes of all columns on a grid, that of a missing value behind those of its "
          "column.");
    m.def("network_graph", &network_graph, "withheld"_a.noconvert(), "dependence"_a.noconvert(),
          "order"_a.noconvert(), "arities"_a.noconvert(), "classes"_a, "most_numbers"_a,
          "parents"_a.noconvert(),
          "Parents [child, parent] of all columns, each from those before it in the order; -1 for none.");
    m.def("set_gains", &set_gains, "codes"_a.noconvert(), "arities"_a.noconvert(), "columns"_a.noconvert(),
          "offsets"_a.noconvert(), "fold"_a.noconvert(), "folds"_a, "residuals"_a.noconvert(),
          "variances"_a.noconvert(), "penalty"_a, "gains"_a.noconvert(), "n_jobs"_a.none(),
          "What a table over each set of columns could gain: outside each fold, then on all rows.");
    m.def(
        "class_tables", &class_tables, "codes"_a.noconvert(), "arities"_a.noconvert(),
        "classes"_a.noconvert(), "n_classes"_a, "weights"_a.noconvert().none(), "order"_a.noconvert(),
        "starts"_a.noconvert(), "columns"_a.noconvert(), "offsets"_a.noconvert(), "borrowed"_a,
        "table_offsets"_a.noconvert(), "tables"_a.noconvert(), "scores"_a.noconvert(), "n_jobs"_a.none(),
        "Log-probability tables [cell, class] of the class over sets of columns, laid end to end, and those "
        "of each row [set, row, class] by the rows outside its fold.");
    nb::class_<AdditiveScores> scores(m, "AdditiveScores", "Sums of table entries and quadratic forms.");
    scores.def(nb::init<Vector<const double>>(), "prior"_a.noconvert());
    scores.def("add", &AdditiveScores::add, "reading_columns"_a.noconvert(), "reading_offsets"_a.noconvert(),
               "states"_a.noconvert(), "term_offsets"_a.noconvert(), "term_readings"_a.noconvert(),
               "strides"_a.noconvert(), "table_offsets"_a.noconvert(), "tables"_a.noconvert(),
               "form_offsets"_a.noconvert(), "form_columns"_a.noconvert(), "value_offsets"_a.noconvert(),
               "values"_a.noconvert(), "matrix_offsets"_a.noconvert(), "matrices"_a.noconvert(),
               "bias"_a.noconvert(), "Add a model; see cpp/pool/additive.hpp for what the arrays are.");
    bind_for_code<std::uint8_t>(scores);
    bind_for_code<std::uint16_t>(scores);
}
