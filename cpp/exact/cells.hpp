// The term that a cell adds, from a table for small counts. Internal to the exact search.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "exact/exact.hpp"

namespace bayleaf {

inline constexpr std::size_t kSmall = 4;  // rows (by weight) of a small group

// Term of one set: a table for counts below `limit`, the formula beyond.
class CellFunction {
  public:
    CellFunction(const SetScore& score, double configurations, std::size_t limit)
        : entropy_(score.term == CellTerm::kEntropy),
          shift_(score.term == CellTerm::kGammaPerSet ? score.shift / configurations : score.shift),
          set_term_(-score.penalty * configurations),
          table_(limit, 0.0) {
        for (std::size_t c = 1; c < limit; ++c) {
            const auto count = static_cast<double>(c);
            table_[c] = entropy_ ? count * std::log(count) : table_[c - 1] + std::log(shift_ + (count - 1.0));
        }
        // Differences of differences, in place.
        double values[kSmall + 1];
        for (std::size_t c = 0; c <= kSmall; ++c) values[c] = of(static_cast<std::uint32_t>(c));
        for (std::size_t order = 1; order <= kSmall; ++order) {
            for (std::size_t c = kSmall; c >= order; --c) values[c] -= values[c - 1];
            differences_[order] = values[order];
        }
    }

    const double* table() const { return table_.data(); }
    std::size_t limit() const { return table_.size(); }
    double set_term() const { return set_term_; }
    // The finite difference of some order (up to kSmall) at zero.
    double difference(std::size_t order) const { return differences_[order]; }

    double of(std::uint32_t count) const { return count < table_.size() ? table_[count] : exact(count); }
    double exact(double count) const {
        if (count <= 0) return 0.0;
        return entropy_ ? count * std::log(count) : log_gamma(shift_ + count) - log_gamma(shift_);
    }

  private:
    static double log_gamma(double x) {
        int sign = 0;
        return ::lgamma_r(x, &sign);
    }

    bool entropy_;
    double shift_;
    double set_term_;
    double differences_[kSmall + 1] = {};
    std::vector<double> table_;
};

// One cell function per number of configurations that some set has. A set is met by an index that adds up
// over its variables: how often each arity occurs in it.
class CellFunctions {
  public:
    CellFunctions(const SetScore& score, std::span<const std::int64_t> arities, std::size_t variables,
                  std::size_t limit);

    std::size_t step(std::size_t variable) const { return steps_[variable]; }
    std::size_t base() const { return base_; }
    std::size_t size() const { return functions_.size(); }
    const CellFunction& at(std::size_t index) const { return *functions_[index]; }
    double configurations(std::size_t index) const { return configurations_[index]; }

  private:
    std::vector<std::size_t> steps_;
    std::size_t base_ = 0;
    std::vector<double> configurations_;
    std::vector<const CellFunction*> functions_;
    std::map<double, CellFunction> distinct_;
    CellFunction unneeded_;  // stands for all sets that are not needed; what it says is not used
};

}  // namespace bayleaf
