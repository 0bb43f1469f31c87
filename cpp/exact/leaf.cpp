#include "exact/leaf.hpp"

#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

#include "common/dispatch.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define BAYLEAF_PERMUTED __attribute__((target("avx512f"), always_inline)) inline
#include <immintrin.h>
#endif

namespace bayleaf {

namespace {

// Looking up the terms of small counts. Where the machine has AVX-512, a table of 16, 32 or 64 terms stays in
// registers and eight counts are looked up by one permutation; elsewhere the table is read from memory. Each
// of eight sums adds the same terms in the same order either way.
constexpr std::size_t kWide = 8;

double total(const double* sums) {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double from_memory(const std::uint8_t* counts, std::size_t places, std::size_t lanes, std::size_t stride,
                   const double* term) {
    double result = 0.0;
    for (std::size_t lane = 0; lane < lanes; lane += kWide) {
        double sums[kWide] = {};
        for (std::size_t place = 0; place < places; ++place) {
            const std::uint8_t* count = counts + place * stride + lane;
            for (std::size_t k = 0; k < kWide; ++k) sums[k] += term[count[k]];
        }
        result += total(sums);
    }
    return result;
}

#ifdef BAYLEAF_PERMUTED

// The terms of eight counts, from a table of 16 * Pairs terms in registers.
template <std::size_t Pairs>
BAYLEAF_PERMUTED __m512d permuted(const __m512d* term, const std::uint8_t* count) {
    const __m512i index = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(count)));
    __m512d found = _mm512_permutex2var_pd(term[0], index, term[1]);
    if constexpr (Pairs >= 2) {
        const __mmask8 sixteen = _mm512_test_epi64_mask(index, _mm512_set1_epi64(16));
        found = _mm512_mask_blend_pd(sixteen, found, _mm512_permutex2var_pd(term[2], index, term[3]));
        if constexpr (Pairs == 4) {
            const __m512d low = _mm512_permutex2var_pd(term[4], index, term[5]);
            const __m512d high = _mm512_permutex2var_pd(term[6], index, term[7]);
            const __mmask8 thirty_two = _mm512_test_epi64_mask(index, _mm512_set1_epi64(32));
            found = _mm512_mask_blend_pd(thirty_two, found, _mm512_mask_blend_pd(sixteen, low, high));
        }
    }
    return found;
}

// Vectors of lanes go together, so that no sum waits for itself.
template <std::size_t Pairs, std::size_t Vectors>
BAYLEAF_PERMUTED double sum_permuted(const std::uint8_t* counts, std::size_t places, std::size_t stride,
                                     const __m512d* term) {
    __m512d sums[Vectors];
    for (auto& sum : sums) sum = _mm512_setzero_pd();
    for (std::size_t place = 0; place < places; ++place) {
        for (std::size_t v = 0; v < Vectors; ++v) {
            sums[v] = _mm512_add_pd(sums[v], permuted<Pairs>(term, counts + place * stride + v * kWide));
        }
    }
    double result = 0.0;
    for (std::size_t v = 0; v < Vectors; ++v) {
        double parts[kWide];
        _mm512_storeu_pd(parts, sums[v]);
        result += total(parts);
    }
    return result;
}

template <std::size_t Pairs>
__attribute__((target("avx512f"))) double from_registers(const std::uint8_t* counts, std::size_t places,
                                                         std::size_t lanes, std::size_t stride,
                                                         const double* terms) {
    __m512d term[2 * Pairs];
    for (std::size_t k = 0; k < 2 * Pairs; ++k) term[k] = _mm512_loadu_pd(terms + k * kWide);
    switch (lanes / kWide) {
        case 1:
            return sum_permuted<Pairs, 1>(counts, places, stride, term);
        case 2:
            return sum_permuted<Pairs, 2>(counts, places, stride, term);
        case 3:
            return sum_permuted<Pairs, 3>(counts, places, stride, term);
        default:
            return sum_permuted<Pairs, 4>(counts, places, stride, term);
    }
}

bool has_permutations() {
    static const bool found = [] {
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx512f") != 0;
    }();
    return found;
}

#endif

// Sum of term[count] over `places` places of `lanes` lanes (a multiple of eight); places lie `stride` counts
// apart. Counts are at most `largest`, and `term` has 64 entries. Every version adds in the same order.
double sum_of_terms(const std::uint8_t* counts, std::size_t places, std::size_t lanes, std::size_t stride,
                    const double* term, std::size_t largest) {
#ifdef BAYLEAF_PERMUTED
    if (has_permutations()) {
        if (largest < 16) return from_registers<1>(counts, places, lanes, stride, term);
        if (largest < 32) return from_registers<2>(counts, places, lanes, stride, term);
        return from_registers<4>(counts, places, lanes, stride, term);
    }
#endif
    (void)largest;
    return from_memory(counts, places, lanes, stride, term);
}

// All lanes of a place at once; the compiler makes one instruction of it where registers are wide enough.
template <class Count>
struct Row {
    typedef Count Vector __attribute__((vector_size(lanes_of<Count>() * sizeof(Count))));

