#include "exact/groups.hpp"

#include <algorithm>

namespace bayleaf {

namespace {

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

}  // namespace

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

}  // namespace bayleaf
