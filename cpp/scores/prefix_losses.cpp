// Floor: a look-up and a division per row, class, feature and number of parents.
#include "scores/prefix_losses.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"

namespace bayleaf {
namespace {

constexpr std::size_t kChunk = 2048;

// One row at a time, with room for its factors and posteriors.
template <class Code>
class RowLosses {
  public:
    RowLosses(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities, std::int64_t target,
              const PrefixFamilies& families, const double* class_counts, const double* weights,
              double smoothing, std::size_t most_parents)
        : codes_(codes),
          arities_(arities),
          families_(families),
          class_counts_(class_counts),
          weights_(weights),
          smoothing_(smoothing),
          classes_(static_cast<std::size_t>(arities[target])),
          truth_(codes.column(static_cast<std::size_t>(target))),
          numbers_(most_parents + 1),
          posteriors_(numbers_ * classes_),
          factors_(numbers_ * classes_) {
        for (std::size_t c = 0; c < classes_; ++c) all_rows_ += class_counts[c];
    }

    void add(std::size_t row, double* sums) {
        const std::size_t own = truth_[row];
        const double weight = weights_ ? weights_[row] : 1.0;
        if (weight == 0) return;
        const double taken = std::min(weight, 1.0);  // a weight of two is two rows, of which one is left out
        for (std::size_t c = 0; c < classes_; ++c)
            posteriors_[c] = estimate(class_counts_[c], all_rows_, taken, c == own, taken, classes_);
        normalise(0);
        for (std::size_t k = 1; k < numbers_; ++k)
            std::copy_n(posteriors_.data(), classes_, &posteriors_[k * classes_]);
        record(0, own, weight, sums);
        for (std::size_t s = 0; s < families_.size(); ++s) {
            const std::size_t known = find_factors(s, row, own, taken);
            for (std::size_t k = 0; k < numbers_; ++k) multiply(s, k, known);
            record(s + 1, own, weight, sums);
        }
    }

  private:
    double estimate(double count, double total, double taken, bool own, double taken_of_total,
                    std::size_t states) const {
        return (count - (own ? taken : 0.0) + smoothing_ / static_cast<double>(states)) /
               (total - taken_of_total + smoothing_);
    }

    std::size_t parents(std::size_t s) const { return families_.offsets[s + 1] - families_.offsets[s] - 1; }

    // The factors of a feature with 0, 1, ... parents; returns for how many of these the row has all values.
    std::size_t find_factors(std::size_t s, std::size_t row, std::size_t own, double taken) {
        const std::int64_t first = families_.offsets[s];
        const std::int64_t* columns = &families_.columns[first];
        const auto child = static_cast<std::size_t>(columns[parents(s)]);
        const Code state = codes_.column(child)[row];
        if (state == kMissing<Code>) return 0;
        const auto states = static_cast<std::size_t>(arities_[child]);
        std::size_t configuration = 0;
        for (std::size_t j = 0;; ++j) {
            const double* counts =
                families_.tables + families_.levels[first + j] + (configuration * states + state) * classes_;
            const double* totals =
                families_.totals + families_.total_levels[first + j] + configuration * classes_;
            double* factor = &factors_[j * classes_];
            for (std::size_t c = 0; c < classes_; ++c)
                factor[c] = estimate(counts[c], totals[c], taken, c == own, c == own ? taken : 0.0, states);
            if (j == parents(s)) return j + 1;
            const Code value = codes_.column(static_cast<std::size_t>(columns[j]))[row];
            if (value == kMissing<Code>) return j + 1;
            configuration = configuration * static_cast<std::size_t>(arities_[columns[j]]) + value;
        }
    }

    void multiply(std::size_t s, std::size_t k, std::size_t known) {
        const std::size_t used = std::min(k, parents(s));
        if (used >= known) return;
        for (std::size_t c = 0; c < classes_; ++c)
            posteriors_[k * classes_ + c] *= factors_[used * classes_ + c];
        normalise(k);
    }

    void normalise(std::size_t k) {
        double* posterior = &posteriors_[k * classes_];
        double total = 0;
        for (std::size_t c = 0; c < classes_; ++c) total += posterior[c];
        for (std::size_t c = 0; c < classes_; ++c) posterior[c] /= total;
    }

    void record(std::size_t prefix, std::size_t own, double weight, double* sums) const {
        for (std::size_t k = 0; k < numbers_; ++k) {
            const double rest = 1.0 - posteriors_[k * classes_ + own];
            sums[k * (families_.size() + 1) + prefix] += weight * rest * rest;
        }
    }

    const CodeMatrix<Code>& codes_;
    std::span<const std::int64_t> arities_;
    const PrefixFamilies& families_;
    const double* class_counts_;
    const double* weights_;
    double smoothing_;
    std::size_t classes_;
    const Code* truth_;
    std::size_t numbers_;
    double all_rows_ = 0;
    std::vector<double> posteriors_, factors_;
};

}  // namespace

template <class Code>
void prefix_losses(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities, std::int64_t target,
                   const PrefixFamilies& families, const double* class_counts, const double* weights,
                   double smoothing, std::size_t most_parents, double* sums, int threads) {
    const std::size_t size = (most_parents + 1) * (families.size() + 1);
    const std::size_t chunks = (codes.rows + kChunk - 1) / kChunk;
    std::vector<double> parts(chunks * size, 0.0);
    parallel_for(chunks, threads, [&](std::size_t chunk) {
        RowLosses<Code> losses(codes, arities, target, families, class_counts, weights, smoothing,
                               most_parents);
        const std::size_t last = std::min(codes.rows, (chunk + 1) * kChunk);
        for (std::size_t row = chunk * kChunk; row < last; ++row) losses.add(row, &parts[chunk * size]);
    });
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
        for (std::size_t k = 0; k < size; ++k) sums[k] += parts[chunk * size + k];
}

#define BAYLEAF_PREFIXES(Code)                                                                            \
    template void prefix_losses(const CodeMatrix<Code>&, std::span<const std::int64_t>, std::int64_t,     \
                                const PrefixFamilies&, const double*, const double*, double, std::size_t, \
                                double*, int);
BAYLEAF_PREFIXES(std::uint8_t)
BAYLEAF_PREFIXES(std::uint16_t)
#undef BAYLEAF_PREFIXES

}  // namespace bayleaf
