// Floor: one read of the numbers, one write of the codes.
#include "encode/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/dispatch.hpp"
#include "encode/sorting.hpp"

namespace bayleaf {

namespace {

constexpr std::size_t kTile = 256;
// Up to so many cuts, counting those below each value is faster than searching.
constexpr std::size_t kFewCuts = 12;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Both fill `codes` of one tile, of which all kTile values are there.
BAYLEAF_CLONES void count_cuts(const double* values, const double* cuts, std::size_t n_cuts,
                               std::int64_t* codes) {
    for (std::size_t i = 0; i < kTile; ++i) codes[i] = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
        const double cut = cuts[c];
        for (std::size_t i = 0; i < kTile; ++i) codes[i] += values[i] > cut ? 1 : 0;
    }
}

// A binary search in all lanes at once; `cuts` are padded with infinities to 2^steps - 1.
BAYLEAF_CLONES void search_cuts(const double* values, const double* cuts, int steps, std::int64_t* codes) {
    for (std::size_t i = 0; i < kTile; ++i) codes[i] = 0;
    for (int step = steps - 1; step >= 0; --step) {
        const std::int64_t half = std::int64_t{1} << step;
        for (std::size_t i = 0; i < kTile; ++i) codes[i] += cuts[codes[i] + half - 1] < values[i] ? half : 0;
    }
}

#define BAYLEAF_NARROW_CODES(Code)                                                                   \
    BAYLEAF_CLONES void narrow_codes(const double* values, const std::int64_t* codes, std::size_t n, \
                                     Code missing, Code* out, std::int64_t* odd) {                   \
        std::int64_t unknown = 0;                                                                    \
        std::int64_t infinite = 0;                                                                   \
        for (std::size_t i = 0; i < n; ++i) {                                                        \
            const bool known = values[i] == values[i];                                               \
            out[i] = known ? static_cast<Code>(codes[i]) : missing;                                  \
            unknown += known ? 0 : 1;                                                                \
            infinite += std::abs(values[i]) == kInfinite ? 1 : 0;                                    \
        }                                                                                            \
        odd[0] += unknown;                                                                           \
        odd[1] += infinite;                                                                          \
    }
BAYLEAF_NARROW_CODES(std::uint8_t)
BAYLEAF_NARROW_CODES(std::uint16_t)
BAYLEAF_NARROW_CODES(std::uint32_t)
#undef BAYLEAF_NARROW_CODES

template <class Number>
void load(const NumberView<Number>& values, std::size_t first, std::size_t n, double* tile) {
    if (values.stride == 1) {  // said apart, so that it becomes vector code
        for (std::size_t i = 0; i < n; ++i) tile[i] = static_cast<double>(values.data[first + i]);
    } else {
        // The next tile is on its way from memory while this one is coded.
        const std::int64_t ahead = static_cast<std::int64_t>(kTile) * values.stride;
        for (std::size_t i = 0; i < n; ++i) {
            const Number* value = values.data + static_cast<std::int64_t>(first + i) * values.stride;
            if (first + i + kTile < values.size) __builtin_prefetch(value + ahead);
            tile[i] = static_cast<double>(*value);
        }
    }
}

}  // namespace

template <class Number, class Code>
OddValues code_by_cuts(const NumberView<Number>& values, std::span<const double> cuts, Code missing,
                       Code* out) {
    int steps = 0;
    while ((std::size_t{1} << steps) <= cuts.size()) ++steps;
    std::vector<double> padded(cuts.begin(), cuts.end());
    padded.resize((std::size_t{1} << steps) - 1, kInfinite);
    double tile[kTile] = {};
    std::int64_t codes[kTile];
    std::int64_t odd[2] = {0, 0};
    for (std::size_t first = 0; first < values.size; first += kTile) {
        const std::size_t n = std::min(kTile, values.size - first);
        load(values, first, n, tile);
        if (cuts.size() <= kFewCuts) {
            count_cuts(tile, cuts.data(), cuts.size(), codes);
        } else {
            search_cuts(tile, padded.data(), steps, codes);
        }
        narrow_codes(tile, codes, n, missing, out + first, odd);
    }
    return {static_cast<std::size_t>(odd[0]), static_cast<std::size_t>(odd[1])};
}

