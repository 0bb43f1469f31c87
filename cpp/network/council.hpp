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
};

// out[row][c] = log of the weighted sum of the members' joint probabilities of row and class. A member of
// weight zero is asked only where all others call a row impossible. Rows have no missing values.
template <class Code>
void council_log_joint(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members,
                       std::size_t classes, double* out, int threads);

// out[row][c] = weighted sum of the members' posteriors.
template <class Code>
void council_posteriors(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members,
                        std::size_t classes, double* out, int threads);

}  // namespace bayleaf
