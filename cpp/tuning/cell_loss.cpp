// Corrections of table cells. Floor: rows * families * classes additions to read the corrections, and as many
// to write their gradient. Reading goes by blocks of rows. Writing goes by families, whose cells are few
// enough for the first-level cache and are nobody else's, so that threads need no tables of their own.
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "tuning/row_scores.hpp"
#include "tuning/softmax.hpp"

namespace bayleaf {
namespace {

template <std::size_t Classes>
BAYLEAF_INLINE void read(const std::int32_t* cells, std::size_t rows, std::size_t any,
                         const double* corrections, double* sums) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i) {
        if (cells[i] < 0) continue;
        const double* entry = corrections + static_cast<std::size_t>(cells[i]) * classes;
        double* row = sums + i * classes;
        for (std::size_t c = 0; c < classes; ++c) row[c] += entry[c];
    }
}

template <std::size_t Classes>
BAYLEAF_INLINE void write(const std::int32_t* cells, std::size_t rows, std::size_t any,
                          const double* residuals, double* gradient) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i) {
        if (cells[i] < 0) continue;
        double* entry = gradient + static_cast<std::size_t>(cells[i]) * classes;
        const double* row = residuals + i * classes;
        for (std::size_t c = 0; c < classes; ++c) entry[c] += row[c];
    }
}

BAYLEAF_CLONES void read_cells(const std::int32_t* cells, std::size_t rows, std::size_t classes,
                               const double* corrections, double* sums) {
    BAYLEAF_BY_CLASSES(classes, read, cells, rows, classes, corrections, sums);
}

BAYLEAF_CLONES void write_cells(const std::int32_t* cells, std::size_t rows, std::size_t classes,
                                const double* residuals, double* gradient) {
    BAYLEAF_BY_CLASSES(classes, write, cells, rows, classes, residuals, gradient);
}

void add_corrections(const CellScores& scores, std::size_t all_rows, std::size_t classes, double scale,
                     const double* bias, const double* corrections, std::size_t begin, std::size_t rows,
                     double* sums) {
    const double* base = scores.base + begin * classes;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c)
            sums[i * classes + c] = bias[c] + scale * base[i * classes + c];
    for (std::size_t f = 0; f < scores.families; ++f)
        read_cells(scores.cells + f * all_rows + begin, rows, classes, corrections, sums);
}

// How the loss curves in every number: the sum over rows of weight * p (1 - p) for bias and corrections, of
// weight * variance of the base scores for the scale.
std::vector<double> curvature(const CellScores& scores, const Labels& labels, std::span<const double> numbers,
                              int threads) {
    const std::size_t classes = labels.classes, block = tuning_block(classes);
    const std::size_t width = 1 + classes, blocks = (labels.rows + block - 1) / block;
    std::vector<double> variances(labels.rows * classes), parts(blocks * width, 0.0);
    parallel_for(blocks, threads, [&](std::size_t b) {
        const std::size_t begin = b * block, rows = std::min(block, labels.rows - begin);
        double *left = &variances[begin * classes], *part = &parts[b * width];
        add_corrections(scores, labels.rows, classes, numbers[0], &numbers[1], &numbers[width], begin, rows,
                        left);
        residuals(labels, begin, rows, left);
        for (std::size_t i = 0; i < rows; ++i) {
            const double weight = labels.weights ? labels.weights[begin + i] : 1.0;
            const double* base = scores.base + (begin + i) * classes;
            double* row = left + i * classes;
            row[static_cast<std::size_t>(labels.target[begin + i])] += weight;
            double mean = 0.0, square = 0.0;
            for (std::size_t c = 0; c < classes; ++c) {
                const double share = weight > 0 ? row[c] / weight : 0.0;
                mean += share * base[c];
                square += share * base[c] * base[c];
                row[c] *= 1.0 - share;
                part[1 + c] += row[c];
            }
            part[0] += weight * (square - mean * mean);
        }
    });
    std::vector<double> found(numbers.size(), 0.0);
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t k = 0; k < width; ++k) found[k] += parts[b * width + k];
    parallel_for(scores.families, threads, [&](std::size_t f) {
        write_cells(scores.cells + f * labels.rows, labels.rows, classes, variances.data(), &found[width]);
    });
    return found;
}

}  // namespace

