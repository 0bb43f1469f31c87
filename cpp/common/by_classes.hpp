// Loops over classes whose number is fixed at compile time where it is small and common.
#pragma once

#define BAYLEAF_INLINE inline __attribute__((always_inline))

// Returns Body<number of classes>(...), or Body<0>(...) for other numbers.
#define BAYLEAF_BY_CLASSES(classes, Body, ...) \
    switch (classes) {                         \
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
