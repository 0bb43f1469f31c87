// Sums over the cells of every set of variables for real weights: the plain form of exact_sums.cpp.
#include <algorithm>
#include <bit>
#include <numeric>

#include "exact/cells.hpp"
#include "common/parallel.hpp"

namespace bayleaf {

namespace {

constexpr std::size_t kTaskVariables = 6;

struct Groups {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> ends;
};

template <class Code>
Groups split(const Groups& groups, const std::vector<Code>& codes, std::size_t arity) {
    Groups out;
    out.rows.resize(groups.rows.size());
    std::vector<std::uint32_t> starts;
    std::uint32_t begin = 0;
    for (const std::uint32_t end : groups.ends) {
        starts.assign(arity + 1, 0);
        for (std::uint32_t i = begin; i < end; ++i) ++starts[codes[groups.rows[i]] + 1u];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (std::size_t k = 0; k < arity; ++k) {
            if (starts[k + 1] > starts[k]) out.ends.push_back(begin + starts[k + 1]);
        }
        for (std::uint32_t i = begin; i < end; ++i) {
            out.rows[begin + starts[codes[groups.rows[i]]]++] = groups.rows[i];
        }
        begin = end;
    }
    return out;
}

template <class Code>
struct WeightedSearch {
    const DistinctRows<Code, double>& rows;
    std::span<const std::int64_t> arities;
    std::size_t variables;
    const SetScore& score;
    const CellFunctions& functions;
    double* sums;
    const Watch& watch;

    Groups refine(const Groups& groups, std::size_t variable) const {
        return split(groups, rows.columns[variable], static_cast<std::size_t>(arities[variable]));
    }

    // Sets `set` and those that add variables below `next` to it.
    void visit(std::uint64_t set, std::size_t index, const Groups& groups, std::size_t next) const {
        if (watch.stopped() || std::popcount(set) > score.largest_set ||
            functions.configurations(index) > score.most_configurations) {
            return;
        }
        const CellFunction& function = functions.at(index);
        double sum = function.set_term();
        std::uint32_t begin = 0;
        for (const std::uint32_t end : groups.ends) {
            double total = 0.0;
            for (std::uint32_t i = begin; i < end; ++i) total += rows.weights[groups.rows[i]];
            sum += function.exact(total);
            begin = end;
        }
        sums[set] = sum;
        watch.add(1);
        for (std::size_t j = 0; j < next; ++j) {
            visit(set | std::uint64_t{1} << j, index + functions.step(j), refine(groups, j), j);
        }
    }

    void run(std::size_t task, std::size_t first_variable) const {
        Groups groups;
        groups.rows.resize(rows.size());
        std::iota(groups.rows.begin(), groups.rows.end(), 0u);
        if (rows.size() > 0) groups.ends.push_back(static_cast<std::uint32_t>(rows.size()));
        for (std::size_t j = variables; j < arities.size(); ++j) groups = refine(groups, j);
        std::size_t index = functions.base();
        std::uint64_t set = 0;
        for (std::size_t j = first_variable; j < variables; ++j) {
            if (!(task >> (j - first_variable) & 1)) continue;
            groups = refine(groups, j);
            index += functions.step(j);
            set |= std::uint64_t{1} << j;
        }
        visit(set, index, groups, first_variable);
    }
};

}  // namespace

template <class Code>
void subset_sums(const DistinctRows<Code, double>& rows, std::span<const std::int64_t> arities,
                 std::size_t variables, const SetScore& score, double* sums, int threads,
                 const Watch& watch) {
    for (std::size_t set = 0; set >> variables == 0; ++set)
        sums[set] = kUnreachable * (1 + std::popcount(set));
    const CellFunctions functions(score, arities, variables, 1);
    const WeightedSearch<Code> search{rows, arities, variables, score, functions, sums, watch};
    const std::size_t task_variables = std::min(variables, kTaskVariables);
    parallel_for(std::size_t{1} << task_variables, threads,
                 [&](std::size_t task) { search.run(task, variables - task_variables); });
}

template void subset_sums(const DistinctRows<std::uint8_t, double>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);
template void subset_sums(const DistinctRows<std::uint16_t, double>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);

}  // namespace bayleaf
