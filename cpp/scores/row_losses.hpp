// Reductions from rows of log-joints to losses: the inner loops of every class-focused score.
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace bayleaf
