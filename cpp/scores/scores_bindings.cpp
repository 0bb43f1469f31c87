// A search holds one Sample and one Loss, or one FamilyGains, for its whole run. Calls of class-focused
// scores check nothing, the package does.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

#include "common/bindings.hpp"
#include "scores/candidates.hpp"
#include "scores/family_gains.hpp"
#include "scores/prefix_losses.hpp"

namespace {

using Folds = std::optional<Vector<const std::uint8_t>>;
using Units = std::optional<Vector<const std::int64_t>>;

// Keeps the arrays alive that the kernel's views point to.
struct BoundSample {
    nb::object codes;
    Integers arities;
    Folds fold;
    Weights weights;
    Vector<const double> log_integers;
    std::variant<bayleaf::Sample<std::uint8_t>, bayleaf::Sample<std::uint16_t>> view;
};

bool has_rest(const Vector<const std::uint8_t>& fold) {
    return std::find(fold.data(), fold.data() + fold.shape(0), bayleaf::kNoFold) !=
           fold.data() + fold.shape(0);
}

// Whether Ctrl-C was pressed: the handler of Python runs, and what it raises waits for the end of the call.
bool interrupted() {
    const nb::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
}

// Runs a long kernel without the interpreter lock. What a signal handler raised comes out of it.
template <class Kernel>
void interruptible(Kernel&& kernel) {
    bool finished = true;
    {
        nb::gil_scoped_release release;
        bayleaf::Stop stop(interrupted);
        try {
            kernel(stop);
        } catch (const bayleaf::Stopped&) {
            finished = false;
        }
    }
    if (!finished) throw nb::python_error();
}

template <class Code>
BoundSample make_sample(Columns<const Code> codes, Integers arities, std::int64_t target, Folds fold,
                        int folds, Weights weights, int estimate, double value, double grid,
                        Vector<const double> log_integers, std::size_t small_table) {
    const bayleaf::Smoothing smoothing{static_cast<bayleaf::Estimate>(estimate), value, grid,
                                       span(log_integers)};
    const bayleaf::Sample<Code> view{matrix(codes),    span(arities), target,
                                     pointer(fold),    folds,         fold && has_rest(*fold),
                                     pointer(weights), smoothing,     small_table};
    return {nb::cast(codes), arities, fold, weights, log_integers, view};
}

struct BoundLoss {
    Units units;
    Weights weights;
    Rows<const double> cost;
    Rows<const std::int64_t> ranks;
    bayleaf::Loss view;
};

BoundLoss make_loss(int kind, double scale, Units units, Weights weights, Rows<const double> cost,
                    Rows<const std::int64_t> ranks) {
    const bayleaf::Loss view{static_cast<bayleaf::LossKind>(kind),
                             scale,
                             pointer(units),
                             pointer(weights),
                             cost.data(),
                             ranks.data(),
                             cost.shape(1)};
    return {units, weights, cost, ranks, view};
}

bayleaf::Families families(const Integers& nodes, const Integers& parents, const Integers& offsets) {
    return {span(nodes), span(parents), span(offsets)};
}

void add_families(const BoundSample& sample, const Integers& nodes, const Integers& parents,
                  const Integers& offsets, double sign, Rows<double> log_joint, Threads threads) {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& rows) {
            bayleaf::add_families(rows, families(nodes, parents, offsets), sign, log_joint.data(), threads);
        },
        sample.view);
}

std::int64_t total_loss(const BoundSample& sample, const BoundLoss& loss, const Rows<const double>& log_joint,
                        Threads threads) {
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& rows) { return bayleaf::total_loss(rows, loss.view, log_joint.data(), threads); },
        sample.view);
}

void parent_set_losses(const BoundSample& sample, const BoundLoss& loss, Rows<double> log_joint,
                       std::int64_t node, const Integers& current, const Integers& parents,
                       const Integers& offsets, const Integers& extra, bool only_best, std::int64_t bound,
                       Vector<std::int64_t> losses, Threads threads) {
    const std::int64_t ends[] = {0, static_cast<std::int64_t>(current.shape(0))};
    const std::vector<std::int64_t> nodes(losses.shape(0), node);
    interruptible([&](bayleaf::Stop& stop) {
        std::visit(
            [&](const auto& rows) {
                bayleaf::parent_set_losses(rows, loss.view, log_joint.data(),
                                           {{&node, 1}, span(current), ends},
                                           {nodes, span(parents), span(offsets)}, extra.data(), only_best,
                                           bound, losses.data(), threads, stop);
            },
            sample.view);
    });
}

