// Corrections of table cells. Floor: rows * families * classes additions to read the corrections, and as many
// to write their gradient. Reading goes by blocks of rows. Writing goes by families, whose cells are few
// enough for the first-level cache and are nobody else's, so that threads need no tables of their own.
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

}  // namespace

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
