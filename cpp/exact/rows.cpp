// Equal rows become one row with a weight.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "exact/exact.hpp"

namespace bayleaf {

namespace {

// Row numbers sorted by the first column, then by the second, and so on: a stable counting sort per column.
template <class Code>
std::vector<std::uint32_t> sorted_rows(const CodeMatrix<Code>& codes) {
    std::vector<std::uint32_t> order(codes.rows), next(codes.rows);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t j = codes.columns; j-- > 0;) {
        const Code* column = codes.column(j);
        std::vector<std::uint32_t> starts(static_cast<std::size_t>(kMissing<Code>) + 2, 0);
        for (std::size_t i = 0; i < codes.rows; ++i) ++starts[column[i] + 1u];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (const std::uint32_t row : order) next[starts[column[row]]++] = row;
        order.swap(next);
    }
    return order;
}

template <class Code>
bool equal_rows(const CodeMatrix<Code>& codes, std::uint32_t a, std::uint32_t b) {
    for (std::size_t j = 0; j < codes.columns; ++j) {
        if (codes.column(j)[a] != codes.column(j)[b]) return false;
    }
    return true;
}

}  // namespace

template <class Code, class Weight>
DistinctRows<Code, Weight> distinct_rows(const CodeMatrix<Code>& codes, const double* weights) {
    DistinctRows<Code, Weight> result;
    std::vector<std::uint32_t> first;
    std::uint32_t last = 0;
    for (const std::uint32_t row : sorted_rows(codes)) {
        const auto weight = static_cast<Weight>(weights ? std::lround(weights[row]) : 1);
        const Weight added =
            std::is_same_v<Weight, double> && weights ? static_cast<Weight>(weights[row]) : weight;
        if (added == 0) continue;
        if (first.empty() || !equal_rows(codes, last, row)) {
            first.push_back(row);
            result.weights.push_back(0);
        }
        result.weights.back() += added;
        last = row;
    }
    result.columns.resize(codes.columns);
    for (std::size_t j = 0; j < codes.columns; ++j) {
        result.columns[j].reserve(first.size());
        for (const std::uint32_t row : first) result.columns[j].push_back(codes.column(j)[row]);
    }
    return result;
}

template DistinctRows<std::uint8_t, std::uint32_t> distinct_rows(const CodeMatrix<std::uint8_t>&,
                                                                 const double*);
template DistinctRows<std::uint16_t, std::uint32_t> distinct_rows(const CodeMatrix<std::uint16_t>&,
                                                                  const double*);
template DistinctRows<std::uint8_t, double> distinct_rows(const CodeMatrix<std::uint8_t>&, const double*);
template DistinctRows<std::uint16_t, double> distinct_rows(const CodeMatrix<std::uint16_t>&, const double*);

}  // namespace bayleaf
