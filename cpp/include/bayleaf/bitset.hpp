// The two inner loops of bit-set counting, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayleaf {

struct BitsetKernels {
    // 64 codes -> one word per state: bit b of words[s] is set when codes[b] == first_state + s.
    void (*pack)(const std::uint8_t* codes, unsigned first_state, unsigned states, std::uint64_t* words);
    // counts[x * nb + y] += popcount(a[x] & b[y]) over `words` words, for na x nb pairs of bit sets that lie
    // `a_step` and `b_step` words apart.
    void (*intersect)(const std::uint64_t* a, std::size_t a_step, unsigned na, const std::uint64_t* b,
                      std::size_t b_step, unsigned nb, std::size_t words, std::int64_t* counts);
    // How much a word of intersection costs relative to one direct increment (for choosing between the two).
    double cost;
};

const BitsetKernels& bitset_kernels();

}  // namespace bayleaf
