// Compiled with -mavx512vpopcntdq and friends; reached only on machines that have them.
#include "count/bitset_loops.hpp"

namespace bayleaf {
extern const BitsetKernels kBitsetAvx512;
const BitsetKernels kBitsetAvx512{reorder, pack, intersect, tally, 0.15};
}  // namespace bayleaf
