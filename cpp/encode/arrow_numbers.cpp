// Floor: one read of the values, and one write where they cannot stay where they are.
#include "encode/arrow_numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace bayleaf {

namespace {

// A number of sixteen bits: one for the sign, five for the exponent, ten for the fraction.
struct Half {
    std::uint16_t bits;

    explicit operator double() const {
        const int exponent = (bits >> 10) & 31;
        const int fraction = bits & 1023;
        double size = 0;
        if (exponent == 31)
            size =
                fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
        else
            size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
        return bits >> 15 ? -size : size;
    }
};

template <class Value>
void copy_chunk(const ArrowChunk& chunk, double* out) {
    const Value* values = chunk.values<Value>() + chunk.offset;
    for (std::int64_t i = 0; i < chunk.length; ++i) out[i] = static_cast<double>(values[i]);
    const std::uint8_t* valid = chunk.validity();
    if (valid == nullptr) return;
    for (std::int64_t i = 0; i < chunk.length; ++i)
        if (!bit(valid, chunk.offset + i)) out[i] = std::numeric_limits<double>::quiet_NaN();
}

void copy_chunk(const ArrowChunk& chunk, char letter, double* out) {
    switch (letter) {
        case 'c':
            return copy_chunk<std::int8_t>(chunk, out);
        case 'C':
            return copy_chunk<std::uint8_t>(chunk, out);
        case 's':
            return copy_chunk<std::int16_t>(chunk, out);
        case 'S':
            return copy_chunk<std::uint16_t>(chunk, out);
        case 'i':
            return copy_chunk<std::int32_t>(chunk, out);
        case 'I':
            return copy_chunk<std::uint32_t>(chunk, out);
        case 'l':
            return copy_chunk<std::int64_t>(chunk, out);
        case 'L':
            return copy_chunk<std::uint64_t>(chunk, out);
        case 'e':
            return copy_chunk<Half>(chunk, out);
        case 'f':
            return copy_chunk<float>(chunk, out);
        default:
            return copy_chunk<double>(chunk, out);
    }
}

std::size_t width_of(char letter) { return letter == 'g' ? sizeof(double) : integer_width(letter); }

bool misses(const ArrowChunk& chunk) {
    const std::uint8_t* valid = chunk.validity();
    if (valid == nullptr) return false;
    for (std::int64_t i = chunk.offset; i < chunk.offset + chunk.length; ++i)
        if (!bit(valid, i)) return true;
    return false;
}

}  // namespace

std::size_t integer_width(char letter) {
    if (letter == 'c' || letter == 'C') return 1;
    if (letter == 's' || letter == 'S') return 2;
    return letter == 'i' || letter == 'I' ? 4 : 8;
}

bool any_missing(const ArrowTable& table, std::size_t column) {
    for (const ArrowChunk& chunk : table.chunks(column))
        if (misses(chunk)) return true;
    return false;
}

const void* plain_numbers(const ArrowTable& table, std::size_t column) {
    const ArrowField& field = table.fields()[column];
    const auto chunks = table.chunks(column);
    const bool stays =
        field.kind == ArrowKind::integer || field.kind == ArrowKind::moment || field.letter == 'g';
    if (!stays || chunks.size() != 1 || misses(chunks[0])) return nullptr;
    const char* values = chunks[0].values<char>();
    const std::size_t width = width_of(field.letter);
    const char* first = values + static_cast<std::size_t>(chunks[0].offset) * width;
    return reinterpret_cast<std::uintptr_t>(first) % width == 0 ? first : nullptr;
}

void copy_integers(const ArrowTable& table, std::size_t column, void* out) {
    const std::size_t width = integer_width(table.fields()[column].letter);
    auto* to = static_cast<char*>(out);
    for (const ArrowChunk& chunk : table.chunks(column)) {
        const std::size_t bytes = static_cast<std::size_t>(chunk.length) * width;
        std::memcpy(to, chunk.values<char>() + static_cast<std::size_t>(chunk.offset) * width, bytes);
        to += bytes;
    }
}

void copy_floats(const ArrowTable& table, std::size_t column, double* out) {
    for (const ArrowChunk& chunk : table.chunks(column)) {
        copy_chunk(chunk, table.fields()[column].letter, out);
        out += chunk.length;
    }
}

}  // namespace bayleaf
