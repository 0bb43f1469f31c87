// The cut of a part of a column that leaves the least class entropy.
//
// With g(n) = n log2 n, a side of n rows with n_c rows of class c has n Ent = g(n) - sum_c g(n_c). Of a part
// with N rows and N_c rows of each class, a cut with l_c rows of each class below it, n = sum_c l_c, leaves
//
//     E(l) = g(n) + g(N - n) - sum_c h_c(l_c),   h_c(l) = g(l) + g(N_c - l).
//
// The first two terms are convex in n: a tangent lies below them. It is linear in the l_c, and -h_c is
// concave: between two borders the sum is least where each l_c is at one of its ends. That bounds E from
// below for all cuts in between.
#pragma once

#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include "encode/value_bins.hpp"

namespace bayleaf {

using Positions = std::vector<std::int64_t>;

inline double bits_of_places(double rows) { return std::log2(std::max(rows - 1, 1.0)); }
// log2(3^k - 2)
inline double bits_of_classes(int k) {
    return k < 600 ? std::log2(std::pow(3.0, k) - 2) : k * std::log2(3.0);
}

// n log2 n for the numbers that are asked for most often.
const std::vector<double>& n_log_n_table();

// Every row counts once: amounts are numbers of rows.
struct RowAmounts {
    using Amount = std::int64_t;
    std::span<const std::int64_t> starts;
    std::span<const double> table;

    explicit RowAmounts(std::span<const std::int64_t> starts_of_classes)
        : starts(starts_of_classes), table(n_log_n_table()) {}

    Amount between(std::size_t, std::int64_t from, std::int64_t to) const { return to - from; }
    Amount sum(std::size_t, std::int64_t from, std::int64_t to) const { return to - from; }
    double n_log_n(Amount n) const {
        if (static_cast<std::size_t>(n) < table.size()) return table[static_cast<std::size_t>(n)];
        return static_cast<double>(n) * std::log2(static_cast<double>(n));
    }
};

// Rows have weights.
class WeightAmounts {
  public:
    using Amount = double;
    std::span<const std::int64_t> starts;

    explicit WeightAmounts(const ClassRuns& column) : starts(column.starts), weights_(column.weights) {
        for (std::size_t c = 0; c < column.counts.size(); ++c) {
            offsets_.push_back(running_.size());
            double sum = 0;
            running_.push_back(sum);
            for (std::int64_t i = 0; i < column.counts[c]; ++i)
                running_.push_back(sum += weights_[starts[c] + i]);
        }
    }

    Amount between(std::size_t c, std::int64_t from, std::int64_t to) const {
        return running_[offsets_[c] + to] - running_[offsets_[c] + from];
    }
    // The same without the rounding errors of large sums.
    Amount sum(std::size_t c, std::int64_t from, std::int64_t to) const {
        double sum = 0;
        for (std::int64_t i = from; i < to; ++i) sum += weights_[starts[c] + i];
        return sum;
    }
    // Rounding errors may leave a little less than nothing.
    double n_log_n(Amount n) const { return n > 0 ? n * std::log2(n) : 0.0; }

  private:
    const double* weights_;
    std::vector<std::size_t> offsets_;
    std::vector<double> running_;
};

// The rows of each class between two positions, which lie between two different values.
template <class Amounts>
struct Part {
    using Amount = typename Amounts::Amount;
    Positions low;
    Positions high;
    std::size_t first_bin;
    std::size_t last_bin;  // the bin of the last row, or an empty one after it
    std::vector<Amount> total{};
    Amount size = 0;
    int classes = 0;  // with rows
    std::int64_t rows_below = 0;
};

template <class Amounts>
Part<Amounts> make_part(const Amounts& amounts, Positions low, Positions high, std::size_t first_bin,
                        std::size_t last_bin) {
    Part<Amounts> part{std::move(low), std::move(high), first_bin, last_bin};
    for (std::size_t c = 0; c < part.low.size(); ++c) {
        part.total.push_back(amounts.sum(c, part.low[c], part.high[c]));
        part.size += part.total[c];
        part.classes += part.high[c] > part.low[c];
        part.rows_below += part.low[c];
    }
    return part;
}

struct Cut {
    double below;  // the values on both sides
    double above;
    std::size_t bin;  // of the value above
    Positions positions;
};

template <class Amounts>
class CutFinder {
  public:
    // `values` as in ClassRuns; null where each bin holds one value.
    CutFinder(const ValueBins& bins, const double* values, const Amounts& amounts)
        : bins_(bins), values_(values), amounts_(amounts) {}

