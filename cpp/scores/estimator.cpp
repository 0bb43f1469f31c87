// Floor: one look at a table of logarithms per cell. Everything else is done for vectors of tables x classes.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "common/dispatch.hpp"
#include "scores/family_terms.hpp"

namespace bayleaf {
namespace {

double on_grid(double x, double grid) { return std::nearbyint(x * grid) / grid; }

// all = the counts of one state over `counted` tables, repeated for `tables` tables.
template <std::size_t Classes>
BAYLEAF_INLINE void sum_and_repeat(const std::uint32_t* counts, std::size_t any_classes, std::size_t counted,
                                   std::size_t tables, std::uint32_t* all) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t c = 0; c < classes; ++c) all[c] = counts[c];
    for (std::size_t t = 1; t < counted; ++t)
        for (std::size_t c = 0; c < classes; ++c) all[c] += counts[t * classes + c];
    for (std::size_t t = 1; t < tables; ++t)
        for (std::size_t c = 0; c < classes; ++c) all[t * classes + c] = all[c];
}

BAYLEAF_CLONES void sum_over_tables(const std::uint32_t* counts, std::size_t classes, std::size_t counted,
                                    std::size_t tables, std::uint32_t* all) {
    BAYLEAF_BY_CLASSES(classes, sum_and_repeat, counts, classes, counted, tables, all);
}

// training = all - own, with totals and numbers of zeros.
BAYLEAF_CLONES void subtract(const std::uint32_t* all, const std::uint32_t* own, std::size_t n,
                             std::uint32_t* training, std::uint32_t* totals, std::uint32_t* zeros) {
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t left = all[k] - own[k];
        training[k] = left;
        totals[k] += left;
        zeros[k] += left == 0;
    }
}

// The same for weights, as a sum over the other tables: a difference of sums may miss zero by a rounding
// error, and hides small weights behind large ones.
void leave_own_out(const double* counts, std::size_t classes, std::size_t counted, std::size_t tables,
                   double* training) {
    for (std::size_t c = 0; c < classes; ++c) {
        double before = 0.0, after = 0.0;
        for (std::size_t t = 0; t < counted; ++t) {
            if (t < tables) training[t * classes + c] = before;
            before += counts[t * classes + c];
        }
        for (std::size_t t = counted; t-- > 0;) {
            if (t < tables) training[t * classes + c] += after;
            after += counts[t * classes + c];
        }
    }
}

BAYLEAF_CLONES void tally(const std::uint32_t* counts, std::size_t n, std::uint32_t* totals,
                          std::uint32_t* zeros) {
    for (std::size_t k = 0; k < n; ++k) {
        totals[k] += counts[k];
        zeros[k] += counts[k] == 0;
    }
}

void tally(const double* counts, std::size_t n, double* totals, std::uint32_t* zeros) {
    for (std::size_t k = 0; k < n; ++k) {
        totals[k] += counts[k];
        zeros[k] += counts[k] == 0;
    }
}

BAYLEAF_CLONES void look_up(const std::uint32_t* counts, const double* logarithms, const double* rest,
                            const double* none, std::size_t n, double* terms) {
    for (std::size_t k = 0; k < n; ++k) {
        const double some = logarithms[counts[k]] - rest[k];
        terms[k] = counts[k] ? some : none[k];
    }
}

}  // namespace

// Looked up for whole numbers, so that products which are equal on paper have equal logarithms; computed for
// sums of other weights, where each logarithm is rounded by itself and such products may differ by a grid
// step.
template <>
double Estimator<std::uint32_t>::logarithm(std::uint32_t n) const {
    return smoothing_.log_integers[n];
}
template <>
double Estimator<double>::logarithm(double n) const {
    if (n < static_cast<double>(smoothing_.log_integers.size())) {
        const auto whole = static_cast<std::size_t>(n);
        if (static_cast<double>(whole) == n) return smoothing_.log_integers[whole];
    }
    return on_grid(std::log(n), smoothing_.grid);
}

template <class Total>
Estimator<Total>::Estimator(const Smoothing& smoothing, const GroupShape& shape)
    : smoothing_(smoothing),
      shape_(shape),
      share_(smoothing.value / shape.cells),
      rare_(on_grid(std::log(smoothing.estimate == Estimate::kSampleSize ? share_ : smoothing.value),
                    smoothing.grid)),
      uniform_(-logarithm(static_cast<Total>(shape.states))),
      all_(shape.tables * shape.classes),
      totals_(shape.tables * shape.classes),
      zeros_(shape.tables * shape.classes),
      rest_(shape.tables * shape.classes),
      none_(shape.tables * shape.classes) {
    if (smoothing.estimate == Estimate::kFrequencies)
        for (std::size_t z = 0; z <= shape.states; ++z)
            log_zero_.push_back(
                on_grid(std::log1p(static_cast<double>(z) * smoothing.value), smoothing.grid));
}

