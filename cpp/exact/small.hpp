// Groups of a few rows, for all sets of variables at once. Internal to the exact search.
//
// Let J be some of the rows of a group. A sum of f(size) over the blocks of any partition of the group equals
// the sum, over all J that lie within one block, of the |J|-th finite difference of f at zero. So a small
// group need not be split again and again: it is enough to know, for every set R of the variables still open,
// how many J of each size agree on R. A histogram over "variables on which J agrees", summed over supersets,
// tells that for all R together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/groups.hpp"

namespace bayleaf {

inline constexpr std::size_t kSmallVariables = 16;  // variables that a histogram is kept for

// How many subsets J of each size agree on each set R of the open variables, in small groups.
struct SmallCounts {
    std::array<std::int32_t*, kSmall + 1> agreeing{};  // [|J|][R], for two rows and more
    std::int64_t rows = 0;                             // of all small groups

    // The counts of the sets from number `first` on.
    SmallCounts from(std::size_t first) const {
        SmallCounts rest{{}, rows};
        for (std::size_t size = 2; size <= kSmall; ++size) rest.agreeing[size] = agreeing[size] + first;
        return rest;
    }
    // The terms of the small groups, but for J of one row.
    double term(std::size_t r, const CellFunction& f) const {
        double sum = 0.0;
        for (std::size_t size = 2; size <= kSmall; ++size) sum += agreeing[size][r] * f.difference(size);
        return sum;
    }
};

template <class Code>
class SmallGroups {
  public:
    SmallGroups(const DistinctRows<Code, std::uint32_t>& rows, std::size_t variables);

    // Counts of these groups for all sets of the first `open` variables; valid until the next call.
    SmallCounts count(const GroupList& groups, std::size_t open);
    // The same, kept until the next call of `keep`.
    SmallCounts keep(const GroupList& groups, std::size_t open);
    // Adds these groups to counts that were kept before.
    SmallCounts add(const GroupList& groups, std::size_t open, const SmallCounts& known);

  private:
    using Histogram = std::array<std::vector<std::int32_t>, kSmall + 1>;  // [|J|][variables it agrees on]

    std::int64_t fill(const GroupList& groups, std::size_t open);
    void fill_one(std::span<const std::uint32_t> rows, std::uint32_t open);
    SmallCounts view(Histogram& histogram, std::int64_t rows) const;
    std::uint32_t agreement(std::uint32_t a, std::uint32_t b) const;

    std::vector<Code> codes_;  // [row][variable], kSmallVariables per row
    Histogram counted_, kept_;
};

}  // namespace bayleaf
