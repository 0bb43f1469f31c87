// Class-focused scores of many alternative families, against the log-joint of the current network.
//
// A network's log-joint per row and class is a sum of one term per family that contains the class; families
// without the class do not change the posterior and are left out. Changing a family exchanges its term.
//
// Every term lies on a grid: a multiple of 1 / grid, small enough in magnitude that sums of them are exact in
// double precision. So an exchanged log-joint equals the one computed from scratch, bit for bit, whatever the
// history of the search. Losses are summed as integers for the same reason.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "common/codes.hpp"
#include "common/parallel.hpp"

namespace bayleaf {

enum class Estimate { kFrequencies, kPseudoCount, kSampleSize };

// How counts become probabilities: relative frequencies whose zeros become `value`; `value` imaginary rows
// per cell; or an equivalent sample size of `value` rows spread over the table.
struct Smoothing {
    Estimate estimate;
    double value;
    double grid;
    // Logarithms of 0, 1, 2, ... on the grid, log(ab) = log(a) + log(b) exactly; as many as counts can need.
    std::span<const double> log_integers;
};

// The rows of a search. Row m is judged by tables that do not know its fold; `folds` = 0 judges every row by
// tables of all rows, kRowsBefore by tables of the rows before it. A fold of kNoFold marks a row that is
// counted but not judged.
inline constexpr std::uint8_t kNoFold = 255;
inline constexpr int kRowsBefore = -1;

template <class Code>
struct Sample {
    CodeMatrix<Code> codes;
    std::span<const std::int64_t> arities;
    std::int64_t target;
    const std::uint8_t* fold;
    int folds;
    bool rest;  // whether there are rows that are not judged
    const double* weights;
    Smoothing smoothing;
    std::size_t small_table;  // cells that a family's table may always have: see family_terms.hpp

    std::size_t classes() const { return static_cast<std::size_t>(arities[target]); }
    std::size_t tables() const { return folds > 0 ? static_cast<std::size_t>(folds) : 1; }
    bool judged(std::size_t row) const { return folds <= 0 || fold[row] != kNoFold; }
};

enum class LossKind { kError, kLogLoss, kCost };

// What a row costs, in integer units: `scale` units for an error or a loss of one. `units` (one per row) or
// null stands for errors of weighted rows. Costs are [true class][decision]; of decisions with equal expected
// cost the one with the smallest rank wins, ranks being [table][decision].
struct Loss {
    LossKind kind;
    double scale;
    const std::int64_t* units;
    const double* weights;
    const double* cost;
    const std::int64_t* ranks;
    std::size_t decisions;
};

// Candidates in compressed form: candidate k consists of families [starts[k], starts[k + 1]); family f is
// node nodes[f] with parents[offsets[f] .. offsets[f + 1]).
struct Families {
    std::span<const std::int64_t> nodes;
    std::span<const std::int64_t> parents;
    std::span<const std::int64_t> offsets;

    std::size_t size() const { return nodes.size(); }
    std::span<const std::int64_t> parents_of(std::size_t f) const {
        return parents.subspan(offsets[f], offsets[f + 1] - offsets[f]);
    }
};

inline constexpr std::int64_t kWorse = std::numeric_limits<std::int64_t>::max();

// Logarithms of 0 .. size - 1 on the grid, additive over prime factors (entry 0 is unused).
void fill_log_integers(double grid, double* out, std::size_t size);

// log_joint[row][c] += sign * (the families' terms). Rows that are not judged are left alone.
template <class Code>
void add_families(const Sample<Code>& sample, const Families& families, double sign, double* log_joint,
                  int threads);

// Total loss of a log-joint. Tie-breaking lives in the log-joint: see src/bayleaf/learn/search/log_joint.py.
template <class Code>
std::int64_t total_loss(const Sample<Code>& sample, const Loss& loss, const double* log_joint, int threads);

// losses[k] = extra[k] + loss after the family of one node (`current`) is exchanged for family k of
// `candidates`. With `only_best`, every candidate whose loss reaches `bound` or exceeds the smallest one is
// given up early and reported as kWorse. The log-joint is changed for the duration of the call only: also
// when that ends with an exception.
template <class Code>
void parent_set_losses(const Sample<Code>& sample, const Loss& loss, double* log_joint,
                       const Families& current, const Families& candidates, const std::int64_t* extra,
                       bool only_best, std::int64_t bound, std::int64_t* losses, int threads, Stop& stop);

// The same for changes of several families at once: change k takes out families [starts[k], starts[k + 1]) of
// `removed` and puts in the same range of `added`.
template <class Code>
void change_losses(const Sample<Code>& sample, const Loss& loss, const double* log_joint,
                   const Families& removed, const Families& added, std::span<const std::int64_t> starts,
                   const std::int64_t* extra, bool only_best, std::int64_t bound, std::int64_t* losses,
                   int threads, Stop& stop);

}  // namespace bayleaf
