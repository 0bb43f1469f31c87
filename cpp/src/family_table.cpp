#include "bayleaf/family_table.hpp"

#include <algorithm>
#include <type_traits>

#include "bayleaf/bitset.hpp"
#include "bayleaf/dispatch.hpp"

namespace bayleaf {
namespace {

constexpr std::int64_t kNobody = -1;

double term(const CellFunction& function, std::uint32_t count) { return function.of(count); }
double term(const CellFunction& function, double weight) {
    const auto whole = static_cast<std::uint32_t>(std::min(weight, 4e9));
    return static_cast<double>(whole) == weight ? function.of(whole) : function.exact(weight);
}

// Sums of a table [configuration][state][value of the candidate]. Configurations without rows add nothing.
template <class Count>
double reduce(const Count* table, std::size_t configs, std::size_t states, std::size_t values,
              const FamilyFunctions& terms, std::vector<Count>& totals) {
    totals.resize(values);
    double joint = 0, given = 0;
    for (std::size_t g = 0; g < configs; ++g, table += states * values) {
        std::copy_n(table, values, totals.begin());
        for (std::size_t s = 1; s < states; ++s)
            for (std::size_t y = 0; y < values; ++y) totals[y] += table[s * values + y];
        if (std::all_of(totals.begin(), totals.end(), [](Count n) { return n == Count{0}; })) continue;
        for (std::size_t k = 0; k < states * values; ++k) joint += term(terms.joint, table[k]);
        for (const Count n : totals) given += term(terms.given, n);
    }
    return joint - given;
}

// out[i * states + s] = left[i] & right[s].
BAYLEAF_CLONES void cross_sets(const std::uint64_t* left, std::size_t count, const std::uint64_t* right,
                               std::size_t states, std::size_t words, std::uint64_t* out) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t s = 0; s < states; ++s, out += words)
            for (std::size_t w = 0; w < words; ++w) out[w] = left[i * words + w] & right[s * words + w];
}

// Neighbouring rows often fall into the same cell of a small table, and an increment must wait for the one
// before it. Four tables in turn avoid the wait.
constexpr std::size_t kLanes = 4;
constexpr std::size_t kSmallTable = 2048;

template <class Code>
void increment_lanes(const std::uint32_t* positions, const Code* values, std::size_t rows,
                     std::uint32_t arity, std::size_t cells, std::uint32_t* lanes) {
    std::size_t i = 0;
    for (; i + kLanes <= rows; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            ++lanes[lane * cells + positions[i + lane] * arity + values[i + lane]];
    for (; i < rows; ++i) ++lanes[positions[i] * arity + values[i]];
}

}  // namespace

template <class Code, class Count>
void FamilyTable<Code, Count>::load(const SearchRows<Code>& rows, std::int64_t node,
                                    std::span<const std::int64_t> parents, const std::uint8_t* wanted,
                                    FamilyScratch<Count>& scratch) {
    rows_ = &rows;
    node_ = node;
    parents_.assign(parents.begin(), parents.end());
    states_ = rows.arity(node);
    complete_ = !rows.has_missing[node];
    bool has_sets = !rows.everyone.empty() && rows.bitsets.has_sets[node];
    double possible = static_cast<double>(states_);
    for (const std::int64_t p : parents) {
        complete_ = complete_ && !rows.has_missing[p];
        has_sets = has_sets && rows.bitsets.has_sets[p];
        possible *= static_cast<double>(rows.arity(p));
    }
    // Bit sets of more cells than this never pay, and would take memory.
    set_cells_ = has_sets && possible <= 256 ? static_cast<std::size_t>(possible) : 0;
    configs_ = set_cells_ / states_;
    if (set_cells_) build_sets(scratch);
    bool directly = set_cells_ == 0;
    std::size_t widest = 1;
    for (std::size_t y = 0; wanted && y < rows.codes.columns; ++y)
        if (wanted[y] && !by_bits(static_cast<std::int64_t>(y))) {
            directly = true;
            widest = std::max(widest, rows.arity(y));
        }
    if (directly) number_rows(scratch);
    if (directly && by_sorting(widest)) sort_rows();
}

template <class Code, class Count>
bool FamilyTable<Code, Count>::by_bits(std::int64_t candidate) const {
    if (set_cells_ == 0 || !rows_->bitsets.has_sets[candidate]) return false;
    const auto work = static_cast<double>(set_cells_ * rows_->arity(candidate) * rows_->bitsets.words);
    return work * bitset_kernels().cost < static_cast<double>(rows_->codes.rows);
}

template <class Code, class Count>
bool FamilyTable<Code, Count>::by_sorting(std::size_t states) const {
    return static_cast<double>(configs_) * static_cast<double>(states_) * static_cast<double>(states) >
           static_cast<double>(most_cells(rows_->codes.rows));
}

