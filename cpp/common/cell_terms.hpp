// What the cells of a table add to a decomposable score.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <vector>

namespace bayleaf {

// Of a cell with count N, in a set with q configurations.
enum class CellTerm {
    kGammaPerSet,  // lnG(shift / q + N) - lnG(shift / q) (BDeu)
    kGamma,        // lnG(shift + N) - lnG(shift) (K2)
    kEntropy,      // N ln N (likelihood, BIC, AIC)
};

// The term of a cell, and the price of a configuration.
struct SetTerm {
    CellTerm term;
    double shift;
    double penalty;

    bool entropy() const { return term == CellTerm::kEntropy; }
    double shift_of(double configurations) const {
        return term == CellTerm::kGammaPerSet ? shift / configurations : shift;
    }
};

inline double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0.0; }

// Stirling's series is exact to the last bits where it is used, and much faster than the general function. In
// those bits the two differ.
enum class LogGamma { kGeneral, kSeries };

// lnG(shift + N) - lnG(shift), or N ln N: from a table for counts below its size, by the formula beyond.
class CellFunction {
  public:
    CellFunction(bool entropy, double shift, std::size_t tabulated, LogGamma way = LogGamma::kGeneral)
        : entropy_(entropy),
          way_(way),
          shift_(shift),
          log_gamma_shift_(entropy ? 0.0 : log_gamma(shift)),
          table_(tabulated, 0.0) {
        for (std::size_t n = 1; n < tabulated; ++n) {
            const auto count = static_cast<double>(n);
            table_[n] = entropy ? n_log_n(count) : table_[n - 1] + std::log(shift + (count - 1.0));
        }
    }

    const double* table() const { return table_.data(); }
    std::size_t tabulated() const { return table_.size(); }

    double operator()(std::integral auto count) const {
        const auto n = static_cast<std::size_t>(count);
        return n < table_.size() ? table_[n] : computed(static_cast<double>(count));
    }
    // Sums of weights are often whole numbers, too.
    double operator()(double weight) const {
        if (weight < static_cast<double>(table_.size())) {
            const auto whole = static_cast<std::size_t>(weight);
            if (static_cast<double>(whole) == weight) return table_[whole];
        }
        return computed(weight);
    }

  private:
    double computed(double count) const {
        if (count <= 0) return 0.0;
        return entropy_ ? n_log_n(count) : log_gamma(shift_ + count) - log_gamma_shift_;
    }

    double log_gamma(double x) const {
        constexpr double kHalfLogTwoPi = 0.91893853320467274178;
        if (way_ == LogGamma::kSeries && x > 256) {
            const double inverse = 1.0 / x, square = inverse * inverse;
            const double series = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260)));
            return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + series;
        }
        int sign = 0;
        return ::lgamma_r(x, &sign);
    }

    bool entropy_;
    LogGamma way_;
    double shift_;
    double log_gamma_shift_;
    std::vector<double> table_;
};

}  // namespace bayleaf
