// Corrections of table cells, and coefficients of numbers. Floor: rows * (families + numbers) * classes
// additions to read them, and as many to write their gradient. Reading goes by blocks of rows. Writing goes
// by groups of families, whose cells are few enough for the second-level cache and are nobody else's, so that
// threads need no tables of their own.
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "tuning/row_scores.hpp"
#include "tuning/softmax.hpp"

namespace bayleaf {
namespace {

// Families are read and written in groups: their cells are not each other's, so that one need not wait for
// what another has just stored, and a row's numbers are fetched once for all of them. Eight are no faster.
constexpr std::size_t kGroup = 4;

// Families side by side: the cells [family][row] of some rows, which lie a stride apart.
struct Group {
    const std::int32_t* cells;
    std::size_t stride;
    std::size_t families;
    std::size_t rows;
    std::size_t classes;

    Group part(std::size_t first, std::size_t count) const {
        return {cells + first * stride, stride, count, rows, classes};
    }
};

// sums[row][class] += the corrections of the row's cells; `none`, which is zeros, where it has no cell.
template <std::size_t Classes, std::size_t Families>
BAYLEAF_INLINE void read(const Group& group, const double* corrections, const double* none, double* sums) {
    const std::size_t classes = Classes ? Classes : group.classes;
    for (std::size_t i = 0; i < group.rows; ++i) {
        const double* entries[Families];
        for (std::size_t f = 0; f < Families; ++f) {
            const std::int32_t cell = group.cells[f * group.stride + i];
            entries[f] = cell < 0 ? none : corrections + static_cast<std::size_t>(cell) * classes;
        }
        double* row = sums + i * classes;
        for (std::size_t c = 0; c < classes; ++c) {
            double sum = row[c];
            for (std::size_t f = 0; f < Families; ++f) sum += entries[f][c];
            row[c] = sum;
        }
    }
}

// gradient[cell][class] += the residuals of the cell's rows.
template <std::size_t Classes, std::size_t Families>
BAYLEAF_INLINE void write(const Group& group, const double* residuals, double* gradient) {
    const std::size_t classes = Classes ? Classes : group.classes;
    for (std::size_t i = 0; i < group.rows; ++i) {
        const double* row = residuals + i * classes;
        for (std::size_t f = 0; f < Families; ++f) {
            const std::int32_t cell = group.cells[f * group.stride + i];
            if (cell < 0) continue;
            double* entry = gradient + static_cast<std::size_t>(cell) * classes;
            for (std::size_t c = 0; c < classes; ++c) entry[c] += row[c];
        }
    }
}

template <std::size_t Classes>
BAYLEAF_INLINE void multiply(const double* numbers, std::size_t rows, std::size_t any,
                             const double* coefficients, double* sums) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c) sums[i * classes + c] += numbers[i] * coefficients[c];
}

template <std::size_t Classes>
BAYLEAF_INLINE void read_families(const Group& all, const double* corrections, const double* none,
                                  double* sums) {
    std::size_t f = 0;
    for (; f + kGroup <= all.families; f += kGroup)
        read<Classes, kGroup>(all.part(f, kGroup), corrections, none, sums);
    for (; f < all.families; ++f) read<Classes, 1>(all.part(f, 1), corrections, none, sums);
}

template <std::size_t Classes>
BAYLEAF_INLINE void write_group(const Group& group, const double* residuals, double* gradient) {
    if (group.families == kGroup) return write<Classes, kGroup>(group, residuals, gradient);
    for (std::size_t f = 0; f < group.families; ++f) write<Classes, 1>(group.part(f, 1), residuals, gradient);
}

BAYLEAF_CLONES void read_cells(const Group& all, const double* corrections, const double* none,
                               double* sums) {
    BAYLEAF_BY_CLASSES(all.classes, read_families, all, corrections, none, sums);
}

BAYLEAF_CLONES void write_cells(const Group& group, const double* residuals, double* gradient) {
    BAYLEAF_BY_CLASSES(group.classes, write_group, group, residuals, gradient);
}

BAYLEAF_CLONES void read_numbers(const double* numbers, std::size_t rows, std::size_t classes,
                                 const double* coefficients, double* sums) {
    BAYLEAF_BY_CLASSES(classes, multiply, numbers, rows, classes, coefficients, sums);
}

template <std::size_t Classes>
BAYLEAF_INLINE void weigh(const double* numbers, std::size_t rows, std::size_t any, const double* residuals,
                          bool squared, double* gradient) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i) {
        const double times = squared ? numbers[i] * numbers[i] : numbers[i];
        for (std::size_t c = 0; c < classes; ++c) gradient[c] += times * residuals[i * classes + c];
    }
}

