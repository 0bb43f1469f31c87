// All pairwise class-conditional tables, by whichever of three ways is cheapest for a pair:
//   direct     one increment per row;
//   sorted     rows sorted by cell, for tables with far more cells than rows;
//   bit sets   rows sorted by class once, one bit set per (feature, state), AND + popcount over each class's
//              segment for all but the last state of each feature, the rest from the margins.
// Floor for the last: pairs * (r-1)^2 * rows/64 words, each an AND and a population count.
#include "bayleaf/pairs.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "bayleaf/bitset.hpp"
#include "bayleaf/pair_reduce.hpp"
#include "bayleaf/parallel.hpp"

namespace bayleaf {
namespace {

// Rows sorted by class and, per class segment, one bit set per (feature, state).
struct ClassBitsets {
    std::vector<std::uint32_t> order;        // rows by class; rows without a class are left out
    std::vector<std::uint64_t> masks;        // per 64 rows and class: which of them belong to it
    std::vector<std::size_t> segment;        // where the rows of a class begin in `order`
    std::vector<std::size_t> segment_words;  // where its words begin
    std::size_t words = 0;                   // words per bit set
    std::vector<std::size_t> first_set;      // per feature: number of its first bit set
    std::vector<unsigned> states;            // per feature: bit sets it has, 0 when counted directly
    std::vector<std::int64_t> margins;       // per feature, class, state: rows
    std::vector<std::size_t> margin_offset;
    // Left uninitialised: every word is written when the sets are packed.
    std::unique_ptr<std::uint64_t[]> bits;
};

void sort_by_class(const CodeMatrix<std::uint8_t>& codes, std::size_t target, std::size_t classes,
                   ClassBitsets& sets) {
    const std::uint8_t* labels = codes.column(target);
    std::vector<std::size_t> size(256, 0);
    for (std::size_t i = 0; i < codes.rows; ++i) ++size[labels[i]];
    sets.segment.assign(classes + 1, 0);
    sets.segment_words.assign(classes + 1, 0);
    for (std::size_t c = 0; c < classes; ++c) {
        sets.segment[c + 1] = sets.segment[c] + size[c];
        sets.segment_words[c + 1] = sets.segment_words[c] + (size[c] + 63) / 64;
    }
    sets.words = sets.segment_words[classes];
    sets.order.resize(sets.segment[classes]);
    sets.masks.assign((codes.rows + 63) / 64 * classes, 0);
    std::vector<std::size_t> next(sets.segment.begin(), sets.segment.end() - 1);
    for (std::size_t i = 0; i < codes.rows; ++i) {
        if (labels[i] == kMissing<std::uint8_t>) continue;
        sets.order[next[labels[i]]++] = static_cast<std::uint32_t>(i);
        sets.masks[i / 64 * classes + labels[i]] |= std::uint64_t{1} << (i % 64);
    }
}

// Bit sets of one feature, and its margins per class.
void pack_feature(const CodeMatrix<std::uint8_t>& codes, std::size_t column, std::size_t feature,
                  std::size_t arity, ClassBitsets& sets) {
    const BitsetKernels& kernels = bitset_kernels();
    const std::size_t classes = sets.segment.size() - 1;
    const ClassOrder order{codes.rows,          classes,
                           sets.segment.data(), sets.segment_words.data(),
                           sets.order.data(),   sets.masks.data()};
    const std::unique_ptr<std::uint8_t[]> sorted(new std::uint8_t[64 * sets.words]);
    kernels.reorder(codes.column(column), order, sorted.get());
    const unsigned states = sets.states[feature];
    std::uint64_t* out = sets.bits.get() + sets.first_set[feature] * sets.words;
    std::int64_t* margin = sets.margins.data() + sets.margin_offset[feature];
    std::uint64_t packed[256];
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t w = sets.segment_words[c]; w < sets.segment_words[c + 1]; ++w) {
            kernels.pack(sorted.get() + 64 * w, 0, states, packed);
            for (unsigned s = 0; s < states; ++s) {
                out[s * sets.words + w] = packed[s];
                margin[c * arity + s] += __builtin_popcountll(packed[s]);
            }
        }
        // With no missing value the last state is what the others leave.
        if (states < arity) {
            std::int64_t others = 0;
            for (unsigned s = 0; s < states; ++s) others += margin[c * arity + s];
            margin[c * arity + states] =
                static_cast<std::int64_t>(sets.segment[c + 1] - sets.segment[c]) - others;
        }
    }
}

// Decides which features get bit sets and how many. Wide features first drop out, so that all bit sets
// together never take more memory than the encoded table itself.
void plan_bitsets(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                  std::span<const std::int64_t> features, std::size_t classes, ClassBitsets& sets) {
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
        const std::uint8_t* column = codes.column(features[f]);
        if (used + arity > budget) continue;
        const bool missing =
            std::find(column, column + codes.rows, kMissing<std::uint8_t>) != column + codes.rows;
        sets.states[f] = static_cast<unsigned>(arity - (missing || arity == 1 ? 0 : 1));
        sets.first_set[f] = used;
        used += sets.states[f];
        sets.margin_offset[f] = margin;
        margin += classes * arity;
    }
    sets.bits.reset(new std::uint64_t[used * sets.words]);
    sets.margins.assign(margin, 0);
}

