// Log-losses: -log P(true class | row), as whole numbers of units.
//
// block_log_loss defines the number: exponentials of the log-joint, summed class by class, the same bits on
// every machine. exchanged_log_loss finds the number of a changed family without an exponential per row and
// class, because exp(base + term) = exp(base) exp(term), and the factors are known per row and per table
// entry. The two ways differ by rounding errors, for which there is a bound; a row for which that bound
// leaves two whole numbers open (one in a thousand or so) is computed the first way. So both give the same
// number for every row, and it does not matter how a search came to its network.
#include <bit>
#include <cmath>
#include <vector>

#include "bayleaf/by_classes.hpp"
#include "bayleaf/dispatch.hpp"
#include "bayleaf/row_losses.hpp"

namespace bayleaf {
namespace {

constexpr double kRounding = 0x1p-53;
// Adding this number leaves a whole number in the last bits of a double, for sizes up to kLargestRounded.
constexpr double kToInteger = 0x1.8p52, kLargestRounded = 0x1p50;
constexpr double kLowestWeight = -300.0, kSmallestProduct = 1e-60;

// exp(x) for x <= 0 without branches, so that loops become vector code; the same bits on every machine,
// because products and sums are never fused. log(2) is split so that n times its first part is exact.
BAYLEAF_INLINE double exp_of_negative(double x) {
    x = x < -700.0 ? -700.0 : x;
    const double shifted = x * 1.4426950408889634 + kToInteger;
    const double n = shifted - kToInteger;
    const double r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const auto exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return p * std::bit_cast<double>(exponent);
}

// log(x) for normal x > 0, likewise.
BAYLEAF_INLINE double log_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    // Split so that the mantissa lies in [sqrt(1/2), sqrt(2)).
    const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcdULL;
    const auto exponent = static_cast<std::int64_t>(shifted) >> 52;
    const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
    const double f = (m - 1.0) / (m + 1.0), s = f * f;
    double p = 1.0 / 21.0;
    p = p * s + 1.0 / 19.0;
    p = p * s + 1.0 / 17.0;
    p = p * s + 1.0 / 15.0;
    p = p * s + 1.0 / 13.0;
    p = p * s + 1.0 / 11.0;
    p = p * s + 1.0 / 9.0;
    p = p * s + 1.0 / 7.0;
    p = p * s + 1.0 / 5.0;
    p = p * s + 1.0 / 3.0;
    p = p * s + 1.0;
    return static_cast<double>(exponent) * 0.6931471805599453 + 2.0 * f * p;
}

template <std::size_t Classes>
BAYLEAF_INLINE double row_top(const double* row, std::size_t classes) {
    double top = row[0];
    for (std::size_t c = 1; c < (Classes ? Classes : classes); ++c) top = row[c] > top ? row[c] : top;
    return top;
}

// shifted[k][c] = row[c] - top, heads[k] = top - row[truth]. Exponentials and sums are separate loops: the
// first is vector code over all rows and classes, and sums keep their order.
template <std::size_t Classes>
BAYLEAF_INLINE void shift_rows(const double* log_joint, const RowList& rows, const std::uint16_t* truth,
                               std::size_t any_classes, double* shifted, double* heads) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t k = 0; k < rows.size; ++k) {
        const double* row = log_joint + k * classes;
        const double top = row_top<Classes>(row, classes);
        for (std::size_t c = 0; c < classes; ++c) shifted[k * classes + c] = row[c] - top;
        heads[k] = top - row[truth[rows[k]]];
    }
}

BAYLEAF_CLONES void shift(const double* log_joint, const RowList& rows, const std::uint16_t* truth,
                          std::size_t classes, double* shifted, double* heads) {
    BAYLEAF_BY_CLASSES(classes, shift_rows, log_joint, rows, truth, classes, shifted, heads)
}

template <std::size_t Classes>
BAYLEAF_INLINE void shift_entries(double* terms, std::size_t entries, std::size_t any_classes,
                                  double* shifted) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t e = 0; e < entries; ++e) {
        double* row = terms + e * classes;
        const double top = row_top<Classes>(row, classes);
        for (std::size_t c = 0; c < classes; ++c) shifted[e * classes + c] = row[c] -= top;
    }
}

BAYLEAF_CLONES void shift_terms(double* terms, std::size_t entries, std::size_t classes, double* shifted) {
    BAYLEAF_BY_CLASSES(classes, shift_entries, terms, entries, classes, shifted)
}

template <std::size_t Classes>
BAYLEAF_INLINE void sum_rows(const double* values, std::size_t rows, std::size_t any_classes, double* sums) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t i = 0; i < rows; ++i) {
        double total = 0;
        for (std::size_t c = 0; c < classes; ++c) total += values[i * classes + c];
        sums[i] = total;
    }
}

