// Floor: one read of the numbers, one write of the codes, and for few cuts one comparison per value and cut,
// several at a time.
#include "network/value_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include "common/codes.hpp"
#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {
namespace {

// Columns whose values are brought together at a time: the numbers of one cache line.
constexpr std::size_t kTileColumns = 8;
// Values that are compared side by side.
constexpr std::size_t kLanes = 32;
// Up to here, comparing with every cut is faster than looking for its group first ...
constexpr std::size_t kFewCuts = 48;
constexpr std::size_t kGroup = 8;
// ... and up to here, comparing with every group is faster than halving.
constexpr std::size_t kManyCuts = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
static_assert(kReadBlock % kLanes == 0);
// Categories that are whole numbers are looked up in a list, unless it would be longer than this.
constexpr double kLongestList = 4096;

BAYLEAF_CLONES bool all_finite(const double* values, std::size_t n) {
    std::int64_t odd = 0;
    for (std::size_t i = 0; i < n; ++i) odd += values[i] - values[i] != 0.0;  // NaN, and infinite numbers
    return odd == 0;
}

// out[i] = number of cuts below values[i]. Room for a multiple of kLanes values is there in both.
#define BAYLEAF_COUNT_CUTS(Code)                                                                      \
    BAYLEAF_CLONES void count_cuts(const double* values, std::size_t n, const double* cuts,           \
                                   std::size_t n_cuts, Code* out) {                                   \
        for (std::size_t i = 0; i < n; i += kLanes) {                                                 \
            std::int64_t below[kLanes] = {};                                                          \
            for (std::size_t c = 0; c < n_cuts; ++c)                                                  \
                for (std::size_t l = 0; l < kLanes; ++l) below[l] += values[i + l] > cuts[c] ? 1 : 0; \
            for (std::size_t l = 0; l < kLanes; ++l) out[i + l] = static_cast<Code>(below[l]);        \
        }                                                                                             \
    }
BAYLEAF_COUNT_CUTS(std::uint8_t)
BAYLEAF_COUNT_CUTS(std::uint16_t)
#undef BAYLEAF_COUNT_CUTS

// The same for many cuts, in two looks: which group of kGroup cuts the value falls into, then how many of
// that group are below it. cuts are filled up with infinities to whole groups.
#define BAYLEAF_COUNT_GROUPS(Code)                                                                \
    BAYLEAF_CLONES void count_groups(const double* values, std::size_t n, const double* cuts,     \
                                     std::size_t n_groups, Code* out) {                           \
        for (std::size_t i = 0; i < n; i += kLanes) {                                             \
            std::int64_t group[kLanes] = {};                                                      \
            for (std::size_t g = 1; g < n_groups; ++g)                                            \
                for (std::size_t l = 0; l < kLanes; ++l)                                          \
                    group[l] += values[i + l] > cuts[g * kGroup - 1] ? 1 : 0;                     \
            for (std::size_t l = 0; l < kLanes; ++l) {                                            \
                const double* own = cuts + static_cast<std::size_t>(group[l]) * kGroup;           \
                std::int64_t below = group[l] * static_cast<std::int64_t>(kGroup);                \
                for (std::size_t c = 0; c < kGroup; ++c) below += values[i + l] > own[c] ? 1 : 0; \
                out[i + l] = static_cast<Code>(below);                                            \
            }                                                                                     \
        }                                                                                         \
    }
BAYLEAF_COUNT_GROUPS(std::uint8_t)
BAYLEAF_COUNT_GROUPS(std::uint16_t)
#undef BAYLEAF_COUNT_GROUPS

template <class Code>
void cut(const ColumnRule& rule, const double* values, std::size_t n, Code* out) {
    if (n == 1) {
        *out = static_cast<Code>(code_of(rule, *values));
    } else if (rule.points.size() <= kFewCuts) {
        count_cuts(values, n, rule.points.data(), rule.points.size(), out);
    } else if (rule.points.size() <= kManyCuts) {
        double filled[kManyCuts];
        std::fill(std::copy(rule.points.begin(), rule.points.end(), filled), filled + kManyCuts, kInfinity);
        count_groups(values, n, filled, (rule.points.size() + kGroup - 1) / kGroup, out);
    } else {
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Code>(code_of(rule, values[i]));
    }
}

// Categories that are whole numbers one after another: out[i] = values[i] - first, the missing code for any
// other number. Returns whether there are no others.
#define BAYLEAF_COUNT_FROM(Code)                                                                   \
    BAYLEAF_CLONES bool count_from(double first, double last, const double* values, std::size_t n, \
                                   Code* out) {                                                    \
        std::int32_t unknown = 0;                                                                  \
        for (std::size_t i = 0; i < n; ++i) {                                                      \
            const bool inside = values[i] >= first && values[i] <= last;                           \
            const auto k = static_cast<std::int32_t>(inside ? values[i] - first : 0.0);            \
            const bool known = inside && static_cast<double>(k) + first == values[i];              \
            unknown += known ? 0 : 1;                                                              \
            out[i] = known ? static_cast<Code>(k) : kMissing<Code>;                                \
        }                                                                                          \
        return unknown == 0;                                                                       \
    }
BAYLEAF_COUNT_FROM(std::uint8_t)
BAYLEAF_COUNT_FROM(std::uint16_t)
#undef BAYLEAF_COUNT_FROM

template <class Code>
Met look_up(const ColumnRule& rule, const double* values, std::size_t n, Code* out) {
    Met met = 0;
    if (!rule.dense.empty() && rule.dense.size() == rule.points.size() && rule.ascending) {
        if (!count_from(rule.points.front(), rule.points.back(), values, n, out)) met = kMetUnknown;
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t code = code_of(rule, values[i]);
            if (code < 0) met = kMetUnknown;
            out[i] = static_cast<Code>(code);
        }
    }
    if (met == 0 || !rule.pools) return met;
    std::replace(out, out + n, kMissing<Code>, static_cast<Code>(rule.unknown));
    return 0;
}

