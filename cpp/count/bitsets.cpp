#include "count/bitsets.hpp"

#include <algorithm>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"
#include "count/bitset_loops.hpp"

namespace bayleaf {

#ifdef BAYLEAF_X86_DISPATCH
extern const BitsetKernels kBitsetAvx2;
extern const BitsetKernels kBitsetAvx512;
#endif

namespace {

constexpr BitsetKernels kBitsetBaseline{reorder, pack, intersect, tally, 2.0};

const BitsetKernels& best_for_this_machine() {
#ifdef BAYLEAF_X86_DISPATCH
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vbmi2"))
        return kBitsetAvx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return kBitsetAvx2;
#endif
    return kBitsetBaseline;
}

void sort_by_class(const CodeMatrix<std::uint8_t>& codes, std::size_t target, ClassBitsets& sets) {
    const std::uint8_t* labels = codes.column(target);
    std::vector<std::size_t> size(256, 0);
    for (std::size_t i = 0; i < codes.rows; ++i) ++size[labels[i]];
    sets.segment.assign(sets.classes + 1, 0);
    sets.segment_words.assign(sets.classes + 1, 0);
    for (std::size_t c = 0; c < sets.classes; ++c) {
        sets.segment[c + 1] = sets.segment[c] + size[c];
        sets.segment_words[c + 1] = sets.segment_words[c] + (size[c] + 63) / 64;
    }
    sets.words = sets.segment_words[sets.classes];
    sets.order.resize(sets.segment[sets.classes]);
    sets.masks.assign((codes.rows + 63) / 64 * sets.classes, 0);
    std::vector<std::size_t> next(sets.segment.begin(), sets.segment.end() - 1);
    for (std::size_t i = 0; i < codes.rows; ++i) {
        if (labels[i] == kMissing<std::uint8_t>) continue;
        sets.order[next[labels[i]]++] = static_cast<std::uint32_t>(i);
        sets.masks[i / 64 * sets.classes + labels[i]] |= std::uint64_t{1} << (i % 64);
    }
}

// Decides which features get bit sets and how many: narrow ones first, while there is room.
void plan(std::span<const std::int64_t> arities, std::span<const std::int64_t> features,
          const std::vector<bool>& has_missing, ClassBitsets& sets) {
    const std::size_t n = features.size();
    sets.states.assign(n, 0);
    sets.first_set.assign(n, 0);
    sets.margin_offset.assign(n, 0);
    std::vector<std::size_t> narrow_first(n);
    for (std::size_t f = 0; f < n; ++f) narrow_first[f] = f;
    std::stable_sort(narrow_first.begin(), narrow_first.end(), [&](std::size_t a, std::size_t b) {
        return arities[features[a]] < arities[features[b]];
    });
    const std::size_t budget = 8 * n;  // bits per row: one byte per value of the table
    std::size_t used = 0;
    std::size_t margin = 0;
    for (const std::size_t f : narrow_first) {
        const std::size_t arity = arities[features[f]];
        if (used + arity > budget) continue;
        sets.states[f] = static_cast<unsigned>(arity - (has_missing[f] || arity == 1 ? 0 : 1));
        sets.first_set[f] = used;
        used += sets.states[f];
        sets.margin_offset[f] = margin;
        margin += sets.classes * arity;
    }
    sets.bits.reset(new std::uint64_t[used * sets.words]);
    sets.margins.assign(margin, 0);
}

// Bit sets of one feature, and its margins per class.
void pack_feature(const CodeMatrix<std::uint8_t>& codes, std::size_t column, std::size_t feature,
                  std::size_t arity, ClassBitsets& sets) {
    const BitsetKernels& kernels = bitset_kernels();
    const ClassOrder order{codes.rows,          sets.classes,
                           sets.segment.data(), sets.segment_words.data(),
                           sets.order.data(),   sets.masks.data()};
    const std::unique_ptr<std::uint8_t[]> sorted(new std::uint8_t[64 * sets.words]);
    kernels.reorder(codes.column(column), order, sorted.get());
    const unsigned states = sets.states[feature];
    std::uint64_t* out = sets.bits.get() + sets.first_set[feature] * sets.words;
    std::int64_t* margin = sets.margins.data() + sets.margin_offset[feature];
    std::uint64_t packed[256];
    for (std::size_t c = 0; c < sets.classes; ++c, margin += arity) {
        for (std::size_t w = sets.segment_words[c]; w < sets.segment_words[c + 1]; ++w) {
            kernels.pack(sorted.get() + 64 * w, states, packed, margin);
            for (unsigned s = 0; s < states; ++s) out[s * sets.words + w] = packed[s];
        }
        if (states == arity) continue;
        margin[states] = static_cast<std::int64_t>(sets.segment[c + 1] - sets.segment[c]);
        for (unsigned s = 0; s < states; ++s) margin[states] -= margin[s];
    }
}

constexpr std::int64_t kMostStates = 8;

BAYLEAF_CLONES void set_bits(const std::uint8_t* column, std::size_t rows, unsigned first, unsigned bits,
                             std::uint64_t* words) {
    for (std::size_t i = 0; i < rows; ++i) {
        const std::uint64_t counted = column[i] < bits;
        words[i] |= counted << (first + (counted ? column[i] : 0u));
    }
}

}  // namespace

const BitsetKernels& bitset_kernels() {
    static const BitsetKernels& chosen = best_for_this_machine();
    return chosen;
}

ClassBitsets class_bitsets(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                           std::span<const std::int64_t> features, std::int64_t target,
                           const std::vector<bool>& has_missing, int threads) {
    ClassBitsets sets;
    sets.classes = arities[target];
    sort_by_class(codes, target, sets);
    plan(arities, features, has_missing, sets);
    parallel_for(features.size(), threads, [&](std::size_t f) {
        if (sets.states[f]) pack_feature(codes, features[f], f, arities[features[f]], sets);
    });
    return sets;
}

OneHotRows one_hot_rows(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                        const std::vector<bool>& has_missing, int threads) {
    OneHotRows out;
    out.rows = codes.rows;
    out.places.resize(codes.columns);
    unsigned used = 65;
    for (std::size_t j = 0; j < codes.columns; ++j) {
        if (arities[j] > kMostStates) continue;
        const auto bits = static_cast<unsigned>(arities[j] - (has_missing[j] ? 0 : 1));
        if (used + bits > 64) {
            ++out.words;
            used = 0;
        }
        out.places[j] = {out.words - 1, used, bits, true};
        used += bits;
    }
    out.table.assign(out.words * out.rows, 0);
    parallel_for(out.words, threads, [&](std::size_t w) {
        for (std::size_t j = 0; j < codes.columns; ++j)
            // A constant column sets no bit, and its place may lie behind the last one of the word.
            if (out.has(j) && out.places[j].word == w && out.places[j].bits > 0)
                set_bits(codes.column(j), codes.rows, out.places[j].first, out.places[j].bits,
                         out.table.data() + w * out.rows);
    });
    return out;
}

}  // namespace bayleaf
