// Log-losses: -log P(true class | row), as whole numbers of units.
//
// block_log_loss defines the number: exponentials of the log-joint, summed class by class, the same bits on
// every machine. exchanged_log_loss finds the number of a changed family without an exponential per row and
// class, because exp(base + term) = exp(base) exp(term), and the factors are known per row and per table
// entry. The two ways differ by rounding errors, for which there is a bound; a row for which that bound
// leaves two whole numbers open (which is rare) is computed the first way. So both give the same
// number for every row, and it does not matter how a search came to its network.
#include "scores/row_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/dispatch.hpp"

namespace bayleaf {
namespace {

template <std::size_t Classes>
BAYLEAF_INLINE double row_top(const double* row, std::size_t classes) {
    double top = row[0];
    for (std::size_t c = 1; c < (Classes ? Classes : classes); ++c) top = row[c] > top ? row[c] : top;
    return top;
}

template <std::size_t Classes>
BAYLEAF_INLINE std::int64_t block_errors(const double* sums, const RowList& rows, const RowFacts& facts,
                                         const std::int64_t* units) {
    const std::size_t classes = Classes ? Classes : facts.classes;
    std::int64_t total = 0;
    for (std::size_t k = 0; k < rows.size; ++k) {
        const double* entry = sums + k * classes;
        const std::size_t row = rows[k];
        const bool wrong = row_top<Classes>(entry, classes) > entry[facts.truth[row]];
        total += wrong ? (units ? units[row] : 1) : 0;
    }
    return total;
}

BAYLEAF_CLONES std::int64_t errors(const double* sums, const RowList& rows, const RowFacts& facts,
                                   const std::int64_t* units) {
    BAYLEAF_BY_CLASSES(facts.classes, block_errors, sums, rows, facts, units);
}

std::size_t cheapest_decision(const Loss& loss, const double* posterior, std::size_t classes,
                              const std::int64_t* ranks, double* risks) {
    std::fill_n(risks, loss.decisions, 0.0);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t d = 0; d < loss.decisions; ++d)
            risks[d] += posterior[c] * loss.cost[c * loss.decisions + d];
    const double smallest = *std::min_element(risks, risks + loss.decisions);
    std::size_t chosen = loss.decisions;
    for (std::size_t d = 0; d < loss.decisions; ++d)
        // Expected costs that are equal on paper differ by rounding errors.
        if (risks[d] <= smallest + 1e-12 * std::abs(smallest) + 1e-15 &&
            (chosen == loss.decisions || ranks[d] < ranks[chosen]))
            chosen = d;
    return chosen;
}

std::int64_t expected_cost(const Loss& loss, const double* sums, const RowList& rows, const RowFacts& facts) {
    const std::size_t classes = facts.classes;
    std::vector<double> posterior(classes), risks(loss.decisions);
    std::int64_t total = 0;
    for (std::size_t k = 0; k < rows.size; ++k) {
        const std::size_t row = rows[k];
        const double* entry = sums + k * classes;
        const double top = row_top<0>(entry, classes);
        for (std::size_t c = 0; c < classes; ++c) posterior[c] = entry[c] - top;
        exponentiate(posterior.data(), classes);
        double sum = 0;
        for (const double p : posterior) sum += p;
        for (double& p : posterior) p /= sum;
        const std::size_t table = facts.fold ? facts.fold[row] : 0;
        const std::size_t decision = cheapest_decision(loss, posterior.data(), classes,
                                                       loss.ranks + table * loss.decisions, risks.data());
        const double weight = loss.weights ? loss.weights[row] : 1.0;
        // Rounded before it is weighted: a row of weight three counts exactly like three rows.
        const double cost =
            std::nearbyint(loss.cost[facts.truth[row] * loss.decisions + decision] * loss.scale);
        total += std::llrint(weight * cost);
    }
    return total;
}

template <std::size_t Classes, bool SideBySide>
BAYLEAF_INLINE void add_to(const TermView& view, double sign, const RowList& rows, const RowFacts& facts,
                           double* sums) {
    const std::size_t classes = Classes ? Classes : facts.classes;
    for (std::size_t k = 0; k < rows.size; ++k) {
        const std::size_t row = rows[k];
        const double* entry = view.terms + view.entry(row, facts.truth[row]);
        double* out = sums + (SideBySide ? k : row) * classes;
        for (std::size_t c = 0; c < classes; ++c) out[c] += sign * entry[c];
    }
}

template <std::size_t Classes>
BAYLEAF_INLINE void add_to_block(const TermView& view, double sign, const RowList& rows,
                                 const RowFacts& facts, double* sums) {
    add_to<Classes, true>(view, sign, rows, facts, sums);
}

template <std::size_t Classes>
BAYLEAF_INLINE void add_to_rows(const TermView& view, double sign, const RowList& rows, const RowFacts& facts,
                                double* log_joint) {
    add_to<Classes, false>(view, sign, rows, facts, log_joint);
}

// Rows of a block of at most kLossBlock, in three sieves: a row is surely right when its margin outlasts the
// worst that the new term can do, surely wrong when its rival wins; only the rest is looked at class by
// class.
template <std::size_t Classes>
BAYLEAF_INLINE std::int64_t exchanged(const ErrorFacts& facts, const TermView& view, const RowList& rows) {
    const std::size_t classes = Classes ? Classes : facts.rows.classes;
    const std::uint16_t* truth = facts.rows.truth;
    std::uint32_t doubtful[kLossBlock], open[kLossBlock], wrong[kLossBlock];
    std::size_t doubts = 0, opened = 0, errors = 0;
    const double* lead = view.beside - view.first;
    if (rows.rows) {
        for (std::size_t k = 0; k < rows.size; ++k) {
            const std::uint32_t row = rows.rows[k];
            doubtful[doubts] = row;
            doubts += facts.margin[row] + lead[view.cells[row]] < 0;
        }
    } else {
        for (std::size_t row = rows.first; row < rows.first + rows.size; ++row) {
            doubtful[doubts] = static_cast<std::uint32_t>(row);
            doubts += facts.margin[row] + lead[view.cells[row]] < 0;
        }
    }
    if (Classes == 2) {  // the rival is the only other class
        if (!facts.units) return static_cast<std::int64_t>(doubts);
        std::int64_t total = 0;
        for (std::size_t k = 0; k < doubts; ++k) total += facts.units[doubtful[k]];
        return total;
    }
    for (std::size_t k = 0; k < doubts; ++k) {
        const std::uint32_t row = doubtful[k];
        const double* entry = view.terms + view.entry(row, truth[row]);
        const bool lost = facts.margin[row] + (entry[truth[row]] - entry[facts.rival[row]]) < 0;
        open[opened] = row;
        opened += !lost;
        wrong[errors] = row;
        errors += lost;
    }
    for (std::size_t k = 0; k < opened; ++k) {
        const std::uint32_t row = open[k];
        const double* base = facts.base + row * classes;
        const double* entry = view.terms + view.entry(row, truth[row]);
        double top = base[0] + entry[0];
        for (std::size_t c = 1; c < classes; ++c) {
            const double value = base[c] + entry[c];
            top = value > top ? value : top;
        }
        wrong[errors] = row;
        errors += top > base[truth[row]] + entry[truth[row]];
    }
    if (!facts.units) return static_cast<std::int64_t>(errors);
    std::int64_t total = 0;
    for (std::size_t k = 0; k < errors; ++k) total += facts.units[wrong[k]];
    return total;
}

template <std::size_t Classes>
BAYLEAF_INLINE void leads_of(const double* terms, std::size_t entries, std::size_t any_classes,
                             double* lead) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t e = 0; e < entries; ++e) {
        const double* row = terms + e * classes;
        double first = std::numeric_limits<double>::lowest(), second = first;
        for (std::size_t c = 0; c < classes; ++c) {
            const double lower = first < row[c] ? first : row[c];
            second = second > lower ? second : lower;
            first = first > row[c] ? first : row[c];
        }
        for (std::size_t c = 0; c < classes; ++c)
            lead[e * classes + c] = row[c] - (row[c] == first ? second : first);
    }
}

