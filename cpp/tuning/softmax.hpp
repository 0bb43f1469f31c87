// Rows of scores become what a gradient needs: weight * (probability - 1 for the row's own class).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/dispatch.hpp"
#include "tuning/row_scores.hpp"

namespace bayleaf {

// Rows handled together: few enough that their scores stay in the first-level cache.
inline std::size_t tuning_block(std::size_t classes) {
    return std::clamp<std::size_t>(2048 / classes, 32, 512);
}

// Threads are worth starting only for this many additions each.
inline int threads_for(std::size_t additions, int threads) {
    constexpr std::size_t kWorthAThread = 200'000;
    return static_cast<int>(std::clamp<std::size_t>(additions / kWorthAThread, 1,
                                                    static_cast<std::size_t>(std::max(threads, 1))));
}

// One score per row instead of one per class is that of the second of two classes against the first.
constexpr std::size_t kAgainstFirst = 1;

inline double probability(double score) {
    return score >= 0 ? 1.0 / (1.0 + std::exp(-score)) : 1.0 - 1.0 / (1.0 + std::exp(score));
}

// Turns scores of rows into probabilities.
inline void probabilities(std::size_t rows, std::size_t classes, double* scores) {
    if (classes == kAgainstFirst) {
        for (std::size_t i = 0; i < rows; ++i) scores[i] = probability(scores[i]);
        return;
    }
    for (std::size_t i = 0; i < rows; ++i) {
        double* row = scores + i * classes;
        const double top = *std::max_element(row, row + classes);
        double total = 0;
        for (std::size_t c = 0; c < classes; ++c) total += row[c] = std::exp(row[c] - top);
        for (std::size_t c = 0; c < classes; ++c) row[c] /= total;
    }
}

inline double residuals_against_first(const Labels& labels, std::size_t begin, std::size_t rows,
                                      double* scores) {
    const double second = labels.doubt ? labels.doubt[1] : 0.0;
    const double sure = labels.doubt ? 1.0 - labels.doubt[0] - second : 1.0;
    double loss = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double weight = labels.weights ? labels.weights[begin + i] : 1.0, score = scores[i];
        const double wanted = second + sure * labels.target[begin + i], rest = std::exp(-std::abs(score));
        const double smaller = rest / (1.0 + rest);
        loss += weight * (std::max(score, 0.0) + std::log1p(rest) - wanted * score);
        scores[i] = weight * ((score >= 0 ? 1.0 - smaller : smaller) - wanted);
    }
    return loss;
}

// Turns the scores of rows from `begin` on into residuals, and returns their loss.
inline double residuals(const Labels& labels, std::size_t begin, std::size_t rows, double* scores) {
    if (labels.classes == kAgainstFirst) return residuals_against_first(labels, begin, rows, scores);
    const std::size_t classes = labels.classes;
    double loss = 0, sure = 1.0;
    for (std::size_t c = 0; labels.doubt && c < classes; ++c) sure -= labels.doubt[c];
    for (std::size_t i = 0; i < rows; ++i) {
        double* row = scores + i * classes;
        const auto own = static_cast<std::size_t>(labels.target[begin + i]);
        const double weight = labels.weights ? labels.weights[begin + i] : 1.0;
        const double top = *std::max_element(row, row + classes);
        double said = sure * (row[own] - top), total = 0;
        for (std::size_t c = 0; labels.doubt && c < classes; ++c) said += labels.doubt[c] * (row[c] - top);
        for (std::size_t c = 0; c < classes; ++c) total += row[c] = std::exp(row[c] - top);
        const double share = weight / total;
        for (std::size_t c = 0; c < classes; ++c) row[c] *= share;
        for (std::size_t c = 0; labels.doubt && c < classes; ++c) row[c] -= weight * labels.doubt[c];
        row[own] -= weight * sure;
        loss += weight * (std::log(total) - said);
    }
    return loss;
}

}  // namespace bayleaf
