// Floor: one read of the numbers, the comparisons of value_reader.cpp, and the look-ups of log_joint.cpp.
// Codes never leave the cache.
#include "network/score.hpp"

#include <algorithm>
#include <atomic>

#include "common/parallel.hpp"

namespace bayleaf {
namespace {

// Marks rows with a missing value, and gives them any code that has a place in the tables.
template <class Code>
void set_aside(Code* codes, std::size_t columns, std::size_t rows, const Met* met, std::uint8_t* incomplete) {
    for (std::size_t j = 0; j < columns; ++j) {
        if (!met[j]) continue;
        Code* column = codes + j * kReadBlock;
        for (std::size_t i = 0; i < rows; ++i) {
            if (column[i] != kMissing<Code>) continue;
            column[i] = 0;
            incomplete[i] = 1;
        }
    }
}

}  // namespace

template <class Number, class Code>
Met score_numbers(const std::vector<ColumnRule>& rules, const NumberMatrix<Number>& values,
                  const Factors& factors, const double* log_tables, const double* fallback, double* out,
                  std::uint8_t* incomplete, int threads) {
    const auto classes = static_cast<std::size_t>(factors.query_states);
    std::atomic<Met> overall{0};
    parallel_blocks(values.rows, kReadBlock * 16, threads, [&](std::size_t first, std::size_t last) {
        std::vector<Code> codes(rules.size() * kReadBlock);
        const CodeMatrix<Code> block{codes.data(), kReadBlock, rules.size()};
        std::vector<Met> met(rules.size());
        std::vector<std::uint32_t> positions(kReadBlock);
        for (std::size_t begin = first; begin < last; begin += kReadBlock) {
            const std::size_t rows = std::min(kReadBlock, last - begin);
            read_block(rules, values, begin, rows, codes.data(), kReadBlock, met.data());
            Met found = 0;
            for (const Met each : met) found |= each;
            if (found) overall.fetch_or(found, std::memory_order_relaxed);
            if (found & ~kMetMissing) return;
            if (found) set_aside(codes.data(), rules.size(), rows, met.data(), incomplete + begin);
            double* sums = out + begin * classes;
            log_joint_block(block, factors, log_tables, 0, rows, positions.data(), sums);
            if (fallback) normalize_block(sums, rows, classes, fallback, sums);
        }
    });
    return overall;
}

#define BAYLEAF_SCORE(Number)                                                                       \
    template Met score_numbers<Number, std::uint8_t>(                                               \
        const std::vector<ColumnRule>&, const NumberMatrix<Number>&, const Factors&, const double*, \
        const double*, double*, std::uint8_t*, int);                                                \
    template Met score_numbers<Number, std::uint16_t>(                                              \
        const std::vector<ColumnRule>&, const NumberMatrix<Number>&, const Factors&, const double*, \
        const double*, double*, std::uint8_t*, int);
BAYLEAF_SCORE(double)
BAYLEAF_SCORE(float)
BAYLEAF_SCORE(std::int64_t)
BAYLEAF_SCORE(std::int32_t)
BAYLEAF_SCORE(std::uint8_t)
#undef BAYLEAF_SCORE

}  // namespace bayleaf
