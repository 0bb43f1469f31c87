// Floor: one read of the integers, one write of the bytes.
#include "encode/encode.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {

namespace {

constexpr std::size_t kTileRows =
    128;  // rows whose bytes wait in the cache while column after column is written

// One row of integers becomes one row of bytes, and joins the largest values seen in each column. Negative
// values turn into huge unsigned ones and are found the same way.
#define BAYLEAF_NARROW(Integer, Unsigned)                                                 \
    BAYLEAF_CLONES void narrow(const Integer* values, std::size_t n, std::uint8_t* bytes, \
                               Unsigned* largest) {                                       \
        for (std::size_t j = 0; j < n; ++j) {                                             \
            const auto value = static_cast<Unsigned>(values[j]);                          \
            largest[j] = largest[j] > value ? largest[j] : value;                         \
            bytes[j] = static_cast<std::uint8_t>(value);                                  \
        }                                                                                 \
    }
BAYLEAF_NARROW(std::int8_t, std::uint8_t)
BAYLEAF_NARROW(std::uint8_t, std::uint8_t)
BAYLEAF_NARROW(std::int32_t, std::uint32_t)
BAYLEAF_NARROW(std::int64_t, std::uint64_t)
#undef BAYLEAF_NARROW

void transpose(const std::uint8_t* tile, std::size_t rows, std::size_t columns, std::uint8_t* out,
               std::size_t out_stride) {
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < rows; ++i) out[j * out_stride + i] = tile[i * columns + j];
}

// Threads are worth starting only for this many codes each, which one looks through in less time than one
// starts.
int threads_for_codes(std::size_t codes, int threads) {
    constexpr std::size_t kWorthAThread = std::size_t{1} << 20;
    return static_cast<int>(
        std::clamp<std::size_t>(codes / kWorthAThread, 1, static_cast<std::size_t>(std::max(threads, 1))));
}

}  // namespace

template <class Integer>
bool pack_integers(const Integer* values, std::size_t rows, std::size_t columns, std::int64_t row_stride,
                   std::int64_t column_stride, std::uint8_t* out, std::uint8_t* largest, int threads) {
    using Unsigned = std::make_unsigned_t<Integer>;
    std::vector<Unsigned> overall(columns, 0);
    std::mutex guard;
    parallel_blocks(rows, kTileRows * 64, threads, [&](std::size_t first, std::size_t last) {
        std::vector<Unsigned> top(columns, 0);
        std::vector<std::uint8_t> tile(kTileRows * columns);
        std::vector<Integer> row(columns);
        for (std::size_t begin = first; begin < last; begin += kTileRows) {
            const std::size_t n = std::min(kTileRows, last - begin);
            for (std::size_t i = 0; i < n; ++i) {
                const Integer* source = values + static_cast<std::int64_t>(begin + i) * row_stride;
                if (column_stride != 1) {
                    for (std::size_t j = 0; j < columns; ++j)
                        row[j] = source[static_cast<std::int64_t>(j) * column_stride];
                    source = row.data();
                }
                narrow(source, columns, tile.data() + i * columns, top.data());
            }
            transpose(tile.data(), n, columns, out + begin, rows);
        }
        const std::lock_guard lock(guard);
        for (std::size_t j = 0; j < columns; ++j) overall[j] = std::max(overall[j], top[j]);
    });
    constexpr auto kLargest = static_cast<Unsigned>(
        std::min<std::uint64_t>(254, static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())));
    for (std::size_t j = 0; j < columns; ++j) {
        if (overall[j] > kLargest) return false;
        largest[j] = static_cast<std::uint8_t>(overall[j]);
    }
    return true;
}

void present_states(const CodeMatrix<std::uint8_t>& codes, const std::uint8_t* largest, std::uint8_t* present,
                    int threads) {
    parallel_for(codes.columns, threads_for_codes(codes.rows * codes.columns, threads), [&](std::size_t j) {
        // A state that occurs is nearly always met at once; only an absent one costs a whole scan.
        for (unsigned s = 0; s <= largest[j]; ++s)
            present[j * 255 + s] = std::memchr(codes.column(j), static_cast<int>(s), codes.rows) != nullptr;
    });
}

namespace {

// Adding one turns the missing code into 0, so that one maximum looks past it and another finds it.
#define BAYLEAF_RANGE(Code)                                                                         \
    BAYLEAF_CLONES void range(const Code* column, std::size_t rows, Code* shifted_top, Code* top) { \
        Code a = 0;                                                                                 \
        Code b = 0;                                                                                 \
        for (std::size_t i = 0; i < rows; ++i) {                                                    \
            const Code shifted = static_cast<Code>(column[i] + 1);                                  \
            a = a > shifted ? a : shifted;                                                          \
            b = b > column[i] ? b : column[i];                                                      \
        }                                                                                           \
        *shifted_top = a;                                                                           \
        *top = b;                                                                                   \
    }
BAYLEAF_RANGE(std::uint8_t)
BAYLEAF_RANGE(std::uint16_t)
#undef BAYLEAF_RANGE

}  // namespace

template <class Code>
void column_range(const CodeMatrix<Code>& codes, std::int64_t* largest, std::uint8_t* missing, int threads) {
    parallel_for(codes.columns, threads_for_codes(codes.rows * codes.columns, threads), [&](std::size_t j) {
        Code shifted_top = 0;
        Code top = 0;
        range(codes.column(j), codes.rows, &shifted_top, &top);
        largest[j] = static_cast<std::int64_t>(shifted_top) - 1;
        missing[j] = codes.rows > 0 && top == kMissing<Code>;
    });
}

template void column_range(const CodeMatrix<std::uint8_t>&, std::int64_t*, std::uint8_t*, int);
template void column_range(const CodeMatrix<std::uint16_t>&, std::int64_t*, std::uint8_t*, int);

template bool pack_integers(const std::int8_t*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                            std::uint8_t*, std::uint8_t*, int);
template bool pack_integers(const std::uint8_t*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                            std::uint8_t*, std::uint8_t*, int);
template bool pack_integers(const std::int32_t*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                            std::uint8_t*, std::uint8_t*, int);
template bool pack_integers(const std::int64_t*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                            std::uint8_t*, std::uint8_t*, int);

}  // namespace bayleaf