void raise_cells(const CellScores& scores, const Labels& labels, std::span<const double> pull,
                 const DescentLimits& limits, std::span<double> numbers, int threads) {
    const std::size_t classes = labels.classes, width = 1 + classes;
    const int workers = threads_for(labels.rows * scores.families * classes, threads);
    double total = labels.weights ? 0.0 : static_cast<double>(labels.rows);
    for (std::size_t i = 0; labels.weights && i < labels.rows; ++i) total += labels.weights[i];
    total = std::max(total, 1.0);
    std::vector<double> diagonal = curvature(scores, labels, numbers, workers);
    for (std::size_t k = 0; k < diagonal.size(); ++k) diagonal[k] = (diagonal[k] + pull[k]) / total;
    auto loss = [&](std::span<const double> at, double* gradient) {
        std::fill_n(gradient, at.size(), 0.0);
        double value = cell_loss(scores, labels, at[0], &at[1], &at[width], &gradient[0], &gradient[1],
                                 &gradient[width], threads);
        for (std::size_t k = 0; k < at.size(); ++k) {
            const double away = at[k] - (k == 0 ? 1.0 : 0.0);
            value += 0.5 * pull[k] * away * away;
            gradient[k] = (gradient[k] + pull[k] * away) / total;
        }
        return value / total;
    };
    // Families correct the same rows: together they need only a part of what each would need alone.
    const double first = 1.0 / std::sqrt(1.0 + static_cast<double>(scores.families));
    descend(loss, diagonal, first, limits, numbers);
}

double cell_loss(const CellScores& scores, const Labels& labels, double scale, const double* bias,
                 const double* corrections, double* scale_gradient, double* bias_gradient,
                 double* correction_gradient, int threads) {
    const std::size_t classes = labels.classes, block = tuning_block(classes);
    // Of each block: its loss, the gradient of the scale, that of the bias.
    const std::size_t width = 2 + classes, blocks = (labels.rows + block - 1) / block;
    const int workers = threads_for(labels.rows * scores.families * classes, threads);
    std::vector<double> left(labels.rows * classes), parts(blocks * width, 0.0);
    parallel_for(blocks, workers, [&](std::size_t b) {
        const std::size_t begin = b * block, rows = std::min(block, labels.rows - begin);
        double *sums = &left[begin * classes], *part = &parts[b * width];
        add_corrections(scores, labels.rows, classes, scale, bias, corrections, begin, rows, sums);
        part[0] = residuals(labels, begin, rows, sums);
        const double* base = scores.base + begin * classes;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < classes; ++c) {
                part[1] += base[i * classes + c] * sums[i * classes + c];
                part[2 + c] += sums[i * classes + c];
            }
    });
    std::vector<double> total(width, 0.0);
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t k = 0; k < width; ++k) total[k] += parts[b * width + k];
    parallel_for(scores.families, workers, [&](std::size_t f) {
        write_cells(scores.cells + f * labels.rows, labels.rows, classes, left.data(), correction_gradient);
    });
    *scale_gradient = total[1];
    std::copy_n(total.data() + 2, classes, bias_gradient);
    return total[0];
}

void cell_scores(const CellScores& scores, std::size_t rows, std::size_t classes, double scale,
                 const double* bias, const double* corrections, double* out, int threads) {
    parallel_blocks(rows, tuning_block(classes), threads_for(rows * scores.families * classes, threads),
                    [&](std::size_t begin, std::size_t end) {
                        add_corrections(scores, rows, classes, scale, bias, corrections, begin, end - begin,
                                        out + begin * classes);
                    });
}

}  // namespace bayleaf
