// The log-linear pool of several members. Floor: two passes over a block of members * rows * classes scores,
// the second of which finds them in the cache.
#include <vector>

#include "common/parallel.hpp"
#include "tuning/row_scores.hpp"
#include "tuning/softmax.hpp"

namespace bayleaf {
namespace {

constexpr std::size_t kLanes = 8;

#define BAYLEAF_POOL_LOOPS(Score)                                                                     \
    BAYLEAF_CLONES void add_member(const Score* scores, double weight, std::size_t n, double* sums) { \
        for (std::size_t i = 0; i < n; ++i) sums[i] += weight * static_cast<double>(scores[i]);       \
    }                                                                                                 \
    /* Eight sums side by side, so that additions need not wait for each other. */                    \
    BAYLEAF_CLONES double along(const Score* scores, const double* residuals, std::size_t n) {        \
        double lanes[kLanes] = {};                                                                    \
        std::size_t i = 0;                                                                            \
        for (; i + kLanes <= n; i += kLanes)                                                          \
            for (std::size_t k = 0; k < kLanes; ++k)                                                  \
                lanes[k] += static_cast<double>(scores[i + k]) * residuals[i + k];                    \
        double sum = 0;                                                                               \
        for (; i < n; ++i) sum += static_cast<double>(scores[i]) * residuals[i];                      \
        for (std::size_t k = 0; k < kLanes; ++k) sum += lanes[k];                                     \
        return sum;                                                                                   \
    }
BAYLEAF_POOL_LOOPS(float)
BAYLEAF_POOL_LOOPS(double)
#undef BAYLEAF_POOL_LOOPS

template <class Score>
void add_members(const MemberScores<Score>& pool, std::size_t all_rows, std::size_t classes,
                 const double* member_weights, const double* bias, std::size_t begin, std::size_t rows,
                 double* sums) {
    for (std::size_t i = 0; i < rows; ++i) std::copy_n(bias, classes, sums + i * classes);
    for (std::size_t m = 0; m < pool.members; ++m)
        if (member_weights[m] != 0)
            add_member(pool.scores + (m * all_rows + begin) * classes, member_weights[m], rows * classes,
                       sums);
}

}  // namespace

template <class Score>
double pool_loss(const MemberScores<Score>& pool, const Labels& labels, const double* member_weights,
                 const double* bias, double* member_gradient, double* bias_gradient, int threads) {
    const std::size_t classes = labels.classes, members = pool.members, block = tuning_block(classes);
    // Of each block: its loss, the gradient of the weights, that of the bias.
    const std::size_t width = 1 + members + classes, blocks = (labels.rows + block - 1) / block;
    std::vector<double> parts(blocks * width, 0.0);
    parallel_for(blocks, threads_for(2 * labels.rows * members * classes, threads), [&](std::size_t b) {
        const std::size_t begin = b * block, rows = std::min(block, labels.rows - begin);
        std::vector<double> sums(rows * classes);
        double* part = &parts[b * width];
        add_members(pool, labels.rows, classes, member_weights, bias, begin, rows, sums.data());
        part[0] = residuals(labels, begin, rows, sums.data());
        for (std::size_t m = 0; m < members; ++m)
            part[1 + m] =
                along(pool.scores + (m * labels.rows + begin) * classes, sums.data(), rows * classes);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < classes; ++c) part[1 + members + c] += sums[i * classes + c];
    });
    std::vector<double> total(width, 0.0);
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t k = 0; k < width; ++k) total[k] += parts[b * width + k];
    std::copy_n(&total[1], members, member_gradient);
    std::copy_n(total.data() + 1 + members, classes, bias_gradient);
    return total[0];
}

template <class Score>
void pool_scores(const MemberScores<Score>& pool, std::size_t rows, std::size_t classes,
                 const double* member_weights, const double* bias, double* out, int threads) {
    parallel_blocks(rows, tuning_block(classes), threads_for(rows * pool.members * classes, threads),
                    [&](std::size_t begin, std::size_t end) {
                        add_members(pool, rows, classes, member_weights, bias, begin, end - begin,
                                    out + begin * classes);
                    });
}

template double pool_loss(const MemberScores<float>&, const Labels&, const double*, const double*, double*,
                          double*, int);
template double pool_loss(const MemberScores<double>&, const Labels&, const double*, const double*, double*,
                          double*, int);
template void pool_scores(const MemberScores<float>&, std::size_t, std::size_t, const double*, const double*,
                          double*, int);
template void pool_scores(const MemberScores<double>&, std::size_t, std::size_t, const double*, const double*,
                          double*, int);

}  // namespace bayleaf
