// Floor: rows * (families + numbers) * classes multiplications to read the coefficients, and as many to write
// their gradient. Reading goes by blocks of rows, writing by families and numbers, whose gradients are nobody
// else's: threads do not change a bit.
#include "pool/linear_loss.hpp"

#include <vector>

#include "common/parallel.hpp"
#include "tuning/softmax.hpp"

namespace bayleaf {

namespace {

template <std::size_t Classes>
BAYLEAF_INLINE void read(const double* values, std::size_t rows, std::size_t any, const double* coefficients,
                         double* sums) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c) sums[i * classes + c] += values[i] * coefficients[c];
}

template <std::size_t Classes>
BAYLEAF_INLINE void write(const double* values, std::size_t rows, std::size_t any, const double* residuals,
                          double* gradient) {
    const std::size_t classes = Classes ? Classes : any;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < classes; ++c) gradient[c] += values[i] * residuals[i * classes + c];
}

BAYLEAF_CLONES void read_number(const double* values, std::size_t rows, std::size_t classes,
                                const double* coefficients, double* sums) {
    BAYLEAF_BY_CLASSES(classes, read, values, rows, classes, coefficients, sums);
}

BAYLEAF_CLONES void write_number(const double* values, std::size_t rows, std::size_t classes,
                                 const double* residuals, double* gradient) {
    BAYLEAF_BY_CLASSES(classes, write, values, rows, classes, residuals, gradient);
}

void score_block(const LinearRows& rows, std::size_t n_rows, std::size_t classes,
                 const LinearParameters& parameters, std::size_t begin, std::size_t count, double* sums) {
    for (std::size_t i = 0; i < count; ++i) std::copy_n(parameters.bias, classes, sums + i * classes);
    for (std::size_t j = 0; j < rows.n_numbers; ++j)
        read_number(rows.numbers + j * n_rows + begin, count, classes, parameters.numbers + j * classes,
                    sums);
    for (std::size_t f = 0; f < rows.families; ++f) {
        const std::int32_t* cells = rows.cells + f * n_rows + begin;
        for (std::size_t i = 0; i < count; ++i) {
            if (cells[i] < 0) continue;
            const double* entry = parameters.cells + static_cast<std::size_t>(cells[i]) * classes;
            for (std::size_t c = 0; c < classes; ++c) sums[i * classes + c] += entry[c];
        }
    }
}

}  // namespace

double linear_loss(const LinearRows& rows, const Labels& labels, const LinearParameters& parameters,
                   const LinearGradient& gradient, int threads) {
    const std::size_t classes = labels.classes, block = tuning_block(classes);
    const std::size_t width = 1 + classes, blocks = (labels.rows + block - 1) / block;
    const int workers = threads_for(labels.rows * (rows.families + rows.n_numbers) * classes, threads);
    std::vector<double> left(labels.rows * classes), parts(blocks * width, 0.0);
    parallel_for(blocks, workers, [&](std::size_t b) {
        const std::size_t begin = b * block, count = std::min(block, labels.rows - begin);
        double *sums = &left[begin * classes], *part = &parts[b * width];
        score_block(rows, labels.rows, classes, parameters, begin, count, sums);
        part[0] = residuals(labels, begin, count, sums);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t c = 0; c < classes; ++c) part[1 + c] += sums[i * classes + c];
    });
    double loss = 0.0;
    for (std::size_t b = 0; b < blocks; ++b) {
        loss += parts[b * width];
        for (std::size_t c = 0; c < classes; ++c) gradient.bias[c] += parts[b * width + 1 + c];
    }
    parallel_for(rows.n_numbers + rows.families, workers, [&](std::size_t k) {
        if (k < rows.n_numbers) {
            write_number(rows.numbers + k * labels.rows, labels.rows, classes, left.data(),
                         gradient.numbers + k * classes);
            return;
        }
        const std::int32_t* cells = rows.cells + (k - rows.n_numbers) * labels.rows;
        for (std::size_t i = 0; i < labels.rows; ++i) {
            if (cells[i] < 0) continue;
            double* entry = gradient.cells + static_cast<std::size_t>(cells[i]) * classes;
            for (std::size_t c = 0; c < classes; ++c) entry[c] += left[i * classes + c];
        }
    });
    return loss;
}

void linear_scores(const LinearRows& rows, std::size_t n_rows, std::size_t classes,
                   const LinearParameters& parameters, double* out, int threads) {
    const int workers = threads_for(n_rows * (rows.families + rows.n_numbers) * classes, threads);
    parallel_blocks(n_rows, tuning_block(classes), workers, [&](std::size_t begin, std::size_t end) {
        score_block(rows, n_rows, classes, parameters, begin, end - begin, out + begin * classes);
    });
}

}  // namespace bayleaf
