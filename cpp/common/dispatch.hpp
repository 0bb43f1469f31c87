// Plain loops that profit from wider instructions are compiled several times; the loader picks the best
// version for the machine. Only integer work and additions in a fixed order are marked so: every version
// gives the same bits. They start on a cache line: where the linker happens to put them would otherwise
// decide a quarter of their speed.
#pragma once

#include <cstdlib>  // any header of the C library says whether that is glibc; musl's loader cannot pick versions

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && \
    !defined(__clang__)
#define BAYLEAF_CLONES \
    __attribute__((aligned(64), target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BAYLEAF_CLONES
#endif
