#include <algorithm>
#include <type_traits>
#include <utility>

#include "count/bitset_kernels.hpp"
#include "scores/family_gains.hpp"

namespace bayleaf {
namespace {

constexpr std::int64_t kNobody = -1;
constexpr std::uint32_t kBlockRows = 32768;

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
        for (std::size_t k = 0; k < states * values; ++k) joint += (*terms.joint)(table[k]);
        for (const Count n : totals) given += (*terms.given)(n);
    }
    return joint - given;
}

// Cells of a table that is counted in lanes.
constexpr std::size_t kSmallTable = 2048;

}  // namespace

template <class Code, class Count>
void FamilyTable<Code, Count>::load(const SearchRows<Code>& rows, std::int64_t node,
                                    std::span<const std::int64_t> parents, bool more_parents,
                                    FamilyScratch<Count>& scratch) {
    rows_ = &rows;
    node_ = node;
    parents_.assign(parents.begin(), parents.end());
    states_ = rows.arity(node);
    complete_ = !rows.has_missing[node];
    for (const std::int64_t p : parents) complete_ = complete_ && !rows.has_missing[p];
    number_rows();
    count_family(scratch);
    const bool words = dense_ && more_parents && rows.one_hot.words > 0;
    const auto widest = static_cast<std::size_t>(*std::max_element(rows.arities.begin(), rows.arities.end()));
    if (!dense_ || (more_parents && (words || by_sorting(widest)))) order_.sort(positions_);
    borders_.clear();
    if (words) set_borders();
}

template <class Code, class Count>
bool FamilyTable<Code, Count>::by_sorting(std::size_t states) const {
    return static_cast<double>(configs_) * static_cast<double>(states_) * static_cast<double>(states) >
           static_cast<double>(most_cells(rows_->codes.rows));
}

// Rows to cells; to configurations where there are too many cells for a table. Rows that lack a value come
// after the last.
template <class Code, class Count>
void FamilyTable<Code, Count>::number_rows() {
    const SearchRows<Code>& rows = *rows_;
    number_configurations(rows.codes, rows.arities, rows.has_missing, parents_, configurations_);
    configs_ = configurations_.count;
    every_ = configurations_.every;
    dense_ = !by_sorting(1);
    const Code* child = rows.codes.column(node_);
    if (dense_) {
        number_cells(configurations_, child, states_, complete_, positions_);
        return;
    }
    positions_ = configurations_.of_row;
    for (std::size_t i = 0; i < positions_.size(); ++i)
        if (child[i] == kMissing<Code>) positions_[i] = static_cast<std::uint32_t>(configs_);
}

template <class Code, class Count>
void FamilyTable<Code, Count>::count_family(FamilyScratch<Count>& scratch) {
    const std::size_t cells = dense_ ? configs_ * states_ : configs_;
    order_.count(positions_, cells);
    if (!dense_) return;
    if (rows_->weights) {
        count_directly(kNobody, scratch);
        counts_.assign(scratch.table.begin(), scratch.table.end());
        return;
    }
    counts_.resize(cells);
    for (std::size_t k = 0; k < cells; ++k) counts_[k] = static_cast<Count>(order_.size(k));
}

// Blocks of configurations with enough rows to be worth a thread.
template <class Code, class Count>
void FamilyTable<Code, Count>::set_borders() {
    borders_.assign(1, 0);
    const std::uint32_t* starts = order_.starts();
    std::uint32_t first = 0;
    for (std::size_t g = 1; g < configs_; ++g)
        if (starts[g * states_] - first >= kBlockRows) {
            borders_.push_back(g);
            first = starts[g * states_];
        }
    borders_.push_back(configs_);
}

// Tallies the rows of each cell of a configuration, then takes each candidate's states from the tallies.
template <class Code, class Count>
void FamilyTable<Code, Count>::add_word_sums(std::size_t block, std::size_t word,
                                             std::span<Candidate> candidates,
                                             FamilyScratch<Count>& scratch) const {
    const std::uint64_t* words = rows_->one_hot.word(word);
    const BitsetKernels& kernels = bitset_kernels();
    auto& tallies = scratch.tallies;
    for (std::size_t g = borders_[block]; g < borders_[block + 1]; ++g) {
        const std::uint32_t* starts = order_.starts() + g * states_;
        if (starts[0] == starts[states_]) continue;
        tallies.assign(64 * states_, 0);
        for (std::size_t s = 0; s < states_; ++s)
            kernels.tally(words, order_.order() + starts[s], starts[s + 1] - starts[s], &tallies[64 * s]);
        for (Candidate& candidate : candidates) {
            const OneHotRows::Place& place = rows_->one_hot.places[candidate.column];
            const bool has_rest = place.bits < rows_->arity(candidate.column);
            const CellFunction &joint_of = *candidate.functions.joint, &given_of = *candidate.functions.given;
            double joint = 0;
            std::uint32_t totals[8] = {}, all = 0;
            for (std::size_t s = 0; s < states_; ++s) {
                std::uint32_t rest = starts[s + 1] - starts[s];
                if (rest == 0) continue;
                all += rest;
                for (unsigned b = 0; b < place.bits; ++b) {
                    const std::uint32_t n = tallies[64 * s + place.first + b];
                    totals[b] += n;
                    rest -= n;
                    joint += joint_of(n);
                }
                if (has_rest) joint += joint_of(rest);
            }
            double given = 0;
            for (unsigned b = 0; b < place.bits; ++b) {
                all -= totals[b];
                given += given_of(totals[b]);
            }
            if (has_rest) given += given_of(all);
            candidate.sum += joint - given;
        }
    }
}

// scratch.table = [configuration][state][value], one step per row. Sums of weights are made in row order.
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
        const auto cell_of = [positions, column = rows_->codes.column(candidate),
                              arity = static_cast<std::uint32_t>(values)](std::size_t i) {
            return positions[i] * arity + column[i];
        };
        scratch.lanes.assign(kLanes * cells, 0);
        increment_lanes(rows, cell_of, cells, scratch.lanes.data());
        add_lanes(scratch.lanes, cells, scratch.table.data());
    }
    scratch.table.resize(cells - values);  // without the rows that are left out
}

// Sums over the cells that occur: the rows of each configuration sorted by the candidate, then the child.
template <class Code, class Count>
double FamilyTable<Code, Count>::sum_sorted(std::int64_t candidate, const FamilyFunctions& terms,
                                            FamilyScratch<Count>& scratch) const {
    const Code* child = rows_->codes.column(node_);
    const Code* column = candidate == kNobody ? nullptr : rows_->codes.column(candidate);
    const std::size_t step = dense_ ? states_ : 1;  // the rows are sorted by cell, or by configuration
    auto& keys = scratch.keys;
    double joint = 0, given = 0;
    for (std::size_t g = 0; g < configs_; ++g) {
        keys.clear();
        for (const std::uint32_t i : order_.rows(g * step, (g + 1) * step)) {
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
                joint += (*terms.joint)(count);
                total += count;
            }
            given += (*terms.given)(total);
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
    if (by_sorting(values)) return sum_sorted(candidate, terms, scratch);
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