// Missing values get the missing code, or the one that takes its place.
template <class Code>
Met set_missing(const ColumnRule& rule, const double* values, std::size_t n, Code* out) {
    Met met = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isinf(values[i])) met |= kMetInfinite;
        if (!std::isnan(values[i])) continue;
        if (rule.fill < 0) met |= kMetMissing;
        out[i] = rule.fill < 0 ? kMissing<Code> : static_cast<Code>(rule.fill);
    }
    return met;
}

template <class Code>
Met read_column(const ColumnRule& rule, const double* values, std::size_t n, bool finite, Code* out) {
    finite = finite || all_finite(values, n);
    if (rule.reading == Reading::kNothing) {
        std::fill_n(out, n, rule.fill < 0 ? kMissing<Code> : static_cast<Code>(rule.fill));
        return (rule.fill < 0 ? kMetMissing : 0) | (finite ? 0 : set_missing(rule, values, n, out));
    }
    Met met = 0;
    if (rule.reading == Reading::kCuts) {
        cut(rule, values, n, out);
    } else {
        met = look_up(rule, values, n, out);
    }
    if (finite) return met;
    if (rule.reading == Reading::kNumbers) {  // a missing value is not an unknown category
        met = 0;
        for (std::size_t i = 0; i < n; ++i)
            if (!std::isnan(values[i]) && out[i] == kMissing<Code>) met = kMetUnknown;
    }
    return met | set_missing(rule, values, n, out);
}

}  // namespace

void complete_rule(ColumnRule& rule) {
    if (rule.reading != Reading::kNumbers || rule.points.empty()) return;
    const double first = rule.points.front();
    if (rule.points.back() - first >= kLongestList) return;
    for (const double point : rule.points)
        if (point != std::floor(point)) return;
    rule.dense.assign(static_cast<std::size_t>(rule.points.back() - first) + 1, kMissing<std::uint16_t>);
    for (std::size_t k = 0; k < rule.points.size(); ++k)
        rule.dense[static_cast<std::size_t>(rule.points[k] - first)] = rule.codes[k];
    rule.ascending = std::is_sorted(rule.codes.begin(), rule.codes.end());
}

