// The yardstick of the candidates kernel: add a table entry to every row of a log-joint, take the largest
// class. Compiled by discriminative.py for this machine.
#include <cstddef>
#include <cstdint>

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
