#include "bayleaf/column_bitsets.hpp"

#include <algorithm>

#include "bayleaf/bitset.hpp"
#include "bayleaf/parallel.hpp"

namespace bayleaf {
namespace {

constexpr std::int64_t kMostStates = 8;

void pack_column(const std::uint8_t* column, std::size_t rows, unsigned states, std::size_t words,
                 std::uint64_t* out) {
    const BitsetKernels& kernels = bitset_kernels();
    std::uint64_t packed[kMostStates];
    std::int64_t counts[kMostStates] = {};
    for (std::size_t w = 0; w < words; ++w) {
        std::uint8_t tail[64];
        const std::uint8_t* codes = column + 64 * w;
        if (64 * (w + 1) > rows) {
            std::fill_n(tail, 64, kMissing<std::uint8_t>);
            std::copy_n(codes, rows - 64 * w, tail);
            codes = tail;
        }
        kernels.pack(codes, states, packed, counts);
        for (unsigned s = 0; s < states; ++s) out[s * words + w] = packed[s];
    }
}

}  // namespace

ColumnBitsets column_bitsets(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                             int threads) {
    ColumnBitsets sets;
    sets.words = (codes.rows + 63) / 64;
    std::size_t used = 0;
    for (const std::int64_t arity : arities) {
        sets.has_sets.push_back(arity <= kMostStates);
        sets.first_set.push_back(used);
        if (arity <= kMostStates) used += static_cast<std::size_t>(arity);
    }
    sets.bits.reset(new std::uint64_t[used * sets.words]);
    parallel_for(codes.columns, threads, [&](std::size_t j) {
        if (sets.has_sets[j])
            pack_column(codes.column(j), codes.rows, static_cast<unsigned>(arities[j]), sets.words,
                        sets.bits.get() + sets.first_set[j] * sets.words);
    });
    return sets;
}

}  // namespace bayleaf
