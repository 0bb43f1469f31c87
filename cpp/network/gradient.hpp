// Conditional log-likelihood of a network and what its gradient needs: expected counts under the posterior.
#pragma once

#include <cstdint>

#include "network/factors.hpp"

namespace bayleaf {

// Returns the sum over rows of weight * log P(truth | x). Where `expected` is given (as long as the tables),
// adds weight * P(c | x) of each row to the entries that the row meets with class c: the gradient with
// respect to the logarithm of an entry is its count minus this. Factors without the query are skipped, and so
// are factors of which a row misses a value. Sums are made over chunks of rows of fixed size, added in their
// order: threads do not change the result.
template <class Code>
double conditional_likelihood(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables,
                              std::size_t table_size, std::int64_t query, const double* weights,
                              double* expected, int threads);

}  // namespace bayleaf
