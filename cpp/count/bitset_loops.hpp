// Included by one source file per instruction set. No standard containers or algorithms here: their inlined
// code would be compiled for the wider instruction set and could be picked by the linker for everybody.
#include "count/bitset_kernels.hpp"
#if defined(__AVX512BW__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using bayleaf::ClassOrder;

inline std::uint64_t equal_mask(const std::uint8_t* codes, std::uint8_t state) {
#if defined(__AVX512BW__)
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes), _mm512_set1_epi8(static_cast<char>(state)));
#elif defined(__AVX2__)
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(state));
    std::uint64_t word = 0;
    for (int h = 0; h < 2; ++h) {
        const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + 32 * h));
        const auto mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(part, wanted)));
        word |= static_cast<std::uint64_t>(mask) << (32 * h);
    }
    return word;
#elif defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(state));
    std::uint64_t word = 0;
    for (int q = 0; q < 4; ++q) {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + 16 * q));
        const auto mask = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, wanted)));
        word |= static_cast<std::uint64_t>(mask) << (16 * q);
    }
    return word;
#else
    std::uint64_t word = 0;
    for (int b = 0; b < 64; ++b) word |= static_cast<std::uint64_t>(codes[b] == state) << b;
    return word;
#endif
}

void pack(const std::uint8_t* codes, unsigned states, std::uint64_t* words, std::int64_t* counts) {
    for (unsigned s = 0; s < states; ++s) {
        words[s] = equal_mask(codes, static_cast<std::uint8_t>(s));
        counts[s] += __builtin_popcountll(words[s]);
    }
}

void reorder(const std::uint8_t* codes, const ClassOrder& order, std::uint8_t* out) {
#if defined(__AVX512VBMI2__)
    // 64 rows at a time: those of one class are squeezed together and appended to its segment.
    std::size_t next[256];
    for (std::size_t c = 0; c < order.classes; ++c) next[c] = 64 * order.segment_words[c];
    for (std::size_t w = 0; 64 * w < order.rows; ++w) {
        const std::size_t left = order.rows - 64 * w;
        const __mmask64 live = left >= 64 ? ~0ull : (1ull << left) - 1;
        const __m512i values = _mm512_maskz_loadu_epi8(live, codes + 64 * w);
        for (std::size_t c = 0; c < order.classes; ++c) {
            const std::uint64_t mask = order.masks[w * order.classes + c];
            const auto count = static_cast<unsigned>(__builtin_popcountll(mask));
            const __mmask64 filled = count == 64 ? ~0ull : (1ull << count) - 1;
            _mm512_mask_storeu_epi8(out + next[c], filled, _mm512_maskz_compress_epi8(mask, values));
            next[c] += count;
        }
    }
#else
    for (std::size_t c = 0; c < order.classes; ++c) {
        std::uint8_t* segment = out + 64 * order.segment_words[c];
        const std::uint32_t* rows = order.order + order.segment[c];
        const std::size_t n = order.segment[c + 1] - order.segment[c];
        for (std::size_t i = 0; i < n; ++i) segment[i] = codes[rows[i]];
    }
#endif
    for (std::size_t c = 0; c < order.classes; ++c) {
        const std::size_t n = order.segment[c + 1] - order.segment[c];
        for (std::size_t b = 64 * order.segment_words[c] + n; b < 64 * order.segment_words[c + 1]; ++b)
            out[b] = 255;
    }
}

// Sums of single bits in one byte each, up to 255 words; byte b of the result belongs to bit b.
struct ByteSums {
#if defined(__AVX512BW__)
    __m512i sums = _mm512_setzero_si512();
    void add(std::uint64_t word) { sums = _mm512_mask_add_epi8(sums, word, sums, _mm512_set1_epi8(1)); }
    void store(std::uint8_t* out) const { _mm512_storeu_si512(out, sums); }
#elif defined(__AVX2__)
    __m256i sums[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    void add(std::uint64_t word) {
        // Byte b of a half gets the byte of the word that holds bit b, then looks at its own bit.
        const __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
                                                2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
        const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
        for (int h = 0; h < 2; ++h) {
            const __m256i half = _mm256_set1_epi32(static_cast<int>(word >> (32 * h)));
            const __m256i own = _mm256_and_si256(_mm256_shuffle_epi8(half, spread), bit);
            sums[h] = _mm256_sub_epi8(sums[h], _mm256_cmpeq_epi8(own, bit));
        }
    }
    void store(std::uint8_t* out) const {
        for (int h = 0; h < 2; ++h) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * h), sums[h]);
    }
