// Floor: the look-ups of log_joint.cpp for every member, and one exponential per row, class and member.
#include "network/council.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace bayleaf {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
// Rows handled together: enough that the tables of a factor are read from the cache, few enough that the sums
// stay there too.
constexpr std::size_t kBlock = 256;

// Sums of exponentials, each scaled by the largest term so far.
class LogSums {
  public:
    explicit LogSums(std::size_t size) : top_(size, kNothing), total_(size, 0.0) {}

    void clear() {
        std::fill(top_.begin(), top_.end(), kNothing);
        std::fill(total_.begin(), total_.end(), 0.0);
    }

    void add(std::size_t k, double term) {
        if (term > top_[k]) {
            total_[k] = total_[k] * std::exp(top_[k] - term) + 1.0;
            top_[k] = term;
        } else if (term > kNothing) {
            total_[k] += std::exp(term - top_[k]);
        }
    }

    double logarithm(std::size_t k) const { return total_[k] > 0 ? top_[k] + std::log(total_[k]) : kNothing; }

  private:
    std::vector<double> top_, total_;
};

// Buffers of one thread.
struct Space {
    Space(std::size_t rows, std::size_t classes)
        : positions(rows), sums(rows * classes), together(rows * classes) {}

    std::vector<std::uint32_t> positions;
    std::vector<double> sums;
    LogSums together;
};

// Adds the members whose weight is zero, or those whose weight is not, for some rows.
template <class Code>
void add_members(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members, bool silent,
                 std::size_t classes, std::size_t begin, std::size_t rows, Space& space, double* out) {
    space.together.clear();
    for (const CouncilMember& member : members) {
        if ((member.weight == 0) != silent) continue;
        log_joint_block(codes, member.factors, member.log_tables, begin, rows, space.positions.data(),
                        space.sums.data());
        const double log_weight = silent ? 0.0 : std::log(member.weight);
        for (std::size_t k = 0; k < rows * classes; ++k) space.together.add(k, space.sums[k] + log_weight);
    }
    for (std::size_t k = 0; k < rows * classes; ++k) out[k] = space.together.logarithm(k);
}

bool impossible(const double* log_joint, std::size_t classes) {
    return std::all_of(log_joint, log_joint + classes, [](double value) { return value == kNothing; });
}

}  // namespace

template <class Code>
void council_log_joint(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members,
                       std::size_t classes, double* out, int threads) {
    const bool silent = std::any_of(members.begin(), members.end(),
                                    [](const CouncilMember& member) { return member.weight == 0; });
    parallel_blocks(codes.rows, kBlock, threads, [&](std::size_t first, std::size_t last) {
        Space space(last - first, classes);
        add_members(codes, members, false, classes, first, last - first, space, out + first * classes);
        if (!silent) return;
        Space one(1, classes);
        for (std::size_t row = first; row < last; ++row)
            if (impossible(out + row * classes, classes))
                add_members(codes, members, true, classes, row, 1, one, out + row * classes);
    });
}

template <class Code>
void council_posteriors(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members,
                        std::size_t classes, double* out, int threads) {
    parallel_blocks(codes.rows, kBlock, threads, [&](std::size_t first, std::size_t last) {
        const std::size_t rows = last - first;
        std::vector<std::uint32_t> positions(rows);
        std::vector<double> sums(rows * classes);
        double* total = out + first * classes;
        std::fill_n(total, rows * classes, 0.0);
        for (const CouncilMember& member : members) {
            log_joint_block(codes, member.factors, member.log_tables, first, rows, positions.data(),
                            sums.data());
            normalize_block(sums.data(), rows, classes, member.fallback, sums.data());
            for (std::size_t k = 0; k < rows * classes; ++k) total[k] += member.weight * sums[k];
        }
    });
}

#define BAYLEAF_COUNCIL(Code)                                                                              \
    template void council_log_joint(const CodeMatrix<Code>&, std::span<const CouncilMember>, std::size_t,  \
                                    double*, int);                                                         \
    template void council_posteriors(const CodeMatrix<Code>&, std::span<const CouncilMember>, std::size_t, \
                                     double*, int);
BAYLEAF_COUNCIL(std::uint8_t)
BAYLEAF_COUNCIL(std::uint16_t)
#undef BAYLEAF_COUNCIL

}  // namespace bayleaf
