#include "count/refine.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"

namespace bayleaf {
namespace {

double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0.0; }

template <class Code>
struct GroupCounter {
    const CodeMatrix<Code>& codes;
    const Code* column;
    const Code* truth;
    const double* weights;
    std::size_t states, classes;
    std::vector<double> counts;
    std::vector<std::uint8_t> seen;
    std::vector<std::uint32_t> touched;

    std::size_t state(std::int64_t row) const {
        return column[row] == kMissing<Code> ? states - 1 : column[row];
    }

    void add_group(std::span<const std::int64_t> rows, double* gains) {
        for (const std::int64_t row : rows) {
            const std::size_t s = state(row);
            if (!seen[s]) {
                seen[s] = 1;
                touched.push_back(static_cast<std::uint32_t>(s));
            }
            counts[s * classes + truth[row]] += weights ? weights[row] : 1.0;
        }
        std::sort(touched.begin(), touched.end());  // sums in one order, whatever the order of rows
        for (const std::uint32_t s : touched) {
            double total = 0, parts = 0, largest = 0;
            for (std::size_t c = 0; c < classes; ++c) {
                double& n = counts[s * classes + c];
                total += n;
                parts += n_log_n(n);
                largest = std::max(largest, n);
                n = 0;
            }
            gains[0] += parts - n_log_n(total);
            gains[1] += largest;
            seen[s] = 0;
        }
        touched.clear();
    }
};

}  // namespace

template <class Code>
void partition_gains(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                     std::int64_t target, const double* weights, std::span<const std::int64_t> features,
                     std::span<const std::int64_t> rows, std::span<const std::int64_t> starts, double* gains,
                     int threads) {
    parallel_for(features.size(), threads, [&](std::size_t f) {
        const auto states = static_cast<std::size_t>(arities[features[f]]) + 1;
        const auto classes = static_cast<std::size_t>(arities[target]);
        GroupCounter<Code> counter{codes,
                                   codes.column(features[f]),
                                   codes.column(target),
                                   weights,
                                   states,
                                   classes,
                                   std::vector<double>(states * classes),
                                   std::vector<std::uint8_t>(states),
                                   {}};
        for (std::size_t g = 0; g + 1 < starts.size(); ++g)
            counter.add_group(rows.subspan(starts[g], starts[g + 1] - starts[g]), gains + 2 * f);
    });
}

template void partition_gains(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>, std::int64_t,
                              const double*, std::span<const std::int64_t>, std::span<const std::int64_t>,
                              std::span<const std::int64_t>, double*, int);
template void partition_gains(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>, std::int64_t,
                              const double*, std::span<const std::int64_t>, std::span<const std::int64_t>,
                              std::span<const std::int64_t>, double*, int);

}  // namespace bayleaf
