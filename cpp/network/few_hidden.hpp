// Missing values that have few states together are summed out by trying them all: that needs no plan, which
// would cost more than the sums where every row has a pattern of its own and there are many networks.
#pragma once

#include <cstdint>
#include <vector>

#include "network/elimination.hpp"

namespace bayleaf {

class FewHidden {
  public:
    // `log_tables` holds natural logarithms. The network needs no order of elimination.
    FewHidden(const Network& net, const double* log_tables) : net_(net), log_tables_(log_tables) {}

    // Looks at a pattern of missing values; returns false where too much would have to be tried.
    bool prepare(const std::vector<char>& missing);

    // sums[c] = log P(c, observed values) of a row with this pattern.
    template <class Code>
    void add_row(const CodeMatrix<Code>& codes, std::size_t row, double* sums);

  private:
    const Network& net_;
    const double* log_tables_;
    std::vector<std::size_t> observed_;         // factors without a variable to be summed out
    std::vector<std::size_t> touched_;          // the others
    std::vector<std::int64_t> hidden_;          // what is summed out
    std::vector<std::int64_t> positions_;       // per combination of its states and touched factor
    std::vector<std::int64_t> observed_parts_;  // of the touched factors, in the row at hand
    std::vector<double> terms_;                 // per combination and class
};

}  // namespace bayleaf
