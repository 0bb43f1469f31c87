// The tables of all pairs of features, once they are counted.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "common/parallel.hpp"
#include "count/count.hpp"
#include "count/pair_reduce.hpp"

namespace bayleaf {
namespace {

template <class Total>
struct PairTables {
    const Total* cells;
    std::vector<std::size_t> starts;
    std::size_t features;

    // Of two features, the first before the second.
    std::size_t number(std::size_t i, std::size_t j) const {
        return i * (2 * features - i - 1) / 2 + j - i - 1;
    }
    const Total* table(std::size_t i, std::size_t j) const { return cells + starts[number(i, j)]; }
};

template <class Count, class Total>
void reduce(const PairTables<Count>& tables, std::span<const std::int64_t> arities,
            std::span<const std::int64_t> features, std::size_t classes, const bool* has_missing,
            double pseudo, double* sums, int threads) {
    const PairReducer<Count, Total> reducer(classes, pseudo, 0);
    const std::size_t n = features.size();
    auto arity = [&](std::size_t f) { return static_cast<std::size_t>(arities[features[f]]); };
    // A feature that no row lacks has the same table with the class beside every other such feature.
    std::vector<std::size_t> complete;
    for (std::size_t f = 0; f < n; ++f)
        if (!has_missing[f]) complete.push_back(f);
    std::vector<FeatureSums> alone(n);
    if (complete.size() > 1) {
        for (const std::size_t f : complete) {
            const std::size_t other = f == complete[0] ? complete[1] : complete[0];
            const std::size_t i = std::min(f, other), j = std::max(f, other);
            alone[f] = reducer.feature(
                margin_of(tables.table(i, j), classes, arity(i), arity(j), f == i).data(), arity(f));
        }
    }
    parallel_for(n, threads, [&](std::size_t i) {
        typename PairReducer<Count, Total>::Scratch scratch;
        for (std::size_t j = i + 1; j < n; ++j) {
            const bool known = !has_missing[i] && !has_missing[j];
            reducer.pair(tables.table(i, j), arity(i), arity(j), known ? &alone[i] : nullptr,
                         known ? &alone[j] : nullptr, scratch, sums + tables.number(i, j) * kPairSums);
        }
    });
}

}  // namespace

std::vector<std::size_t> pair_table_starts(std::span<const std::int64_t> arities,
                                           std::span<const std::int64_t> features, std::int64_t target) {
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < features.size(); ++i)
        for (std::size_t j = i + 1; j < features.size(); ++j)
            starts.push_back(starts.back() + static_cast<std::size_t>(arities[target] * arities[features[i]] *
                                                                      arities[features[j]]));
    return starts;
}

template <class Total>
void pair_sums_of_counts(const Total* tables, std::span<const std::int64_t> arities,
                         std::span<const std::int64_t> features, std::int64_t target, const bool* has_missing,
                         double pseudo, double* sums, int threads) {
    const PairTables<Total> all{tables, pair_table_starts(arities, features, target), features.size()};
    const auto classes = static_cast<std::size_t>(arities[target]);
    if (std::is_same_v<Total, double> || pseudo > 0)
        reduce<Total, double>(all, arities, features, classes, has_missing, pseudo, sums, threads);
    else
        reduce<Total, Total>(all, arities, features, classes, has_missing, pseudo, sums, threads);
}

template void pair_sums_of_counts(const std::int64_t*, std::span<const std::int64_t>,
                                  std::span<const std::int64_t>, std::int64_t, const bool*, double, double*,
                                  int);
template void pair_sums_of_counts(const double*, std::span<const std::int64_t>, std::span<const std::int64_t>,
                                  std::int64_t, const bool*, double, double*, int);

}  // namespace bayleaf