std::int64_t code_of(const ColumnRule& rule, double value) {
    if (!rule.dense.empty()) {
        const double first = rule.points.front();
        if (!(value >= first && value <= rule.points.back())) return -1;
        const auto k = static_cast<std::size_t>(value - first);
        const bool known =
            static_cast<double>(k) + first == value && rule.dense[k] != kMissing<std::uint16_t>;
        return known ? rule.dense[k] : -1;
    }
    const auto found = std::lower_bound(rule.points.begin(), rule.points.end(), value);
    const std::int64_t below = found - rule.points.begin();
    if (rule.reading == Reading::kCuts) return below;
    return found != rule.points.end() && *found == value ? rule.codes[below] : -1;
}

template <class Number, class Code>
void read_block(const std::vector<ColumnRule>& rules, const NumberMatrix<Number>& values, std::size_t begin,
                std::size_t rows, Code* codes, std::size_t stride, Met* met) {
    alignas(64) double tile[kTileColumns * kReadBlock];
    const Number* first = values.data + static_cast<std::int64_t>(begin) * values.row_stride;
    for (std::size_t from = 0; from < values.columns; from += kTileColumns) {
        const std::size_t width = std::min(kTileColumns, values.columns - from);
        const Number* corner = first + static_cast<std::int64_t>(from) * values.column_stride;
        if (values.column_stride == 1) {
            for (std::size_t i = 0; i < rows; ++i, corner += values.row_stride)
                for (std::size_t j = 0; j < width; ++j)
                    tile[j * kReadBlock + i] = static_cast<double>(corner[j]);
        } else {
            for (std::size_t j = 0; j < width; ++j, corner += values.column_stride)
                for (std::size_t i = 0; i < rows; ++i)
                    tile[j * kReadBlock + i] =
                        static_cast<double>(corner[static_cast<std::int64_t>(i) * values.row_stride]);
        }
        for (std::size_t j = 0; j < width; ++j) {
            double* column = tile + j * kReadBlock;
            const std::size_t padded = (rows + kLanes - 1) / kLanes * kLanes;
            std::fill(column + rows, column + padded, 0.0);
            met[from + j] = read_column(rules[from + j], column, rows, std::is_integral_v<Number>,
                                        codes + (from + j) * stride);
        }
    }
}

template <class Number, class Code>
Met read_numbers(const std::vector<ColumnRule>& rules, const NumberMatrix<Number>& values, Code* codes,
                 std::uint8_t* missing, int threads) {
    std::vector<std::atomic<Met>> met(rules.size());
    parallel_blocks(values.rows, kReadBlock * 16, threads, [&](std::size_t first, std::size_t last) {
        std::vector<Code> block(rules.size() * kReadBlock);
        std::vector<Met> found(rules.size());
        for (std::size_t begin = first; begin < last; begin += kReadBlock) {
            const std::size_t rows = std::min(kReadBlock, last - begin);
            read_block(rules, values, begin, rows, block.data(), kReadBlock, found.data());
            for (std::size_t j = 0; j < rules.size(); ++j) {
                std::copy_n(block.data() + j * kReadBlock, rows, codes + j * values.rows + begin);
                if (found[j]) met[j].fetch_or(found[j], std::memory_order_relaxed);
            }
        }
    });
    Met overall = 0;
    for (std::size_t j = 0; j < rules.size(); ++j) {
        overall |= met[j];
        missing[j] = (met[j] & (kMetMissing | kMetUnknown)) != 0;
    }
    return overall;
}

#define BAYLEAF_READ(Number, Code)                                                                     \
    template void read_block(const std::vector<ColumnRule>&, const NumberMatrix<Number>&, std::size_t, \
                             std::size_t, Code*, std::size_t, Met*);                                   \
    template Met read_numbers(const std::vector<ColumnRule>&, const NumberMatrix<Number>&, Code*,      \
                              std::uint8_t*, int);
#define BAYLEAF_READ_BOTH(Number)      \
    BAYLEAF_READ(Number, std::uint8_t) \
    BAYLEAF_READ(Number, std::uint16_t)
BAYLEAF_READ_BOTH(double)
BAYLEAF_READ_BOTH(float)
BAYLEAF_READ_BOTH(std::int64_t)
BAYLEAF_READ_BOTH(std::int32_t)
BAYLEAF_READ_BOTH(std::uint8_t)
#undef BAYLEAF_READ_BOTH
#undef BAYLEAF_READ

}  // namespace bayleaf
