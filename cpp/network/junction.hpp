// Exact answers from a junction tree that is made for one question: only the nodes that matter to it, and
// only the states that the evidence leaves.
#pragma once

#include <cstdint>
#include <span>

#include "network/factors.hpp"

namespace bayleaf {

struct Question {
    std::span<const std::int64_t> arities;
    const Factors& factors;  // one per node, without a query
    const double* tables;
    std::span<const std::int64_t> codes;  // of each node: its observed state, or -1
    std::span<const double> likelihoods;  // weights of states, `likelihood_offsets[k]` on for node k
    std::span<const std::int64_t> likelihood_offsets;  // one per node, -1 where there are none
    std::span<const std::int64_t> targets;  // nodes whose joint distribution is asked for, ascending
    bool all;                               // asks for the distribution of every node by itself instead
    double limit;                           // entries of all cliques together; more are refused
};

enum class Answer { kExact = 0, kTooSmall = 1, kTooLarge = 2 };

struct Propagation {
    Answer answer;
    double log_evidence;
    double largest;  // entries of the largest clique
    double total;    // entries of all cliques
};

// Distributions go to `out`: that of the targets with the first outermost, or those of all nodes one after
// the other. kTooLarge: nothing was calculated. kTooSmall: the numbers left the range of a double, or the
// evidence is impossible.
Propagation propagate(const Question& question, double* out);

}  // namespace bayleaf
