// What a cell adds to a decomposable score, from a table for small counts.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace bayleaf {

// lnG(shift + N) - lnG(shift), or N ln N.
class CountFunction {
  public:
    CountFunction(bool entropy, double shift, std::size_t tabulated)
        : entropy_(entropy), shift_(shift), log_gamma_shift_(log_gamma(shift)), table_(tabulated, 0.0) {
        for (std::size_t n = 1; n < tabulated; ++n) {
            const auto count = static_cast<double>(n);
            table_[n] = entropy ? count * std::log(count) : table_[n - 1] + std::log(shift + (count - 1.0));
        }
    }

    double operator()(std::uint32_t count) const {
        return count < table_.size() ? table_[count] : compute(count);
    }
    // Sums of weights are often whole numbers, too.
    double operator()(double weight) const {
        const auto whole = static_cast<std::uint32_t>(weight < 4e9 ? weight : 4e9);
        return static_cast<double>(whole) == weight ? (*this)(whole) : compute(weight);
    }

  private:
    double compute(double count) const {
        if (count <= 0) return 0.0;
        return entropy_ ? count * std::log(count) : log_gamma(shift_ + count) - log_gamma_shift_;
    }

    // Stirling's series is exact to the last bits from here on, and much faster than the general function.
    static double log_gamma(double x) {
        constexpr double kHalfLogTwoPi = 0.91893853320467274178;
        if (x > 256) {
            const double inverse = 1.0 / x, square = inverse * inverse;
            const double series = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260)));
            return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + series;
        }
        int sign = 0;
        return ::lgamma_r(x, &sign);
    }

    bool entropy_;
    double shift_;
    double log_gamma_shift_;
    std::vector<double> table_;
};

}  // namespace bayleaf