// gradient[class] += sum over rows of number^power * residual, for a power of 1 or 2.
BAYLEAF_CLONES void write_numbers(const double* numbers, std::size_t rows, std::size_t classes,
                                  const double* residuals, bool squared, double* gradient) {
    BAYLEAF_BY_CLASSES(classes, weigh, numbers, rows, classes, residuals, squared, gradient);
}

void score_block(const CellScores& scores, std::size_t all_rows, std::size_t classes,
                 const CellParameters<const double>& at, std::size_t begin, std::size_t rows, double* sums) {
    const double* base = scores.base + begin * classes;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c)
            sums[i * classes + c] = at.bias[c] + *at.scale * base[i * classes + c];
    const std::vector<double> none(classes, 0.0);
    const Group all{scores.cells + begin, all_rows, scores.families, rows, classes};
    read_cells(all, at.corrections, none.data(), sums);
    for (std::size_t j = 0; j < scores.n_numbers; ++j)
        read_numbers(scores.numbers + j * all_rows + begin, rows, classes, at.coefficients + j * classes,
                     sums);
}

// Adds what the rows have, [row][class], to the cells and numbers that they feel.
void write_terms(const CellScores& scores, std::size_t rows, std::size_t classes, const double* residuals,
                 bool squared, const CellParameters<double>& gradient, int threads) {
    const Group all{scores.cells, rows, scores.families, rows, classes};
    // Groups only where they leave every thread something to do; cells are added to in the same order anyway.
    const std::size_t width = scores.families >= kGroup * static_cast<std::size_t>(threads) ? kGroup : 1;
    const std::size_t groups = (scores.families + width - 1) / width;
    parallel_for(groups + scores.n_numbers, threads, [&](std::size_t k) {
        if (k < groups) {
            const std::size_t first = k * width;
            write_cells(all.part(first, std::min(width, scores.families - first)), residuals,
                        gradient.corrections);
        } else {
            const std::size_t j = k - groups;
            write_numbers(scores.numbers + j * rows, rows, classes, residuals, squared,
                          gradient.coefficients + j * classes);
        }
    });
}

// Adds up what blocks of rows have, in their order.
std::vector<double> total_of(const std::vector<double>& parts, std::size_t width) {
    std::vector<double> total(width, 0.0);
    for (std::size_t k = 0; k < parts.size(); ++k) total[k % width] += parts[k];
    return total;
}

// How the loss curves in every parameter: the sum over rows of weight * p (1 - p) for bias and corrections,
// of this times the number's square for coefficients, of weight * variance of the base scores for the scale.
std::vector<double> curvature(const CellScores& scores, const Labels& labels,
                              std::span<const double> parameters, int threads) {
    const std::size_t classes = labels.classes, block = tuning_block(classes);
    const std::size_t width = 1 + classes, blocks = (labels.rows + block - 1) / block;
    const CellParameters<const double> at(parameters.data(), scores, classes);
    std::vector<double> variances(labels.rows * classes), parts(blocks * width, 0.0);
    parallel_for(blocks, threads, [&](std::size_t b) {
        const std::size_t begin = b * block, rows = std::min(block, labels.rows - begin);
        double *left = &variances[begin * classes], *part = &parts[b * width];
        score_block(scores, labels.rows, classes, at, begin, rows, left);
        probabilities(rows, classes, left);
        for (std::size_t i = 0; i < rows; ++i) {
            const double weight = labels.weights ? labels.weights[begin + i] : 1.0;
            const double* base = scores.base + (begin + i) * classes;
            double* row = left + i * classes;
            double mean = 0.0, square = 0.0;
            for (std::size_t c = 0; c < classes; ++c) {
                mean += row[c] * base[c];
                square += row[c] * base[c] * base[c];
                row[c] *= weight * (1.0 - row[c]);
                part[1 + c] += row[c];
            }
            part[0] += weight * (square - mean * mean);
        }
    });
    std::vector<double> found = total_of(parts, width);
    found.resize(parameters.size(), 0.0);
    write_terms(scores, labels.rows, classes, variances.data(), true, {found.data(), scores, classes},
                threads);
    return found;
}

