// Log-joints of complete rows, and the conditional likelihood. Floor: rows * factors * query_states additions
// from tables that sit in the cache, and one pass over the codes; for a gradient, as many additions to write
// the expected counts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"
#include "network/factors.hpp"

namespace bayleaf {
namespace {

// Rows handled together: few enough that their sums stay in the first-level cache.
std::size_t rows_per_block(std::size_t classes) { return std::clamp<std::size_t>(2048 / classes, 64, 1024); }
constexpr std::size_t kLikelihoodBlock = 128;

// Returns the largest code met, which is the missing code if there is one.
#define BAYLEAF_ADVANCE(Code)                                                               \
    BAYLEAF_CLONES Code advance(const Code* column, std::size_t rows, std::uint32_t stride, \
                                std::uint32_t* positions) {                                 \
        Code top = 0;                                                                       \
        for (std::size_t i = 0; i < rows; ++i) {                                            \
            positions[i] += stride * column[i];                                             \
            top = top > column[i] ? top : column[i];                                        \
        }                                                                                   \
        return top;                                                                         \
    }
BAYLEAF_ADVANCE(std::uint8_t)
BAYLEAF_ADVANCE(std::uint16_t)
#undef BAYLEAF_ADVANCE

// Where each row of the block finds its entry of factor f, counted from `first`; returns whether all rows
// have one.
template <class Code>
bool locate(const CodeMatrix<Code>& codes, const Factors& factors, std::size_t f, std::size_t begin,
            std::size_t rows, std::uint32_t first, std::uint32_t* positions) {
    std::fill_n(positions, rows, first);
    bool complete = true;
    for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k)
        complete &= advance(codes.column(factors.variables[k]) + begin, rows,
                            static_cast<std::uint32_t>(factors.strides[k]), positions) != kMissing<Code>;
    return complete;
}

template <std::size_t Classes>
BAYLEAF_INLINE void read(const double* table, const std::uint32_t* positions, std::size_t rows,
                         std::size_t any, double* sums) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i) {
        const double* entry = table + positions[i];
        double* row = sums + i * classes;
        for (std::size_t c = 0; c < classes; ++c) row[c] += entry[c];
    }
}

template <std::size_t Classes>
BAYLEAF_INLINE void write(const double* posterior, const std::uint32_t* positions, std::size_t rows,
                          std::size_t any, double* expected) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c) expected[positions[i] + c] += posterior[i * classes + c];
}

BAYLEAF_CLONES void read_rows(const double* table, const std::uint32_t* positions, std::size_t rows,
                              std::size_t classes, double* sums) {
    BAYLEAF_BY_CLASSES(classes, read, table, positions, rows, classes, sums);
}

BAYLEAF_CLONES void write_rows(const double* posterior, const std::uint32_t* positions, std::size_t rows,
                               std::size_t classes, double* expected) {
    BAYLEAF_BY_CLASSES(classes, write, posterior, positions, rows, classes, expected);
}

// A stretch of rows whose likelihood and expected counts are added up.
template <class Code>
class Chunk {
  public:
    Chunk(const CodeMatrix<Code>& codes, const Factors& factors, const double* tables, std::size_t table_size,
          std::int64_t query, const double* weights)
        : codes_(codes),
          factors_(factors),
          tables_(tables),
          table_size_(table_size),
          query_(query),
          weights_(weights),
          classes_(static_cast<std::size_t>(factors.query_states)),
          sums_(kLikelihoodBlock * classes_),
          positions_(kLikelihoodBlock * factors.size()) {}

    double add(std::size_t first, std::size_t last, double* expected) {
        double total = 0;
        for (std::size_t begin = first; begin < last; begin += kLikelihoodBlock) {
            const std::size_t rows = std::min(kLikelihoodBlock, last - begin);
            forward(begin, rows);
            for (std::size_t i = 0; i < rows; ++i) total += normalise(begin + i, &sums_[i * classes_]);
            if (!expected) continue;
            for (std::size_t f = 0; f < factors_.size(); ++f)
                if (factors_.has_query[f])
                    write_rows(sums_.data(), &positions_[f * kLikelihoodBlock], rows, classes_, expected);
        }
        return total;
    }

  private:
    void forward(std::size_t begin, std::size_t rows) {
        std::fill_n(sums_.data(), rows * classes_, 0.0);
        for (std::size_t f = 0; f < factors_.size(); ++f) {
            if (!factors_.has_query[f]) continue;
            std::uint32_t* positions = &positions_[f * kLikelihoodBlock];
            const auto first = static_cast<std::uint32_t>(factors_.table_offsets[f]);
            if (!locate(codes_, factors_, f, begin, rows, first, positions))
                send_nowhere(f, begin, rows, positions);
            read_rows(tables_, positions, rows, classes_, sums_.data());
        }
    }

    // Rows without an entry read zeros and write to a place that nobody looks at, behind the tables.
    void send_nowhere(std::size_t f, std::size_t begin, std::size_t rows, std::uint32_t* positions) const {
        for (std::int64_t k = factors_.offsets[f]; k < factors_.offsets[f + 1]; ++k)
            for (std::size_t i = 0; i < rows; ++i)
                if (codes_.column(factors_.variables[k])[begin + i] == kMissing<Code>)
                    positions[i] = static_cast<std::uint32_t>(table_size_);
    }

