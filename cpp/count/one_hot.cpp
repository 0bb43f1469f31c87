#include "count/one_hot.hpp"

#include "common/dispatch.hpp"
#include "common/parallel.hpp"

namespace bayleaf {
namespace {

constexpr std::int64_t kMostStates = 8;

BAYLEAF_CLONES void set_bits(const std::uint8_t* column, std::size_t rows, unsigned first, unsigned bits,
                             std::uint64_t* words) {
    for (std::size_t i = 0; i < rows; ++i) {
        const std::uint64_t counted = column[i] < bits;
        words[i] |= counted << (first + (counted ? column[i] : 0u));
    }
}

}  // namespace

OneHotRows one_hot_rows(const CodeMatrix<std::uint8_t>& codes, std::span<const std::int64_t> arities,
                        const std::vector<bool>& has_missing, int threads) {
    OneHotRows out;
    out.rows = codes.rows;
    out.places.resize(codes.columns);
    unsigned used = 65;
    for (std::size_t j = 0; j < codes.columns; ++j) {
        if (arities[j] > kMostStates) continue;
        const auto bits = static_cast<unsigned>(arities[j] - (has_missing[j] ? 0 : 1));
        if (used + bits > 64) {
            ++out.words;
            used = 0;
        }
        out.places[j] = {out.words - 1, used, bits, true};
        used += bits;
    }
    out.table.assign(out.words * out.rows, 0);
    parallel_for(out.words, threads, [&](std::size_t w) {
        for (std::size_t j = 0; j < codes.columns; ++j)
            // A constant column sets no bit, and its place may lie behind the last one of the word.
            if (out.has(j) && out.places[j].word == w && out.places[j].bits > 0)
                set_bits(codes.column(j), codes.rows, out.places[j].first, out.places[j].bits,
                         out.table.data() + w * out.rows);
    });
    return out;
}

}  // namespace bayleaf
