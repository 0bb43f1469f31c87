#include "exact/small.hpp"

#include <algorithm>
#include <bit>

#include "common/dispatch.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace bayleaf {

namespace {

// counts[R] becomes the sum over all supersets of R.
BAYLEAF_CLONES void sum_supersets(std::int32_t* counts, std::size_t size) {
    for (std::size_t bit = 1; bit < size; bit *= 2) {
        for (std::size_t base = 0; base < size; base += 2 * bit) {
            for (std::size_t i = base; i < base + bit; ++i) counts[i] += counts[i + bit];
        }
    }
}

BAYLEAF_CLONES void add_all(std::int32_t* __restrict to, const std::int32_t* __restrict from,
                            std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[i] += from[i];
}

}  // namespace

template <class Code>
SmallGroups<Code>::SmallGroups(const DistinctRows<Code, std::uint32_t>& rows, std::size_t variables)
    : codes_(rows.size() * kSmallVariables, 0) {
    const std::size_t used = std::min(variables, kSmallVariables);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < used; ++j) codes_[i * kSmallVariables + j] = rows.columns[j][i];
    }
    for (auto& counts : counted_) counts.resize(std::size_t{1} << used);
    for (auto& counts : kept_) counts.resize(std::size_t{1} << used);
}

// The variables, as bits, on which two rows agree.
template <class Code>
std::uint32_t SmallGroups<Code>::agreement(std::uint32_t a, std::uint32_t b) const {
    const Code* first = codes_.data() + a * kSmallVariables;
    const Code* second = codes_.data() + b * kSmallVariables;
#ifdef __SSE2__
    if constexpr (sizeof(Code) == 1) {
        const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
        const __m128i other = _mm_loadu_si128(reinterpret_cast<const __m128i*>(second));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(one, other)));
    }
#endif
    std::uint32_t mask = 0;
    for (std::size_t j = 0; j < kSmallVariables; ++j) {
        mask |= static_cast<std::uint32_t>(first[j] == second[j]) << j;
    }
    return mask;
}

template <class Code>
std::int64_t SmallGroups<Code>::fill(const GroupList& groups, std::size_t open) {
    const std::size_t size = std::size_t{1} << open;
    for (std::size_t k = 2; k <= kSmall; ++k) std::fill_n(counted_[k].begin(), size, 0);
    std::int64_t total = 0;
    std::size_t begin = 0;
    std::uint32_t unit[kSmall] = {};  // the rows of a group, one by one
    for (const std::uint32_t end : groups.ends) {
        std::size_t n = 0;
        for (; begin < end; ++begin) {
            const WeightedRow& row = groups.rows[begin];
            for (std::uint32_t w = 0; w < row.weight; ++w) unit[n++] = row.row;
        }
        fill_one({unit, n}, static_cast<std::uint32_t>(size - 1));
        total += static_cast<std::int64_t>(n);
    }
    for (std::size_t k = 2; k <= kSmall; ++k) sum_supersets(counted_[k].data(), size);
    return total;
}

// Every J of a group is a number whose bits are its rows; J agrees where J without its last row does, and the
// last row agrees with the first.
template <class Code>
void SmallGroups<Code>::fill_one(std::span<const std::uint32_t> rows, std::uint32_t open) {
    std::uint32_t with[kSmall];               // agreement of the last row with each one before
    std::uint32_t agrees[1 << (kSmall - 1)];  // of all J without the last row
    agrees[0] = agrees[1] = open;
    for (std::size_t last = 1; last < rows.size(); ++last) {
        for (std::size_t i = 0; i < last; ++i) with[i] = agreement(rows[i], rows[last]);
        const std::size_t before = std::size_t{1} << last;
        const bool more = last + 1 < rows.size();
        if (more) agrees[before] = open;
        for (std::size_t j = 1; j < before; ++j) {
            const std::uint32_t mask = agrees[j] & with[std::countr_zero(j)];
            ++counted_[static_cast<std::size_t>(std::popcount(j)) + 1][mask];
            if (more) agrees[before | j] = mask;
        }
    }
}

template <class Code>
SmallCounts SmallGroups<Code>::view(Histogram& histogram, std::int64_t rows) const {
    SmallCounts counts{{}, rows};
    for (std::size_t k = 2; k <= kSmall; ++k) counts.agreeing[k] = histogram[k].data();
    return counts;
}

template <class Code>
SmallCounts SmallGroups<Code>::count(const GroupList& groups, std::size_t open) {
    const std::int64_t total = fill(groups, open);
    return view(counted_, total);
}

template <class Code>
SmallCounts SmallGroups<Code>::keep(const GroupList& groups, std::size_t open) {
    const std::int64_t total = fill(groups, open);
    counted_.swap(kept_);
    return view(kept_, total);
}

template <class Code>
SmallCounts SmallGroups<Code>::add(const GroupList& groups, std::size_t open, const SmallCounts& known) {
    if (groups.ends.empty()) return known;
    SmallCounts sum = known;
    sum.rows += fill(groups, open);
    for (std::size_t k = 2; k <= kSmall; ++k) {
        add_all(sum.agreeing[k], counted_[k].data(), std::size_t{1} << open);
    }
    return sum;
}

template class SmallGroups<std::uint8_t>;
template class SmallGroups<std::uint16_t>;

}  // namespace bayleaf
