#include "network/elimination.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace bayleaf {
namespace {

// Tables multiplied in one step. Each is scaled to be near one, so that a product of this many cannot
// underflow.
constexpr std::size_t kTogether = 8;

using Scope = std::vector<std::int64_t>;

double scope_size(const Network& net, const Scope& scope) {
    double size = 1;
    for (const std::int64_t v : scope) size *= static_cast<double>(net.arities[v]);
    return size;
}

void check_size(const Network& net, double configurations) {
    const double entries = configurations * static_cast<double>(net.classes);
    if (entries <= net.largest_factor) return;
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.2g", entries);
    throw std::invalid_argument(
        "Summing out the missing values exactly needs a table of about " + std::string(shown) +
        " entries, more than the limit: the network is too densely connected for this "
        "pattern of missing values.");
}

void sort_by_rank(const Network& net, Scope& variables) {
    std::sort(variables.begin(), variables.end(),
              [&](std::int64_t a, std::int64_t b) { return net.rank[a] < net.rank[b]; });
}

// For every configuration of `scope` (last variable fastest) the position in a table in which one state of v
// moves by step(v).
template <class Integer, class Step>
std::vector<Integer> positions_over(const Network& net, const Scope& scope, Step step) {
    std::vector<Integer> positions{0};
    for (const std::int64_t v : scope) {
        std::vector<Integer> wider;
        wider.reserve(positions.size() * net.arities[v]);
        const std::int64_t move = step(v);
        for (const Integer base : positions)
            for (std::int64_t s = 0; s < net.arities[v]; ++s)
                wider.push_back(static_cast<Integer>(base + s * move));
        positions = std::move(wider);
    }
    return positions;
}

std::int64_t step_in(const Network& net, const Scope& scope, std::int64_t variable) {
    std::int64_t step = 0;
    std::int64_t size = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
        if (scope[k] == variable) step = size;
        size *= net.arities[scope[k]];
    }
    return step;
}

void add_table(const Network& net, EliminationPlan& plan, Scope scope, bool has_query) {
    const auto size = static_cast<std::size_t>(scope_size(net, scope)) * (has_query ? net.classes : 1);
    plan.tables.push_back({std::move(scope), plan.buffer_size, has_query});
    plan.buffer_size += size;
}

void add_slice(const Network& net, std::size_t f, const std::vector<char>& missing, EliminationPlan& plan) {
    Scope scope;
    for (std::int64_t k = net.factors.offsets[f]; k < net.factors.offsets[f + 1]; ++k)
        if (missing[net.factors.variables[k]]) scope.push_back(net.factors.variables[k]);
    if (scope.empty()) {
        plan.observed.push_back(f);
        return;
    }
    sort_by_rank(net, scope);
    check_size(net, scope_size(net, scope));
    auto stride_of = [&](std::int64_t v) {
        std::int64_t k = net.factors.offsets[f];
        while (net.factors.variables[k] != v) ++k;
        return net.factors.strides[k];
    };
    const bool has_query = net.factors.has_query[f];
    plan.slices.push_back(
        {f, positions_over<std::int64_t>(net, scope, stride_of), plan.buffer_size, has_query});
    add_table(net, plan, std::move(scope), has_query);
}

// One step: multiply the inputs and, if `summed` is a variable (not -1), sum it out.
std::size_t add_step(const Network& net, const std::vector<std::size_t>& inputs, std::int64_t summed,
                     EliminationPlan& plan) {
    Elimination step;
    step.arity = summed < 0 ? 1 : net.arities[summed];
    step.inputs = inputs;
    Scope scope;
    bool has_query = false;
    for (const std::size_t t : inputs) {
        has_query |= plan.tables[t].has_query;
        for (const std::int64_t v : plan.tables[t].scope)
            if (v != summed && std::find(scope.begin(), scope.end(), v) == scope.end()) scope.push_back(v);
    }
    sort_by_rank(net, scope);
    check_size(net, scope_size(net, scope) * static_cast<double>(step.arity));
    Scope clique = scope;
    if (summed >= 0) clique.push_back(summed);
    for (const std::size_t t : inputs) {
        const Scope& inside = plan.tables[t].scope;
        step.positions.push_back(positions_over<std::uint32_t>(
            net, clique, [&](std::int64_t v) { return step_in(net, inside, v); }));
    }
    step.configurations = static_cast<std::size_t>(scope_size(net, scope));
    step.output = plan.tables.size();
    if (scope.empty()) plan.unscoped.push_back(step.output);
    add_table(net, plan, std::move(scope), has_query);
    plan.eliminations.push_back(std::move(step));
    return plan.tables.size() - 1;
}

void eliminate_variable(const Network& net, std::int64_t variable, std::vector<char>& used,
                        EliminationPlan& plan) {
    std::vector<std::size_t> inputs;
    for (std::size_t t = 0; t < plan.tables.size(); ++t) {
        const Scope& scope = plan.tables[t].scope;
        if (used[t] || std::find(scope.begin(), scope.end(), variable) == scope.end()) continue;
        used[t] = 1;
        inputs.push_back(t);
    }
    std::size_t done = 0;
    for (; inputs.size() - done > kTogether; done += kTogether)
        inputs.push_back(add_step(net, {inputs.begin() + done, inputs.begin() + done + kTogether}, -1, plan));
    add_step(net, {inputs.begin() + done, inputs.end()}, variable, plan);
    used.resize(plan.tables.size(), 1);
    used.back() = 0;
}

}  // namespace

std::vector<char> relevant_nodes(const Network& net, const std::vector<char>& missing) {
    std::vector<char> relevant(missing.size());
    for (std::size_t v = 0; v < missing.size(); ++v)
        relevant[v] = !missing[v] || static_cast<std::int64_t>(v) == net.query;
    for (std::size_t t = net.topological.size(); t-- > 0;) {
        const std::int64_t v = net.topological[t];
        if (!relevant[v]) continue;
        for (std::int64_t k = net.factors.offsets[v]; k < net.factors.offsets[v + 1]; ++k)
            relevant[net.factors.variables[k]] = 1;
    }
    return relevant;
}

EliminationPlan plan_elimination(const Network& net, const std::vector<char>& missing) {
    EliminationPlan plan;
    const std::vector<char> relevant = relevant_nodes(net, missing);
    for (std::size_t f = 0; f < net.factors.size(); ++f)
        if (relevant[f]) add_slice(net, f, missing, plan);
    Scope to_eliminate;
    for (std::size_t v = 0; v < missing.size(); ++v)
        if (missing[v] && relevant[v] && static_cast<std::int64_t>(v) != net.query) to_eliminate.push_back(v);
    sort_by_rank(net, to_eliminate);
    std::vector<char> used(plan.tables.size(), 0);
    for (const std::int64_t v : to_eliminate) eliminate_variable(net, v, used, plan);
    return plan;
}

}  // namespace bayleaf