template <class Number, class Label>
void sort_by_class(const NumberView<Number>& values, const Label* classes,
                   std::span<const std::int64_t> starts, std::uint64_t* out, std::uint64_t* spare,
                   std::int64_t* counts) {
    std::vector<std::int64_t> next(starts.begin(), starts.end());
    for (std::size_t i = 0; i < values.size; ++i) {
        const double value = values[i];
        std::int64_t& at = next[classes[i]];
        out[at] = key_of(value);  // a missing one is overwritten,
        at += value == value;     // or lies behind the known ones
    }
    for (std::size_t c = 0; c < starts.size(); ++c) {
        counts[c] = next[c] - starts[c];
        std::uint64_t* keys = out + starts[c];
        const auto count = static_cast<std::size_t>(counts[c]);
        sort_keys(keys, count, spare);
        for (std::size_t i = 0; i < count; ++i) keys[i] = bits_of(keys[i]);
    }
}

template <class Number>
void value_range(const NumberView<Number>& values, Number* least, Number* greatest) {
    Number low = std::numeric_limits<Number>::max();
    Number high = std::numeric_limits<Number>::lowest();
    for (std::size_t i = 0; i < values.size; ++i) {
        const Number value = values.data[static_cast<std::int64_t>(i) * values.stride];
        low = std::min(low, value);
        high = std::max(high, value);
    }
    *least = low;
    *greatest = high;
}

template <class Number, class Label>
void count_by_class(const NumberView<Number>& values, const Label* classes, std::size_t n_classes,
                    Number lowest, std::int64_t* counts) {
    for (std::size_t i = 0; i < values.size; ++i) {
        const Number value = values.data[static_cast<std::int64_t>(i) * values.stride];
        // As unsigned numbers, which may not overflow.
        const auto above = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(lowest);
        ++counts[above * n_classes + classes[i]];
    }
}

#define BAYLEAF_FOR_NUMBER(Number)                                                                     \
    template OddValues code_by_cuts(const NumberView<Number>&, std::span<const double>, std::uint8_t,  \
                                    std::uint8_t*);                                                    \
    template OddValues code_by_cuts(const NumberView<Number>&, std::span<const double>, std::uint16_t, \
                                    std::uint16_t*);                                                   \
    template OddValues code_by_cuts(const NumberView<Number>&, std::span<const double>, std::uint32_t, \
                                    std::uint32_t*);                                                   \
    template void sort_by_class(const NumberView<Number>&, const std::uint8_t*,                        \
                                std::span<const std::int64_t>, std::uint64_t*, std::uint64_t*,         \
                                std::int64_t*);                                                        \
    template void sort_by_class(const NumberView<Number>&, const std::uint32_t*,                       \
                                std::span<const std::int64_t>, std::uint64_t*, std::uint64_t*,         \
                                std::int64_t*);
#define BAYLEAF_FOR_INTEGER(Number)                                                                    \
    BAYLEAF_FOR_NUMBER(Number)                                                                         \
    template void value_range(const NumberView<Number>&, Number*, Number*);                            \
    template void count_by_class(const NumberView<Number>&, const std::uint8_t*, std::size_t, Number,  \
                                 std::int64_t*);                                                       \
    template void count_by_class(const NumberView<Number>&, const std::uint32_t*, std::size_t, Number, \
                                 std::int64_t*);
BAYLEAF_FOR_NUMBER(double)
BAYLEAF_FOR_NUMBER(float)
BAYLEAF_FOR_INTEGER(std::int8_t)
BAYLEAF_FOR_INTEGER(std::int16_t)
BAYLEAF_FOR_INTEGER(std::int32_t)
BAYLEAF_FOR_INTEGER(std::int64_t)
BAYLEAF_FOR_INTEGER(std::uint8_t)
BAYLEAF_FOR_INTEGER(std::uint16_t)
BAYLEAF_FOR_INTEGER(std::uint32_t)
BAYLEAF_FOR_INTEGER(std::uint64_t)

}  // namespace bayleaf
