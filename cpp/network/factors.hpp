// A Bayesian network as the prediction kernels see it: one factor (family table) per node, arranged for one
// query variable, usually the class.
#pragma once

#include <cstdint>
#include <span>

#include "common/codes.hpp"

namespace bayleaf {

// Factor f covers variables[offsets[f] .. offsets[f + 1]) besides, perhaps, the query. Its table starts at
// table_offsets[f]; variable k of it steps by strides[k] values. A factor that holds the query has
// `query_states` values side by side for every configuration, any other has one.
struct Factors {
    std::span<const std::int64_t> variables;
    std::span<const std::int64_t> strides;
    std::span<const std::int64_t> offsets;
    std::span<const std::int64_t> table_offsets;
    std::span<const std::uint8_t> has_query;
    std::int64_t query_states;

    std::size_t size() const { return offsets.size() - 1; }
};

// sums[row][c] = sum over factors of log P, for `rows` rows from `begin` on without missing values; there is
// room for as many `positions`.
template <class Code>
void log_joint_block(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables,
                     std::size_t begin, std::size_t rows, std::uint32_t* positions, double* sums);

// out[row][c] = sum over factors of log P, for rows without missing values. `log_tables` holds natural
// logarithms.
template <class Code>
void log_joint(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables, double* out,
               int threads);

// The same for rows with any pattern of missing values: missing variables are summed out exactly, in the
// order of `rank` (smallest first). `tables` holds probabilities. Node f owns factor f; `topological` lists
// the nodes parents first; `query` is the node of the query, or -1. Rows that lie together with one pattern
// share one plan.
template <class Code>
void log_joint_missing(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                       const Factors& factors, const double* tables,
                       std::span<const std::int64_t> topological, std::span<const std::int64_t> rank,
                       std::int64_t query, std::int64_t largest_factor, double* out, int threads);

// Rows of log-joints become posteriors, in place of or beside them. A row that is impossible under every
// class gets `fallback`.
void normalize_block(const double* log_joint, std::size_t rows, std::size_t classes, const double* fallback,
                     double* out);
void normalize_rows(const double* log_joint, std::size_t rows, std::size_t classes, const double* fallback,
                    double* out, int threads);

// Conditional log-likelihood and what its gradient needs, expected counts under the posterior. Returns the
// sum over rows of weight * log P(truth | x). Where `expected` is given (as long as the tables), adds weight
// * P(c | x) of each row to the entries that the row meets with class c: the gradient with respect to the
// logarithm of an entry is its count minus this. Factors without the query are skipped, and so are factors of
// which a row misses a value. Sums are made over chunks of rows of fixed size, added in their order: threads
// do not change the result.
template <class Code>
double conditional_likelihood(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables,
                              std::size_t table_size, std::int64_t query, const double* weights,
                              double* expected, int threads);

}  // namespace bayleaf
