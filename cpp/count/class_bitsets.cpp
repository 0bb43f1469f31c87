#include "count/class_bitsets.hpp"

#include <algorithm>

#include "count/bitset.hpp"
#include "common/parallel.hpp"

namespace bayleaf {
namespace {

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

}  // namespace

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

}  // namespace bayleaf
