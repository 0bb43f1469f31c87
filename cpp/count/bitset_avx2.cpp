// Compiled with -mavx2 -mpopcnt; reached only on machines that have them.
#include "count/bitset_loops.hpp"

namespace bayleaf {
extern const BitsetKernels kBitsetAvx2;
const BitsetKernels kBitsetAvx2{reorder, pack, intersect, tally, 0.7};
}  // namespace bayleaf
