// Groups of rows that agree on the variables included so far. Internal to the exact search.
//
// Variables are included from the highest down, so a group needs to tell apart only those of its rows that
// differ in the variables still open, the first few. Rows are sorted by the first variable, then by the
// second and so on: rows that agree on the open variables lie side by side, and become one row that weighs as
// much as all.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/cells.hpp"

namespace bayleaf {

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
    double term(const CellFunction& function) const {
        double sum = 0.0;
        for (std::uint32_t w = 1; w <= heaviest_light_; ++w) {
            if (light_[w]) sum += light_[w] * function.of(w);
        }
        for (const std::uint32_t w : heavy_) sum += function.of(w);
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

}  // namespace bayleaf
