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
}  // namespace

const BitsetKernels& bitset_kernels() {
    static const BitsetKernels& chosen = best_for_this_machine();
    return chosen;
}

}  // namespace bayleaf