BAYLEAF_CLONES std::int64_t exchanged_block(const ErrorFacts& facts, const TermView& view,
                                            const RowList& rows) {
    BAYLEAF_BY_CLASSES(facts.rows.classes, exchanged, facts, view, rows);
}

// The exponent of smaller weights is raised to this: nothing is lost, and products stay normal numbers.
constexpr double kLowestWeight = -300.0;

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
    BAYLEAF_BY_CLASSES(classes, shift_rows, log_joint, rows, truth, classes, shifted, heads);
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
    BAYLEAF_BY_CLASSES(classes, shift_entries, terms, entries, classes, shifted);
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

BAYLEAF_CLONES void sum(const double* values, std::size_t rows, std::size_t classes, double* sums) {
    BAYLEAF_BY_CLASSES(classes, sum_rows, values, rows, classes, sums);
}

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

std::int64_t block_loss(const Loss& loss, const double* sums, const RowList& rows, const RowFacts& facts) {
    switch (loss.kind) {
        case LossKind::kError:
            return errors(sums, rows, facts, loss.units);
        case LossKind::kLogLoss:
            return block_log_loss(loss, sums, rows, facts);
        case LossKind::kCost:
            break;
    }
    return expected_cost(loss, sums, rows, facts);
}

void copy_rows(const double* log_joint, const RowList& rows, std::size_t classes, double* sums) {
    for (std::size_t k = 0; k < rows.size; ++k)
        std::copy_n(log_joint + rows[k] * classes, classes, sums + k * classes);
}

BAYLEAF_CLONES void add_terms(const TermView& view, double sign, const RowList& rows, const RowFacts& facts,
                              double* sums) {
    BAYLEAF_BY_CLASSES(facts.classes, add_to_block, view, sign, rows, facts, sums);
}

BAYLEAF_CLONES void exchange_terms(const TermView& view, double sign, const RowList& rows,
                                   const RowFacts& facts, double* log_joint) {
    BAYLEAF_BY_CLASSES(facts.classes, add_to_rows, view, sign, rows, facts, log_joint);
}

std::int64_t exchanged_errors(const ErrorFacts& facts, const TermView& view, const RowList& rows) {
    std::int64_t total = 0;
    for (std::size_t begin = 0; begin < rows.size; begin += kLossBlock)
        total += exchanged_block(facts, view, rows.slice(begin, std::min(rows.size, begin + kLossBlock)));
    return total;
}

BAYLEAF_CLONES void fill_leads(const double* terms, std::size_t entries, std::size_t classes, double* lead) {
    BAYLEAF_BY_CLASSES(classes, leads_of, terms, entries, classes, lead);
}

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
