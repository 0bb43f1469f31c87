// The best network from the sums over sets, in little memory.
//
// Let Z_X(P) be the best score of X with parents inside P, and M(S) the best network over S:
// M(S + X) = max over X of M(S) + Z_X(S). Sets are numbers, so all subsets of S come before S. The recursion
// on the highest undecided variable x visits first the sets without x, then adds x to each of them, then
// visits the sets with x. Only the Z_X of variables X below the current one are still needed, and a set with
// x takes the larger of the two halves of Z_X: so all Z live in place in one array. The first few levels are
// not stored at all but taken from the sums again (max over the subsets of what is included so far), which
// keeps that array small.
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"
#include "exact/exact.hpp"

namespace bayleaf {

namespace {

constexpr std::size_t kUnstoredLevels = 4;
constexpr std::size_t kSplitLevels = 5;  // levels whose halves become separate tasks
// Sets of this many variables are worked through in milliseconds: whether to stop is asked between them.
constexpr std::size_t kAskLevel = 18;
constexpr std::uint64_t kAskMask = (std::uint64_t{1} << kAskLevel) - 1;

std::size_t stored_variables(std::size_t variables) {
    return variables > 16 ? variables - kUnstoredLevels : variables;
}

// Best scores that are kept for the stored levels: per variable, one for each set of the others.
std::size_t stored_values(std::size_t stored) { return stored > 0 ? stored << (stored - 1) : 0; }

template <class Real>
BAYLEAF_CLONES void take_larger_of_many(Real* __restrict upper, const Real* __restrict lower,
                                        std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) upper[i] = lower[i] > upper[i] ? lower[i] : upper[i];
}

template <class Real>
BAYLEAF_CLONES void take_larger_sum_of_many(Real* __restrict to, const Real* __restrict from,
                                            const Real* __restrict step, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const Real sum = from[i] + step[i];
        to[i] = sum > to[i] ? sum : to[i];
    }
}

// Halves end in halves of one value: most are so small that a call would take longer than their values.
constexpr std::size_t kMany = 8;

template <class Real>
void take_larger(Real* upper, const Real* lower, std::size_t size) {
    if (size >= kMany) return take_larger_of_many(upper, lower, size);
    for (std::size_t i = 0; i < size; ++i) upper[i] = lower[i] > upper[i] ? lower[i] : upper[i];
}

template <class Real>
void take_larger_sum(Real* to, const Real* from, const Real* step, std::size_t size) {
    if (size >= kMany) return take_larger_sum_of_many(to, from, step, size);
    for (std::size_t i = 0; i < size; ++i) to[i] = std::max(to[i], from[i] + step[i]);
}

// Families of one child: `runs` runs of `run` parent sets without the child's bit, each followed by as many
// with it.
template <class Real>
BAYLEAF_CLONES void take_larger_differences(Real* __restrict to, const Real* __restrict joint,
                                            const Real* __restrict given, std::size_t run, std::size_t runs) {
    for (std::size_t r = 0; r < runs; ++r) {
        for (std::size_t i = 0; i < run; ++i) {
            const Real difference = joint[2 * r * run + i] - given[2 * r * run + i];
            to[r * run + i] = difference > to[r * run + i] ? difference : to[r * run + i];
        }
    }
}

// values[P] becomes the largest value of a subset of P, for three variables at a time and then one by one.
template <class Real>
void best_of_few_subsets(Real* values, std::size_t bits) {
    if (bits <= 3) {
        for (std::size_t half = 1; half >> bits == 0; half *= 2) {
            for (std::size_t set = half; set >> bits == 0; set = (set + 1) | half) {
                values[set] = std::max(values[set], values[set ^ half]);
            }
        }
        return;
    }
    const std::size_t half = std::size_t{1} << (bits - 1);
    best_of_few_subsets(values, bits - 1);
    best_of_few_subsets(values + half, bits - 1);
    take_larger(values + half, values, half);
}

template <class Real>
void best_of_subsets(Real* values, std::size_t bits, const Watch& watch) {
    if (bits < kAskLevel) return best_of_few_subsets(values, bits);
    if (watch.stopped()) return;
    const std::size_t half = std::size_t{1} << (bits - 1);
    best_of_subsets(values, bits - 1, watch);
    best_of_subsets(values + half, bits - 1, watch);
    take_larger(values + half, values, half);
}

template <class Real>
class NetworkSearch {
  public:
    NetworkSearch(const SetSums<Real>& sums, const FamilyLimits& limits, int threads, const Watch& watch)
        : sums_(sums),
          limits_(limits),
          threads_(threads),
          watch_(watch),
          stored_(stored_variables(sums.variables)),
          best_(std::make_unique_for_overwrite<Real[]>(std::size_t{1} << sums.variables)),
          parents_(std::make_unique_for_overwrite<Real[]>(stored_values(stored_))) {}

