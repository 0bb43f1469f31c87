#include "bayleaf/exact_leaf.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "bayleaf/dispatch.hpp"

namespace bayleaf {

Leaf::Leaf(std::span<const std::int64_t> arities)
    : subsets_(std::size_t{1} << arities.size()), arities_(arities.begin(), arities.end()) {
    lay_out();
    const std::size_t n = cells();
    differing_.resize(n * n);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            std::size_t first = a, second = b, mask = 0;
            for (std::size_t j = 0; j < arities_.size(); ++j) {
                if (first % arities_[j] != second % arities_[j]) mask |= std::size_t{1} << j;
                first /= arities_[j];
                second /= arities_[j];
            }
            differing_[a * n + b] = static_cast<std::uint8_t>(mask);
        }
    }
    terms_.resize(subsets_);
    for (auto& counts : agreeing_) counts.resize(subsets_);
}

void Leaf::lay_out() {
    std::vector<std::size_t> subsets(subsets_);
    std::iota(subsets.begin(), subsets.end(), std::size_t{0});
    std::stable_sort(subsets.begin(), subsets.end(),
                     [](std::size_t a, std::size_t b) { return std::popcount(a) > std::popcount(b); });
    starts_.resize(subsets_);
    sizes_.resize(subsets_);
    std::uint32_t places = 0;
    for (const std::size_t subset : subsets) {
        starts_[subset] = places;
        sizes_[subset] = 1;
        for (std::size_t j = 0; j < arities_.size(); ++j) {
            if (subset >> j & 1) sizes_[subset] *= static_cast<std::uint32_t>(arities_[j]);
        }
        places += sizes_[subset];
        if (subset + 1 == subsets_) continue;
        // A margin is the sum of a table with one variable more, the lowest that this one lacks.
        const auto axis = static_cast<std::size_t>(std::countr_one(subset));
        const std::size_t larger = subset | std::size_t{1} << axis;
        std::uint32_t step = 1;
        for (std::size_t j = 0; j < axis; ++j) step *= static_cast<std::uint32_t>(arities_[j]);
        for (std::uint32_t k = 0; k < sizes_[subset]; ++k) {
            const auto arity = static_cast<std::uint32_t>(arities_[axis]);
            source_count_.push_back(arity);
            for (std::uint32_t state = 0; state < arity; ++state) {
                sources_.push_back(starts_[larger] + k % step + state * step + k / step * step * arity);
            }
        }
    }

    table_.assign(places * kLanes, 0);
}

void Leaf::begin(std::span<const CellFunction* const> functions) {
    functions_.assign(functions.begin(), functions.end());
    std::fill(terms_.begin(), terms_.end(), 0.0);
    for (auto& counts : agreeing_) std::fill(counts.begin(), counts.end(), 0);
    units_ = 0;
    lane_ = 0;
    largest_ = 0;
}

void Leaf::add_large(const std::uint32_t* rows, std::size_t size, const std::uint16_t* cell,
                     const std::uint32_t* weights, std::uint64_t total) {
    for (std::size_t i = 0; i < size; ++i) table_[cell[rows[i]] * kLanes + lane_] += weights[rows[i]];
    largest_ = std::max(largest_, total);
    if (++lane_ == kLanes) flush();
}

void Leaf::flush() {
    sum_margins();
    if (largest_ < functions_[0]->limit()) {
        look_up();
    } else {
        for (std::size_t subset = 0; subset < subsets_; ++subset) {
            const std::uint32_t* counts = table_.data() + starts_[subset] * kLanes;
            for (std::size_t i = 0; i < sizes_[subset] * kLanes; ++i) {
                terms_[subset] += functions_[subset]->of(counts[i]);
            }
        }
    }
    std::fill(table_.begin(), table_.begin() + static_cast<std::ptrdiff_t>(cells() * kLanes), 0u);
    lane_ = 0;
    largest_ = 0;
}

BAYLEAF_CLONES
void Leaf::sum_margins() {
    const std::uint32_t* source = sources_.data();
    std::uint32_t* margin = table_.data() + cells() * kLanes;
    for (const std::uint32_t count : source_count_) {
        std::uint32_t sum[kLanes] = {};
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t* part = table_.data() + *source++ * kLanes;
            for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += part[lane];
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) margin[lane] = sum[lane];
        margin += kLanes;
    }
}

void Leaf::look_up() {
    for (std::size_t subset = 0; subset < subsets_; ++subset) {
        const double* term = functions_[subset]->table();
        const std::uint32_t* counts = table_.data() + starts_[subset] * kLanes;
        const std::uint32_t* end = counts + sizes_[subset] * kLanes;
        double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
        for (; counts != end; counts += 4) {
            a += term[counts[0]];
            b += term[counts[1]];
            c += term[counts[2]];
            d += term[counts[3]];
        }
        terms_[subset] += (a + b) + (c + d);
    }
}

void Leaf::add_small(const std::uint32_t* rows, std::size_t size, const std::uint16_t* cell,
                     const std::uint32_t* weights) {
    std::size_t unit[kSmall];
    std::size_t n = 0;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::uint32_t w = 0; w < weights[rows[i]]; ++w) unit[n++] = cell[rows[i]];
    }
    units_ += static_cast<std::int64_t>(n);
    const auto differing = [&](std::size_t a, std::size_t b) {
        return differing_[unit[a] * cells() + unit[b]];
    };
    for (std::size_t a = 0; a + 1 < n; ++a) {
        for (std::size_t b = a + 1; b < n; ++b) {
            const std::uint8_t pair = differing(a, b);
            ++agreeing_[2][pair];
            for (std::size_t c = b + 1; c < n; ++c) {
                const std::uint8_t triple = pair | differing(a, c);
                ++agreeing_[3][triple];
                if (c + 1 < n) ++agreeing_[4][triple | differing(a, 3)];
            }
        }
    }
}

const std::vector<double>& Leaf::finish() {
    if (lane_ > 0) flush();
    if (units_ == 0) return terms_;
    for (std::size_t size = 2; size <= kSmall; ++size) {
        // J agrees on R when the variables on which it differs all lie outside R: a sum over subsets.
        std::vector<std::int32_t>& counts = agreeing_[size];
        for (std::size_t bit = 1; bit < subsets_; bit *= 2) {
            for (std::size_t mask = 0; mask < subsets_; ++mask) {
                if (mask & bit) counts[mask] += counts[mask ^ bit];
            }
        }
    }
    for (std::size_t subset = 0; subset < subsets_; ++subset) {
        const CellFunction& f = *functions_[subset];
        const double one = f.of(1), two = f.of(2), three = f.of(3), four = f.of(4);
        const std::size_t outside = subsets_ - 1 - subset;
        terms_[subset] += static_cast<double>(units_) * one + agreeing_[2][outside] * (two - 2 * one) +
                          agreeing_[3][outside] * (three - 3 * two + 3 * one) +
                          agreeing_[4][outside] * (four - 4 * three + 6 * two - 4 * one);
    }
    return terms_;
}

}  // namespace bayleaf
