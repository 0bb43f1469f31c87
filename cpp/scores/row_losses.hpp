// Reductions from rows of log-joints to losses: the inner loops of every class-focused score.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "common/dispatch.hpp"
#include "scores/candidates.hpp"

namespace bayleaf {

// Rows as listed, or consecutive ones from `first` where there is no list.
struct RowList {
    const std::uint32_t* rows;
    std::size_t first;
    std::size_t size;

    std::size_t operator[](std::size_t k) const { return rows ? rows[k] : first + k; }
    RowList slice(std::size_t begin, std::size_t end) const {
        return {rows ? rows + begin : nullptr, first + begin, end - begin};
    }
};

// All rows of a sample, those that are judged first. No list: as they come, all judged.
struct RowOrder {
    std::vector<std::uint32_t> rows;
    std::size_t judged;

    RowList list() const { return {rows.empty() ? nullptr : rows.data(), 0, judged}; }
};

// Rows per block: their sums stay in the first-level cache.
inline constexpr std::size_t kLossBlock = 128;

// Where the terms of a family are: those of a row's true class at terms[cells[row] - first], those of the
// other classes around it.
struct TermView {
    const double* terms;
    const double* beside;
    const std::uint32_t* cells;
    std::uint32_t first;

    std::size_t entry(std::size_t row, std::size_t truth) const { return cells[row] - first - truth; }
};

// What is known of every row: its true class, and its fold or null.
struct RowFacts {
    const std::uint16_t* truth;
    const std::uint8_t* fold;
    std::size_t classes;
};

// sums[k] = log_joint[rows[k]], each of `classes` values.
void copy_rows(const double* log_joint, const RowList& rows, std::size_t classes, double* sums);
// sums[k] += sign * the terms of rows[k].
void add_terms(const TermView& view, double sign, const RowList& rows, const RowFacts& facts, double* sums);
// log_joint[rows[k]] += sign * the terms of rows[k].
void exchange_terms(const TermView& view, double sign, const RowList& rows, const RowFacts& facts,
                    double* log_joint);

// Loss of rows whose log-joints are side by side in `sums`; at most kLossBlock rows.
std::int64_t block_loss(const Loss& loss, const double* sums, const RowList& rows, const RowFacts& facts);
std::int64_t block_log_loss(const Loss& loss, const double* sums, const RowList& rows, const RowFacts& facts);

// Errors after an exchange of one node's term.
struct ErrorFacts {
    const double* base;          // [row][class], without the node's term
    const double* margin;        // true class minus best other class
    const std::uint16_t* rival;  // best other class
    const std::int64_t* units;   // loss of a wrong row, or null for one
    RowFacts rows;
};

// beside = leads: a row whose margin outlasts the worst that the new term can do is right without looking.
std::int64_t exchanged_errors(const ErrorFacts& facts, const TermView& view, const RowList& rows);

// lead[e][c] = terms[e][c] - max over other classes of terms[e][.]
void fill_leads(const double* terms, std::size_t entries, std::size_t classes, double* lead);

// Log-loss after an exchange of one node's term, without exponentials: those of the base and of the terms are
// multiplied.
struct LogLossFacts {
    const double* base;     // [row][class], without the node's term
    const double* weights;  // exp(base - its largest), [row][class]
    const double* heads;    // largest of the base minus the base of the true class
    const double* scales;   // kLossBlock times the scale of the loss, for rows without weights
    RowFacts rows;
};

// Makes `weights` and `heads` of consecutive rows.
void fill_row_weights(const double* base, std::size_t begin, std::size_t end, const RowFacts& facts,
                      double* weights, double* heads);

// terms[e][.] -= the largest of them (which no posterior notices); weights[e][.] = exp(terms[e][.])
void fill_weights(double* terms, std::size_t entries, std::size_t classes, double* weights);

// At most kLossBlock rows. The very numbers of block_log_loss: see row_losses.cpp.
std::int64_t exchanged_log_loss(const LogLossFacts& facts, const Loss& loss, const TermView& view,
                                const RowList& rows);

// products[k] = sum over classes of weights[rows[k]] * beside[entry of rows[k]], in any order of summation;
// heads[k] = heads of the row, without the term of its true class. So the loss is log(products) + heads.
void weight_products(const LogLossFacts& facts, const TermView& view, const RowList& rows, double* products,
                     double* heads);

// Sums the whole numbers nearest to heads[k] + log(products[k]), in units of 1 / scales[k]; open[k] marks
// those that rounding errors may hide, which are left out. Their bound, in units of 2^-53: exponentials are
// good to 4, of which there are two in one way and one in the other; a product; `classes` additions in each
// way; logarithms are good to 4, and to 3 of their size; and what is rounded to the size of the loss.
std::int64_t round_losses(const double* heads, const double* products, const double* scales, std::size_t rows,
                          double classes, std::uint8_t* open, std::int64_t& doubts);

// exp(x) for x <= 0 in place, to 2 units in the last place; smaller x than -700 count as -700.
void exponentiate(double* values, std::size_t n);

// Exponentials and logarithms that compilers turn into vector code.

// Adding this number leaves a whole number in the last bits of a double, for sizes up to kLargestRounded.
inline constexpr double kToInteger = 0x1.8p52, kLargestRounded = 0x1p50;

// exp(x) for x <= 0 without branches, so that loops become vector code; the same bits on every machine,
// where products and sums are not fused. log(2) is split so that n times its first part is exact.
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

// log(x) for normal x > 0, likewise; the polynomial is that of FDLIBM (Sun Microsystems, 1993).
BAYLEAF_INLINE double log_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    // Split so that the mantissa lies in [sqrt(1/2), sqrt(2)).
    const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcdULL;
    const auto exponent = static_cast<std::int64_t>(shifted) >> 52;
    const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
    const double f = (m - 1.0) / (m + 1.0), s = f * f;
    double p = 1.479819860511658591e-01;
    p = p * s + 1.531383769920937332e-01;
    p = p * s + 1.818357216161805012e-01;
    p = p * s + 2.222219843214978396e-01;
    p = p * s + 2.857142874366239149e-01;
    p = p * s + 3.999999999940941908e-01;
    p = p * s + 6.666666666666735130e-01;
    return static_cast<double>(exponent) * 0.6931471805599453 + (2.0 * f + f * (p * s));
}

}  // namespace bayleaf
