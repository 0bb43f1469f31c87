// Floor: the look-ups of log_joint.cpp for every member, and one exponential per row, class and member.
#include "network/council.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "network/elimination.hpp"
#include "network/few_hidden.hpp"

namespace bayleaf {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
// Rows handled together: enough that the tables of a factor are read from the cache, few enough that the sums
// stay there too.
constexpr std::size_t kBlock = 256;
constexpr std::size_t kGapBlock = 64;

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

// Adds the members of one level, for some rows.
template <class Code>
void add_members(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members, int level,
                 std::size_t classes, std::size_t begin, std::size_t rows, Space& space, double* out) {
    space.together.clear();
    for (const CouncilMember& member : members) {
        if (member.level != level) continue;
        log_joint_block(codes, member.factors, member.log_tables, begin, rows, space.positions.data(),
                        space.sums.data());
        const double log_weight = std::log(member.weight);
        for (std::size_t k = 0; k < rows * classes; ++k) space.together.add(k, space.sums[k] + log_weight);
    }
    for (std::size_t k = 0; k < rows * classes; ++k) out[k] = space.together.logarithm(k);
}

bool impossible(const double* log_joint, std::size_t classes) {
    return std::all_of(log_joint, log_joint + classes, [](double value) { return value == kNothing; });
}

int highest_level(std::span<const CouncilMember> members) {
    int highest = 0;
    for (const CouncilMember& member : members) highest = std::max(highest, member.level);
    return highest;
}

// Adds the members of one level for rows with gaps, of which missing[row] tells. Marks rows as undone where
// too much would have to be tried.
template <class Code>
void add_members_to_gaps(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members, int level,
                         std::size_t classes, std::size_t begin, std::span<const std::vector<char>> missing,
                         Space& space, double* out, std::uint8_t* undone) {
    const std::size_t rows = missing.size();
    space.together.clear();
    for (const CouncilMember& member : members) {
        if (member.level != level) continue;
        const auto query = static_cast<std::int64_t>(codes.columns);
        const Network net{member.arities, member.factors, member.topological, {}, query, classes, 0};
        const double log_weight = std::log(member.weight);
        FewHidden few(net, member.log_tables);
        for (std::size_t i = 0; i < rows; ++i) {
            if (undone[i] || !few.prepare(missing[i])) {
                undone[i] = 1;
                continue;
            }
            few.add_row(codes, begin + i, space.sums.data());
            for (std::size_t c = 0; c < classes; ++c)
                space.together.add(i * classes + c, space.sums[c] + log_weight);
        }
    }
    for (std::size_t k = 0; k < rows * classes; ++k) out[k] = space.together.logarithm(k);
}

}  // namespace

template <class Code>
void council_log_joint(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members,
                       std::size_t classes, double* out, int threads) {
    const int highest = highest_level(members);
    parallel_blocks(codes.rows, kBlock, threads, [&](std::size_t first, std::size_t last) {
        Space space(last - first, classes);
        add_members(codes, members, 0, classes, first, last - first, space, out + first * classes);
        if (highest == 0) return;
        Space one(1, classes);
        for (std::size_t row = first; row < last; ++row)
            for (int level = 1; level <= highest && impossible(out + row * classes, classes); ++level)
                add_members(codes, members, level, classes, row, 1, one, out + row * classes);
    });
}

template <class Code>
void council_gaps(const CodeMatrix<Code>& codes, std::span<const CouncilMember> members, std::size_t classes,
                  double* out, std::uint8_t* undone, int threads) {
    const int highest = highest_level(members);
    std::fill_n(undone, codes.rows, std::uint8_t{0});
    parallel_blocks(codes.rows, kGapBlock, threads, [&](std::size_t first, std::size_t last) {
        std::vector<std::vector<char>> missing(last - first, std::vector<char>(codes.columns + 1, 0));
        for (std::size_t v = 0; v < codes.columns; ++v)
            for (std::size_t row = first; row < last; ++row)
                missing[row - first][v] = codes.column(v)[row] == kMissing<Code>;
        Space space(last - first, classes);
        add_members_to_gaps(codes, members, 0, classes, first, missing, space, out + first * classes,
                            undone + first);
        Space one(1, classes);
        for (std::size_t row = first; row < last; ++row)
            for (int level = 1; level <= highest && !undone[row] && impossible(out + row * classes, classes);
                 ++level)
                add_members_to_gaps(codes, members, level, classes, row, {&missing[row - first], 1}, one,
                                    out + row * classes, undone + row);
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
        double weight = 0;
        for (const CouncilMember& member : members) {
            log_joint_block(codes, member.factors, member.log_tables, first, rows, positions.data(),
                            sums.data());
            normalize_block(sums.data(), rows, classes, member.fallback, sums.data());
            for (std::size_t k = 0; k < rows * classes; ++k) total[k] += member.weight * sums[k];
            weight += member.weight;
        }
        for (std::size_t k = 0; k < rows * classes; ++k) total[k] /= weight;
    });
}

#define BAYLEAF_COUNCIL(Code)                                                                              \
    template void council_log_joint(const CodeMatrix<Code>&, std::span<const CouncilMember>, std::size_t,  \
                                    double*, int);                                                         \
    template void council_gaps(const CodeMatrix<Code>&, std::span<const CouncilMember>, std::size_t,       \
                               double*, std::uint8_t*, int);                                               \
    template void council_posteriors(const CodeMatrix<Code>&, std::span<const CouncilMember>, std::size_t, \
                                     double*, int);
BAYLEAF_COUNCIL(std::uint8_t)
BAYLEAF_COUNCIL(std::uint16_t)
#undef BAYLEAF_COUNCIL

}  // namespace bayleaf
