// The term of one family in the log-joint: counted, smoothed, as logarithms on a grid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayleaf/candidates.hpp"

namespace bayleaf {

// entry(row) points to one value per class. Buffers are kept between calls of build.
template <class Code>
class FamilyTerms {
  public:
    void build(const Sample<Code>& sample, std::int64_t node, std::span<const std::int64_t> parents);

    const double* entry(std::size_t row) const { return terms_.data() + positions_[row] * classes_; }
    const double* terms() const { return terms_.data(); }
    const std::uint32_t* positions() const { return positions_.data(); }
    // Entries of `classes` values, the first of which is zero: for rows with a missing value in the family.
    std::size_t entries() const { return terms_.size() / classes_; }
    // Whether the family does without the class, so that every entry is zero.
    bool neutral() const { return neutral_; }

  private:
    void locate(const Sample<Code>& sample, std::span<const std::int64_t> columns);
    // Terms of each row from the rows before it: as many entries as rows.
    template <class Total>
    void estimate_in_order(const Sample<Code>& sample, std::size_t states, std::size_t groups,
                           std::vector<Total>& counts);
    template <class Total>
    void estimate(const Sample<Code>& sample, std::size_t states, std::size_t groups,
                  std::vector<Total>& counts);

    std::size_t classes_ = 0;
    std::size_t configurations_ = 0;
    bool neutral_ = false;
    double prior_cells_ = 0;  // cells of the whole family table, over which a sample size is spread
    std::vector<std::uint32_t> positions_;
    std::vector<double> terms_;
    std::vector<std::uint32_t> whole_counts_;
    std::vector<double> weighted_counts_;
};

}  // namespace bayleaf
