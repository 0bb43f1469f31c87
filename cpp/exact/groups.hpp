// Groups of rows that agree on the variables included so far, and the functions that score them. Internal to
// the exact search.
//
// Variables are included from the highest down, so a group needs to tell apart only those of its rows that
// differ in the variables still open, the first few. Rows are sorted by the first variable, then by the
// second and so on: rows that agree on the open variables lie side by side, and become one row that weighs as
// much as all.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "exact/exact.hpp"

namespace bayleaf {

inline constexpr std::size_t kSmall = 4;            // rows (by weight) of a small group
inline constexpr std::size_t kSmallVariables = 16;  // variables that a histogram of small groups is kept for

// The term of a cell and of a whole set, for sets with one number of configurations.
class SetFunction : public CellFunction {
  public:
    SetFunction(const SetScore& score, double configurations, std::size_t tabulated)
        : CellFunction(score.term.entropy(), score.term.shift_of(configurations), tabulated),
          set_term_(-score.term.penalty * configurations) {
        // Differences of differences, in place.
        double values[kSmall + 1];
        for (std::size_t c = 0; c <= kSmall; ++c) values[c] = (*this)(c);
        for (std::size_t order = 1; order <= kSmall; ++order) {
            for (std::size_t c = kSmall; c >= order; --c) values[c] -= values[c - 1];
            differences_[order] = values[order];
        }
    }

    double set_term() const { return set_term_; }
    // The finite difference of some order (up to kSmall) at zero.
    double difference(std::size_t order) const { return differences_[order]; }

  private:
    double set_term_;
    double differences_[kSmall + 1] = {};
};

// One function per number of configurations that some set has. A set is met by an index that adds up
// over its variables: how often each arity occurs in it.
class SetFunctions {
  public:
    SetFunctions(const SetScore& score, std::span<const std::int64_t> arities, std::size_t variables,
                 std::size_t tabulated);

    std::size_t step(std::size_t variable) const { return steps_[variable]; }
    std::size_t base() const { return base_; }
    std::size_t size() const { return functions_.size(); }
    const SetFunction& at(std::size_t index) const { return *functions_[index]; }
    double configurations(std::size_t index) const { return configurations_[index]; }

  private:
    std::vector<std::size_t> steps_;
    std::size_t base_ = 0;
    std::vector<double> configurations_;
    std::vector<const SetFunction*> functions_;
    std::map<double, SetFunction> distinct_;
    SetFunction unneeded_;  // stands for all sets that are not needed; what it says is not used
};

struct WeightedRow {
    std::uint32_t row;  // one of those that it stands for
    std::uint32_t weight;
};

// A list of groups of rows.
struct GroupList {
    std::vector<WeightedRow> rows;
    std::vector<std::uint32_t> ends;

    void clear() {
        rows.clear();
        ends.clear();
    }
    void add(const WeightedRow* begin, const WeightedRow* end) {
        rows.insert(rows.end(), begin, end);
        ends.push_back(static_cast<std::uint32_t>(rows.size()));
    }
};

// Groups of one row never split again: only their weights are remembered.
class Singles {
  public:
    void add(std::uint32_t weight) {
        if (weight < light_.size()) {
            ++light_[weight];
            heaviest_light_ = std::max(heaviest_light_, weight);
        } else {
            heavy_.push_back(weight);
        }
    }
    double term(const SetFunction& function) const {
        double sum = 0.0;
        for (std::uint32_t w = 1; w <= heaviest_light_; ++w) {
            if (light_[w]) sum += light_[w] * function(w);
        }
        for (const std::uint32_t w : heavy_) sum += function(w);
        return sum;
    }

  private:
    std::array<std::uint32_t, 64> light_{};  // how many there are of each weight
    std::uint32_t heaviest_light_ = 0;
    std::vector<std::uint32_t> heavy_;  // the other weights
};

struct Partition : GroupList {
    Singles singles;
};

inline std::uint32_t total_weight(const WeightedRow* begin, const WeightedRow* end) {
    std::uint32_t total = 0;
    for (; begin != end; ++begin) total += begin->weight;
    return total;
}

// Whether rows agree on the first k variables, for every k: they do if they have the same number.
class RowPrefixes {
  public:
    // The rows are sorted by the first column, then by the second, and so on.
    template <class Code>
    RowPrefixes(const DistinctRows<Code, std::uint32_t>& rows, std::size_t variables);

    const std::uint32_t* numbers(std::size_t k) const { return numbers_[k].data(); }
    // Whether merging rows that agree on the first k variables leaves clearly fewer.
    bool worth_merging(std::size_t k) const { return worth_merging_[k]; }
    // Whether all rows of a group agree: their order tells from the first and the last.
    bool all_agree(std::size_t k, const WeightedRow* begin, const WeightedRow* end) const {
        return numbers_[k][begin->row] == numbers_[k][end[-1].row];
    }

