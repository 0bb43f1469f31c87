// Log-losses: -log P(true class | row), as whole numbers of units.
//
// block_log_loss defines the number: exponentials of the log-joint, summed class by class, the same bits on
// every machine. exchanged_log_loss finds the number of a changed family without an exponential per row and
// class, because exp(base + term) = exp(base) exp(term), and the factors are known per row and per table
// entry. The two ways differ by rounding errors, for which there is a bound; a row for which that bound
// leaves two whole numbers open (which is rare) is computed the first way. So both give the same
// number for every row, and it does not matter how a search came to its network.
#include <cmath>
#include <vector>

#include "common/by_classes.hpp"
#include "common/dispatch.hpp"
#include "scores/elementary.hpp"
#include "scores/row_losses.hpp"

namespace bayleaf {
namespace {

// The exponent of smaller weights is raised to this: nothing is lost, and products stay normal numbers.
constexpr double kLowestWeight = -300.0;

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
    double products[kLossBlock], heads[kLossBlock], weighted[kLossBlock];
    std::uint8_t open[kLossBlock];
    weight_products(facts, view, rows, products, heads);
    if (loss.weights)
        for (std::size_t k = 0; k < rows.size; ++k) weighted[k] = loss.weights[rows[k]] * loss.scale;
    std::int64_t doubts = 0;
    std::int64_t total = round_losses(heads, products, loss.weights ? weighted : facts.scales, rows.size,
                                      static_cast<double>(facts.rows.classes), open, doubts);
    for (std::size_t k = 0; doubts > 0 && k < rows.size; ++k)
        if (open[k]) total += computed_anew(facts, loss, view, rows.slice(k, k + 1));
    return total;
}

}  // namespace bayleaf
