// Several networks that answer as one: their joint probabilities, or their posteriors, are averaged.
#pragma once

#include <cstdint>
#include <span>

#include "network/factors.hpp"

namespace bayleaf {

struct CouncilMember {
    Factors factors;
    const double* log_tables;
    const double* fallback;  // its posterior of a row that it calls impossible
    double weight;
    int level;
    std::span<const std::int64_t> arities;      // of its nodes; these and the next for rows with gaps
    std::span<const std::int64_t> topological;  // its nodes, parents first; the class is the last node
};

// out[row][c] = log of the weighted sum of the members' joint probabilities of row and class. Members of a
// level are asked only where all members of the levels below call a row impossible. Rows have no missing
// values.
template <class Code>
void council_log_joint(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members,
                       std::size_t classes, double* out, int threads);

// The same for rows with gaps, where the variables of every member are the columns of the codes. Missing
// values are summed out exactly. A row is marked as undone where that would mean to try too many states.
template <class Code>
void council_gaps(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members, std::size_t classes,
                  double* out, std::uint8_t* undone, int threads);

// out[row][c] = weighted mean of the members' posteriors, whatever their level.
template <class Code>
void council_posteriors(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members,
                        std::size_t classes, double* out, int threads);

}  // namespace bayleaf