// The bit set of every cell of the family, and its size.
template <class Code, class Count>
void FamilyTable<Code, Count>::build_sets(FamilyScratch<Count>& scratch) {
    const ColumnBitsets& sets = rows_->bitsets;
    sets_.assign(rows_->everyone.begin(), rows_->everyone.end());
    std::size_t count = 1;
    for (const std::int64_t p : parents_) {
        half_.resize(count * rows_->arity(p) * sets.words);
        cross_sets(sets_.data(), count, sets.sets(p), rows_->arity(p), sets.words, half_.data());
        count *= rows_->arity(p);
        sets_.swap(half_);
    }
    scratch.cells.assign(set_cells_, 0);
    bitset_kernels().intersect(sets_.data(), sets.words, static_cast<unsigned>(count), sets.sets(node_),
                               sets.words, static_cast<unsigned>(states_), sets.words, scratch.cells.data());
    counts_.assign(scratch.cells.begin(), scratch.cells.end());
    half_.resize(set_cells_ * sets.words);
    cross_sets(sets_.data(), count, sets.sets(node_), states_, sets.words, half_.data());
    sets_.swap(half_);
    every_ = dense_ = true;
}

template <class Code, class Count>
void FamilyTable<Code, Count>::number_rows(FamilyScratch<Count>& scratch) {
    const SearchRows<Code>& rows = *rows_;
    number_configurations(rows.codes, rows.arities, rows.has_missing, parents_, configurations_);
    configs_ = configurations_.count;
    every_ = configurations_.every;
    dense_ = !by_sorting(1);
    if (!dense_) return;
    const auto outside = static_cast<std::uint32_t>(configs_ * states_);
    const auto nowhere = static_cast<std::uint32_t>(configs_);
    const auto states = static_cast<std::uint32_t>(states_);
    const Code* child = rows.codes.column(node_);
    positions_.resize(rows.codes.rows);
    for (std::size_t i = 0; i < positions_.size(); ++i)
        positions_[i] = configurations_.of_row[i] * states + child[i];
    if (!complete_)
        for (std::size_t i = 0; i < positions_.size(); ++i)
            if (configurations_.of_row[i] == nowhere || child[i] == kMissing<Code>) positions_[i] = outside;
    if (set_cells_ == 0) {
        count_directly(kNobody, scratch);
        counts_.assign(scratch.table.begin(), scratch.table.end());
    }
}

// Rows by configuration, in row order within each; rows that lack a value are left out.
template <class Code, class Count>
void FamilyTable<Code, Count>::sort_rows() {
    const Code* child = rows_->codes.column(node_);
    const auto left_out = [&](std::size_t i) {
        return configurations_.of_row[i] == configs_ || child[i] == kMissing<Code>;
    };
    starts_.assign(configs_ + 2, 0);
    for (std::size_t i = 0; i < rows_->codes.rows; ++i)
        if (!left_out(i)) ++starts_[configurations_.of_row[i] + 2];
    for (std::size_t g = 2; g < starts_.size(); ++g) starts_[g] += starts_[g - 1];
    order_.resize(starts_.back());
    for (std::size_t i = 0; i < rows_->codes.rows; ++i)
        if (!left_out(i)) order_[starts_[configurations_.of_row[i] + 1]++] = static_cast<std::uint32_t>(i);
}

// scratch.table = [configuration][state][value] by intersection; the last value of a complete candidate is
// what the others leave.
template <class Code, class Count>
void FamilyTable<Code, Count>::count_bits(std::int64_t candidate, FamilyScratch<Count>& scratch) const {
    const ColumnBitsets& sets = rows_->bitsets;
    const std::size_t values = rows_->arity(candidate);
    const std::size_t counted = rows_->has_missing[candidate] ? values : values - 1;
    scratch.cells.assign(set_cells_ * counted, 0);
    bitset_kernels().intersect(sets_.data(), sets.words, static_cast<unsigned>(set_cells_),
                               sets.sets(candidate), sets.words, static_cast<unsigned>(counted), sets.words,
                               scratch.cells.data());
    scratch.table.resize(set_cells_ * values);
    for (std::size_t k = 0; k < set_cells_; ++k) {
        Count rest = counts_[k];
        for (std::size_t y = 0; y < counted; ++y)
            rest -= scratch.table[k * values + y] = static_cast<Count>(scratch.cells[k * counted + y]);
        if (counted < values) scratch.table[k * values + counted] = rest;
    }
}