    // The lowest of the best cuts; none where no cut can be accepted.
    std::optional<Cut> best(const Part<Amounts>& part) {
        if (part.classes < 2 || part.first_bin > part.last_bin) return std::nullopt;
        part_ = &part;
        prepare();
        bound_blocks();
        if (hopeless()) return std::nullopt;
        bound_bins();
        if (hopeless()) return std::nullopt;
        return search_bins();
    }

  private:
    using Amount = typename Amounts::Amount;

    // Where a border of bins divides the part.
    struct Border {
        Positions at;
        std::vector<Amount> lower;  // l_c
        std::vector<double> terms;  // h_c
        double sum_of_terms = 0;
        Amount below = 0;  // n
        std::int64_t rows = 0;
    };
    // Consecutive bins that may hold the best cut. Neighbours have consecutive numbers, whatever empty bins
    // lie between.
    struct Candidate {
        std::size_t first;
        std::size_t end;
        std::size_t number;
        double bound;
    };
    struct Row {
        double value;
        std::uint32_t label;
        bool operator<(const Row& other) const { return value < other.value; }
    };
    struct Minimum {
        double remaining;
        double below;
        double above;
        std::size_t bin;
    };
    static constexpr std::size_t kBlock = 32;  // bins
    static constexpr std::int64_t kMixed = -1;
    static constexpr double kInfinite = std::numeric_limits<double>::infinity();

    void prepare();
    void place(std::size_t bin, Border& border) const;
    double remaining(const Border& border) const {
        return amounts_.n_log_n(border.below) + amounts_.n_log_n(part_->size - border.below) -
               border.sum_of_terms;
    }
    double bound(const Border& from, const Border& to) const;
    // Looks at the borders first, first + step, ..., and bounds what lies between them.
    void bound_between(std::size_t first, std::size_t end, std::size_t step, std::size_t& number,
                       std::vector<Candidate>& found);
    void bound_blocks();
    void bound_bins();
    bool hopeless() const;
    void keep_open(std::vector<Candidate>& found);

    std::optional<Cut> search_bins();
    void search_most_promising();
    void search_bin(std::size_t bin);
    void search_rows(std::size_t bin);
    bool holds_one_value(std::size_t bin, const Border& from, const Border& to) const;
    void meet(double value, std::int64_t label, std::size_t bin, Amount below, double sum_of_terms);

    const ValueBins& bins_;
    const double* values_;
    const Amounts& amounts_;
    const Part<Amounts>* part_ = nullptr;
    double bits_ = 0;        // of the whole part
    double least_gain_ = 0;  // of a cut that is accepted, whatever its sides
    double tolerance_ = 0;
    double smallest_ = 0;  // over all borders looked at
    double lowest_bound_ = 0;
    std::vector<Candidate> blocks_;
    std::vector<Candidate> open_;
    Border from_;
    Border to_;
    // The last value met, unless rows were left out since.
    bool has_previous_ = false;
    double previous_ = 0;
    std::int64_t previous_label_ = kMixed;
    std::deque<Minimum> minima_;
    std::vector<Row> rows_;
    std::vector<Row> spare_rows_;
    std::vector<std::size_t> ends_;
};

}  // namespace bayleaf
