// Floor: rows * factors * classes additions to read the tables, as many to write the expected counts.
#include "network/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {
namespace {

constexpr std::size_t kBlock = 128;
constexpr std::uint32_t kNowhere = 0xffffffffu;

#define BAYLEAF_STEP(Code)                                                               \
    BAYLEAF_CLONES Code step(const Code* column, std::size_t rows, std::uint32_t stride, \
                             std::uint32_t* positions) {                                 \
        Code top = 0;                                                                    \
        for (std::size_t i = 0; i < rows; ++i) {                                         \
            positions[i] += stride * column[i];                                          \
            top = top > column[i] ? top : column[i];                                     \
        }                                                                                \
        return top;                                                                      \
    }
BAYLEAF_STEP(std::uint8_t)
BAYLEAF_STEP(std::uint16_t)
#undef BAYLEAF_STEP

// Where each row of the block finds its entry of factor f, or kNowhere; returns whether all rows have one.
template <class Code>
bool locate(const CodeMatrix<Code>& codes, const Factors& factors, std::size_t f, std::size_t begin,
            std::size_t rows, std::uint32_t* positions) {
    std::fill_n(positions, rows, static_cast<std::uint32_t>(factors.table_offsets[f]));
    bool complete = true;
    for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k)
        complete &= step(codes.column(factors.variables[k]) + begin, rows,
                         static_cast<std::uint32_t>(factors.strides[k]), positions) != kMissing<Code>;
    if (complete) return true;
    for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k)
        for (std::size_t i = 0; i < rows; ++i)
            if (codes.column(factors.variables[k])[begin + i] == kMissing<Code>) positions[i] = kNowhere;
    return false;
}

template <std::size_t Classes>
inline __attribute__((always_inline)) void read(const double* tables, const std::uint32_t* positions,
                                                std::size_t rows, std::size_t any, double* sums) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c) sums[i * classes + c] += tables[positions[i] + c];
}

template <std::size_t Classes>
inline __attribute__((always_inline)) void write(const double* posterior, const std::uint32_t* positions,
                                                 std::size_t rows, std::size_t any, double* expected) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c) expected[positions[i] + c] += posterior[i * classes + c];
}

#define BAYLEAF_COMMON(classes, Body, ...) \
    switch (classes) {                     \
        case 2:                            \
            return Body<2>(__VA_ARGS__);   \
        case 3:                            \
            return Body<3>(__VA_ARGS__);   \
        case 4:                            \
            return Body<4>(__VA_ARGS__);   \
        case 6:                            \
            return Body<6>(__VA_ARGS__);   \
        case 8:                            \
            return Body<8>(__VA_ARGS__);   \
        case 10:                           \
            return Body<10>(__VA_ARGS__);  \
        default:                           \
            return Body<0>(__VA_ARGS__);   \
    }

BAYLEAF_CLONES void read_rows(const double* tables, const std::uint32_t* positions, std::size_t rows,
                              std::size_t classes, double* sums){
    BAYLEAF_COMMON(classes, read, tables, positions, rows, classes, sums)}

BAYLEAF_CLONES void write_rows(const double* posterior, const std::uint32_t* positions, std::size_t rows,
                               std::size_t classes, double* expected) {
    BAYLEAF_COMMON(classes, write, posterior, positions, rows, classes, expected)
}

// Rows without an entry read zeros and write to a place that nobody looks at, behind the tables.
void send_nowhere(std::uint32_t* positions, std::size_t rows, std::size_t table_size) {
    for (std::size_t i = 0; i < rows; ++i)
        if (positions[i] == kNowhere) positions[i] = static_cast<std::uint32_t>(table_size);
}

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
          sums_(kBlock * classes_),
          positions_(kBlock * factors.size()) {}

    double add(std::size_t first, std::size_t last, double* expected) {
        double total = 0;
        for (std::size_t begin = first; begin < last; begin += kBlock) {
            const std::size_t rows = std::min(kBlock, last - begin);
            forward(begin, rows);
            for (std::size_t i = 0; i < rows; ++i) total += normalise(begin + i, &sums_[i * classes_]);
            if (!expected) continue;
            for (std::size_t f = 0; f < factors_.size(); ++f)
                if (factors_.has_query[f])
                    write_rows(sums_.data(), &positions_[f * kBlock], rows, classes_, expected);
        }
        return total;
    }

  private:
    void forward(std::size_t begin, std::size_t rows) {
        std::fill_n(sums_.data(), rows * classes_, 0.0);
        for (std::size_t f = 0; f < factors_.size(); ++f) {
            if (!factors_.has_query[f]) continue;
            std::uint32_t* positions = &positions_[f * kBlock];
            if (!locate(codes_, factors_, f, begin, rows, positions))
                send_nowhere(positions, rows, table_size_);
            read_rows(tables_, positions, rows, classes_, sums_.data());
        }
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

template double conditional_likelihood(const CodeMatrix<std::uint8_t>&, const Factors&, const double*,
                                       std::size_t, std::int64_t, const double*, double*, int);
template double conditional_likelihood(const CodeMatrix<std::uint16_t>&, const Factors&, const double*,
                                       std::size_t, std::int64_t, const double*, double*, int);

}  // namespace bayleaf