// joint[c][x][y] of a pair from the cells of its bit sets; the last state of a complete feature is a
// difference.
void complete_table(const ClassBitsets& sets, std::size_t i, std::size_t j, std::size_t ri, std::size_t rj,
                    std::size_t classes, const std::int64_t* cells, std::int64_t* joint) {
    const std::size_t si = sets.states[i];
    const std::size_t sj = sets.states[j];
    for (std::size_t c = 0; c < classes; ++c) {
        const std::int64_t* margin_i = sets.margins.data() + sets.margin_offset[i] + c * ri;
        const std::int64_t* margin_j = sets.margins.data() + sets.margin_offset[j] + c * rj;
        std::int64_t* out = joint + c * ri * rj;
        for (std::size_t x = 0; x < si; ++x) {
            std::int64_t rest = margin_i[x];
            for (std::size_t y = 0; y < sj; ++y) rest -= out[x * rj + y] = cells[(c * si + x) * sj + y];
            if (sj < rj) out[x * rj + sj] = rest;
        }
        if (si == ri) continue;
        for (std::size_t y = 0; y < rj; ++y) {
            std::int64_t rest = margin_j[y];
            for (std::size_t x = 0; x < si; ++x) rest -= out[x * rj + y];
            out[si * rj + y] = rest;
        }
    }
}

template <class Code, class Total>
void count_directly(const PairColumns<Code>& pair, std::size_t rows, const double* weights, Total* joint) {
    for (std::size_t row = 0; row < rows; ++row) {
        if (!pair.known(row)) continue;
        Total& cell = joint[(pair.labels[row] * pair.ri + pair.left[row]) * pair.rj + pair.right[row]];
        if constexpr (std::is_same_v<Total, double>)
            cell += weights ? weights[row] : 1.0;
        else
            ++cell;
    }
}

struct Pair {
    std::size_t i, j, number;
};

template <class Code>
PairColumns<Code> pair_columns(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                               std::span<const std::int64_t> features, std::int64_t target,
                               const Pair& pair) {
    const std::int64_t left = features[pair.i];
    const std::int64_t right = features[pair.j];
    return {codes.column(target),
            codes.column(left),
            codes.column(right),
            static_cast<std::size_t>(arities[target]),
            static_cast<std::size_t>(arities[left]),
            static_cast<std::size_t>(arities[right])};
}

// Pairs without bit sets: one increment per row or, for a giant table, sorted rows. Kept out of line:
// inlined, it slows the loop over bit sets beside it.
template <class Total, class Code>
[[gnu::noinline]] void sum_directly(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                                    std::span<const std::int64_t> features, std::int64_t target,
                                    const std::vector<Pair>& pairs, const double* weights, double pseudo,
                                    const EntropyTerm& term, double* sums) {
    std::vector<Total> joint;
    std::vector<Total> margins;
    for (const Pair& pair : pairs) {
        const auto columns = pair_columns(codes, arities, features, target, pair);
        double* out = sums + pair.number * kPairSums;
        if (sorting_pays(columns.cells(), codes.rows)) {
            reduce_sorted(columns, codes.rows, weights, pseudo, term, out);
            continue;
        }
        joint.assign(static_cast<std::size_t>(columns.cells()), static_cast<Total>(pseudo / columns.cells()));
        count_directly(columns, codes.rows, weights, joint.data());
        reduce_table(joint.data(), columns.classes, columns.ri, columns.rj, term, margins, out);
    }
}

// Pairs are handed out in square blocks of features, so that the bit sets of a block stay in the cache.
std::vector<std::vector<Pair>> pair_blocks(std::size_t n, std::size_t side) {
    std::vector<std::vector<Pair>> blocks;
    for (std::size_t top = 0; top < n; top += side) {
        for (std::size_t left = top; left < n; left += side) {
            std::vector<Pair> block;
            for (std::size_t i = top; i < std::min(n, top + side); ++i)
                for (std::size_t j = std::max(i + 1, left); j < std::min(n, left + side); ++j)
                    block.push_back({i, j, i * (2 * n - i - 1) / 2 + j - i - 1});
            if (!block.empty()) blocks.push_back(std::move(block));
        }
    }
    return blocks;
}

