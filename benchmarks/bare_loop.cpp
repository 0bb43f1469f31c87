// Yardsticks of the candidates kernel: add a table entry to every row of a log-joint, take the largest class; or
// the logarithm of the sum of exponentials. Compiled by discriminative.py for this machine, the second one with
// whatever the compiler's fast mathematics give (vector exponentials of the C library).
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

template <std::size_t Classes>
static std::int64_t loop(const double* log_joint, const double* table, const std::uint32_t* position,
                         const std::uint8_t* truth, std::size_t rows, std::size_t any) {
    const std::size_t classes = Classes ? Classes : any;
    std::int64_t right = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double* row = log_joint + i * classes;
        const double* entry = table + position[i] * classes;
        double top = row[0] + entry[0];
        std::size_t best = 0;
        for (std::size_t c = 1; c < classes; ++c) {
            const double value = row[c] + entry[c];
            best = value > top ? c : best;
            top = value > top ? value : top;
        }
        right += best == truth[i];
    }
    return right;
}

extern "C" std::int64_t add_and_argmax(const double* log_joint, const double* table,
                                       const std::uint32_t* position, const std::uint8_t* truth,
                                       std::size_t rows, std::size_t classes) {
    if (classes == 6) return loop<6>(log_joint, table, position, truth, rows, classes);
    if (classes == 10) return loop<10>(log_joint, table, position, truth, rows, classes);
    if (classes == 26) return loop<26>(log_joint, table, position, truth, rows, classes);
    return loop<0>(log_joint, table, position, truth, rows, classes);
}

extern "C" double add_and_logsumexp(const double* log_joint, const double* table, const std::uint32_t* position,
                                    const std::uint8_t* truth, std::size_t rows, std::size_t classes) {
    constexpr std::size_t kBlock = 128;
    std::vector<double> values(kBlock * classes);
    double total = 0;
    for (std::size_t first = 0; first < rows; first += kBlock) {
        const std::size_t size = rows - first < kBlock ? rows - first : kBlock;
        double sums[kBlock];
        for (std::size_t i = 0; i < size; ++i) {
            const double* row = log_joint + (first + i) * classes;
            const double* entry = table + position[first + i] * classes;
            double* out = &values[i * classes];
            double top = row[0] + entry[0];
            for (std::size_t c = 0; c < classes; ++c) {
                out[c] = row[c] + entry[c];
                top = out[c] > top ? out[c] : top;
            }
            for (std::size_t c = 0; c < classes; ++c) out[c] -= top;
            total -= out[truth[first + i]];
        }
        for (std::size_t k = 0; k < size * classes; ++k) values[k] = std::exp(values[k]);
        for (std::size_t i = 0; i < size; ++i) {
            double sum = 0;
            for (std::size_t c = 0; c < classes; ++c) sum += values[i * classes + c];
            sums[i] = sum;
        }
        for (std::size_t i = 0; i < size; ++i) total += std::log(sums[i]);
    }
    return total;
}