#else
    std::uint64_t sums[8] = {};  // bit 8 k + j of a word is counted in byte k of sums[j]
    void add(std::uint64_t word) {
        for (int j = 0; j < 8; ++j) sums[j] += (word >> j) & 0x0101010101010101ull;
    }
    void store(std::uint8_t* out) const {
        for (int k = 0; k < 8; ++k)
            for (int j = 0; j < 8; ++j) out[8 * k + j] = static_cast<std::uint8_t>(sums[j] >> (8 * k));
    }
#endif
};

void tally(const std::uint64_t* words, const std::uint32_t* rows, std::size_t n, std::uint32_t* counts) {
    for (std::size_t i = 0; i < n;) {
        const std::size_t end = n - i > 255 ? i + 255 : n;
        ByteSums sums;
        for (; i < end; ++i) sums.add(words[rows[i]]);
        std::uint8_t bytes[64];
        sums.store(bytes);
        for (int b = 0; b < 64; ++b) counts[b] += bytes[b];
    }
}

// A tile of NA x NB bit sets keeps its sums in registers and reads every word once per tile.
template <unsigned NA, unsigned NB>
void tile(const std::uint64_t* a, std::size_t a_step, const std::uint64_t* b, std::size_t b_step,
          std::size_t words, std::int64_t* counts, unsigned row_length) {
    std::size_t w = 0;
#if defined(__AVX512VPOPCNTDQ__)
    __m512i sums[NA][NB];
    for (unsigned x = 0; x < NA; ++x)
        for (unsigned y = 0; y < NB; ++y) sums[x][y] = _mm512_setzero_si512();
    const auto add = [&](const auto& load) {
        __m512i right[NB];
        for (unsigned y = 0; y < NB; ++y) right[y] = load(b + y * b_step + w);
        for (unsigned x = 0; x < NA; ++x) {
            const __m512i left = load(a + x * a_step + w);
            for (unsigned y = 0; y < NB; ++y)
                sums[x][y] =
                    _mm512_add_epi64(sums[x][y], _mm512_popcnt_epi64(_mm512_and_si512(left, right[y])));
        }
    };
    for (; w + 8 <= words; w += 8) add([](const std::uint64_t* p) { return _mm512_loadu_si512(p); });
    if (w < words) {
        const auto live = static_cast<__mmask8>((1u << (words - w)) - 1);
        add([&](const std::uint64_t* p) { return _mm512_maskz_loadu_epi64(live, p); });
    }
    for (unsigned x = 0; x < NA; ++x)
        for (unsigned y = 0; y < NB; ++y) counts[x * row_length + y] += _mm512_reduce_add_epi64(sums[x][y]);
#else
    std::int64_t sums[NA][NB] = {};
    for (; w < words; ++w) {
        for (unsigned x = 0; x < NA; ++x) {
            const std::uint64_t left = a[x * a_step + w];
            for (unsigned y = 0; y < NB; ++y) sums[x][y] += __builtin_popcountll(left & b[y * b_step + w]);
        }
    }
    for (unsigned x = 0; x < NA; ++x)
        for (unsigned y = 0; y < NB; ++y) counts[x * row_length + y] += sums[x][y];
#endif
}

template <unsigned NA>
void tile_row(const std::uint64_t* a, std::size_t a_step, const std::uint64_t* b, std::size_t b_step,
              unsigned nb, std::size_t words, std::int64_t* counts) {
    unsigned y = 0;
    for (; y + 3 <= nb; y += 3) tile<NA, 3>(a, a_step, b + y * b_step, b_step, words, counts + y, nb);
    if (nb - y == 2) tile<NA, 2>(a, a_step, b + y * b_step, b_step, words, counts + y, nb);
    if (nb - y == 1) tile<NA, 1>(a, a_step, b + y * b_step, b_step, words, counts + y, nb);
}

void intersect(const std::uint64_t* a, std::size_t a_step, unsigned na, const std::uint64_t* b,
               std::size_t b_step, unsigned nb, std::size_t words, std::int64_t* counts) {
    unsigned x = 0;
    for (; x + 3 <= na; x += 3) tile_row<3>(a + x * a_step, a_step, b, b_step, nb, words, counts + x * nb);
    if (na - x == 2) tile_row<2>(a + x * a_step, a_step, b, b_step, nb, words, counts + x * nb);
    if (na - x == 1) tile_row<1>(a + x * a_step, a_step, b, b_step, nb, words, counts + x * nb);
}

}  // namespace
