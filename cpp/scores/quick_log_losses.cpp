// The one loop that sums in whatever order suits the machine (see CMakeLists.txt): what it gives is rounded
// to the loss of block_log_loss, or not used.
#include "common/dispatch.hpp"
#include "scores/row_losses.hpp"

namespace bayleaf {
namespace {

// Products are never this small unless the terms of a family differ by more than a hundred.
constexpr double kSmallestProduct = 1e-60;

// Four lanes and two, whatever the machine makes of them.
using Four = double __attribute__((vector_size(32), aligned(8), may_alias));
using Two = double __attribute__((vector_size(16), aligned(8), may_alias));

template <class Lanes>
BAYLEAF_INLINE Lanes products(const double* a, const double* b) {
    return *reinterpret_cast<const Lanes*>(a) * *reinterpret_cast<const Lanes*>(b);
}

// The sum of products of `classes` numbers: by fours, then two, then one.
template <std::size_t Classes>
BAYLEAF_INLINE double product(const double* a, const double* b, std::size_t any_classes) {
    const std::size_t classes = Classes ? Classes : any_classes;
    Two two{0, 0};
    std::size_t c = 0;
    if (classes >= 4) {
        Four four = products<Four>(a, b);
        for (c = 4; c + 4 <= classes; c += 4) four += products<Four>(a + c, b + c);
        two = Two{four[0], four[1]} + Two{four[2], four[3]};
    }
    if (classes % 4 >= 2) {
        two += products<Two>(a + c, b + c);
        c += 2;
    }
    return two[0] + two[1] + (classes % 2 ? a[c] * b[c] : 0.0);
}

template <std::size_t Classes, bool Listed>
BAYLEAF_INLINE void products_of_rows(const LogLossFacts& facts, const TermView& view, const RowList& rows,
                                     double* __restrict products, double* __restrict heads) {
    const std::size_t classes = Classes ? Classes : facts.rows.classes, size = rows.size;
    const double* weights = facts.weights;
    const double* row_heads = facts.heads;
    const double* beside = view.beside - view.first;
    const double* terms = view.terms - view.first;
    const std::uint32_t* cells = view.cells;
    const std::uint16_t* truth = facts.rows.truth;
    for (std::size_t k = 0; k < size; ++k) {
        const std::size_t row = Listed ? rows.rows[k] : rows.first + k, cell = cells[row];
        products[k] = product<Classes>(weights + row * classes, beside + (cell - truth[row]), classes);
        heads[k] = row_heads[row] - terms[cell];
    }
}

template <std::size_t Classes>
BAYLEAF_INLINE void products_of(const LogLossFacts& facts, const TermView& view, const RowList& rows,
                                double* products, double* heads) {
    if (rows.rows)
        products_of_rows<Classes, true>(facts, view, rows, products, heads);
    else
        products_of_rows<Classes, false>(facts, view, rows, products, heads);
}

}  // namespace

BAYLEAF_CLONES void weight_products(const LogLossFacts& facts, const TermView& view, const RowList& rows,
                                    double* products, double* heads) {
    BAYLEAF_BY_CLASSES(facts.rows.classes, products_of, facts, view, rows, products, heads);
}

BAYLEAF_CLONES std::int64_t round_losses(const double* heads, const double* products, const double* scales,
                                         std::size_t rows, double classes, std::uint8_t* open,
                                         std::int64_t& doubts) {
    std::int64_t total = 0, doubtful_rows = 0;
    for (std::size_t k = 0; k < rows; ++k) {
        const double logarithm = log_of(products[k]), loss = heads[k] + logarithm;
        const double sizes = 3.0 * (logarithm < 0 ? -logarithm : logarithm) + 4.0 * (loss < 0 ? -loss : loss);
        const double error = (2.0 * classes + 24.0 + sizes) * 0x1p-53 * scales[k];
        const double exact = loss * scales[k], shifted = exact + kToInteger;
        const double off = exact - (shifted - kToInteger);
        const bool doubtful = ((off < 0 ? -off : off) + error > 0.5) | (exact > kLargestRounded) |
                              (products[k] < kSmallestProduct);
        const std::int64_t units =
            std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kToInteger);
        open[k] = doubtful;
        doubtful_rows += doubtful;
        total += doubtful ? 0 : units;
    }
    doubts = doubtful_rows;
    return total;
}

}  // namespace bayleaf