template <class Total>
double Estimator<Total>::term_of(Total n) const {
    switch (smoothing_.estimate) {
        case Estimate::kFrequencies:
            return logarithm(n);
        case Estimate::kPseudoCount:
            return logarithm(static_cast<Total>(n + static_cast<Total>(smoothing_.value)));
        case Estimate::kSampleSize:
            break;
    }
    return on_grid(std::log(static_cast<double>(n) + share_), smoothing_.grid);
}

template <class Total>
void Estimator<Total>::finish(Total total, std::uint32_t zeros, double& rest, double& none) const {
    const auto states = static_cast<double>(shape_.states);
    switch (smoothing_.estimate) {
        case Estimate::kFrequencies:
            rest = (total > Total{0} ? logarithm(total) : 0.0) + log_zero_[zeros];
            none = total > Total{0} ? rare_ - log_zero_[zeros] : uniform_;
            return;
        case Estimate::kPseudoCount:
            rest = logarithm(static_cast<Total>(static_cast<double>(total) + smoothing_.value * states));
            none = term_of(Total{0}) - rest;
            return;
        case Estimate::kSampleSize:
            rest = on_grid(std::log(static_cast<double>(total) + share_ * states), smoothing_.grid);
            none = rare_ - rest;
    }
}

// The counts that make the terms of one state (or of the class), for all tables: tallied as well.
template <class Total>
const Total* Estimator<Total>::training(const Total* counts, Total* space) {
    const std::size_t width = shape_.tables * shape_.classes;
    if (!shape_.subtract) {
        tally(counts, width, totals_.data(), zeros_.data());
        return counts;
    }
    const std::size_t counted = shape_.stride / shape_.classes;
    if constexpr (std::is_same_v<Total, std::uint32_t>) {
        sum_over_tables(counts, shape_.classes, counted, shape_.tables, all_.data());
        subtract(all_.data(), counts, width, space, totals_.data(), zeros_.data());
    } else {
        leave_own_out(counts, shape_.classes, counted, shape_.tables, space);
        tally(space, width, totals_.data(), zeros_.data());
    }
    return space;
}

template <class Total>
void Estimator<Total>::write(const Total* n, std::size_t size, double* terms) const {
    if constexpr (std::is_same_v<Total, std::uint32_t>) {
        if (smoothing_.estimate != Estimate::kSampleSize) {
            const std::size_t more = smoothing_.estimate == Estimate::kPseudoCount;
            look_up(n, smoothing_.log_integers.data() + more, rest_.data(), none_.data(), size, terms);
            return;
        }
    }
    for (std::size_t k = 0; k < size; ++k) terms[k] = n[k] > Total{0} ? term_of(n[k]) - rest_[k] : none_[k];
}

template <class Total>
void Estimator<Total>::feature(const Total* counts, std::span<const std::uint32_t> asked, double* terms) {
    const std::size_t width = shape_.tables * shape_.classes, stride = shape_.stride;
    std::fill(totals_.begin(), totals_.end(), Total{0});
    std::fill(zeros_.begin(), zeros_.end(), static_cast<std::uint32_t>(shape_.states - asked.size()));
    training_.resize(asked.size() * width);
    Total* space = training_.data();
    for (const std::uint32_t s : asked) {
        training(counts + s * stride, space);
        space += width;
    }
    for (std::size_t k = 0; k < width; ++k) finish(totals_[k], zeros_[k], rest_[k], none_[k]);
    space = training_.data();
    for (const std::uint32_t s : asked) {
        write(shape_.subtract ? space : counts + s * stride, width, terms + s * stride);
        space += width;
    }
}

template <class Total>
void Estimator<Total>::target(const Total* counts, double* terms) {
    const std::size_t classes = shape_.classes;
    std::fill(totals_.begin(), totals_.end(), Total{0});
    std::fill(zeros_.begin(), zeros_.end(), 0u);
    training_.resize(totals_.size());
    const Total* known = training(counts, training_.data());
    for (std::size_t first = 0; first < totals_.size(); first += classes) {
        Total total{0};
        std::uint32_t zeros = 0;
        for (std::size_t k = first; k < first + classes; ++k) total += totals_[k], zeros += zeros_[k];
        for (std::size_t k = first; k < first + classes; ++k) finish(total, zeros, rest_[k], none_[k]);
    }
    write(known, totals_.size(), terms);
}

void fill_log_integers(double grid, double* out, std::size_t size) {
    std::fill_n(out, size, 0.0);
    std::vector<std::uint32_t> smallest_factor(size, 0);
    for (std::size_t n = 2; n < size; ++n) {
        if (smallest_factor[n] == 0) {
            out[n] = on_grid(std::log(static_cast<double>(n)), grid);
            for (std::size_t m = n * n; m < size; m += n)
                if (smallest_factor[m] == 0) smallest_factor[m] = static_cast<std::uint32_t>(n);
        } else {
            out[n] = out[smallest_factor[n]] + out[n / smallest_factor[n]];
        }
    }
}

template class Estimator<std::uint32_t>;
template class Estimator<double>;

}  // namespace bayleaf
