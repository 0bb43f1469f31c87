// Floor: one look-up per class for every factor, times the combinations where a factor is touched.
#include "network/few_hidden.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayleaf {
namespace {

// Look-ups for all combinations together; beyond, elimination is better.
constexpr double kMostTried = 65536;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

void add_values(const double* values, bool has_query, std::size_t classes, double* sums) {
    for (std::size_t c = 0; c < classes; ++c) sums[c] += values[has_query ? c : 0];
}

double log_sum(const double* terms, std::size_t count, std::size_t step) {
    double top = kNothing;
    for (std::size_t k = 0; k < count; ++k) top = std::max(top, terms[k * step]);
    if (top == kNothing) return kNothing;
    double total = 0;
    for (std::size_t k = 0; k < count; ++k) total += std::exp(terms[k * step] - top);
    return top + std::log(total);
}

}  // namespace

bool FewHidden::prepare(const std::vector<char>& missing) {
    const Factors& factors = net_.factors;
    const std::vector<char> relevant = relevant_nodes(net_, missing);
    observed_.clear();
    touched_.clear();
    hidden_.clear();
    double combinations = 1;
    for (std::size_t v = 0; v < missing.size(); ++v) {
        if (!relevant[v]) continue;
        bool touched = missing[v];
        for (std::int64_t k = factors.offsets[v]; k < factors.offsets[v + 1]; ++k)
            touched |= missing[factors.variables[k]] != 0;
        (touched ? touched_ : observed_).push_back(v);
        if (!missing[v]) continue;
        hidden_.push_back(static_cast<std::int64_t>(v));
        combinations *= static_cast<double>(net_.arities[v]);
    }
    if (combinations * static_cast<double>(touched_.size()) > kMostTried) return false;
    // Where each combination of hidden states, the last one fastest, finds its entries.
    positions_.clear();
    std::vector<std::int64_t> states(missing.size(), 0);
    for (std::size_t tried = 0; !hidden_.empty() && tried < static_cast<std::size_t>(combinations); ++tried) {
        for (const std::size_t f : touched_) {
            std::int64_t position = factors.table_offsets[f];
            for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k)
                position += factors.strides[k] * states[factors.variables[k]];
            positions_.push_back(position);
        }
        for (std::size_t h = hidden_.size(); h-- > 0;) {
            if (++states[hidden_[h]] < net_.arities[hidden_[h]]) break;
            states[hidden_[h]] = 0;
        }
    }
    return true;
}

template <class Code>
void FewHidden::add_row(const CodeMatrix<Code>& codes, std::size_t row, double* sums) {
    const Factors& factors = net_.factors;
    const auto observed_part = [&](std::size_t f) {
        std::int64_t position = 0;
        for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k) {
            const Code value = codes.column(factors.variables[k])[row];
            if (value != kMissing<Code>) position += factors.strides[k] * value;
        }
        return position;
    };
    std::fill_n(sums, net_.classes, 0.0);
    for (const std::size_t f : observed_)
        add_values(log_tables_ + factors.table_offsets[f] + observed_part(f), factors.has_query[f],
                   net_.classes, sums);
    if (hidden_.empty()) return;
    observed_parts_.clear();
    for (const std::size_t f : touched_) observed_parts_.push_back(observed_part(f));
    const std::size_t combinations = positions_.size() / touched_.size();
    terms_.assign(combinations * net_.classes, 0.0);
    for (std::size_t tried = 0; tried < combinations; ++tried)
        for (std::size_t t = 0; t < touched_.size(); ++t)
            add_values(log_tables_ + positions_[tried * touched_.size() + t] + observed_parts_[t],
                       factors.has_query[touched_[t]], net_.classes, &terms_[tried * net_.classes]);
    for (std::size_t c = 0; c < net_.classes; ++c) sums[c] += log_sum(&terms_[c], combinations, net_.classes);
}

template void FewHidden::add_row(const CodeMatrix<std::uint8_t>&, std::size_t, double*);
template void FewHidden::add_row(const CodeMatrix<std::uint16_t>&, std::size_t, double*);

}  // namespace bayleaf