void change_losses(const BoundSample& sample, const BoundLoss& loss, const Rows<const double>& log_joint,
                   const Integers& nodes, const Integers& removed, const Integers& removed_offsets,
                   const Integers& added, const Integers& added_offsets, const Integers& starts,
                   const Integers& extra, bool only_best, std::int64_t bound, Vector<std::int64_t> losses,
                   Threads threads) {
    interruptible([&](bayleaf::Stop& stop) {
        std::visit(
            [&](const auto& rows) {
                bayleaf::change_losses(rows, loss.view, log_joint.data(),
                                       families(nodes, removed, removed_offsets),
                                       families(nodes, added, added_offsets), span(starts), extra.data(),
                                       only_best, bound, losses.data(), threads, stop);
            },
            sample.view);
    });
}

using Kernel8 = std::unique_ptr<bayleaf::FamilyGains<std::uint8_t>>;
using Kernel16 = std::unique_ptr<bayleaf::FamilyGains<std::uint16_t>>;

// Keeps the arrays alive that the kernel's views point to.
struct BoundGains {
    nb::object codes;
    Integers arities;
    Weights weights;
    std::variant<Kernel8, Kernel16> kernel;
};

template <class Code>
BoundGains make_gains(Columns<const Code> codes, Integers arities, Vector<const bool> has_missing,
                      Weights weights, const Integers& kinds, const Vector<const double>& shifts,
                      const Vector<const double>& penalties, Threads threads) {
    const auto term = [&](std::size_t k) {
        return bayleaf::SetTerm{static_cast<bayleaf::CellTerm>(kinds.data()[k]), shifts.data()[k],
                                penalties.data()[k]};
    };
    bayleaf::FamilyScore score{term(0), {}};
    for (std::size_t k = 1; k < kinds.shape(0); ++k) score.given.push_back(term(k));
    auto kernel = std::make_unique<bayleaf::FamilyGains<Code>>(
        matrix(codes), span(arities), has_missing.data(), pointer(weights), std::move(score), threads);
    return {nb::cast(codes), arities, weights, std::move(kernel)};
}

// A family outside the table would read foreign memory.
void check(const BoundGains& gains, const std::vector<bayleaf::Family>& families,
           const Rows<const bool>& wanted, const Vector<double>& values, const Rows<double>& scores) {
    const auto columns = static_cast<std::int64_t>(gains.arities.shape(0));
    const auto inside = [&](std::int64_t node) { return 0 <= node && node < columns; };
    for (const auto& [node, parents] : families)
        if (!inside(node) || !std::all_of(parents.begin(), parents.end(), inside))
            throw std::invalid_argument("A family names a column that the table does not have.");
    const bool fits = wanted.shape(1) == gains.arities.shape(0) && scores.shape(1) == wanted.shape(1);
    if (!fits || wanted.shape(0) != families.size() || scores.shape(0) != families.size() ||
        values.shape(0) != families.size())
        throw std::invalid_argument("Flags and results need one row per family and one entry per column.");
}

void family_gains(BoundGains& gains, const std::vector<bayleaf::Family>& families,
                  const Rows<const bool>& wanted, Vector<double> values, Rows<double> scores,
                  Threads threads) {
    check(gains, families, wanted, values, scores);
    nb::gil_scoped_release release;
    std::visit(
        [&](auto& kernel) {
            kernel->evaluate(families, wanted.data(), values.data(), scores.data(), threads);
        },
        gains.kernel);
}