  private:
    std::vector<std::vector<std::uint32_t>> numbers_;  // [k][row]
    std::vector<bool> worth_merging_;                  // [k]
};

inline bool is_small(const WeightedRow* begin, const WeightedRow* end) {
    if (end - begin > static_cast<std::ptrdiff_t>(kSmall)) return false;
    return total_weight(begin, end) <= kSmall;
}

template <class Code>
class Splitter {
  public:
    Splitter(const DistinctRows<Code, std::uint32_t>& rows, std::span<const std::int64_t> arities,
             const RowPrefixes& prefixes, std::size_t last)
        : rows_(rows), arities_(arities), prefixes_(prefixes), last_(last) {}

    // Splits every group by a variable; the first `open` variables stay open. Small groups go to `small`, if
    // given.
    void split(const Partition& groups, std::size_t variable, std::size_t open, Partition& out,
               GroupList* small);
    // The same groups with fewer variables open. Where only the last ones are, rows are no longer merged: no
    // split follows that would be cheaper for it.
    void narrow(const Partition& groups, std::size_t open, Partition& out);

  private:
    WeightedRow* split_in_two(const WeightedRow* row, const WeightedRow* end, const Code* codes,
                              WeightedRow* to);
    WeightedRow* split_in_many(const WeightedRow* row, const WeightedRow* end, const Code* codes,
                               std::size_t arity, WeightedRow* to);
    WeightedRow* merge(const WeightedRow* begin, const WeightedRow* end, WeightedRow* to) const;
    WeightedRow* write(const WeightedRow* begin, const WeightedRow* end, WeightedRow* to);
    void begin(const Partition& groups, std::size_t open, Partition& out, GroupList* small);

    const DistinctRows<Code, std::uint32_t>& rows_;
    std::span<const std::int64_t> arities_;
    const RowPrefixes& prefixes_;
    std::size_t last_;
    // Of the split at hand.
    std::size_t open_ = 0;
    bool merging_ = false;
    Partition* out_ = nullptr;
    GroupList* small_ = nullptr;
    std::vector<WeightedRow> other_;
    std::vector<std::uint32_t> starts_;
};

// Groups of a few rows, for all sets of variables at once.
//
// Let J be some of the rows of a group. A sum of f(size) over the blocks of any partition of the group equals
// the sum, over all J that lie within one block, of the |J|-th finite difference of f at zero. So a small
// group need not be split again and again: it is enough to know, for every set R of the variables still open,
// how many J of each size agree on R. A histogram over "variables on which J agrees", summed over supersets,
// tells that for all R together.

// How many subsets J of each size agree on each set R of the open variables, in small groups.
struct SmallCounts {
    std::array<std::int32_t*, kSmall + 1> agreeing{};  // [|J|][R], for two rows and more
    std::int64_t rows = 0;                             // of all small groups

    // The counts of the sets from number `first` on.
    SmallCounts from(std::size_t first) const {
        SmallCounts rest{{}, rows};
        for (std::size_t size = 2; size <= kSmall; ++size) rest.agreeing[size] = agreeing[size] + first;
        return rest;
    }
    // The terms of the small groups, but for J of one row.
    double term(std::size_t r, const SetFunction& f) const {
        double sum = 0.0;
        for (std::size_t size = 2; size <= kSmall; ++size) sum += agreeing[size][r] * f.difference(size);
        return sum;
    }
};

template <class Code>
class SmallGroups {
  public:
    SmallGroups(const DistinctRows<Code, std::uint32_t>& rows, std::size_t variables);

    // Counts of these groups for all sets of the first `open` variables; valid until the next call.
    SmallCounts count(const GroupList& groups, std::size_t open);
    // The same, kept until the next call of `keep`.
    SmallCounts keep(const GroupList& groups, std::size_t open);
    // Adds these groups to counts that were kept before.
    SmallCounts add(const GroupList& groups, std::size_t open, const SmallCounts& known);

  private:
    using Histogram = std::array<std::vector<std::int32_t>, kSmall + 1>;  // [|J|][variables it agrees on]

    std::int64_t fill(const GroupList& groups, std::size_t open);
    void fill_one(std::span<const std::uint32_t> rows, std::uint32_t open);
    SmallCounts view(Histogram& histogram, std::int64_t rows) const;
    std::uint32_t agreement(std::uint32_t a, std::uint32_t b) const;

    std::vector<Code> codes_;  // [row][variable], kSmallVariables per row
    Histogram counted_, kept_;
};

}  // namespace bayleaf
