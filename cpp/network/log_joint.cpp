// Floor: rows * factors * query_states additions from tables that sit in the cache, and one pass over the
// codes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/dispatch.hpp"
#include "network/factors.hpp"
#include "common/parallel.hpp"

namespace bayleaf {
namespace {

// Rows handled together: few enough that their sums stay in the first-level cache.
std::size_t rows_per_block(std::size_t classes) { return std::clamp<std::size_t>(2048 / classes, 64, 1024); }

#define BAYLEAF_ADVANCE(Code)                                                               \
    BAYLEAF_CLONES void advance(const Code* column, std::size_t rows, std::uint32_t stride, \
                                std::uint32_t* positions) {                                 \
        for (std::size_t i = 0; i < rows; ++i) positions[i] += stride * column[i];          \
    }
BAYLEAF_ADVANCE(std::uint8_t)
BAYLEAF_ADVANCE(std::uint16_t)
#undef BAYLEAF_ADVANCE

// Where each row of the block finds its entry of factor f.
template <class Code>
void table_positions(const CodeMatrix<Code>& codes, const Factors& factors, std::size_t f, std::size_t begin,
                     std::size_t rows, std::uint32_t* positions) {
    std::fill_n(positions, rows, 0u);
    for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k)
        advance(codes.column(factors.variables[k]) + begin, rows,
                static_cast<std::uint32_t>(factors.strides[k]), positions);
}

// A fixed number of classes lets the compiler unroll the inner loop; 0 stands for any number.
template <std::size_t Classes>
inline void add_rows(const double* table, const std::uint32_t* positions, std::size_t rows,
                     std::size_t any_classes, double* sums) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t i = 0; i < rows; ++i) {
        const double* entry = table + positions[i];
        double* row = sums + i * classes;
        for (std::size_t c = 0; c < classes; ++c) row[c] += entry[c];
    }
}

BAYLEAF_CLONES void add_entries(const double* table, const std::uint32_t* positions, std::size_t rows,
                                std::size_t classes, double* sums) {
    switch (classes) {
        case 1:
            return add_rows<1>(table, positions, rows, classes, sums);
        case 2:
            return add_rows<2>(table, positions, rows, classes, sums);
        case 3:
            return add_rows<3>(table, positions, rows, classes, sums);
        case 4:
            return add_rows<4>(table, positions, rows, classes, sums);
        case 5:
            return add_rows<5>(table, positions, rows, classes, sums);
        case 6:
            return add_rows<6>(table, positions, rows, classes, sums);
        case 8:
            return add_rows<8>(table, positions, rows, classes, sums);
        case 10:
            return add_rows<10>(table, positions, rows, classes, sums);
        default:
            return add_rows<0>(table, positions, rows, classes, sums);
    }
}

}  // namespace

template <class Code>
void log_joint(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables, double* out,
               int threads) {
    const auto classes = static_cast<std::size_t>(factors.query_states);
    const std::size_t block = rows_per_block(classes);
    parallel_blocks(codes.rows, block * 16, threads, [&](std::size_t first, std::size_t last) {
        std::vector<std::uint32_t> positions(block);
        for (std::size_t begin = first; begin < last; begin += block) {
            const std::size_t rows = std::min(block, last - begin);
            double* sums = out + begin * classes;
            std::fill_n(sums, rows * classes, 0.0);
            for (std::size_t f = 0; f < factors.size(); ++f) {
                table_positions(codes, factors, f, begin, rows, positions.data());
                const double* table = log_tables + factors.table_offsets[f];
                if (factors.has_query[f]) {
                    add_entries(table, positions.data(), rows, classes, sums);
                    continue;
                }
                for (std::size_t i = 0; i < rows; ++i)
                    for (std::size_t c = 0; c < classes; ++c) sums[i * classes + c] += table[positions[i]];
            }
        }
    });
}

void normalize_rows(const double* log_joint, std::size_t rows, std::size_t classes, const double* fallback,
                    double* out, int threads) {
    parallel_blocks(rows, 16384, threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const double* row = log_joint + i * classes;
            double* posterior = out + i * classes;
            const double top = *std::max_element(row, row + classes);
            if (top == -std::numeric_limits<double>::infinity()) {
                std::copy_n(fallback, classes, posterior);
                continue;
            }
            double total = 0;
            for (std::size_t c = 0; c < classes; ++c) total += posterior[c] = std::exp(row[c] - top);
            const double scale = 1.0 / total;
            for (std::size_t c = 0; c < classes; ++c) posterior[c] *= scale;
        }
    });
}

template void log_joint(const CodeMatrix<std::uint8_t>&, const Factors&, const double*, double*, int);
template void log_joint(const CodeMatrix<std::uint16_t>&, const Factors&, const double*, double*, int);

}  // namespace bayleaf
