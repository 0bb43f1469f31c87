// Floor: one read and one write of the codes.
#include "encode/translate.hpp"

#include <array>

namespace bayleaf {

namespace {

// One byte per level, the negative codes among them, so that no row needs a question.
template <class To>
void translate_bytes(const std::int8_t* codes, std::size_t rows, const std::int32_t* lookup,
                     std::size_t levels, To* out) {
    std::array<To, 256> by_byte;
    by_byte.fill(-1);
    for (std::size_t k = 0; k < levels && k < 128; ++k) by_byte[k] = static_cast<To>(lookup[k]);
    for (std::size_t i = 0; i < rows; ++i) out[i] = by_byte[static_cast<std::uint8_t>(codes[i])];
}

// Where a value lies above `low`; both wrap around, so that the difference is right for every type.
template <class Integer>
std::size_t above(Integer value, std::int64_t low) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(low));
}

}  // namespace

template <class From, class To>
void translate(const From* codes, std::size_t rows, const std::int32_t* lookup, std::size_t levels, To* out) {
    if constexpr (sizeof(From) == 1) {
        translate_bytes(codes, rows, lookup, levels, out);
    } else {
        for (std::size_t i = 0; i < rows; ++i)
            out[i] = codes[i] < 0 ? To{-1} : static_cast<To>(lookup[static_cast<std::size_t>(codes[i])]);
    }
}

template <class Integer>
void mark_integers(const Integer* values, std::size_t rows, std::int64_t stride, std::int64_t low,
                   std::uint8_t* present) {
    for (std::size_t i = 0; i < rows; ++i, values += stride) present[above(*values, low)] = 1;
}

template <class Integer, class To>
void number_integers(const Integer* values, std::size_t rows, std::int64_t stride, std::int64_t low,
                     const std::int32_t* lookup, To* out) {
    for (std::size_t i = 0; i < rows; ++i, values += stride)
        out[i] = static_cast<To>(lookup[above(*values, low)]);
}

#define BAYLEAF_TRANSLATE(From, To) \
    template void translate(const From*, std::size_t, const std::int32_t*, std::size_t, To*);
#define BAYLEAF_TRANSLATE_FROM(From)      \
    BAYLEAF_TRANSLATE(From, std::int8_t)  \
    BAYLEAF_TRANSLATE(From, std::int16_t) \
    BAYLEAF_TRANSLATE(From, std::int32_t) \
    BAYLEAF_TRANSLATE(From, std::int64_t)
BAYLEAF_TRANSLATE_FROM(std::int8_t)
BAYLEAF_TRANSLATE_FROM(std::int16_t)
BAYLEAF_TRANSLATE_FROM(std::int32_t)
BAYLEAF_TRANSLATE_FROM(std::int64_t)

#define BAYLEAF_NUMBER(Integer, To)                                                        \
    template void number_integers(const Integer*, std::size_t, std::int64_t, std::int64_t, \
                                  const std::int32_t*, To*);
#define BAYLEAF_INTEGERS(Integer)                                                                        \
    template void mark_integers(const Integer*, std::size_t, std::int64_t, std::int64_t, std::uint8_t*); \
    BAYLEAF_NUMBER(Integer, std::int8_t)                                                                 \
    BAYLEAF_NUMBER(Integer, std::int16_t)                                                                \
    BAYLEAF_NUMBER(Integer, std::int32_t)
BAYLEAF_INTEGERS(std::int8_t)
BAYLEAF_INTEGERS(std::uint8_t)
BAYLEAF_INTEGERS(std::int16_t)
BAYLEAF_INTEGERS(std::uint16_t)
BAYLEAF_INTEGERS(std::int32_t)
BAYLEAF_INTEGERS(std::uint32_t)
BAYLEAF_INTEGERS(std::int64_t)
BAYLEAF_INTEGERS(std::uint64_t)

}  // namespace bayleaf
