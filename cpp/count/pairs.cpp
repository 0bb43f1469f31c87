// All pairwise class-conditional tables, by whichever of three ways is cheapest for a pair:
//   direct     one increment per row;
//   sorted     rows sorted by cell, for tables with far more cells than rows;
//   bit sets   AND + popcount over each class's segment for all but the last state of each feature, the rest
//              from the margins (see bitsets.hpp).
// Floor for the last: pairs * (r-1)^2 * rows/64 words, each an AND and a population count.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "common/parallel.hpp"
#include "count/bitset_kernels.hpp"
#include "count/bitsets.hpp"
#include "count/cells.hpp"
#include "count/pair_reduce.hpp"

namespace bayleaf {
namespace {

template <class Code>
struct Problem {
    CodeMatrix<Code> codes;
    std::span<const std::int64_t> arities;
    std::span<const std::int64_t> features;
    std::size_t target;
    const double* weights;
    double pseudo;
    int threads;
    std::vector<bool> has_missing = {};  // per feature

    std::size_t classes() const { return arities[target]; }
    std::size_t arity(std::size_t feature) const { return arities[features[feature]]; }
    const Code* column(std::size_t feature) const { return codes.column(features[feature]); }
};

template <class Code>
bool any_missing(const Code* column, std::size_t rows) {
    if constexpr (sizeof(Code) == 1)  // memchr looks at many bytes at a time
        return std::memchr(column, kMissing<Code>, rows) != nullptr;
    else
        return std::find(column, column + rows, kMissing<Code>) != column + rows;
}

// For each row its line of the table of one feature with the class; one more line for rows that lack a value.
template <class Code>
void class_lines(const Problem<Code>& problem, std::size_t feature, std::vector<std::uint32_t>& lines) {
    const Code* labels = problem.codes.column(problem.target);
    const Code* values = problem.column(feature);
    const auto arity = static_cast<std::uint32_t>(problem.arity(feature));
    const auto none = static_cast<std::uint32_t>(problem.classes() * arity);
    lines.resize(problem.codes.rows);
    for (std::size_t row = 0; row < lines.size(); ++row) {
        const bool known = labels[row] != kMissing<Code> && values[row] != kMissing<Code>;
        lines[row] = known ? labels[row] * arity + values[row] : none;
    }
}

// Cells of a table that is counted in lanes.
constexpr std::size_t kSmallTable = 1 << 14;

// One step per row: counts[line][y]. Sums of weights are made in row order, so that threads never change
// them.
template <class Code, class Count>
void count_directly(const Problem<Code>& problem, const std::vector<std::uint32_t>& lines,
                    std::size_t feature, std::vector<Count>& lanes, std::vector<Count>& counts) {
    const Code* values = problem.column(feature);
    const std::size_t arity = problem.arity(feature);
    const std::size_t rows = lines.size();
    if constexpr (std::is_same_v<Count, double>) {
        for (std::size_t row = 0; row < rows; ++row)
            if (values[row] != kMissing<Code>)
                counts[lines[row] * arity + values[row]] += problem.weights[row];
    } else if (problem.has_missing[feature] || counts.size() > kSmallTable) {
        for (std::size_t row = 0; row < rows; ++row)
            if (values[row] != kMissing<Code>) ++counts[lines[row] * arity + values[row]];
    } else {
        const auto cell_of = [=, line = lines.data()](std::size_t row) {
            return line[row] * arity + values[row];
        };
        lanes.assign(kLanes * counts.size(), 0);
        increment_lanes(rows, cell_of, counts.size(), lanes.data());
        add_lanes(lanes, counts.size(), counts.data());
    }
}

// joint[c][x][y] of a pair from the cells of its bit sets; the last state of a complete feature is a
// difference.
void complete_table(const ClassBitsets& sets, std::size_t i, std::size_t j, std::size_t ri, std::size_t rj,
                    const std::int64_t* cells, std::int64_t* joint) {
    const std::size_t si = sets.states[i];
    const std::size_t sj = sets.states[j];
    for (std::size_t c = 0; c < sets.classes; ++c) {
        const std::int64_t* margin_i = sets.margin(i) + c * ri;
        const std::int64_t* margin_j = sets.margin(j) + c * rj;
        std::int64_t* out = joint + c * ri * rj;
        for (std::size_t x = 0; x < si; ++x) {
            std::int64_t rest = margin_i[x];
            for (std::size_t y = 0; y < sj; ++y) rest -= out[x * rj + y] = cells[(c * si + x) * sj + y];
            if (sj < rj) out[x * rj + sj] = rest;
        }
        if (si == ri) continue;
        for (std::size_t y = 0; y < rj; ++y) {
            std::int64_t rest = margin_j[y];
            for (std::size_t x = 0; x < si; ++x) rest -= out[x * rj + y];
            out[si * rj + y] = rest;
        }
    }
}

struct Pair {
    std::size_t i, j, number;
};

// Pairs are handed out in square blocks of features, so that the bit sets of a block stay in the cache.
std::vector<std::vector<Pair>> pair_blocks(std::size_t n, std::size_t side) {
    std::vector<std::vector<Pair>> blocks;
    for (std::size_t top = 0; top < n; top += side) {
        for (std::size_t left = top; left < n; left += side) {
            std::vector<Pair> block;
            for (std::size_t i = top; i < std::min(n, top + side); ++i)
                for (std::size_t j = std::max(i + 1, left); j < std::min(n, left + side); ++j)
                    block.push_back({i, j, i * (2 * n - i - 1) / 2 + j - i - 1});
            if (!block.empty()) blocks.push_back(std::move(block));
        }
    }
    return blocks;
}

// The pairs of one block by bit sets: stretches of words outermost, so that a stretch of every bit set in
// the block is read from memory once and then met in the cache.
void intersect_block(const ClassBitsets& sets, const std::vector<Pair>& block,
                     const std::vector<std::size_t>& cell_offset, std::int64_t* cells) {
    constexpr std::size_t kStretch = 256;
    const BitsetKernels& kernels = bitset_kernels();
    for (std::size_t c = 0; c < sets.classes; ++c) {
        for (std::size_t w = sets.segment_words[c]; w < sets.segment_words[c + 1]; w += kStretch) {
            const std::size_t words = std::min(kStretch, sets.segment_words[c + 1] - w);
            for (std::size_t p = 0; p < block.size(); ++p) {
                const unsigned si = sets.states[block[p].i];
                const unsigned sj = sets.states[block[p].j];
                kernels.intersect(sets.set(block[p].i) + w, sets.words, si, sets.set(block[p].j) + w,
                                  sets.words, sj, words, cells + cell_offset[p] + c * si * sj);
            }
        }
    }
}

// Whether counting a pair by bit sets costs less than one increment per row.
bool bitsets_pay(const ClassBitsets& sets, const Pair& pair, std::size_t rows) {
    if (sets.states.empty()) return false;
    const double cells = static_cast<double>(sets.states[pair.i]) * sets.states[pair.j];
    return cells > 0 &&
           cells * static_cast<double>(sets.words) * bitset_kernels().cost < static_cast<double>(rows);
}

// Counts the pairs of a block and hands each table to use(pair, counts). Of those that are counted row by
// row, done(pair) says which need not be, and begin(pair, counts) what is in the table before (zeros where it
// does nothing).
template <class Count, class Code, class Done, class Begin, class Use>
void count_block(const Problem<Code>& problem, const ClassBitsets& sets, const std::vector<Pair>& pairs,
                 Done done, Begin begin, Use use) {
    std::vector<Pair> by_bits, directly;
    for (const Pair& pair : pairs)
        (bitsets_pay(sets, pair, problem.codes.rows) ? by_bits : directly).push_back(pair);
    std::vector<Count> counts, lanes;
    if constexpr (std::is_same_v<Count, std::int64_t>) {
        std::vector<std::size_t> offset(by_bits.size() + 1, 0);
        for (std::size_t p = 0; p < by_bits.size(); ++p)
            offset[p + 1] =
                offset[p] + problem.classes() * sets.states[by_bits[p].i] * sets.states[by_bits[p].j];
        std::vector<std::int64_t> cells(offset.back(), 0);
        intersect_block(sets, by_bits, offset, cells.data());
        for (std::size_t p = 0; p < by_bits.size(); ++p) {
            const std::size_t ri = problem.arity(by_bits[p].i);
            const std::size_t rj = problem.arity(by_bits[p].j);
            counts.resize(problem.classes() * ri * rj);
            complete_table(sets, by_bits[p].i, by_bits[p].j, ri, rj, cells.data() + offset[p], counts.data());
            use(by_bits[p], counts.data());
        }
    }
    std::vector<std::uint32_t> lines;
    std::size_t last = problem.features.size();
    for (const Pair& pair : directly) {
        if (done(pair)) continue;
        counts.assign((problem.classes() * problem.arity(pair.i) + 1) * problem.arity(pair.j), Count{0});
        begin(pair, counts.data());
        if (pair.i != last) class_lines(problem, last = pair.i, lines);
        count_directly(problem, lines, pair.j, lanes, counts);
        use(pair, counts.data());
    }
}

// Counts pairs and reduces their tables: see PairReducer for Count and Total.
template <class Code, class Count, class Total>
class PairSums {
  public:
    PairSums(const Problem<Code>& problem, const ClassBitsets& sets, double* out)
        : problem_(problem),
          sets_(sets),
          out_(out),
          reducer_(problem.classes(), problem.pseudo, tabulated(problem)) {
        features_.resize(problem.features.size());
        parallel_for(features_.size(), problem.threads, [&](std::size_t f) {
            if (!problem_.has_missing[f]) features_[f] = feature_sums(f);
        });
    }

