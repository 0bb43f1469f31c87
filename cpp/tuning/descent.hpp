// L-BFGS for smooth convex losses, from a diagonal that says how the loss curves in every number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace bayleaf {

struct DescentLimits {
    int max_iter;
    double smallest_gain;      // of a step, relative to the loss where that is more than 1
    double smallest_gradient;  // in any number
};

namespace descent {

inline double product(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// The last steps and what they did to the gradient: what is known of the curvature beside the diagonal.
class History {
  public:
    static constexpr std::size_t kKept = 5;

    explicit History(std::span<const double> diagonal) : diagonal_(diagonal) {}

    void add(std::vector<double> step, std::vector<double> change) {
        const double curved = product(step, change);
        if (!(curved > 0)) return;  // the loss is convex, but numbers are rounded
        double by_diagonal = 0.0;
        for (std::size_t i = 0; i < change.size(); ++i) by_diagonal += change[i] * change[i] / diagonal_[i];
        scale_ = curved / by_diagonal;
        if (pairs_.size() == kKept) pairs_.erase(pairs_.begin());
        pairs_.push_back({std::move(step), std::move(change), 1.0 / curved});
    }

    // Turns a gradient into the direction in which to go.
    void direct(std::vector<double>& gradient) const {
        std::vector<double> shares(pairs_.size());
        for (std::size_t k = pairs_.size(); k-- > 0;) {
            shares[k] = pairs_[k].inverse * product(pairs_[k].step, gradient);
            subtract(gradient, shares[k], pairs_[k].change);
        }
        for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] *= -scale_ / diagonal_[i];
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            const double share = pairs_[k].inverse * product(pairs_[k].change, gradient);
            subtract(gradient, share + shares[k], pairs_[k].step);
        }
    }

    void start_with(double scale) { scale_ = scale; }

  private:
    struct Pair {
        std::vector<double> step, change;
        double inverse;
    };

    static void subtract(std::vector<double>& from, double times, const std::vector<double>& what) {
        for (std::size_t i = 0; i < from.size(); ++i) from[i] -= times * what[i];
    }

    std::span<const double> diagonal_;
    double scale_ = 1.0;
    std::vector<Pair> pairs_;
};

}  // namespace descent

// Lowers `loss(numbers, gradient)`, which returns the loss and writes its gradient, from where `numbers` are.
// `first` is the share of the step by the diagonal alone that is tried at first.
template <class Loss>
void descend(Loss&& loss, std::span<const double> diagonal, double first, const DescentLimits& limits,
             std::span<double> numbers) {
    constexpr double kEnough = 1e-4;  // share of the gain that the slope promises
    constexpr int kTrials = 12;
    std::vector<double> gradient(numbers.size()), next(numbers.size()), next_gradient(numbers.size());
    descent::History history(diagonal);
    history.start_with(first);
    double value = loss(std::span<const double>(numbers), gradient.data());
    for (int step = 0; step < limits.max_iter; ++step) {
        const auto largest = std::max_element(gradient.begin(), gradient.end(),
                                              [](double a, double b) { return std::abs(a) < std::abs(b); });
        if (largest == gradient.end() || std::abs(*largest) <= limits.smallest_gradient) return;
        std::vector<double> direction = gradient;
        history.direct(direction);
        const double slope = descent::product(direction, gradient);
        if (!(slope < 0)) return;
        double length = 1.0, found = value;
        bool lower = false;
        for (int trial = 0; trial < kTrials && !lower; ++trial) {
            for (std::size_t i = 0; i < next.size(); ++i) next[i] = numbers[i] + length * direction[i];
            found = loss(std::span<const double>(next), next_gradient.data());
            lower = found <= value + kEnough * length * slope;
            // Where a parabola through what is known has its lowest point, within reason.
            const double bent = 2.0 * (found - value - length * slope);
            if (!lower) length *= std::clamp(bent > 0 ? -length * slope / bent : 0.5, 0.1, 0.5);
        }
        if (!lower) return;
        const double gain = value - found, scale = std::max({std::abs(value), std::abs(found), 1.0});
        for (std::size_t i = 0; i < next.size(); ++i) {
            direction[i] *= length;
            gradient[i] = next_gradient[i] - gradient[i];
        }
        history.add(std::move(direction), std::move(gradient));
        gradient = next_gradient;
        std::copy(next.begin(), next.end(), numbers.begin());
        value = found;
        if (gain <= limits.smallest_gain * scale) return;
    }
}

}  // namespace bayleaf
