#include "exact/cells.hpp"

#include <algorithm>

namespace bayleaf {

namespace {
constexpr std::size_t kTableEntries = std::size_t{1} << 25;
}

CellFunctions::CellFunctions(const SetScore& score, std::span<const std::int64_t> arities,
                             std::size_t variables, std::size_t limit)
    : steps_(arities.size()), unneeded_(score, 1.0, limit) {
    std::map<std::int64_t, std::size_t> occurrences;
    for (const std::int64_t arity : arities) ++occurrences[arity];
    std::map<std::int64_t, std::size_t> step_of;
    std::size_t total = 1;
    for (const auto& [arity, times] : occurrences) {
        step_of[arity] = total;
        total *= times + 1;
    }
    for (std::size_t j = 0; j < arities.size(); ++j) steps_[j] = step_of[arities[j]];
    for (std::size_t j = variables; j < arities.size(); ++j) base_ += steps_[j];
    // Many different arities make many tables: keep them together below a quarter of a gigabyte.
    limit = std::clamp<std::size_t>(kTableEntries / total, std::min<std::size_t>(limit, 8), limit);
    configurations_.resize(total);
    functions_.resize(total);
    for (std::size_t index = 0; index < total; ++index) {
        double q = 1.0;
        std::size_t rest = index;
        for (const auto& [arity, times] : occurrences) {
            q *= std::pow(static_cast<double>(arity), static_cast<double>(rest % (times + 1)));
            rest /= times + 1;
        }
        configurations_[index] = q;
        if (q > score.most_configurations) {
            functions_[index] = &unneeded_;
            continue;
        }
        functions_[index] = &distinct_.try_emplace(q, score, q, limit).first->second;
    }
}

}  // namespace bayleaf