// Two classes need one score only: what draws both to zero makes their corrections each other's negatives.
// The loss of d = D_1 - D_0 with half the pull has its minimum where that of D_0 and D_1 has it.
void lower_loss_of_two(const CellScores& scores, const Labels& labels, std::span<const double> pull,
                       const DescentLimits& limits, std::span<double> parameters, int threads) {
    std::vector<double> base(labels.rows), half_pull(1 + (parameters.size() - 1) / 2),
        differences(half_pull.size());
    for (std::size_t i = 0; i < labels.rows; ++i) base[i] = scores.base[2 * i + 1] - scores.base[2 * i];
    half_pull[0] = pull[0];
    differences[0] = parameters[0];
    for (std::size_t k = 1; k < differences.size(); ++k) {
        half_pull[k] = pull[2 * k] / 2;
        differences[k] = parameters[2 * k] - parameters[2 * k - 1];
    }
    CellScores against_first = scores;
    against_first.base = base.data();
    Labels second = labels;
    second.classes = kAgainstFirst;
    lower_cell_loss(against_first, second, half_pull, limits, differences, threads);
    parameters[0] = differences[0];
    for (std::size_t k = 1; k < differences.size(); ++k) {
        parameters[2 * k - 1] = -differences[k] / 2;
        parameters[2 * k] = differences[k] / 2;
    }
}

double total_weight(const Labels& labels) {
    if (!labels.weights) return std::max(static_cast<double>(labels.rows), 1.0);
    double total = 0.0;
    for (std::size_t i = 0; i < labels.rows; ++i) total += labels.weights[i];
    return std::max(total, 1.0);
}

}  // namespace

double cell_loss(const CellScores& scores, const Labels& labels, const double* parameters, double* gradient,
                 int threads) {
    const std::size_t classes = labels.classes, block = tuning_block(classes);
    // Of each block: its loss, the gradient of the scale, that of the bias.
    const std::size_t width = 2 + classes, blocks = (labels.rows + block - 1) / block;
    const int workers = threads_for(labels.rows * scores.terms() * classes, threads);
    const CellParameters<const double> at(parameters, scores, classes);
    std::vector<double> left(labels.rows * classes), parts(blocks * width, 0.0);
    parallel_for(blocks, workers, [&](std::size_t b) {
        const std::size_t begin = b * block, rows = std::min(block, labels.rows - begin);
        double *sums = &left[begin * classes], *part = &parts[b * width];
        score_block(scores, labels.rows, classes, at, begin, rows, sums);
        part[0] = residuals(labels, begin, rows, sums);
        const double* base = scores.base + begin * classes;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < classes; ++c) {
                part[1] += base[i * classes + c] * sums[i * classes + c];
                part[2 + c] += sums[i * classes + c];
            }
    });
    const std::vector<double> total = total_of(parts, width);
    std::copy_n(total.data() + 1, 1 + classes, gradient);
    std::fill_n(gradient + 1 + classes, (scores.n_cells + scores.n_numbers) * classes, 0.0);
    write_terms(scores, labels.rows, classes, left.data(), false, {gradient, scores, classes}, workers);
    return total[0];
}

void lower_cell_loss(const CellScores& scores, const Labels& labels, std::span<const double> pull,
                     const DescentLimits& limits, std::span<double> parameters, int threads) {
    if (labels.classes == 2) {
        lower_loss_of_two(scores, labels, pull, limits, parameters, threads);
        return;
    }
    const double total = total_weight(labels);
    std::vector<double> diagonal = curvature(
        scores, labels, parameters, threads_for(labels.rows * scores.terms() * labels.classes, threads));
    // What no row feels and nothing pulls has no gradient either: any positive number will do.
    for (std::size_t k = 0; k < diagonal.size(); ++k)
        diagonal[k] = std::max((diagonal[k] + pull[k]) / total, 1e-12);
    auto loss = [&](std::span<const double> at, double* gradient) {
        double value = cell_loss(scores, labels, at.data(), gradient, threads);
        for (std::size_t k = 0; k < at.size(); ++k) {
            if (std::isinf(pull[k])) {
                gradient[k] = 0.0;
                continue;
            }
            const double away = at[k] - (k == 0 ? 1.0 : 0.0);
            value += 0.5 * pull[k] * away * away;
            gradient[k] = (gradient[k] + pull[k] * away) / total;
        }
        return value / total;
    };
    // Families correct the same rows: together they need only a part of what each would need alone.
    const double first = 1.0 / std::sqrt(1.0 + static_cast<double>(scores.terms()));
    descend(loss, diagonal, first, limits, parameters);
}

void cell_scores(const CellScores& scores, std::size_t rows, std::size_t classes, const double* parameters,
                 double* out, int threads) {
    const CellParameters<const double> at(parameters, scores, classes);
    parallel_blocks(rows, tuning_block(classes), threads_for(rows * scores.terms() * classes, threads),
                    [&](std::size_t begin, std::size_t end) {
                        score_block(scores, rows, classes, at, begin, end - begin, out + begin * classes);
                    });
}

}  // namespace bayleaf
