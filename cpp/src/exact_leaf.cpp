#include "bayleaf/exact_leaf.hpp"

#include <algorithm>
#include <bit>

#include "bayleaf/dispatch.hpp"

namespace bayleaf {

Leaf::Leaf(std::span<const std::int64_t> arities) : subsets_(std::size_t{1} << arities.size()) {
    std::size_t cells = 1, extended = 1;
    for (const std::int64_t arity : arities) {
        cells *= static_cast<std::size_t>(arity);
        extended *= static_cast<std::size_t>(arity) + 1;
        widths_.push_back(static_cast<std::size_t>(arity) + 1);
    }
    position_.resize(cells);
    differing_.resize(cells * cells);
    table_.resize(extended);
    terms_.resize(subsets_);
    for (auto& counts : agreeing_) counts.resize(subsets_);
    std::vector<std::vector<std::uint32_t>> of_subset(subsets_);
    for (std::size_t place = 0; place < extended; ++place) {
        std::size_t subset = 0, cell = 0, rest = place, cell_step = 1;
        for (std::size_t j = 0; j < widths_.size(); ++j) {
            const std::size_t digit = rest % widths_[j];
            rest /= widths_[j];
            if (digit + 1 < widths_[j]) subset |= std::size_t{1} << j;
            cell += digit * cell_step;
            cell_step *= widths_[j] - 1;
        }
        of_subset[subset].push_back(static_cast<std::uint32_t>(place));
        if (subset + 1 == subsets_) position_[cell] = static_cast<std::uint32_t>(place);
    }
    offsets_.push_back(0);
    for (const auto& places : of_subset) {
        by_subset_.insert(by_subset_.end(), places.begin(), places.end());
        offsets_.push_back(static_cast<std::uint32_t>(by_subset_.size()));
    }
    for (std::size_t a = 0; a < cells; ++a) {
        for (std::size_t b = 0; b < cells; ++b) {
            std::size_t first = a, second = b, mask = 0;
            for (std::size_t j = 0; j < widths_.size(); ++j) {
                const std::size_t arity = widths_[j] - 1;
                if (first % arity != second % arity) mask |= std::size_t{1} << j;
                first /= arity;
                second /= arity;
            }
            differing_[a * cells + b] = static_cast<std::uint8_t>(mask);
        }
    }
}

void Leaf::begin(std::span<const CellFunction* const> functions) {
    functions_.assign(functions.begin(), functions.end());
    std::fill(terms_.begin(), terms_.end(), 0.0);
    for (auto& counts : agreeing_) std::fill(counts.begin(), counts.end(), 0);
    units_ = 0;
}

BAYLEAF_CLONES
void Leaf::sum_axes() {
    std::uint32_t* table = table_.data();
    std::size_t step = 1;
    for (const std::size_t width : widths_) {
        const std::size_t block = step * width;
        for (std::size_t start = 0; start < table_.size(); start += block) {
            std::uint32_t* margin = table + start + block - step;
            for (std::size_t k = 0; k + 1 < width; ++k) {
                const std::uint32_t* slice = table + start + k * step;
                for (std::size_t i = 0; i < step; ++i) margin[i] += slice[i];
            }
        }
        step = block;
    }
}

void Leaf::add_large(const std::uint32_t* rows, std::size_t size, const std::uint16_t* cell,
                     const std::uint32_t* weights, std::uint64_t total) {
    std::fill(table_.begin(), table_.end(), 0u);
    for (std::size_t i = 0; i < size; ++i) table_[position_[cell[rows[i]]]] += weights[rows[i]];
    sum_axes();
    const bool in_tables = total < functions_[0]->limit();
    for (std::size_t subset = 0; subset < subsets_; ++subset) {
        const CellFunction& function = *functions_[subset];
        const double* term = function.table();
        const std::uint32_t* place = by_subset_.data() + offsets_[subset];
        const std::uint32_t* end = by_subset_.data() + offsets_[subset + 1];
        double sum = 0.0;
        if (in_tables) {
            for (; place != end; ++place) sum += term[table_[*place]];
        } else {
            for (; place != end; ++place) sum += function.of(table_[*place]);
        }
        terms_[subset] += sum;
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
