#include "bayleaf/row_losses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "bayleaf/dispatch.hpp"

namespace bayleaf {
namespace {

#define BAYLEAF_INLINE inline __attribute__((always_inline))

// exp(x) for x <= 0 without branches, so that loops over classes become vector code; the same bits on every
// machine, because products and sums are never fused.
BAYLEAF_INLINE double exp_of_negative(double x) {
    x = x < -700.0 ? -700.0 : x;
    const double shifted = x * 1.4426950408889634 + 0x1.8p52;
    const double n = shifted - 0x1.8p52;
    const double r = (x - n * 0x1.62e42fefa39efp-1) - n * 0x1.abc9e3b39803fp-56;
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

// log(x) for x >= 1, likewise.
BAYLEAF_INLINE double log_of_sum(double x) {
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

// shifted[i][c] = row[c] - top, heads[i] = top - row[truth]. Exponentials and sums are separate loops: the
// first is vector code over all rows and classes, and sums keep their order.
template <std::size_t Classes>
BAYLEAF_INLINE void shift_rows(const double* log_joint, const std::uint16_t* truth, std::size_t rows,
                               std::size_t any_classes, double* shifted, double* heads) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t i = 0; i < rows; ++i) {
        const double* row = log_joint + i * classes;
        const double top = row_top<Classes>(row, classes);
        for (std::size_t c = 0; c < classes; ++c) shifted[i * classes + c] = row[c] - top;
        heads[i] = top - row[truth[i]];
    }
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

// Runs `Body<number of classes>` with the number fixed at compile time where it is small and common.
#define BAYLEAF_BY_CLASSES(classes, Body, ...) \
    switch (classes) {                         \
        case 2:                                \
            return Body<2>(__VA_ARGS__);       \
        case 3:                                \
            return Body<3>(__VA_ARGS__);       \
        case 4:                                \
            return Body<4>(__VA_ARGS__);       \
        case 5:                                \
            return Body<5>(__VA_ARGS__);       \
        case 6:                                \
            return Body<6>(__VA_ARGS__);       \
        case 7:                                \
            return Body<7>(__VA_ARGS__);       \
        case 8:                                \
            return Body<8>(__VA_ARGS__);       \
        case 10:                               \
            return Body<10>(__VA_ARGS__);      \
        case 26:                               \
            return Body<26>(__VA_ARGS__);      \
        default:                               \
            return Body<0>(__VA_ARGS__);       \
    }

BAYLEAF_CLONES void shift(const double* log_joint, const std::uint16_t* truth, std::size_t rows,
                          std::size_t classes, double* shifted, double* heads){
    BAYLEAF_BY_CLASSES(classes, shift_rows, log_joint, truth, rows, classes, shifted, heads)}

BAYLEAF_CLONES void sum(const double* values, std::size_t rows, std::size_t classes,
                        double* sums){BAYLEAF_BY_CLASSES(classes, sum_rows, values, rows, classes, sums)}

BAYLEAF_CLONES void exponentiate(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = exp_of_negative(values[i]);
}

BAYLEAF_CLONES void add_logarithms(const double* sums, std::size_t rows, double* heads) {
    for (std::size_t i = 0; i < rows; ++i) heads[i] += log_of_sum(sums[i]);
}

std::int64_t log_loss(const Loss& loss, const LossRows& rows) {
    double sums[kLossBlock], losses[kLossBlock];
    thread_local std::vector<double> shifted;
    shifted.resize(kLossBlock * rows.classes);
    shift(rows.log_joint, rows.truth, rows.rows, rows.classes, shifted.data(), losses);
    exponentiate(shifted.data(), rows.rows * rows.classes);
    sum(shifted.data(), rows.rows, rows.classes, sums);
    add_logarithms(sums, rows.rows, losses);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        const double weight = loss.weights ? loss.weights[rows.row[i]] : 1.0;
        total += std::llrint(weight * losses[i] * loss.scale);
    }
    return total;
}

template <std::size_t Classes>
BAYLEAF_INLINE std::int64_t block_errors(const double* log_joint, const std::uint16_t* truth,
                                         const std::uint32_t* row, const std::int64_t* units,
                                         std::size_t rows, std::size_t any_classes) {
    const std::size_t classes = Classes ? Classes : any_classes;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double* entry = log_joint + i * classes;
        const bool wrong = row_top<Classes>(entry, classes) > entry[truth[i]];
        total += wrong ? (units ? units[row[i]] : 1) : 0;
    }
    return total;
}

BAYLEAF_CLONES std::int64_t errors(const double* log_joint, const std::uint16_t* truth,
                                   const std::uint32_t* row, const std::int64_t* units, std::size_t rows,
                                   std::size_t classes){
    BAYLEAF_BY_CLASSES(classes, block_errors, log_joint, truth, row, units, rows, classes)}

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

std::int64_t expected_cost(const Loss& loss, const LossRows& rows) {
    std::vector<double> posterior(rows.classes), risks(loss.decisions);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        const double* entry = rows.log_joint + i * rows.classes;
        const double top = row_top<0>(entry, rows.classes);
        double sum = 0;
        for (std::size_t c = 0; c < rows.classes; ++c) sum += posterior[c] = exp_of_negative(entry[c] - top);
        for (double& p : posterior) p /= sum;
        const std::size_t table = rows.fold ? rows.fold[rows.row[i]] : 0;
        const std::size_t decision = cheapest_decision(loss, posterior.data(), rows.classes,
                                                       loss.ranks + table * loss.decisions, risks.data());
        const double weight = loss.weights ? loss.weights[rows.row[i]] : 1.0;
        total += std::llrint(weight * loss.cost[rows.truth[i] * loss.decisions + decision] * loss.scale);
    }
    return total;
}

