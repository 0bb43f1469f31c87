// The inner loops of bit-set counting, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayleaf {

// How rows go when they are sorted by class: class c fills the bytes from 64 * segment_words[c] on.
struct ClassOrder {
    std::size_t rows;
    std::size_t classes;
    const std::size_t* segment;        // per class: where its rows begin in `order`; classes + 1 entries
    const std::size_t* segment_words;  // per class: where its words begin; classes + 1 entries
    const std::uint32_t* order;        // row numbers by class
    const std::uint64_t* masks;        // per 64 rows and class: which of them belong to it
};

struct BitsetKernels {
    // Writes a column of codes in class order, each class padded to whole words with 255.
    void (*reorder)(const std::uint8_t* codes, const ClassOrder& order, std::uint8_t* out);
    // 64 codes -> one word per state: bit b of words[s] is set when codes[b] == s. Their numbers are added to
    // counts.
    void (*pack)(const std::uint8_t* codes, unsigned states, std::uint64_t* words, std::int64_t* counts);
    // counts[x * nb + y] += popcount(a[x] & b[y]) over `words` words, for na x nb pairs of bit sets that lie
    // `a_step` and `b_step` words apart.
    void (*intersect)(const std::uint64_t* a, std::size_t a_step, unsigned na, const std::uint64_t* b,
                      std::size_t b_step, unsigned nb, std::size_t words, std::int64_t* counts);
    // counts[b] += how many of words[rows[0]], ..., words[rows[n - 1]] have bit b set, for all 64 bits.
    void (*tally)(const std::uint64_t* words, const std::uint32_t* rows, std::size_t n,
                  std::uint32_t* counts);
    // How much a word of intersection costs relative to one direct increment (for choosing between the two).
    double cost;
};

const BitsetKernels& bitset_kernels();

}  // namespace bayleaf
