#include "exact/groups.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "common/dispatch.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace bayleaf {

namespace {

constexpr std::size_t kTableEntries = std::size_t{1} << 25;

// Row numbers sorted by the first column, then by the second, and so on: a stable counting sort per column.
template <class Code>
std::vector<std::uint32_t> sorted_rows(const CodeMatrix<Code>& codes) {
    std::vector<std::uint32_t> order(codes.rows), next(codes.rows);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t j = codes.columns; j-- > 0;) {
        const Code* column = codes.column(j);
        std::vector<std::uint32_t> starts(static_cast<std::size_t>(kMissing<Code>) + 2, 0);
        for (std::size_t i = 0; i < codes.rows; ++i) ++starts[column[i] + 1u];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (const std::uint32_t row : order) next[starts[column[row]]++] = row;
        order.swap(next);
    }
    return order;
}

template <class Code>
bool equal_rows(const CodeMatrix<Code>& codes, std::uint32_t a, std::uint32_t b) {
    for (std::size_t j = 0; j < codes.columns; ++j) {
        if (codes.column(j)[a] != codes.column(j)[b]) return false;
    }
    return true;
}

constexpr double kWorthMerging = 0.9;  // at most this share of the rows must be left

// Groups of rows that have the same number, and the same class if there is one.
template <class Code>
std::size_t count_groups(const std::vector<std::uint32_t>& numbers, const std::vector<Code>* classes) {
    if (!classes || numbers.empty()) return numbers.empty() ? 0 : numbers.back() + std::size_t{1};
    std::vector<std::uint32_t> seen_in(std::size_t{kMissing<Code>} + 1, 0);  // number + 1
    std::size_t count = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::uint32_t& seen = seen_in[(*classes)[i]];
        count += seen != numbers[i] + 1;
        seen = numbers[i] + 1;
    }
    return count;
}

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

template <class Code, class Weight>
DistinctRows<Code, Weight> distinct_rows(const CodeMatrix<Code>& codes, const double* weights) {
    DistinctRows<Code, Weight> result;
    std::vector<std::uint32_t> first;
    std::uint32_t last = 0;
    for (const std::uint32_t row : sorted_rows(codes)) {
        const double given = weights ? weights[row] : 1.0;
        const auto weight = static_cast<Weight>(std::is_same_v<Weight, double> ? given : std::round(given));
        if (weight == 0) continue;
        if (first.empty() || !equal_rows(codes, last, row)) {
            first.push_back(row);
            result.weights.push_back(0);
        }
        result.weights.back() += weight;
        last = row;
    }
    result.columns.resize(codes.columns);
    for (std::size_t j = 0; j < codes.columns; ++j) {
        result.columns[j].reserve(first.size());
        for (const std::uint32_t row : first) result.columns[j].push_back(codes.column(j)[row]);
    }
    return result;
}

template DistinctRows<std::uint8_t, std::uint32_t> distinct_rows(const CodeMatrix<std::uint8_t>&,
                                                                 const double*);
template DistinctRows<std::uint16_t, std::uint32_t> distinct_rows(const CodeMatrix<std::uint16_t>&,
                                                                  const double*);
template DistinctRows<std::uint8_t, double> distinct_rows(const CodeMatrix<std::uint8_t>&, const double*);
template DistinctRows<std::uint16_t, double> distinct_rows(const CodeMatrix<std::uint16_t>&, const double*);

SetFunctions::SetFunctions(const SetScore& score, std::span<const std::int64_t> arities,
                           std::size_t variables, std::size_t tabulated)
    : steps_(arities.size()), unneeded_(score, 1.0, tabulated) {
    std::map<std::int64_t, std::size_t> occurrences;
    for (const std::int64_t arity : arities) ++occurrences[arity];
    std::map<std::int64_t, std::size_t> step_of;
    std::size_t total = 1;
    for (const auto& [arity, times] : occurrences) {
        step_of[arity] = total;
        total *= times + 1;
    }
    for (std::size_t j = 0; j < arities.size(); ++j) steps_[j] = step_of[arities[j]];
    for (std::size_t j = variables; j < arities.size(); ++j) base_ += steps_[j];
    // Many different arities make many tables: keep them together below a quarter of a gigabyte.
    tabulated =
        std::clamp<std::size_t>(kTableEntries / total, std::min<std::size_t>(tabulated, 8), tabulated);
    configurations_.resize(total);
    functions_.resize(total);
    for (std::size_t index = 0; index < total; ++index) {
        double q = 1.0;
        std::size_t rest = index;
        for (const auto& [arity, times] : occurrences) {
            q *= std::pow(static_cast<double>(arity), static_cast<double>(rest % (times + 1)));
            rest /= times + 1;
        }
        configurations_[index] = q;
        if (q > score.most_configurations) {
            functions_[index] = &unneeded_;
            continue;
        }
        functions_[index] = &distinct_.try_emplace(q, score, q, tabulated).first->second;
    }
}

template <class Code>
RowPrefixes::RowPrefixes(const DistinctRows<Code, std::uint32_t>& rows, std::size_t variables) {
    const auto* classes = rows.columns.size() > variables ? &rows.columns[variables] : nullptr;
    std::vector<std::uint8_t> differs(rows.size(), 0);  // from the row before, in the first k variables
    std::vector<std::uint32_t> numbers(rows.size(), 0);
    for (std::size_t k = 0; k <= variables || k < rows.columns.size(); ++k) {
        for (std::size_t i = 1; i < rows.size(); ++i) {
            if (k > 0 && rows.columns[k - 1][i] != rows.columns[k - 1][i - 1]) differs[i] = 1;
            numbers[i] = numbers[i - 1] + differs[i];
        }
        numbers_.push_back(numbers);
        const auto left = static_cast<double>(count_groups(numbers, classes));
        worth_merging_.push_back(left <= kWorthMerging * static_cast<double>(rows.size()));
    }
}

