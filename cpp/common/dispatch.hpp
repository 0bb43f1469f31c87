// Loops that are compiled several times: for wider instructions, and for common numbers of classes.
#pragma once

#include <cstdlib>  // any header of the C library says whether that is glibc; musl's loader cannot pick versions

// Plain loops that profit from wider instructions: the loader picks the best version for the machine. Only
// integer work and additions in a fixed order are marked so: every version gives the same bits. They start on
// a cache line: where the linker happens to put them would otherwise decide a quarter of their speed.
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && \
    !defined(__clang__)
#define BAYLEAF_CLONES \
    __attribute__((aligned(64), target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BAYLEAF_CLONES
#endif

#define BAYLEAF_INLINE inline __attribute__((always_inline))

// Returns Body<number of classes>(...), in which the compiler unrolls loops over the classes, or Body<0>(...)
// for other numbers.
#define BAYLEAF_BY_CLASSES(classes, Body, ...) \
    switch (classes) {                         \
        case 1:                                \
            return Body<1>(__VA_ARGS__);       \
        case 2:                                \
            return Body<2>(__VA_ARGS__);       \
        case 3:                                \
            return Body<3>(__VA_ARGS__);       \
        case 4:                                \
            return Body<4>(__VA_ARGS__);       \
        case 5:                                \
            return Body<5>(__VA_ARGS__);       \
        case 6:                                \
            return Body<6>(__VA_ARGS__);       \
        case 7:                                \
            return Body<7>(__VA_ARGS__);       \
        case 8:                                \
            return Body<8>(__VA_ARGS__);       \
        case 10:                               \
            return Body<10>(__VA_ARGS__);      \
        case 26:                               \
            return Body<26>(__VA_ARGS__);      \
        default:                               \
            return Body<0>(__VA_ARGS__);       \
    }