BAYLEAF_CLONES void sum(const double* values, std::size_t rows, std::size_t classes,
                        double* sums){BAYLEAF_BY_CLASSES(classes, sum_rows, values, rows, classes, sums)}

BAYLEAF_CLONES void add_logarithms(const double* sums, std::size_t rows, double* heads) {
    for (std::size_t i = 0; i < rows; ++i) heads[i] += log_of(sums[i]);
}

// Sums the whole numbers nearest to heads[k] + log(products[k]), in units of 1 / scales[k]; open[k] marks
// those that rounding errors may hide, which are left out. Their bound, in units of 2^-53: exponentials are
// good to 4, of which there are two in one way and one in the other; a product; `classes` additions in each
// way; logarithms are good to 4, and to 3 of their size; and what is rounded to the size of the loss.
BAYLEAF_CLONES std::int64_t round_losses(const double* heads, const double* products, const double* scales,
                                         std::size_t rows, double classes, std::int64_t* open,
                                         std::int64_t& doubts) {
    std::int64_t total = 0, doubtful_rows = 0;
    for (std::size_t k = 0; k < rows; ++k) {
        const double logarithm = log_of(products[k]), loss = heads[k] + logarithm;
        const double sizes = 3.0 * (logarithm < 0 ? -logarithm : logarithm) + 4.0 * (loss < 0 ? -loss : loss);
        const double error = (2.0 * classes + 24.0 + sizes) * kRounding * scales[k];
        const double exact = loss * scales[k], shifted = exact + kToInteger;
        const double off = exact - (shifted - kToInteger);
        const bool doubtful = ((off < 0 ? -off : off) + error > 0.5) | (exact > kLargestRounded) |
                              (products[k] < kSmallestProduct);
        const std::int64_t units =
            std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kToInteger);
        open[k] = doubtful;
        doubtful_rows += doubtful;
        total += doubtful ? 0 : units;
    }
    doubts = doubtful_rows;
    return total;
}

std::int64_t computed_anew(const LogLossFacts& facts, const Loss& loss, const TermView& view,
                           const RowList& row) {
    thread_local std::vector<double> sums;
    sums.resize(facts.rows.classes);
    copy_rows(facts.base, row, facts.rows.classes, sums.data());
    add_terms(view, 1.0, row, facts.rows, sums.data());
    return block_log_loss(loss, sums.data(), row, facts.rows);
}

BAYLEAF_CLONES void raise_to(double least, double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = values[i] < least ? least : values[i];
}

}  // namespace

BAYLEAF_CLONES void exponentiate(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = exp_of_negative(values[i]);
}

std::int64_t block_log_loss(const Loss& loss, const double* sums, const RowList& rows,
                            const RowFacts& facts) {
    double totals[kLossBlock], losses[kLossBlock];
    thread_local std::vector<double> shifted;
    shifted.resize(kLossBlock * facts.classes);
    shift(sums, rows, facts.truth, facts.classes, shifted.data(), losses);
    exponentiate(shifted.data(), rows.size * facts.classes);
    sum(shifted.data(), rows.size, facts.classes, totals);
    add_logarithms(totals, rows.size, losses);
    std::int64_t total = 0;
    for (std::size_t k = 0; k < rows.size; ++k) {
        const double weight = loss.weights ? loss.weights[rows[k]] : 1.0;
        total += std::llrint(losses[k] * (weight * loss.scale));
    }
    return total;
}

void fill_row_weights(const double* base, std::size_t begin, std::size_t end, const RowFacts& facts,
                      double* weights, double* heads) {
    const std::size_t classes = facts.classes, size = (end - begin) * classes;
    double* out = weights + begin * classes;
    shift(base + begin * classes, {nullptr, begin, end - begin}, facts.truth, classes, out, heads + begin);
    raise_to(kLowestWeight, out, size);
    exponentiate(out, size);
}

void fill_weights(double* terms, std::size_t entries, std::size_t classes, double* weights) {
    shift_terms(terms, entries, classes, weights);
    raise_to(kLowestWeight, weights, entries * classes);
    exponentiate(weights, entries * classes);
}

std::int64_t exchanged_log_loss(const LogLossFacts& facts, const Loss& loss, const TermView& view,
                                const RowList& rows) {
    double products[kLossBlock], heads[kLossBlock], scales[kLossBlock];
    std::int64_t open[kLossBlock];
    weight_products(facts, view, rows, products, heads);
    for (std::size_t k = 0; k < rows.size; ++k)
        scales[k] = loss.weights ? loss.weights[rows[k]] * loss.scale : loss.scale;
    std::int64_t doubts = 0;
    std::int64_t total = round_losses(heads, products, scales, rows.size,
                                      static_cast<double>(facts.rows.classes), open, doubts);
    for (std::size_t k = 0; doubts > 0 && k < rows.size; ++k)
        if (open[k]) total += computed_anew(facts, loss, view, rows.slice(k, k + 1));
    return total;
}

}  // namespace bayleaf
