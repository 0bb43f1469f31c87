#include "exact/lanes.hpp"

#include <bit>
#include <cstring>
#include <numeric>

#include "common/dispatch.hpp"

namespace bayleaf {

LeafLayout::LeafLayout(std::span<const std::int64_t> arities) {
    std::vector<std::size_t> subsets(std::size_t{1} << arities.size());
    std::iota(subsets.begin(), subsets.end(), std::size_t{0});
    std::stable_sort(subsets.begin(), subsets.end(),
                     [](std::size_t a, std::size_t b) { return std::popcount(a) > std::popcount(b); });
    starts.resize(subsets.size());
    sizes.resize(subsets.size());
    for (const std::size_t subset : subsets) {
        starts[subset] = static_cast<std::uint32_t>(places);
        sizes[subset] = 1;
        for (std::size_t j = 0; j < arities.size(); ++j) {
            if (subset >> j & 1) sizes[subset] *= static_cast<std::uint32_t>(arities[j]);
        }
        places += sizes[subset];
        if (subset + 1 == subsets.size()) continue;
        // A margin is the sum of a table with one variable more, the lowest that this one lacks.
        const auto axis = static_cast<std::size_t>(std::countr_one(subset));
        const std::size_t larger = subset | std::size_t{1} << axis;
        std::uint32_t step = 1;
        for (std::size_t j = 0; j < axis; ++j) {
            step *= static_cast<std::uint32_t>(arities[j]);
        }
        const auto arity = static_cast<std::uint32_t>(arities[axis]);
        for (std::uint32_t k = 0; k < sizes[subset]; ++k) {
            source_count.push_back(arity);
            for (std::uint32_t state = 0; state < arity; ++state) {
                sources.push_back(starts[larger] + k % step + state * step + k / step * step * arity);
            }
        }
    }
}

namespace {

// All lanes of a place at once; the compiler makes one instruction of it where registers are wide enough.
template <class Count>
struct Row {
    typedef Count Vector __attribute__((vector_size(kLanes<Count> * sizeof(Count))));

    explicit Row(const Count* from) { std::memcpy(&lanes, from, sizeof lanes); }

    Vector lanes;
};

template <class Count>
[[gnu::always_inline]] inline void sum_margins_of(const LeafLayout& layout, Count* table) {
    constexpr std::size_t width = kLanes<Count>;
    const std::uint32_t* source = layout.sources.data();
    Count* margin = table + layout.cells() * width;
    for (const std::uint32_t count : layout.source_count) {
        Row<Count> sum(table + source[0] * width);
        for (std::uint32_t k = 1; k < count; ++k) sum.lanes += Row<Count>(table + source[k] * width).lanes;
        std::memcpy(margin, &sum.lanes, sizeof sum.lanes);
        margin += width;
        source += count;
    }
}

// Counts of large groups may lie beyond the table of the term.
double sum_of_large_terms(const std::uint32_t* counts, std::size_t size, const CellFunction& function,
                          bool in_table) {
    const double* term = function.table();
    double sums[4] = {};
    for (std::size_t i = 0; i < size; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] += in_table ? term[counts[i + k]] : function.of(counts[i + k]);
        }
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

BAYLEAF_CLONES void sum_margins(const LeafLayout& layout, std::uint8_t* table) {
    sum_margins_of(layout, table);
}

BAYLEAF_CLONES void sum_margins(const LeafLayout& layout, std::uint32_t* table) {
    sum_margins_of(layout, table);
}

template <class Count>
void Lanes<Count>::flush(std::span<const CellFunction* const> functions, std::vector<double>& terms) {
    sum_margins(*layout_, table_.data());
    for (std::size_t subset = 0; subset < functions.size(); ++subset) {
        const Count* counts = table_.data() + layout_->starts[subset] * kWidth;
        const std::size_t places = layout_->sizes[subset];
        const CellFunction& function = *functions[subset];
        if constexpr (sizeof(Count) == 1) {
            const std::size_t lanes = (used_ + 7) / 8 * 8;
            terms[subset] += sum_of_terms(counts, places, lanes, kWidth, function.table(), largest_);
        } else {
            const bool in_table = largest_ < function.limit();
            terms[subset] += sum_of_large_terms(counts, places * kWidth, function, in_table);
        }
    }
    std::fill_n(table_.begin(), layout_->cells() * kWidth, Count{0});
    used_ = 0;
    largest_ = 0;
}

template class Lanes<std::uint8_t>;
template class Lanes<std::uint32_t>;

}  // namespace bayleaf