    // Log-joints become weighted posteriors; returns weight * log P(truth | x).
    double normalise(std::size_t row, double* sums) const {
        const double top = *std::max_element(sums, sums + classes_);
        const double own = sums[codes_.column(query_)[row]] - top;
        double total = 0;
        for (std::size_t c = 0; c < classes_; ++c) total += sums[c] = std::exp(sums[c] - top);
        const double weight = weights_ ? weights_[row] : 1.0;
        for (std::size_t c = 0; c < classes_; ++c) sums[c] *= weight / total;
        return weight * (own - std::log(total));
    }

    const CodeMatrix<Code>& codes_;
    const Factors& factors_;
    const double* tables_;
    std::size_t table_size_;
    std::int64_t query_;
    const double* weights_;
    std::size_t classes_;
    std::vector<double> sums_;
    std::vector<std::uint32_t> positions_;
};

}  // namespace

template <class Code>
void log_joint_row(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables,
                   std::size_t row, double* sums) {
    const auto classes = static_cast<std::size_t>(factors.query_states);
    std::fill_n(sums, classes, 0.0);
    for (std::size_t f = 0; f < factors.size(); ++f) {
        const double* entry = log_tables + factors.table_offsets[f];
        for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k)
            entry += factors.strides[k] * codes.column(factors.variables[k])[row];
        for (std::size_t c = 0; c < classes; ++c) sums[c] += entry[factors.has_query[f] ? c : 0];
    }
}

template <class Code>
void log_joint_block(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables,
                     std::size_t begin, std::size_t rows, std::uint32_t* positions, double* sums) {
    const auto classes = static_cast<std::size_t>(factors.query_states);
    if (rows == 1) return log_joint_row(codes, factors, log_tables, begin, sums);
    std::fill_n(sums, rows * classes, 0.0);
    for (std::size_t f = 0; f < factors.size(); ++f) {
        locate(codes, factors, f, begin, rows, 0, positions);
        const double* table = log_tables + factors.table_offsets[f];
        if (factors.has_query[f]) {
            read_rows(table, positions, rows, classes, sums);
            continue;
        }
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < classes; ++c) sums[i * classes + c] += table[positions[i]];
    }
}

template <class Code>
void log_joint(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables, double* out,
               int threads) {
    const auto classes = static_cast<std::size_t>(factors.query_states);
    const std::size_t block = rows_per_block(classes);
    parallel_blocks(codes.rows, block * 16, threads, [&](std::size_t first, std::size_t last) {
        std::vector<std::uint32_t> positions(block);
        for (std::size_t begin = first; begin < last; begin += block)
            log_joint_block(codes, factors, log_tables, begin, std::min(block, last - begin),
                            positions.data(), out + begin * classes);
    });
}

void normalize_block(const double* log_joint, std::size_t rows, std::size_t classes, const double* fallback,
                     double* out) {
    for (std::size_t i = 0; i < rows; ++i) {
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
}

void normalize_rows(const double* log_joint, std::size_t rows, std::size_t classes, const double* fallback,
                    double* out, int threads) {
    parallel_blocks(rows, 16384, threads, [&](std::size_t first, std::size_t last) {
        normalize_block(log_joint + first * classes, last - first, classes, fallback, out + first * classes);
    });
}

template <class Code>
double conditional_likelihood(const CodeMatrix<Code>& codes, const Factors& factors, const double* log_tables,
                              std::size_t table_size, std::int64_t query, const double* weights,
                              double* expected, int threads) {
    const auto classes = static_cast<std::size_t>(factors.query_states);
    // Sixteen chunks at most: enough for as many threads, few enough that their tables fit in memory.
    const std::size_t chunk = std::max<std::size_t>(2048, (codes.rows + 15) / 16);
    const std::size_t chunks = (codes.rows + chunk - 1) / chunk;
    const std::size_t padded = table_size + classes;
    std::vector<double> tables(log_tables, log_tables + table_size), totals(chunks);
    tables.resize(padded, 0.0);
    std::vector<double> sums(expected ? chunks * padded : 0);
    parallel_for(chunks, threads, [&](std::size_t k) {
        Chunk<Code> rows(codes, factors, tables.data(), table_size, query, weights);
        totals[k] = rows.add(k * chunk, std::min(codes.rows, (k + 1) * chunk),
                             expected ? &sums[k * padded] : nullptr);
    });
    double total = 0;
    for (std::size_t k = 0; k < chunks; ++k) {
        total += totals[k];
        for (std::size_t j = 0; expected && j < table_size; ++j) expected[j] += sums[k * padded + j];
    }
    return total;
}

template void log_joint_block(const CodeMatrix<std::uint8_t>&, const Factors&, const double*, std::size_t,
                              std::size_t, std::uint32_t*, double*);
template void log_joint_block(const CodeMatrix<std::uint16_t>&, const Factors&, const double*, std::size_t,
                              std::size_t, std::uint32_t*, double*);
template void log_joint(const CodeMatrix<std::uint8_t>&, const Factors&, const double*, double*, int);
template void log_joint(const CodeMatrix<std::uint16_t>&, const Factors&, const double*, double*, int);
template double conditional_likelihood(const CodeMatrix<std::uint8_t>&, const Factors&, const double*,
                                       std::size_t, std::int64_t, const double*, double*, int);
template double conditional_likelihood(const CodeMatrix<std::uint16_t>&, const Factors&, const double*,
                                       std::size_t, std::int64_t, const double*, double*, int);

}  // namespace bayleaf