    void block(const std::vector<Pair>& pairs) const {
        typename PairReducer<Count, Total>::Scratch scratch;
        const auto done = [&](const Pair& pair) { return reduced_sorted(pair); };
        const auto begin = [](const Pair&, Count*) {};
        count_block<Count>(problem_, sets_, pairs, done, begin, [&](const Pair& pair, const Count* counts) {
            const bool complete = !problem_.has_missing[pair.i] && !problem_.has_missing[pair.j];
            reducer_.pair(counts, problem_.arity(pair.i), problem_.arity(pair.j),
                          complete ? &features_[pair.i] : nullptr, complete ? &features_[pair.j] : nullptr,
                          scratch, out_ + pair.number * kPairSums);
        });
    }

  private:
    // Whether a pair was done by sorting its rows, which pays where its table would be very large.
    bool reduced_sorted(const Pair& pair) const {
        const PairColumns<Code> columns{problem_.codes.column(problem_.target),
                                        problem_.column(pair.i),
                                        problem_.column(pair.j),
                                        problem_.classes(),
                                        problem_.arity(pair.i),
                                        problem_.arity(pair.j)};
        if (!sorting_pays(columns.cells(), problem_.codes.rows)) return false;
        reduce_sorted(columns, problem_.codes.rows, problem_.weights, problem_.pseudo, reducer_.term(),
                      out_ + pair.number * kPairSums);
        return true;
    }