template RowPrefixes::RowPrefixes(const DistinctRows<std::uint8_t, std::uint32_t>&, std::size_t);
template RowPrefixes::RowPrefixes(const DistinctRows<std::uint16_t, std::uint32_t>&, std::size_t);

template <class Code>
void Splitter<Code>::begin(const Partition& groups, std::size_t open, Partition& out, GroupList* small) {
    open_ = open;
    merging_ = open > last_ && prefixes_.worth_merging(open);
    out_ = &out;
    small_ = small;
    out.rows.resize(groups.rows.size());
    out.ends.clear();
    out.singles = groups.singles;
}

template <class Code>
void Splitter<Code>::split(const Partition& groups, std::size_t variable, std::size_t open, Partition& out,
                           GroupList* small) {
    begin(groups, open, out, small);
    if (other_.size() < groups.rows.size()) other_.resize(rows_.size());
    const Code* codes = rows_.columns[variable].data();
    const auto arity = static_cast<std::size_t>(arities_[variable]);
    WeightedRow* to = out.rows.data();
    const WeightedRow* row = groups.rows.data();
    for (const std::uint32_t group_end : groups.ends) {
        const WeightedRow* end = groups.rows.data() + group_end;
        if (end - row == 2) {
            if (codes[row[0].row] == codes[row[1].row]) {
                to = write(row, end, to);
            } else {
                out.singles.add(row[0].weight);
                out.singles.add(row[1].weight);
            }
        } else if (arity == 2) {
            to = split_in_two(row, end, codes, to);
        } else {
            to = split_in_many(row, end, codes, arity, to);
        }
        row = end;
    }
    out.rows.resize(static_cast<std::size_t>(to - out.rows.data()));
}

template <class Code>
void Splitter<Code>::narrow(const Partition& groups, std::size_t open, Partition& out) {
    begin(groups, open, out, nullptr);
    WeightedRow* to = out.rows.data();
    const WeightedRow* row = groups.rows.data();
    for (const std::uint32_t group_end : groups.ends) {
        const WeightedRow* end = groups.rows.data() + group_end;
        to = write(row, end, to);
        row = end;
    }
    out.rows.resize(static_cast<std::size_t>(to - out.rows.data()));
}

template <class Code>
WeightedRow* Splitter<Code>::split_in_two(const WeightedRow* row, const WeightedRow* end, const Code* codes,
                                          WeightedRow* to) {
    WeightedRow* zeros = to;
    WeightedRow* ones = other_.data();
    for (; row != end; ++row) {
        const bool one = codes[row->row] != 0;
        *zeros = *row;
        *ones = *row;
        zeros += !one;
        ones += one;
    }
    to = write(to, zeros, to);
    return write(other_.data(), ones, to);
}

template <class Code>
WeightedRow* Splitter<Code>::split_in_many(const WeightedRow* row, const WeightedRow* end, const Code* codes,
                                           std::size_t arity, WeightedRow* to) {
    starts_.assign(arity + 1, 0);
    for (const WeightedRow* r = row; r != end; ++r) ++starts_[codes[r->row] + 1u];
    for (std::size_t k = 0; k < arity; ++k) starts_[k + 1] += starts_[k];
    for (const WeightedRow* r = row; r != end; ++r) other_[starts_[codes[r->row]]++] = *r;
    std::uint32_t from = 0;
    for (std::size_t k = 0; k < arity; ++k) {  // starts_[k] is now the end of state k
        to = write(other_.data() + from, other_.data() + starts_[k], to);
        from = starts_[k];
    }
    return to;
}

// Copies rows (perhaps onto themselves) so that those that agree on the open variables become one.
template <class Code>
WeightedRow* Splitter<Code>::merge(const WeightedRow* begin, const WeightedRow* end, WeightedRow* to) const {
    const std::uint32_t* numbers = prefixes_.numbers(open_);
    std::uint32_t weight = begin->weight, number = numbers[begin->row];
    *to = *begin;
    for (const WeightedRow* row = begin + 1; row < end; ++row) {
        const std::uint32_t next = numbers[row->row];
        const bool same = next == number;
        weight = row->weight + (same ? weight : 0);
        to += !same;
        *to = {row->row, weight};
        number = next;
    }
    return to + 1;
}

// Writes one group; returns where the next one goes.
template <class Code>
WeightedRow* Splitter<Code>::write(const WeightedRow* begin, const WeightedRow* end, WeightedRow* to) {
    if (begin == end) return to;
    if (prefixes_.all_agree(open_, begin, end)) {
        out_->singles.add(total_weight(begin, end));
        return to;
    }
    WeightedRow* stop = merging_ ? merge(begin, end, to) : std::copy(begin, end, to);
    if (small_ && is_small(to, stop)) {
        small_->add(to, stop);
        return to;
    }
    out_->ends.push_back(static_cast<std::uint32_t>(stop - out_->rows.data()));
    return stop;
}

template class Splitter<std::uint8_t>;
template class Splitter<std::uint16_t>;

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
