// Exact structure search: sums over the cells of every subset of variables, and the best network from them.
//
// A score that compares a joint table with its marginal, score(X | P) = J(P + X) - K(P), needs one number per
// *set* of variables instead of one per family: 2^n group-bys serve all n 2^(n-1) families. BDeu, BIC, AIC
// and the likelihood even have J = K.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/cell_terms.hpp"
#include "common/codes.hpp"
#include "common/parallel.hpp"

namespace bayleaf {

struct SetScore {
    SetTerm term;                // each set also pays its penalty per configuration
    std::int64_t largest_set;    // sets of more variables are not needed
    double most_configurations;  // sets with more configurations are not needed
};

// How much is done, for a caller that looks on, and whether to stop.
struct Watch {
    Stop& stop;
    std::int64_t* done;

    bool stopped() const { return stop.requested(); }
    void add(std::int64_t amount) const { __atomic_fetch_add(done, amount, __ATOMIC_SEQ_CST); }
};

// Distinct rows with their summed weights.
template <class Code, class Weight>
struct DistinctRows {
    std::vector<std::vector<Code>> columns;
    std::vector<Weight> weights;
    std::size_t size() const { return weights.size(); }
};

// Each set of variables is a number whose bit i stands for column i. Sets that are not needed get a value
// that falls so steeply with their size that no family over them can win.
inline constexpr double kUnreachable = -1e30;

// sums[S] for all sets S of the first `variables` columns. A column beyond those (the class of an augmented
// naive Bayes search) belongs to every set. Integer counts use tables and tricks for small groups.
template <class Code>
void subset_sums(const DistinctRows<Code, std::uint32_t>& rows, std::span<const std::int64_t> arities,
                 std::size_t variables, const SetScore& score, double* sums, int threads, const Watch& watch);

// The same for real weights, without tables.
template <class Code>
void subset_sums(const DistinctRows<Code, double>& rows, std::span<const std::int64_t> arities,
                 std::size_t variables, const SetScore& score, double* sums, int threads, const Watch& watch);

// Groups equal rows of `codes` (no missing values) and adds up their weights (null: one each).
template <class Code, class Weight>
DistinctRows<Code, Weight> distinct_rows(const CodeMatrix<Code>& codes, const double* weights);

// What a family may look like, per child: bit masks of arcs that must and must not be there.
struct FamilyLimits {
    std::span<const std::int64_t> required;
    std::span<const std::int64_t> forbidden;
};

// score(X | P) = joint[P + X] - given[X][P].
template <class Real>
struct SetSums {
    const Real* joint;
    std::vector<const Real*> given;
    std::size_t variables;
};

// The network of the best total: parents[X] as a bit mask. Returns false when stopped, or when the limits
// leave no network. Equally good parents: fewer first, then those that come first in order. `tolerance` is
// how far scores may differ and still count as equal.
template <class Real>
bool best_network(const SetSums<Real>& sums, const FamilyLimits& limits, double tolerance,
                  std::int64_t* parents, int threads, const Watch& watch);

// Bytes that best_network allocates.
std::size_t best_network_bytes(std::size_t variables, std::size_t real_size);

}  // namespace bayleaf