// The same with one step per row. Sums of weights are made in row order.
template <class Code, class Count>
void FamilyTable<Code, Count>::count_directly(std::int64_t candidate, FamilyScratch<Count>& scratch) const {
    const std::size_t rows = rows_->codes.rows;
    const bool alone = candidate == kNobody;
    const std::size_t values = alone ? 1 : rows_->arity(candidate);
    const std::size_t cells = (configs_ * states_ + 1) * values;
    scratch.table.assign(cells, Count{0});
    const std::uint32_t* positions = positions_.data();
    const auto add = [&](std::size_t i, std::size_t cell) {
        scratch.table[cell] += rows_->weights ? static_cast<Count>(rows_->weights[i]) : Count{1};
    };
    if (alone) {
        for (std::size_t i = 0; i < rows; ++i) add(i, positions[i]);
    } else if (rows_->has_missing[candidate] || rows_->weights || cells > kSmallTable) {
        const Code* column = rows_->codes.column(candidate);
        for (std::size_t i = 0; i < rows; ++i)
            if (column[i] != kMissing<Code>) add(i, positions[i] * values + column[i]);
    } else if constexpr (!std::is_same_v<Count, double>) {
        scratch.lanes.assign(kLanes * cells, 0);
        increment_lanes(positions, rows_->codes.column(candidate), rows, static_cast<std::uint32_t>(values),
                        cells, scratch.lanes.data());
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            for (std::size_t k = 0; k < cells; ++k) scratch.table[k] += scratch.lanes[lane * cells + k];
    }
    scratch.table.resize(cells - values);  // without the rows that are left out
}

// Sums over the cells that occur: the rows of each configuration sorted by the candidate, then the child.
template <class Code, class Count>
double FamilyTable<Code, Count>::sum_sorted(std::int64_t candidate, const FamilyFunctions& terms,
                                            FamilyScratch<Count>& scratch) const {
    const Code* child = rows_->codes.column(node_);
    const Code* column = candidate == kNobody ? nullptr : rows_->codes.column(candidate);
    auto& keys = scratch.keys;
    double joint = 0, given = 0;
    for (std::size_t g = 0; g < configs_; ++g) {
        keys.clear();
        for (std::size_t k = starts_[g]; k < starts_[g + 1]; ++k) {
            const std::uint32_t i = order_[k];
            if (column && column[i] == kMissing<Code>) continue;
            const std::uint64_t value = column ? column[i] : 0;
            keys.emplace_back(value * states_ + child[i], rows_->weights ? rows_->weights[i] : 1.0);
        }
        std::stable_sort(keys.begin(), keys.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t k = 0; k < keys.size();) {
            const std::uint64_t value = keys[k].first / states_;
            double total = 0;
            while (k < keys.size() && keys[k].first / states_ == value) {
                const std::uint64_t cell = keys[k].first;
                double count = 0;
                for (; k < keys.size() && keys[k].first == cell; ++k) count += keys[k].second;
                joint += term(terms.joint, count);
                total += count;
            }
            given += term(terms.given, total);
        }
    }
    return joint - given;
}

template <class Code, class Count>
double FamilyTable<Code, Count>::sum(const FamilyFunctions& terms, FamilyScratch<Count>& scratch) const {
    if (!dense_) return sum_sorted(kNobody, terms, scratch);
    return reduce(counts_.data(), configs_, states_, 1, terms, scratch.totals);
}

template <class Code, class Count>
double FamilyTable<Code, Count>::sum_with(std::int64_t candidate, const FamilyFunctions& terms,
                                          FamilyScratch<Count>& scratch) const {
    const std::size_t values = rows_->arity(candidate);
    if (by_bits(candidate))
        count_bits(candidate, scratch);
    else if (by_sorting(values))
        return sum_sorted(candidate, terms, scratch);
    else
        count_directly(candidate, scratch);
    return reduce(scratch.table.data(), configs_, states_, values, terms, scratch.totals);
}

template <class Code, class Count>
double FamilyTable<Code, Count>::sum_without(std::size_t position, const FamilyFunctions& terms,
                                             FamilyScratch<Count>& scratch) const {
    std::size_t inner = states_;
    for (std::size_t k = position + 1; k < parents_.size(); ++k) inner *= rows_->arity(parents_[k]);
    const std::size_t values = rows_->arity(parents_[position]);
    scratch.table.assign(counts_.size() / values, Count{0});
    const Count* counts = counts_.data();
    for (std::size_t first = 0; first < scratch.table.size(); first += inner)
        for (std::size_t v = 0; v < values; ++v, counts += inner)
            for (std::size_t k = 0; k < inner; ++k) scratch.table[first + k] += counts[k];
    return reduce(scratch.table.data(), configs_ / values, states_, 1, terms, scratch.totals);
}

template class FamilyTable<std::uint8_t, std::uint32_t>;
template class FamilyTable<std::uint8_t, double>;
template class FamilyTable<std::uint16_t, std::uint32_t>;
template class FamilyTable<std::uint16_t, double>;

}  // namespace bayleaf
