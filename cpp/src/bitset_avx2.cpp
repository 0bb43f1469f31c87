// Compiled with -mavx2 -mpopcnt; reached only on machines that have them.
#include "bayleaf/bitset_loops.inl"

namespace bayleaf {
extern const BitsetKernels kBitsetAvx2;
const BitsetKernels kBitsetAvx2{reorder, pack, intersect, tally, 0.7};
}  // namespace bayleaf
