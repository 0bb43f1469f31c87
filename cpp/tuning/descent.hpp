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

// Adds up in several sums, so that one addition need not wait for the one before.
template <class Term>
double sum_of(std::size_t count, Term&& term) {
    constexpr std::size_t kSums = 8;
    double sums[kSums] = {};
    const std::size_t whole = count - count % kSums;
    for (std::size_t i = 0; i < whole; i += kSums)
        for (std::size_t k = 0; k < kSums; ++k) sums[k] += term(i + k);
    for (std::size_t i = whole; i < count; ++i) sums[i - whole] += term(i);
    double sum = 0.0;
    for (const double each : sums) sum += each;
    return sum;
}

// The last steps and what they did to the gradient: what is known of the curvature beside the diagonal.
// Millions of numbers pass the cache in each iteration: what can be done in one pass is.
class History {
  public:
    static constexpr std::size_t kKept = 5;

    History(std::span<const double> diagonal, double first) : diagonal_(diagonal), scale_(first) {}

    // A step of so much of a direction, and the gradients before and after it.
    void add(double length, const std::vector<double>& direction, const std::vector<double>& before,
             const std::vector<double>& after) {
        latest_.step.resize(diagonal_.size());
        latest_.change.resize(diagonal_.size());
        double *step = latest_.step.data(), *change = latest_.change.data();
        const double curved = sum_of(diagonal_.size(), [&](std::size_t i) {
            step[i] = length * direction[i];
            change[i] = after[i] - before[i];
            return step[i] * change[i];
        });
        if (!(curved > 0)) return;  // the loss is convex, but numbers are rounded
        scale_ = curved / sum_of(diagonal_.size(),
                                 [&](std::size_t i) { return change[i] * change[i] / diagonal_[i]; });
        latest_.inverse = 1.0 / curved;
        if (pairs_.size() < kKept) {
            pairs_.push_back(std::move(latest_));
        } else {  // the oldest makes room, and lends its memory to the next
            std::rotate(pairs_.begin(), pairs_.begin() + 1, pairs_.end());
            std::swap(pairs_.back(), latest_);
        }
    }

    // Writes the direction in which to go, and returns how the loss rises along it: the two loops of Nocedal
    // (1980). `onto` is always the product of what has come out so far with what it meets next.
    double direct(const std::vector<double>& gradient, std::vector<double>& direction) const {
        const std::size_t size = gradient.size(), kept = pairs_.size();
        if (kept == 0)
            return sum_of(size, [&](std::size_t i) {
                direction[i] = -scale_ / diagonal_[i] * gradient[i];
                return direction[i] * gradient[i];
            });
        double shares[kKept] = {};
        const Pair &first = pairs_.front(), &last = pairs_.back();
        double onto = sum_of(size, [&](std::size_t i) {
            direction[i] = gradient[i];
            return last.step[i] * gradient[i];
        });
        for (std::size_t k = kept - 1; k > 0; --k) {
            shares[k] = pairs_[k].inverse * onto;
            onto = less(direction, shares[k], pairs_[k].change, pairs_[k - 1].step);
        }
        shares[0] = first.inverse * onto;
        onto = sum_of(size, [&](std::size_t i) {
            direction[i] = -scale_ / diagonal_[i] * (direction[i] - shares[0] * first.change[i]);
            return direction[i] * first.change[i];
        });
        for (std::size_t k = 0; k < kept; ++k)
            onto = less(direction, pairs_[k].inverse * onto + shares[k], pairs_[k].step,
                        k + 1 < kept ? pairs_[k + 1].change : gradient);
        return onto;
    }

  private:
    struct Pair {
        std::vector<double> step, change;
        double inverse = 0.0;
    };

    // Takes so much of something away, and returns the product of what is left with what comes next.
    static double less(std::vector<double>& from, double times, const std::vector<double>& what,
                       const std::vector<double>& next) {
        return sum_of(from.size(), [&](std::size_t i) {
            from[i] -= times * what[i];
            return from[i] * next[i];
        });
    }

    std::span<const double> diagonal_;
    double scale_;
    std::vector<Pair> pairs_;
    Pair latest_;
};

}  // namespace descent

// Lowers `loss(numbers, gradient)`, which returns the loss and writes its gradient, from where `numbers` are.
// `first` is the share of the step by the diagonal alone that is tried at first.
template <class Loss>
void descend(Loss&& loss, std::span<const double> diagonal, double first, const DescentLimits& limits,
             std::span<double> numbers) {
    constexpr double kEnough = 1e-4;  // share of the gain that the slope promises
    constexpr int kTrials = 12;
    std::vector<double> gradient(numbers.size()), next(numbers.size()), next_gradient(numbers.size()),
        direction(numbers.size());
    descent::History history(diagonal, first);
    double value = loss(std::span<const double>(numbers), gradient.data());
    for (int step = 0; step < limits.max_iter; ++step) {
        if (std::none_of(gradient.begin(), gradient.end(),
                         [&](double slope) { return std::abs(slope) > limits.smallest_gradient; }))
            return;
        const double slope = history.direct(gradient, direction);
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
        std::copy(next.begin(), next.end(), numbers.begin());
        value = found;
        if (gain <= limits.smallest_gain * scale || step + 1 == limits.max_iter) return;
        history.add(length, direction, gradient, next_gradient);
        std::swap(gradient, next_gradient);
    }
}

}  // namespace bayleaf
