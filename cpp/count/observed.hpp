// Numbers for the configurations that occur: a table over them is never larger than the data.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace bayleaf {

// Of a row that has no configuration, because a value is missing.
inline constexpr std::uint32_t kNowhere = 0xffffffffu;

class ObservedNumbers {
  public:
    // Replaces positions in [0, range) by their ranks among those that occur, and returns how many occur.
    // kNowhere stays.
    std::size_t renumber(std::vector<std::uint32_t>& positions, std::size_t range) {
        seen_.assign(range / 64 + 1, 0);
        for (const std::uint32_t p : positions)
            if (p != kNowhere) seen_[p / 64] |= std::uint64_t{1} << (p % 64);
        before_.resize(seen_.size());
        std::uint32_t total = 0;
        for (std::size_t w = 0; w < seen_.size(); ++w) {
            before_[w] = total;
            total += static_cast<std::uint32_t>(std::popcount(seen_[w]));
        }
        for (std::uint32_t& p : positions) {
            if (p == kNowhere) continue;
            const std::uint64_t below = seen_[p / 64] & ((std::uint64_t{1} << (p % 64)) - 1);
            p = before_[p / 64] + static_cast<std::uint32_t>(std::popcount(below));
        }
        return total;
    }

    // Calls visit(position) for every position that occurred, in order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t w = 0; w < seen_.size(); ++w)
            for (std::uint64_t left = seen_[w]; left; left &= left - 1)
                visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }

  private:
    std::vector<std::uint64_t> seen_;
    std::vector<std::uint32_t> before_;
};

}  // namespace bayleaf
