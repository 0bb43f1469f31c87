#include "bayleaf/family_terms.hpp"

#include <algorithm>
#include <cmath>

#include "bayleaf/dispatch.hpp"

namespace bayleaf {
namespace {

#define BAYLEAF_EXTEND(Code)                                                              \
    BAYLEAF_CLONES Code extend(const Code* column, std::size_t rows, std::uint32_t arity, \
                               std::uint32_t* positions) {                                \
        Code top = 0;                                                                     \
        for (std::size_t i = 0; i < rows; ++i) {                                          \
            positions[i] = positions[i] * arity + column[i];                              \
            top = top > column[i] ? top : column[i];                                      \
        }                                                                                 \
        return top;                                                                       \
    }
BAYLEAF_EXTEND(std::uint8_t)
BAYLEAF_EXTEND(std::uint16_t)
#undef BAYLEAF_EXTEND

double on_grid(double x, double grid) { return std::nearbyint(x * grid) / grid; }

// Logarithms of counts: looked up for whole numbers, computed for sums of weights.
struct LogCount {
    const Smoothing& smoothing;
    double operator()(std::uint32_t n) const { return smoothing.log_integers[n]; }
    double operator()(double n) const { return on_grid(std::log(n), smoothing.grid); }
};

// Terms of `states` x `groups` counts; each group is a distribution over the states.
template <class Total>
class Estimator {
  public:
    Estimator(const Smoothing& smoothing, std::size_t states, std::size_t groups, double cells)
        : smoothing_(smoothing),
          log_{smoothing},
          states_(states),
          groups_(groups),
          share_(smoothing.value / cells),
          totals_(groups),
          zeros_(groups),
          norms_(groups),
          log_zero_(states + 1) {
        if (smoothing.estimate == Estimate::kFrequencies)
            for (std::size_t z = 0; z <= states; ++z)
                log_zero_[z] = on_grid(std::log1p(static_cast<double>(z) * smoothing.value), smoothing.grid);
    }

    void operator()(const Total* counts, double* out) {
        std::fill(totals_.begin(), totals_.end(), Total{0});
        std::fill(zeros_.begin(), zeros_.end(), 0u);
        for (std::size_t s = 0; s < states_; ++s)
            for (std::size_t g = 0; g < groups_; ++g) {
                totals_[g] += counts[s * groups_ + g];
                zeros_[g] += counts[s * groups_ + g] == Total{0};
            }
        switch (smoothing_.estimate) {
            case Estimate::kFrequencies:
                return frequencies(counts, out);
            case Estimate::kPseudoCount:
                return pseudo_counts(counts, out);
            case Estimate::kSampleSize:
                return sample_size(counts, out);
        }
    }

  private:
    void frequencies(const Total* counts, double* out) {
        const double uniform = -log_(static_cast<Total>(states_));
        const double rare = on_grid(std::log(smoothing_.value), smoothing_.grid);
        for (std::size_t g = 0; g < groups_; ++g) norms_[g] = totals_[g] > Total{0} ? log_(totals_[g]) : 0.0;
        for (std::size_t s = 0; s < states_; ++s)
            for (std::size_t g = 0; g < groups_; ++g) {
                const Total n = counts[s * groups_ + g];
                const double zeros = log_zero_[zeros_[g]];
                double term = n > Total{0} ? log_(n) - norms_[g] - zeros : rare - zeros;
                if (!(totals_[g] > Total{0})) term = uniform;
                out[s * groups_ + g] = term;
            }
    }

    void pseudo_counts(const Total* counts, double* out) {
        const auto one = static_cast<Total>(smoothing_.value);
        for (std::size_t g = 0; g < groups_; ++g)
            norms_[g] = log_(static_cast<Total>(totals_[g] + one * static_cast<Total>(states_)));
        for (std::size_t s = 0; s < states_; ++s)
            for (std::size_t g = 0; g < groups_; ++g)
                out[s * groups_ + g] = log_(static_cast<Total>(counts[s * groups_ + g] + one)) - norms_[g];
    }

