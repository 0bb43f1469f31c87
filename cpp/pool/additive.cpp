// Floor: one look-up per reading, one per term and score.
#include "pool/additive.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {

namespace {

// Rows that are scored together: their states stay in the cache.
constexpr std::size_t kBlock = 128;

struct Space {
    std::vector<std::uint16_t> states;  // [reading][row]
    std::vector<std::uint32_t> cells;   // [row]
    std::vector<double> numbers;        // [column of a form][row]
    std::vector<double> products, sums;
    std::vector<double> scores;  // [row][score] of one model
};

// Entry of a look-up for each code of a block; codes beyond its end have the last one.
template <class Code, class Entry>
void look_up(const Code* codes, std::size_t rows, std::span<const Entry> entries, Entry* out) {
    const std::size_t last = entries.size() - 1;
    for (std::size_t i = 0; i < rows; ++i) out[i] = entries[std::min<std::size_t>(codes[i], last)];
}

template <std::size_t Scores>
void add_entries(const std::uint32_t* cells, std::size_t rows, std::size_t any, const float* table,
                 double* out) {
    const std::size_t scores = Scores ? Scores : any;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < scores; ++k)
            out[i * scores + k] += static_cast<double>(table[cells[i] * scores + k]);
}

void add_entries(const std::uint32_t* cells, std::size_t rows, std::size_t scores, const float* table,
                 double* out) {
    BAYLEAF_BY_CLASSES(scores, add_entries, cells, rows, scores, table, out);
}

template <class Number>
std::span<const Number> part(std::span<const Number> all, std::int64_t begin, std::int64_t end) {
    return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void add_terms(const AdditiveModel& model, std::size_t rows, Space& space, double* out) {
    space.cells.resize(kBlock);
    for (std::size_t t = 0; t < model.terms(); ++t) {
        const auto first = static_cast<std::size_t>(model.term_offsets[t]);
        const auto end = static_cast<std::size_t>(model.term_offsets[t + 1]);
        std::fill_n(space.cells.data(), rows, 0U);
        for (std::size_t k = first; k < end; ++k) {
            const std::uint16_t* states =
                &space.states[static_cast<std::size_t>(model.term_readings[k]) * kBlock];
            const auto stride = static_cast<std::uint32_t>(model.strides[k]);
            for (std::size_t i = 0; i < rows; ++i) space.cells[i] += stride * states[i];
        }
        add_entries(space.cells.data(), rows, model.scores(), model.tables + model.table_offsets[t], out);
    }
}

// sums[row] = x' matrix x for a symmetric matrix: the terms below the diagonal count twice.
BAYLEAF_CLONES void quadratic_form(const double* matrix, std::size_t columns, const double* numbers,
                                   std::size_t rows, double* products, double* sums) {
    std::fill_n(sums, rows, 0.0);
    for (std::size_t j = 0; j < columns; ++j) {
        const double* own = numbers + j * kBlock;
        for (std::size_t i = 0; i < rows; ++i) products[i] = matrix[j * columns + j] * own[i];
        for (std::size_t l = 0; l < j; ++l) {
            const double twice = 2.0 * matrix[j * columns + l];
            const double* other = numbers + l * kBlock;
            for (std::size_t i = 0; i < rows; ++i) products[i] += twice * other[i];
        }
        for (std::size_t i = 0; i < rows; ++i) sums[i] += own[i] * products[i];
    }
}

template <class Code>
void subtract_forms(const AdditiveModel& model, const CodeMatrix<Code>& codes, std::size_t begin,
                    std::size_t rows, Space& space, double* out) {
    space.products.resize(kBlock);
    space.sums.resize(kBlock);
    for (std::size_t f = 0; f < model.forms(); ++f) {
        const auto first = static_cast<std::size_t>(model.form_offsets[f]);
        const std::size_t columns = static_cast<std::size_t>(model.form_offsets[f + 1]) - first;
        space.numbers.resize(columns * kBlock);
        for (std::size_t j = 0; j < columns; ++j) {
            const std::span<const double> values(model.values + model.value_offsets[first + j],
                                                 static_cast<std::size_t>(model.value_offsets[first + j + 1] -
                                                                          model.value_offsets[first + j]));
            look_up(codes.column(static_cast<std::size_t>(model.form_columns[first + j])) + begin, rows,
                    values, &space.numbers[j * kBlock]);
        }
        for (std::size_t k = 0; k < model.scores(); ++k) {
            const double* matrix =
                model.matrices + model.matrix_offsets[f] + static_cast<std::ptrdiff_t>(k * columns * columns);
            quadratic_form(matrix, columns, space.numbers.data(), rows, space.products.data(),
                           space.sums.data());
            for (std::size_t i = 0; i < rows; ++i) out[i * model.scores() + k] -= 0.5 * space.sums[i];
        }
    }
}

template <class Code>
void score_block(const AdditiveModel& model, const CodeMatrix<Code>& codes, std::size_t begin,
                 std::size_t rows, Space& space, double* out) {
    space.states.resize(model.readings() * kBlock);
    for (std::size_t r = 0; r < model.readings(); ++r)
        look_up(codes.column(static_cast<std::size_t>(model.reading_columns[r])) + begin, rows,
                part(model.states, model.reading_offsets[r], model.reading_offsets[r + 1]),
                &space.states[r * kBlock]);
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(model.bias.data(), model.scores(), out + i * model.scores());
    add_terms(model, rows, space, out);
    subtract_forms(model, codes, begin, rows, space, out);
}

// Adds share * softmax(0, scores) of every row.
void add_probabilities(const double* scores, std::size_t rows, std::size_t classes, double share,
                       double* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double* own = scores + i * (classes - 1);
        double* row = out + i * classes;
        double top = 0.0, total = 0.0;
        for (std::size_t c = 1; c < classes; ++c) top = std::max(top, own[c - 1]);
        for (std::size_t c = 0; c < classes; ++c) total += std::exp((c == 0 ? 0.0 : own[c - 1]) - top);
        for (std::size_t c = 0; c < classes; ++c)
            row[c] += share * std::exp((c == 0 ? 0.0 : own[c - 1]) - top) / total;
    }
}

}  // namespace