    explicit Row(const Count* from) { std::memcpy(&lanes, from, sizeof lanes); }

    Vector lanes;
};

// Fills the places of the margins from those of the cells.
template <class Count>
BAYLEAF_INLINE void sum_margins_of(const LeafLayout& layout, Count* table) {
    constexpr std::size_t width = lanes_of<Count>();
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

BAYLEAF_CLONES void sum_margins(const LeafLayout& layout, std::uint8_t* table) {
    sum_margins_of(layout, table);
}

BAYLEAF_CLONES void sum_margins(const LeafLayout& layout, std::uint32_t* table) {
    sum_margins_of(layout, table);
}

// Counts of large groups may lie beyond the table of the term.
double sum_of_large_terms(const std::uint32_t* counts, std::size_t size, const SetFunction& function,
                          bool in_table) {
    const double* term = function.table();
    double sums[4] = {};
    for (std::size_t i = 0; i < size; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] += in_table ? term[counts[i + k]] : function(counts[i + k]);
        }
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

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

template <class Count>
void Lanes<Count>::flush(std::span<const SetFunction* const> functions, std::vector<double>& terms) {
    sum_margins(*layout_, table_.data());
    for (std::size_t subset = 0; subset < functions.size(); ++subset) {
        const Count* counts = table_.data() + layout_->starts[subset] * kWidth;
        const std::size_t places = layout_->sizes[subset];
        const SetFunction& function = *functions[subset];
        if constexpr (sizeof(Count) == 1) {
            const std::size_t lanes = (used_ + 7) / 8 * 8;
            terms[subset] += sum_of_terms(counts, places, lanes, kWidth, function.table(), largest_);
        } else {
            const bool in_table = largest_ < function.tabulated();
            terms[subset] += sum_of_large_terms(counts, places * kWidth, function, in_table);
        }
    }
    std::fill_n(table_.begin(), layout_->cells() * kWidth, Count{0});
    used_ = 0;
    largest_ = 0;
}

template class Lanes<std::uint8_t>;
template class Lanes<std::uint32_t>;

Leaf::Leaf(std::span<const std::int64_t> arities)
    : layout_(arities),
      medium_(std::size(kMedium), Lanes<std::uint8_t>(layout_)),
      large_(layout_),
      terms_(std::size_t{1} << arities.size()) {}

void Leaf::begin(std::span<const SetFunction* const> functions) {
    functions_.assign(functions.begin(), functions.end());
    std::fill(terms_.begin(), terms_.end(), 0.0);
}

void Leaf::add(std::span<const WeightedRow> rows, const std::uint16_t* cell) {
    std::uint64_t total = 0;
    for (const WeightedRow& row : rows) total += row.weight;
    const auto fits = std::lower_bound(std::begin(kMedium), std::end(kMedium), total);
    if (fits != std::end(kMedium) && functions_[0]->tabulated() > *std::rbegin(kMedium)) {
        Lanes<std::uint8_t>& lanes = medium_[static_cast<std::size_t>(fits - std::begin(kMedium))];
        lanes.add(rows, cell, total);
        if (lanes.full()) lanes.flush(functions_, terms_);
    } else {
        large_.add(rows, cell, total);
        if (large_.full()) large_.flush(functions_, terms_);
    }
}

const std::vector<double>& Leaf::finish() {
    for (auto& lanes : medium_) {
        if (!lanes.empty()) lanes.flush(functions_, terms_);
    }
    if (!large_.empty()) large_.flush(functions_, terms_);
    return terms_;
}

}  // namespace bayleaf