// The pairs of one block whose features both have bit sets: stretches of words outermost, so that a stretch
// of every bit set in the block is read from memory once and then met in the cache.
void intersect_block(const ClassBitsets& sets, const std::vector<Pair>& block, std::size_t classes,
                     const std::vector<std::size_t>& cell_offset, std::int64_t* cells) {
    constexpr std::size_t kStretch = 256;
    const BitsetKernels& kernels = bitset_kernels();
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t w = sets.segment_words[c]; w < sets.segment_words[c + 1]; w += kStretch) {
            const std::size_t words = std::min(kStretch, sets.segment_words[c + 1] - w);
            for (std::size_t p = 0; p < block.size(); ++p) {
                const unsigned si = sets.states[block[p].i];
                const unsigned sj = sets.states[block[p].j];
                if (si == 0 || sj == 0) continue;
                kernels.intersect(sets.bits.get() + sets.first_set[block[p].i] * sets.words + w, sets.words,
                                  si, sets.bits.get() + sets.first_set[block[p].j] * sets.words + w,
                                  sets.words, sj, words, cells + cell_offset[p] + c * si * sj);
            }
        }
    }
}

// Whether counting a pair by bit sets costs less than one increment per row.
bool bitsets_pay(const ClassBitsets& sets, std::size_t i, std::size_t j, std::size_t rows) {
    const double cells = static_cast<double>(sets.states[i]) * sets.states[j];
    return cells > 0 &&
           cells * static_cast<double>(sets.words) * bitset_kernels().cost < static_cast<double>(rows);
}

constexpr std::size_t kBlockSide = 16;

void plain_pair_sums(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                     std::span<const std::int64_t> features, std::int64_t target, double* sums, int threads) {
    const std::size_t n = features.size();
    const std::size_t classes = arities[target];
    ClassBitsets sets;
    sort_by_class(codes, target, classes, sets);
    plan_bitsets(codes, arities, features, classes, sets);
    parallel_for(n, threads, [&](std::size_t f) {
        if (sets.states[f]) pack_feature(codes, features[f], f, arities[features[f]], sets);
    });
    double total_cells = 0;
    for (std::size_t f = 0; f < n; ++f) total_cells += static_cast<double>(arities[features[f]]);
    const EntropyTerm term(codes.rows, total_cells * total_cells / 2 * static_cast<double>(classes));
    const auto blocks = pair_blocks(n, kBlockSide);
    parallel_for(blocks.size(), threads, [&](std::size_t b) {
        std::vector<Pair> by_bits;
        std::vector<Pair> directly;
        for (const Pair& pair : blocks[b])
            (bitsets_pay(sets, pair.i, pair.j, codes.rows) ? by_bits : directly).push_back(pair);
        std::vector<std::size_t> cell_offset(by_bits.size() + 1, 0);
        for (std::size_t p = 0; p < by_bits.size(); ++p)
            cell_offset[p + 1] =
                cell_offset[p] + classes * sets.states[by_bits[p].i] * sets.states[by_bits[p].j];
        std::vector<std::int64_t> cells(cell_offset[by_bits.size()], 0);
        intersect_block(sets, by_bits, classes, cell_offset, cells.data());
        std::vector<std::int64_t> joint;
        std::vector<std::int64_t> margins;
        for (std::size_t p = 0; p < by_bits.size(); ++p) {
            const std::size_t ri = arities[features[by_bits[p].i]];
            const std::size_t rj = arities[features[by_bits[p].j]];
            joint.resize(classes * ri * rj);
            complete_table(sets, by_bits[p].i, by_bits[p].j, ri, rj, classes, cells.data() + cell_offset[p],
                           joint.data());
            reduce_table(joint.data(), classes, ri, rj, term, margins, sums + by_bits[p].number * kPairSums);
        }
        sum_directly<std::int64_t>(codes, arities, features, target, directly, nullptr, 0.0, term, sums);
    });
}

template <class Code>
void real_pair_sums(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                    std::span<const std::int64_t> features, std::int64_t target, const double* weights,
                    double pseudo, double* sums, int threads) {
    const EntropyTerm term(0, -1.0);
    const auto blocks = pair_blocks(features.size(), 4);
    parallel_for(blocks.size(), threads, [&](std::size_t b) {
        sum_directly<double>(codes, arities, features, target, blocks[b], weights, pseudo, term, sums);
    });
}

}  // namespace

template <>
void pair_sums(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
               std::span<const std::int64_t> features, std::int64_t target, const double* weights,
               double pseudo, double* sums, int threads) {
    // Row numbers of the class order are 32 bits wide.
    if (weights == nullptr && pseudo == 0.0 && codes.rows < (std::size_t{1} << 32))
        plain_pair_sums(codes, arities, features, target, sums, threads);
    else
        real_pair_sums(codes, arities, features, target, weights, pseudo, sums, threads);
}

template <>
void pair_sums(const CodeMatrix<std::uint16_t>& codes, std::span<const std::int64_t> arities,
               std::span<const std::int64_t> features, std::int64_t target, const double* weights,
               double pseudo, double* sums, int threads) {
    real_pair_sums(codes, arities, features, target, weights, pseudo, sums, threads);
}

}  // namespace bayleaf
