// Looking up the terms of small counts. Where the machine has AVX-512, a table of 16, 32 or 64 terms stays in
// registers and eight counts are looked up by one permutation; elsewhere the table is read from memory. Each
// of eight sums adds the same terms in the same order either way.
#include "exact/lanes.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define BAYLEAF_PERMUTED __attribute__((target("avx512f"), always_inline)) inline
#include <immintrin.h>
#endif

namespace bayleaf {

namespace {

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

}  // namespace

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

}  // namespace bayleaf
