#include "bayleaf/family_gains.hpp"

#include <algorithm>
#include <utility>

#include "bayleaf/parallel.hpp"

namespace bayleaf {
namespace {

// Larger counts are rare, and computed.
constexpr std::size_t kTabulated = 16384;
// Visits of rows below which another thread costs more than it saves.
constexpr std::size_t kSmallWork = std::size_t{1} << 18;

}  // namespace

template <class Code>
FamilyGains<Code>::FamilyGains(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                               const std::uint8_t* has_missing, const double* weights, FamilyScore score,
                               int threads)
    : rows_{codes, arities, weights, std::vector<bool>(has_missing, has_missing + codes.columns), {}, {}},
      score_(std::move(score)) {
    if constexpr (sizeof(Code) == 1)
        if (!weights) {
            rows_.bitsets = column_bitsets(codes, arities, codes.rows < kSmallWork ? 1 : threads);
            rows_.everyone.assign(rows_.bitsets.words, ~std::uint64_t{0});
        }
}

template <class Code>
const CellFunction& FamilyGains<Code>::function(const SetTerm& term, double configurations) {
    const bool per_set = term.term == CellTerm::kGammaPerSet;
    const std::pair key{static_cast<int>(term.term), per_set ? term.shift / configurations : term.shift};
    const std::size_t limit = std::min(rows_.codes.rows + 1, kTabulated);
    const std::lock_guard lock(guard_);
    const SetScore set_score{term.term, term.shift, 0.0, 0, 0.0};
    return functions_.try_emplace(key, set_score, configurations, limit).first->second;
}

template <class Code>
template <class Sum>
double FamilyGains<Code>::score(std::int64_t node, double configurations, const Sum& sum) {
    const double cells = configurations * static_cast<double>(rows_.arities[node]);
    const SetTerm &joint = score_.joint, &given = score_.given[node];
    const FamilyFunctions functions{function(joint, cells), function(given, configurations)};
    return sum(functions) - joint.penalty * cells + given.penalty * configurations;
}

// The score of a family in which another node becomes a parent or ceases to be one.
template <class Code>
template <class Count>
double FamilyGains<Code>::changed(const FamilyTable<Code, Count>& family, std::int64_t node,
                                  std::span<const std::int64_t> parents, std::int64_t other,
                                  FamilyScratch<Count>& scratch) {
    double configurations = 1;
    std::vector<std::int64_t> left;
    for (const std::int64_t p : parents)
        if (p != other) {
            left.push_back(p);
            configurations *= static_cast<double>(rows_.arities[p]);
        }
    if (left.size() == parents.size())
        return score(node, configurations * static_cast<double>(rows_.arities[other]),
                     [&](const FamilyFunctions& terms) { return family.sum_with(other, terms, scratch); });
    return score(node, configurations, [&](const FamilyFunctions& terms) {
        if (family.can_drop()) {
            const auto position = std::find(parents.begin(), parents.end(), other) - parents.begin();
            return family.sum_without(static_cast<std::size_t>(position), terms, scratch);
        }
        FamilyTable<Code, Count> smaller;
        smaller.load(rows_, node, left, nullptr, scratch);
        return smaller.sum(terms, scratch);
    });
}

template <class Code>
template <class Count>
void FamilyGains<Code>::evaluate_as(const ParentChanges& changes, double* values, double* scores,
                                    int threads) {
    using Family = FamilyTable<Code, Count>;
    using Scratch = FamilyScratch<Count>;
    const std::size_t columns = rows_.codes.columns;
    const auto load = [&](std::size_t k, Family& family, Scratch& scratch) {
        const auto parents = changes.parents_of(k);
        family.load(rows_, changes.nodes[k], parents, changes.wanted + k * columns, scratch);
        double configurations = 1;
        for (const std::int64_t p : parents) configurations *= static_cast<double>(rows_.arities[p]);
        values[k] = score(changes.nodes[k], configurations,
                          [&](const FamilyFunctions& terms) { return family.sum(terms, scratch); });
    };
    const auto value = [&](std::size_t k, std::size_t y, const Family& family, Scratch& scratch) {
        if (changes.wanted[k * columns + y])
            scores[k * columns + y] = changed(family, changes.nodes[k], changes.parents_of(k),
                                              static_cast<std::int64_t>(y), scratch);
    };
    if (changes.nodes.size() >= static_cast<std::size_t>(2 * threads)) {
        struct Space {
            Family family;
            Scratch scratch;
        };
        parallel_with<Space>(changes.nodes.size(), threads, [&](Space& space, std::size_t k) {
            load(k, space.family, space.scratch);
            for (std::size_t y = 0; y < columns; ++y) value(k, y, space.family, space.scratch);
        });
        return;
    }
    Family family;
    Scratch first;
    for (std::size_t k = 0; k < changes.nodes.size(); ++k) {
        load(k, family, first);
        parallel_with<Scratch>(columns, threads,
                               [&](Scratch& scratch, std::size_t y) { value(k, y, family, scratch); });
    }
}

template <class Code>
void FamilyGains<Code>::evaluate(const ParentChanges& changes, double* values, double* scores, int threads) {
    const std::size_t work = changes.nodes.size() * rows_.codes.columns * rows_.codes.rows;
    threads = work < kSmallWork ? 1 : threads;
    if (rows_.weights)
        evaluate_as<double>(changes, values, scores, threads);
    else
        evaluate_as<std::uint32_t>(changes, values, scores, threads);
}

template class FamilyGains<std::uint8_t>;
template class FamilyGains<std::uint16_t>;

}  // namespace bayleaf
