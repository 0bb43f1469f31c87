// Floor: the sort of the column. The entropy left by a cut is bounded from below on coarse blocks of bins,
// then on bins; only bins whose bound can win are looked at row by row.
#include "encode/mdlp.hpp"

#include <cmath>
#include <limits>
#include <queue>

#include "encode/best_cut.hpp"
#include "encode/value_bins.hpp"

namespace bayleaf {

namespace {

// Rows, classes present, and rows times entropy.
struct Description {
    double rows = 0;
    int classes = 0;
    double bits = 0;
};

template <class Amounts>
Description describe(const Amounts& amounts, const Part<Amounts>& part) {
    double own = 0;
    for (const auto total : part.total) own += amounts.n_log_n(total);
    return {static_cast<double>(part.size), part.classes, amounts.n_log_n(part.size) - own};
}

// By how many bits the cut shortens the description of the classes: N Gain - log2(N - 1) - Delta.
template <class Amounts>
double saved_bits(const Amounts& amounts, const Part<Amounts>& whole, const Part<Amounts>& lower,
                  const Part<Amounts>& upper) {
    const Description all = describe(amounts, whole);
    const Description low = describe(amounts, lower);
    const Description high = describe(amounts, upper);
    const double delta = bits_of_classes(all.classes) -
                         (all.classes * all.bits / all.rows - low.classes * low.bits / low.rows -
                          high.classes * high.bits / high.rows);
    return all.bits - low.bits - high.bits - bits_of_places(all.rows) - delta;
}

// Halfway between two values, such that below <= cut < above.
double midpoint(double below, double above) {
    const double middle =
        below / 2 + above / 2;  // halved first: the sum of two huge values would be infinite
    return below <= middle && middle < above ? middle : below;
}

template <class Amounts>
struct AcceptedCut {
    double saving;
    std::int64_t rows_below;
    double point;
    Part<Amounts> lower;
    Part<Amounts> upper;

    // The most profitable cut comes first, and of two equal ones the lower.
    bool operator<(const AcceptedCut& other) const {
        return saving != other.saving ? saving < other.saving : rows_below > other.rows_below;
    }
};

template <class Amounts>
std::vector<double> accepted_cuts(const ValueBins& bins, const double* values, const Amounts& amounts,
                                  std::size_t max_bins) {
    CutFinder<Amounts> finder(bins, values, amounts);
    std::priority_queue<AcceptedCut<Amounts>> accepted;
    const auto consider = [&](const Part<Amounts>& part) {
        const auto cut = finder.best(part);
        if (!cut) return;
        Part<Amounts> lower = make_part(amounts, part.low, cut->positions, part.first_bin, cut->bin);
        Part<Amounts> upper = make_part(amounts, cut->positions, part.high, cut->bin, part.last_bin);
        const double saving = saved_bits(amounts, part, lower, upper);
        if (!(saving > 0)) return;
        // Rounded, so that rounding errors do not decide between equally profitable cuts.
        accepted.push({std::nearbyint(saving * 1e6), part.rows_below, midpoint(cut->below, cut->above),
                       std::move(lower), std::move(upper)});
    };
    const std::size_t classes = bins.classes;
    consider(make_part(amounts, Positions(bins.border(0), bins.border(0) + classes),
                       Positions(bins.border(bins.size()), bins.border(bins.size()) + classes), 0,
                       bins.size() - 1));
    std::vector<double> cuts;
    while (!accepted.empty() && cuts.size() + 1 < max_bins) {
        const AcceptedCut<Amounts> cut = accepted.top();
        accepted.pop();
        cuts.push_back(cut.point);
        consider(cut.lower);
        consider(cut.upper);
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

}  // namespace

std::vector<double> mdlp_cuts(const ClassRuns& column, std::size_t max_bins) {
    if (std::count_if(column.counts.begin(), column.counts.end(), [](auto n) { return n > 0; }) < 2)
        return {};
    const ValueBins bins = bins_of(column);
    if (column.weights == nullptr)
        return accepted_cuts(bins, column.values, RowAmounts(column.starts), max_bins);
    return accepted_cuts(bins, column.values, WeightAmounts(column), max_bins);
}

std::vector<double> mdlp_cuts(const ValueCounts& column, std::size_t max_bins) {
    const ValueBins bins = bins_of(column);
    if (bins.size() < 2) return {};
    return accepted_cuts(bins, nullptr, RowAmounts({}), max_bins);
}

}  // namespace bayleaf