template <class Code>
void prefix_losses(const Columns<const Code>& codes, const Integers& arities, std::int64_t target,
                   const Integers& columns, const Integers& offsets, const Integers& levels,
                   const Integers& total_levels, const Vector<const double>& tables,
                   const Vector<const double>& totals, const Vector<const double>& class_counts,
                   const Weights& weights, double smoothing, Rows<double> sums, Threads threads) {
    nb::gil_scoped_release release;
    const bayleaf::PrefixFamilies families{span(columns),      span(offsets), span(levels),
                                           span(total_levels), tables.data(), totals.data()};
    bayleaf::prefix_losses(matrix(codes), span(arities), target, families, class_counts.data(),
                           pointer(weights), smoothing, sums.shape(0) - 1, sums.data(), threads);
}

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("prefix_losses", &prefix_losses<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(), "target"_a,
          "columns"_a.noconvert(), "offsets"_a.noconvert(), "levels"_a.noconvert(),
          "total_levels"_a.noconvert(), "tables"_a.noconvert(), "totals"_a.noconvert(),
          "class_counts"_a.noconvert(), "weights"_a.noconvert().none(), "smoothing"_a, "sums"_a.noconvert(),
          "n_jobs"_a.none(),
          "Leave-one-out squared errors of k-dependence classifiers over the first features of an order.");
    m.def("search_sample", &make_sample<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(), "target"_a,
          "fold"_a.noconvert().none(), "folds"_a, "weights"_a.noconvert().none(), "estimate"_a, "value"_a,
          "grid"_a, "log_integers"_a.noconvert(), "small_table"_a,
          "The rows of a class-focused search and how to count them.");
    m.def("search_families", &make_gains<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "has_missing"_a.noconvert(), "weights"_a.noconvert().none(), "kinds"_a.noconvert(),
          "shifts"_a.noconvert(), "penalties"_a.noconvert(), "n_jobs"_a.none(),
          "The rows of a search by a decomposable score: the term of joint cells, then those of each child's "
          "configurations.");
}

}  // namespace

void bind_scores(nb::module_& m) {
    nb::class_<BoundLoss>(m, "Loss");
    m.def("search_loss", &make_loss, "kind"_a, "scale"_a, "units"_a.noconvert().none(),
          "weights"_a.noconvert().none(), "cost"_a.noconvert(), "ranks"_a.noconvert(),
          "What a row costs a class-focused search.");
    nb::class_<BoundSample>(m, "Sample");
    nb::class_<BoundGains>(m, "FamilyGains");
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
    m.def("add_families", &add_families, "sample"_a, "nodes"_a.noconvert(), "parents"_a.noconvert(),
          "offsets"_a.noconvert(), "sign"_a, "log_joint"_a.noconvert(), "n_jobs"_a.none(),
          "Add (or subtract) the terms of families to the log-joint of every row and class.");
    m.def("total_loss", &total_loss, "sample"_a, "loss"_a, "log_joint"_a.noconvert(), "n_jobs"_a.none(),
          "Loss of the judged rows under a log-joint.");
    m.def("parent_set_losses", &parent_set_losses, "sample"_a, "loss"_a, "log_joint"_a.noconvert(), "node"_a,
          "current"_a.noconvert(), "parents"_a.noconvert(), "offsets"_a.noconvert(), "extra"_a.noconvert(),
          "only_best"_a, "bound"_a, "losses"_a.noconvert(), "n_jobs"_a.none(),
          "Loss for each alternative parent set of one node.");
    m.def("change_losses", &change_losses, "sample"_a, "loss"_a, "log_joint"_a.noconvert(),
          "nodes"_a.noconvert(), "removed"_a.noconvert(), "removed_offsets"_a.noconvert(),
          "added"_a.noconvert(), "added_offsets"_a.noconvert(), "starts"_a.noconvert(), "extra"_a.noconvert(),
          "only_best"_a, "bound"_a, "losses"_a.noconvert(), "n_jobs"_a.none(),
          "Loss for each change of several families at once.");
    m.def(
        "fill_log_integers",
        [](double grid, Vector<double> out) { bayleaf::fill_log_integers(grid, out.data(), out.shape(0)); },
        "grid"_a, "out"_a.noconvert(), "Logarithms of 0, 1, 2, ... on a grid, additive over prime factors.");
    m.def("family_gains", &family_gains, "gains"_a, "families"_a, "wanted"_a.noconvert(),
          "values"_a.noconvert(), "scores"_a.noconvert(), "n_jobs"_a.none(),
          "Score of each family, and of the family after each wanted change of one parent.");
}