    void run() {
        // Fresh memory takes a second per gigabyte or two: it is touched in parts.
        in_parts(std::size_t{1} << sums_.variables, [&](std::size_t begin, std::size_t end) {
            std::fill(best_.get() + begin, best_.get() + end, kNone);
        });
        best_[0] = 0;
        visit_unstored(sums_.variables, 0);
    }

    // Takes the last variable of the best order off, again and again.
    bool trace(double tolerance, std::int64_t* parents) const {
        std::uint64_t set = (std::uint64_t{1} << sums_.variables) - 1;
        while (set != 0) {
            if (!(best_[set] > kNone / 2) || watch_.stopped()) return false;
            const std::size_t sink = last_variable(set);
            set ^= std::uint64_t{1} << sink;
            parents[sink] = static_cast<std::int64_t>(best_parents(sink, set, tolerance));
        }
        return true;
    }

  private:
    static constexpr Real kNone = static_cast<Real>(kUnreachable);

    template <class Task>
    void in_parts(std::size_t items, Task&& task) const {
        parallel_blocks(items, std::size_t{1} << kAskLevel, threads_,
                        [&](std::size_t begin, std::size_t end) {
                            if (!watch_.stopped()) task(begin, end);
                        });
    }

    Real score(std::size_t child, std::uint64_t parents) const {
        const auto required = static_cast<std::uint64_t>(limits_.required[child]);
        if ((parents & required) != required) return kNone;
        if (parents & static_cast<std::uint64_t>(limits_.forbidden[child])) return kNone;
        return sums_.joint[parents | std::uint64_t{1} << child] - sums_.given[child][parents];
    }

    // to[i] = best score of `child` over parents = rest + i plus any subset of `included`; i ranges over the
    // sets of `bits` variables, the first but for the child.
    void collect(std::size_t child, std::size_t bits, std::uint64_t included, std::uint64_t rest,
                 Real* to) const {
        std::fill(to, to + (std::size_t{1} << bits), kNone);
        std::uint64_t above = 0;
        do {
            if (watch_.stopped()) return;
            collect_one(child, bits, above | rest, to);
            above = (above - included) & included;
        } while (above != 0);
    }

    void collect_one(std::size_t child, std::size_t bits, std::uint64_t above, Real* to) const {
        const bool free = limits_.required[child] == 0 && limits_.forbidden[child] == 0;
        // Below the child's own bit, numbers of parent sets are consecutive.
        const std::size_t run = std::size_t{1} << std::min(child, bits);
        const std::size_t runs = (std::size_t{1} << bits) / run;
        const std::uint64_t own = std::uint64_t{1} << child;
        if (free) {
            take_larger_differences(to, sums_.joint + (above | own), sums_.given[child] + above, run, runs);
            return;
        }
        for (std::size_t start = 0; start >> bits == 0; start += run) {
            const std::uint64_t set = above | (child < bits ? start * 2 : start);
            for (std::size_t i = 0; i < run; ++i) {
                const Real value = score(child, set + i);
                to[start + i] = value > to[start + i] ? value : to[start + i];
            }
        }
    }

    void visit_unstored(std::size_t level, std::uint64_t set) {
        if (watch_.stopped()) return;
        if (level == stored_) {
            visit_stored(set);
            return;
        }
        const std::size_t variable = level - 1;
        visit_unstored(variable, set);
        if (watch_.stopped()) return;
        add_variable_unstored(variable, set);
        visit_unstored(variable, set | std::uint64_t{1} << variable);
    }

    // The sets below `variable` in blocks: each block of parents is followed through the subsets of its upper
    // part.
    void add_variable_unstored(std::size_t variable, std::uint64_t set) {
        const std::size_t size = std::size_t{1} << variable;
        const auto values = std::make_unique_for_overwrite<Real[]>(size);
        const std::size_t chunk_bits = variable > 4 ? variable - 4 : variable;
        const std::size_t chunk = std::size_t{1} << chunk_bits, chunks = size >> chunk_bits;
        parallel_for(chunks, threads_, [&](std::size_t c) {
            Real* part = values.get() + c * chunk;
            collect(variable, chunk_bits, set, c * chunk, part);
            best_of_subsets(part, chunk_bits, watch_);
        });
        for (std::size_t step = 1; step < chunks; step *= 2) {
            for (std::size_t c = 0; c < chunks && !watch_.stopped(); ++c) {
                if (c & step) take_larger(values.get() + c * chunk, values.get() + (c ^ step) * chunk, chunk);
            }
        }
        Real* from = best_.get() + set;
        in_parts(size, [&](std::size_t begin, std::size_t end) {
            take_larger_sum(from + size + begin, static_cast<const Real*>(from + begin),
                            static_cast<const Real*>(values.get() + begin), end - begin);
        });
    }

    void visit_stored(std::uint64_t set) {
        if (stored_ == 0) return;
        const std::size_t stride = std::size_t{1} << (stored_ - 1);
        parallel_for(stored_, threads_, [&](std::size_t child) {
            collect(child, stored_ - 1, set, 0, parents_.get() + child * stride);
        });
        prepare(stride);
        add_variables(stored_, set, parents_.get(), stride);
        watch_.add(1);
    }