    void sample_size(const Total* counts, double* out) {
        const auto logarithm = [&](double x) { return on_grid(std::log(x), smoothing_.grid); };
        for (std::size_t g = 0; g < groups_; ++g)
            norms_[g] = logarithm(static_cast<double>(totals_[g]) + share_ * static_cast<double>(states_));
        const double rare = logarithm(share_);
        for (std::size_t s = 0; s < states_; ++s)
            for (std::size_t g = 0; g < groups_; ++g) {
                const Total n = counts[s * groups_ + g];
                const double top = n > Total{0} ? logarithm(static_cast<double>(n) + share_) : rare;
                out[s * groups_ + g] = top - norms_[g];
            }
    }

    const Smoothing& smoothing_;
    LogCount log_;
    std::size_t states_, groups_;
    double share_;
    std::vector<Total> totals_;
    std::vector<std::uint32_t> zeros_;
    std::vector<double> norms_;
    std::vector<double> log_zero_;
};

// Neighbouring rows often meet in one cell, and an increment must wait for the one before it: small tables
// are counted in four copies in turn. Each copy starts with an entry for rows with a missing value.
template <class Code, class Total>
void count_in_lanes(const std::vector<std::uint32_t>& positions, const Code* truth, std::size_t classes,
                    std::vector<Total>& counts) {
    const std::size_t size = counts.size() + classes, lanes = size <= 8192 ? 4 : 1;
    std::vector<Total> copies(lanes * size, Total{0});
    std::size_t i = 0;
    if (lanes == 4)
        for (; i + 4 <= positions.size(); i += 4)
            for (std::size_t lane = 0; lane < 4; ++lane)
                ++copies[lane * size + positions[i + lane] * classes + truth[i + lane]];
    for (; i < positions.size(); ++i) ++copies[positions[i] * classes + truth[i]];
    for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += copies[lane * size + classes + k];
}

}  // namespace

// Row -> 1 + table * configurations + configuration, or 0 where a value is missing.
template <class Code>
void FamilyTerms<Code>::locate(const Sample<Code>& sample, std::span<const std::int64_t> columns) {
    const std::size_t rows = sample.codes.rows;
    positions_.assign(rows, 0);
    if (sample.folds > 0)
        for (std::size_t i = 0; i < rows; ++i) positions_[i] = sample.fold[i];
    bool missing = false;
    for (const std::int64_t j : columns)
        missing |= extend(sample.codes.column(j), rows, static_cast<std::uint32_t>(sample.arities[j]),
                          positions_.data()) == kMissing<Code>;
    for (std::size_t i = 0; i < rows; ++i) ++positions_[i];
    if (!missing) return;
    for (const std::int64_t j : columns)
        for (std::size_t i = 0; i < rows; ++i)
            if (sample.codes.column(j)[i] == kMissing<Code>) positions_[i] = 0;
}

template <class Code>
template <class Total>
void FamilyTerms<Code>::estimate(const Sample<Code>& sample, std::size_t states, std::size_t groups,
                                 std::vector<Total>& counts) {
    const std::size_t tables = sample.tables(), block = states * groups;
    const std::size_t table_size = configurations_ * classes_;
    // Rows that are not judged are counted in one table more.
    const std::size_t counted = sample.folds > 0 ? tables + 1 : 1;
    counts.assign(counted * table_size, Total{0});
    const Code* truth = sample.codes.column(sample.target);
    const auto rest = static_cast<std::uint32_t>(tables * configurations_);
    const std::uint32_t shift = static_cast<std::uint32_t>((kNoFold - tables) * configurations_);
    if (sample.folds > 0)
        for (std::size_t i = 0; i < sample.codes.rows; ++i)
            if (positions_[i] > rest) positions_[i] -= shift;
    if (sample.weights)
        for (std::size_t i = 0; i < sample.codes.rows; ++i) {
            if (positions_[i])
                counts[(positions_[i] - 1) * classes_ + truth[i]] += static_cast<Total>(sample.weights[i]);
        }
    else
        count_in_lanes(positions_, truth, classes_, counts);
    if (sample.folds > 0)  // nobody asks for the term of a row that is not judged
        for (std::size_t i = 0; i < sample.codes.rows; ++i)
            if (positions_[i] > rest) positions_[i] = 0;
    terms_.assign((1 + tables * configurations_) * classes_, 0.0);
    Estimator<Total> estimator(sample.smoothing, states, groups, prior_cells_);
    if (sample.folds <= 0) {
        for (std::size_t b = 0; b < table_size; b += block)
            if (std::any_of(&counts[b], &counts[b] + block, [](Total n) { return n > Total{0}; }))
                estimator(&counts[b], &terms_[classes_ + b]);
        return;
    }
    std::vector<Total> all(block), training(block);
    for (std::size_t b = 0; b < table_size; b += block) {
        std::fill(all.begin(), all.end(), Total{0});
        for (std::size_t t = 0; t < counted; ++t)
            for (std::size_t k = 0; k < block; ++k) all[k] += counts[t * table_size + b + k];
        for (std::size_t t = 0; t < tables; ++t) {
            const Total* own = &counts[t * table_size + b];
            if (std::none_of(own, own + block, [](Total n) { return n > Total{0}; })) continue;
            for (std::size_t k = 0; k < block; ++k) {
                training[k] = all[k] - own[k];
                // A difference of sums of weights may miss zero by a rounding error.
                if (sample.weights && training[k] < static_cast<Total>(1e-9) * all[k]) training[k] = Total{0};
            }
            estimator(training.data(), &terms_[classes_ + t * table_size + b]);
        }
    }
}

template <class Code>
template <class Total>
void FamilyTerms<Code>::estimate_in_order(const Sample<Code>& sample, std::size_t states, std::size_t groups,
                                          std::vector<Total>& counts) {
    const std::size_t block = states * groups;
    counts.assign(configurations_ * classes_, Total{0});
    terms_.assign((1 + sample.codes.rows) * classes_, 0.0);
    const Code* truth = sample.codes.column(sample.target);
    Estimator<Total> estimator(sample.smoothing, states, groups, prior_cells_);
    std::vector<double> estimates(block);
    for (std::size_t i = 0; i < sample.codes.rows; ++i) {
        if (positions_[i] == 0) continue;
        const std::size_t cell = (positions_[i] - 1) * classes_, first = cell / block * block;
        estimator(&counts[first], estimates.data());
        std::copy_n(&estimates[cell - first], classes_, &terms_[(i + 1) * classes_]);
        counts[cell + truth[i]] += sample.weights ? static_cast<Total>(sample.weights[i]) : Total{1};
        positions_[i] = static_cast<std::uint32_t>(i + 1);
    }
}

template <class Code>
void FamilyTerms<Code>::build(const Sample<Code>& sample, std::int64_t node,
                              std::span<const std::int64_t> parents) {
    classes_ = sample.classes();
    const bool is_class = node == sample.target;
    std::vector<std::int64_t> columns;
    neutral_ = !is_class;
    for (const std::int64_t p : parents) {
        if (p == sample.target)
            neutral_ = false;
        else
            columns.push_back(p);
    }
    if (neutral_) {
        positions_.assign(sample.codes.rows, 0);
        terms_.assign(classes_, 0.0);
        return;
    }
    if (!is_class) columns.push_back(node);
    configurations_ = 1;
    for (const std::int64_t j : columns) configurations_ *= static_cast<std::size_t>(sample.arities[j]);
    prior_cells_ = static_cast<double>(configurations_) * static_cast<double>(classes_);
    locate(sample, columns);
    const std::size_t states = is_class ? classes_ : static_cast<std::size_t>(sample.arities[node]);
    const std::size_t groups = is_class ? 1 : classes_;
    if (sample.folds == kRowsBefore && sample.weights)
        estimate_in_order(sample, states, groups, weighted_counts_);
    else if (sample.folds == kRowsBefore)
        estimate_in_order(sample, states, groups, whole_counts_);
    else if (sample.weights)
        estimate(sample, states, groups, weighted_counts_);
    else
        estimate(sample, states, groups, whole_counts_);
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

template class FamilyTerms<std::uint8_t>;
template class FamilyTerms<std::uint16_t>;

}  // namespace bayleaf