template <class Code>
void additive_scores(const AdditiveModel& model, const CodeMatrix<Code>& codes, double* out, int threads) {
    const std::size_t blocks = (codes.rows + kBlock - 1) / kBlock;
    parallel_with<Space>(blocks, threads, [&](Space& space, std::size_t b) {
        const std::size_t begin = b * kBlock, rows = std::min(kBlock, codes.rows - begin);
        score_block(model, codes, begin, rows, space, out + begin * model.scores());
    });
}

template <class Code>
void mixed_probabilities(std::span<const AdditiveModel> models, double share, std::span<const double> prior,
                         const CodeMatrix<Code>& codes, double* out, int threads) {
    const std::size_t classes = prior.size(), blocks = (codes.rows + kBlock - 1) / kBlock;
    const double left = 1.0 - share * static_cast<double>(models.size());
    parallel_with<Space>(blocks, threads, [&](Space& space, std::size_t b) {
        const std::size_t begin = b * kBlock, rows = std::min(kBlock, codes.rows - begin);
        double* own = out + begin * classes;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < classes; ++c) own[i * classes + c] = left * prior[c];
        space.scores.resize(kBlock * (classes - 1));
        for (const AdditiveModel& model : models) {
            score_block(model, codes, begin, rows, space, space.scores.data());
            add_probabilities(space.scores.data(), rows, classes, share, own);
        }
    });
}

template void additive_scores(const AdditiveModel&, const CodeMatrix<std::uint8_t>&, double*, int);
template void additive_scores(const AdditiveModel&, const CodeMatrix<std::uint16_t>&, double*, int);
template void mixed_probabilities(std::span<const AdditiveModel>, double, std::span<const double>,
                                  const CodeMatrix<std::uint8_t>&, double*, int);
template void mixed_probabilities(std::span<const AdditiveModel>, double, std::span<const double>,
                                  const CodeMatrix<std::uint16_t>&, double*, int);

}  // namespace bayleaf
