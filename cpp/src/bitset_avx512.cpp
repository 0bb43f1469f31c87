// Compiled with -mavx512vpopcntdq and friends; reached only on machines that have them.
#include "bayleaf/bitset_loops.inl"

namespace bayleaf {
extern const BitsetKernels kBitsetAvx512;
const BitsetKernels kBitsetAvx512{reorder, pack, intersect, tally, 0.15};
}  // namespace bayleaf