template <std::size_t Classes>
BAYLEAF_INLINE void gather_block(const double* base, const double* terms, const std::uint32_t* positions,
                                 const std::uint32_t* row, std::size_t rows, std::size_t any_classes,
                                 double* sums) {
    const std::size_t classes = Classes ? Classes : any_classes;
    for (std::size_t i = 0; i < rows; ++i) {
        const double* from = base + row[i] * classes;
        const double* entry = terms + positions[row[i]] * classes;
        for (std::size_t c = 0; c < classes; ++c) sums[i * classes + c] = from[c] + entry[c];
    }
}

BAYLEAF_CLONES void gather(const double* base, const double* terms, const std::uint32_t* positions,
                           const std::uint32_t* row, std::size_t rows, std::size_t classes, double* sums) {
    BAYLEAF_BY_CLASSES(classes, gather_block, base, terms, positions, row, rows, classes, sums)
}

// A row is surely right when its margin outlasts the worst the new term can do, surely wrong when its rival
// wins; only the rest is looked at class by class.
template <std::size_t Classes>
BAYLEAF_INLINE std::int64_t exchanged(const ErrorFacts& facts, const double* terms, const double* lead,
                                      const std::uint32_t* positions, std::size_t begin, std::size_t end) {
    const std::size_t classes = Classes ? Classes : facts.classes;
    std::uint32_t open[kLossBlock];
    std::int64_t total = 0;
    for (std::size_t first = begin; first < end; first += kLossBlock) {
        const std::size_t last = std::min(end, first + kLossBlock);
        std::size_t opened = 0;
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t entry = std::size_t{positions[facts.row[i]]} * classes;
            const double margin = facts.margin[i];
            const double own = terms[entry + facts.truth[i]];
            const bool wrong = margin + (own - terms[entry + facts.rival[i]]) < 0;
            total += wrong ? (facts.units ? facts.units[facts.row[i]] : 1) : 0;
            if (Classes == 2) continue;  // the rival is the only other class
            open[opened] = static_cast<std::uint32_t>(i);
            opened += !wrong && margin + lead[entry + facts.truth[i]] < 0;
        }
        for (std::size_t k = 0; k < opened; ++k) {
            const std::size_t i = open[k], row = facts.row[i];
            const double* base = facts.base + row * classes;
            const double* entry = terms + std::size_t{positions[row]} * classes;
            double top = base[0] + entry[0];
            for (std::size_t c = 1; c < classes; ++c) {
                const double value = base[c] + entry[c];
                top = value > top ? value : top;
            }
            const bool wrong = top > base[facts.truth[i]] + entry[facts.truth[i]];
            total += wrong ? (facts.units ? facts.units[row] : 1) : 0;
        }
    }
    return total;
}

}  // namespace

std::int64_t block_loss(const Loss& loss, const LossRows& rows) {
    switch (loss.kind) {
        case LossKind::kError:
            return errors(rows.log_joint, rows.truth, rows.row, loss.units, rows.rows, rows.classes);
        case LossKind::kLogLoss:
            return log_loss(loss, rows);
        case LossKind::kCost:
            break;
    }
    return expected_cost(loss, rows);
}

void gather_sums(const double* base, const double* terms, const std::uint32_t* positions,
                 const std::uint32_t* row, std::size_t rows, std::size_t classes, double* sums) {
    gather(base, terms, positions, row, rows, classes, sums);
}

BAYLEAF_CLONES std::int64_t exchanged_errors(const ErrorFacts& facts, const double* terms, const double* lead,
                                             const std::uint32_t* positions, std::size_t begin,
                                             std::size_t end) {
    BAYLEAF_BY_CLASSES(facts.classes, exchanged, facts, terms, lead, positions, begin, end)
}

void fill_leads(const double* terms, std::size_t entries, std::size_t classes, double* lead) {
    for (std::size_t e = 0; e < entries; ++e) {
        const double* row = terms + e * classes;
        double first = std::numeric_limits<double>::lowest(), second = first;
        for (std::size_t c = 0; c < classes; ++c) {
            second = std::max(second, std::min(first, row[c]));
            first = std::max(first, row[c]);
        }
        for (std::size_t c = 0; c < classes; ++c)
            lead[e * classes + c] = row[c] - (row[c] == first ? second : first);
    }
}

}  // namespace bayleaf