    // Terms are tabulated where counts are integers and so many cells will ask that the table pays.
    static std::size_t tabulated(const Problem<Code>& problem) {
        if (std::is_same_v<Total, double>) return 0;
        double states = 0;
        for (std::size_t f = 0; f < problem.features.size(); ++f)
            states += static_cast<double>(problem.arity(f));
        const double cells = states * states / 2 * static_cast<double>(problem.classes());
        return cells < static_cast<double>(problem.codes.rows) ? 0 : problem.codes.rows + 1;
    }

    FeatureSums feature_sums(std::size_t f) const {
        const std::size_t cells = problem_.classes() * problem_.arity(f);
        std::vector<Count> counts(cells + 1, Count{0});
        if (!sets_.states.empty() && sets_.states[f]) {
            std::copy_n(sets_.margin(f), cells, counts.begin());
        } else {
            std::vector<std::uint32_t> lines;
            class_lines(problem_, f, lines);
            for (std::size_t row = 0; row < lines.size(); ++row)
                counts[lines[row]] += problem_.weights ? static_cast<Count>(problem_.weights[row]) : Count{1};
        }
        return reducer_.feature(counts.data(), problem_.arity(f));
    }

    const Problem<Code>& problem_;
    const ClassBitsets& sets_;
    double* out_;
    const PairReducer<Count, Total> reducer_;
    std::vector<FeatureSums> features_;
};

// Large enough to share work between pairs, small enough that the bit sets of a block fit in the cache.
constexpr std::size_t kBlockSide = 16;

template <class Count, class Total, class Code>
void run(const Problem<Code>& problem, const ClassBitsets& sets, double* sums) {
    const PairSums<Code, Count, Total> pairs(problem, sets, sums);
    const auto blocks = pair_blocks(problem.features.size(), kBlockSide);
    parallel_for(blocks.size(), problem.threads, [&](std::size_t b) { pairs.block(blocks[b]); });
}

template <class Code>
Problem<Code> make_problem(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                           std::span<const std::int64_t> features, std::int64_t target, const double* weights,
                           double pseudo, int threads) {
    Problem<Code> problem{codes,   arities, features, static_cast<std::size_t>(target),
                          weights, pseudo,  threads};
    for (const std::int64_t feature : features)
        problem.has_missing.push_back(any_missing(codes.column(feature), codes.rows));
    return problem;
}

// The bit sets of all features; none where they are no way to count.
template <class Code>
ClassBitsets make_bitsets(const Problem<Code>& problem) {
    if constexpr (sizeof(Code) == 1)
        if (problem.weights == nullptr && problem.codes.rows < (std::size_t{1} << 32))
            return class_bitsets(problem.codes, problem.arities, problem.features,
                                 static_cast<std::int64_t>(problem.target), problem.has_missing,
                                 problem.threads);
    return {};
}

}  // namespace

template <class Code>
void pair_sums(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
               std::span<const std::int64_t> features, std::int64_t target, const double* weights,
               double pseudo, double* sums, int threads) {
    const Problem<Code> problem = make_problem(codes, arities, features, target, weights, pseudo, threads);
    const ClassBitsets sets = make_bitsets(problem);
    if (weights)
        run<double, double>(problem, sets, sums);
    else if (pseudo > 0)
        run<std::int64_t, double>(problem, sets, sums);
    else
        run<std::int64_t, std::int64_t>(problem, sets, sums);
}

template <class Code, class Total>
void pair_counts(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                 std::span<const std::int64_t> features, std::int64_t target, const double* weights,
                 Total* tables, int threads) {
    const Problem<Code> problem = make_problem(codes, arities, features, target, weights, 0.0, threads);
    const ClassBitsets sets = make_bitsets(problem);
    const std::vector<std::size_t> starts = pair_table_starts(arities, features, target);
    const auto blocks = pair_blocks(features.size(), kBlockSide);
    // Weights are added to what is there already, row by row: any cut into batches gives the same sums.
    const auto begin = [&](const Pair& pair, Total* counts) {
        if constexpr (std::is_same_v<Total, double>)
            std::copy(tables + starts[pair.number], tables + starts[pair.number + 1], counts);
    };
    const auto use = [&](const Pair& pair, const Total* counts) {
        Total* out = tables + starts[pair.number];
        const std::size_t cells = starts[pair.number + 1] - starts[pair.number];
        for (std::size_t k = 0; k < cells; ++k)
            out[k] = std::is_same_v<Total, double> ? counts[k] : out[k] + counts[k];
    };
    parallel_for(blocks.size(), threads, [&](std::size_t b) {
        count_block<Total>(problem, sets, blocks[b], [](const Pair&) { return false; }, begin, use);
    });
}

template void pair_sums(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>,
                        std::span<const std::int64_t>, std::int64_t, const double*, double, double*, int);
template void pair_sums(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>,
                        std::span<const std::int64_t>, std::int64_t, const double*, double, double*, int);
template void pair_counts(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>,
                          std::span<const std::int64_t>, std::int64_t, const double*, std::int64_t*, int);
template void pair_counts(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>,
                          std::span<const std::int64_t>, std::int64_t, const double*, std::int64_t*, int);
template void pair_counts(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>,
                          std::span<const std::int64_t>, std::int64_t, const double*, double*, int);
template void pair_counts(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>,
                          std::span<const std::int64_t>, std::int64_t, const double*, double*, int);

}  // namespace bayleaf