    // Brings all Z into place: level by level near the top, then half by half.
    void prepare(std::size_t stride) {
        const std::size_t split = stored_ > kSplitLevels + 4 ? kSplitLevels : 0;
        for (std::size_t level = stored_; level > stored_ - split; --level) {
            const std::size_t half = std::size_t{1} << (level - 1) >> 1;
            const std::size_t blocks = std::size_t{1} << (stored_ - level);
            parallel_for(blocks * level, threads_, [&](std::size_t task) {
                if (watch_.stopped()) return;
                Real* values = parents_.get() + (task / level) * (half * 2) + (task % level) * stride;
                if (task % level + 1 == level) {
                    best_of_subsets(values, level - 1, watch_);
                } else {
                    take_larger(values + half, values, half);
                }
            });
        }
        const std::size_t level = stored_ - split;
        parallel_for(std::size_t{1} << split, threads_, [&](std::size_t block) {
            prepare_below(level, parents_.get() + (block << level >> 1), stride);
        });
    }

    void prepare_below(std::size_t level, Real* values, std::size_t stride) const {
        if (level == 0 || (level >= kAskLevel && watch_.stopped())) return;
        const std::size_t half = std::size_t{1} << (level - 1) >> 1;
        for (std::size_t child = 0; child + 1 < level; ++child) {
            take_larger(values + child * stride + half, values + child * stride, half);
        }
        best_of_subsets(values + (level - 1) * stride, level - 1, watch_);
        if (level == 1) return;
        prepare_below(level - 1, values, stride);
        prepare_below(level - 1, values + half, stride);
    }

    void add_variables(std::size_t level, std::uint64_t set, const Real* values, std::size_t stride) {
        if (level == 0 || (level >= kAskLevel && watch_.stopped())) return;
        const std::size_t variable = level - 1;
        const std::size_t size = std::size_t{1} << variable;
        const std::size_t half = size >> 1;
        add_variables(level - 1, set, values, stride);
        Real* from = best_.get() + set;
        take_larger_sum(from + size, static_cast<const Real*>(from), values + variable * stride, size);
        add_variables(level - 1, set | size, values + half, stride);
    }

    // The first variable that can come last in a best network over the set.
    std::size_t last_variable(std::uint64_t set) const {
        for (std::uint64_t left = set; left != 0; left &= left - 1) {
            const auto child = static_cast<std::size_t>(std::countr_zero(left));
            const std::uint64_t before = set ^ std::uint64_t{1} << child;
            std::uint64_t parents = before;
            while (true) {
                if (best_[before] + score(child, parents) == best_[set]) return child;
                if (parents == 0 || ((parents & kAskMask) == 0 && watch_.stopped())) break;
                parents = (parents - 1) & before;
            }
        }
        return static_cast<std::size_t>(std::countr_zero(set));
    }

    std::uint64_t best_parents(std::size_t child, std::uint64_t before, double tolerance) const {
        Real largest = kNone;
        for (std::uint64_t parents = before;; parents = (parents - 1) & before) {
            largest = std::max(largest, score(child, parents));
            if (parents == 0 || ((parents & kAskMask) == 0 && watch_.stopped())) break;
        }
        const Real enough = largest - static_cast<Real>(tolerance);
        std::uint64_t chosen = before;
        int fewest = std::numeric_limits<int>::max();
        for (std::uint64_t parents = before;; parents = (parents - 1) & before) {
            if (score(child, parents) >= enough && std::popcount(parents) <= fewest) {
                chosen = parents;
                fewest = std::popcount(parents);
            }
            if (parents == 0 || ((parents & kAskMask) == 0 && watch_.stopped())) break;
        }
        return chosen;
    }

    const SetSums<Real>& sums_;
    const FamilyLimits& limits_;
    int threads_;
    const Watch& watch_;
    std::size_t stored_;
    std::unique_ptr<Real[]> best_;     // M, by set
    std::unique_ptr<Real[]> parents_;  // Z of the stored levels: [variable][set without it]
};

}  // namespace

template <class Real>
bool best_network(const SetSums<Real>& sums, const FamilyLimits& limits, double tolerance,
                  std::int64_t* parents, int threads, const Watch& watch) {
    NetworkSearch<Real> search(sums, limits, threads, watch);
    search.run();
    return !watch.stopped() && search.trace(tolerance, parents) && !watch.stopped();
}

std::size_t best_network_bytes(std::size_t variables, std::size_t real_size) {
    const std::size_t stored = stored_variables(variables);
    const std::size_t sets = std::size_t{1} << variables;
    return (sets + stored_values(stored) + (stored < variables ? sets / 2 : 0)) * real_size;
}

template bool best_network(const SetSums<double>&, const FamilyLimits&, double, std::int64_t*, int,
                           const Watch&);
template bool best_network(const SetSums<float>&, const FamilyLimits&, double, std::int64_t*, int,
                           const Watch&);

}  // namespace bayleaf
