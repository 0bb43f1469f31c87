// Exact marginalisation of missing variables by variable elimination. What depends only on the *pattern* of
// missing values (which factors meet, in which order, at which positions) is planned once per pattern; a row
// then only gathers numbers, multiplies and adds. Cost per row: the sum of the elimination cliques, which is
// polynomial for bounded tree-width.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bayleaf/factors.hpp"
#include "bayleaf/parallel.hpp"

namespace bayleaf {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// Part of a family table that is left when its observed variables are fixed. Scope: missing variables by
// rank.
struct Slice {
    std::size_t factor;
    std::vector<std::int64_t> scope;
    std::vector<std::int64_t> positions;  // of each configuration of the scope, relative to the observed part
    std::size_t buffer;                   // where its values go
    bool has_query;
};

// Multiply `inputs`, sum out one variable of `arity` states, and leave a message over `scope`.
struct Elimination {
    std::int64_t arity;
    std::size_t configurations;
    std::vector<std::size_t> inputs;                    // numbers of working tables
    std::vector<std::vector<std::uint32_t>> positions;  // per input, per (configuration, state)
    std::size_t output;
};

struct WorkingTable {
    std::vector<std::int64_t> scope;
    std::size_t buffer;
    bool has_query;
};

struct Plan {
    std::vector<std::size_t> observed;  // factors without a missing variable: one logarithm per class
    std::vector<Slice> slices;
    std::vector<Elimination> eliminations;
    std::vector<WorkingTable> tables;   // slices first, then one message per elimination
    std::vector<std::size_t> unscoped;  // messages over no variable: their logarithm joins the sum
    std::size_t buffer_size = 0;
};

struct Network {
    std::span<const std::int64_t> arities;
    const Factors& factors;
    std::span<const std::int64_t> topological;
    std::span<const std::int64_t> rank;
    std::int64_t query;
    std::size_t classes;
    double largest_factor;
};

// Nodes that are observed, queried, or have a descendant that is: all others sum to one and drop out.
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

double scope_size(const Network& net, const std::vector<std::int64_t>& scope) {
    double size = 1;
    for (const std::int64_t v : scope) size *= static_cast<double>(net.arities[v]);
    return size;
}

void check_size(const Network& net, double configurations) {
    if (configurations * static_cast<double>(net.classes) > net.largest_factor)
        throw std::invalid_argument(
            "Summing out the missing variables exactly needs a table of about " +
            std::to_string(configurations * static_cast<double>(net.classes)) +
            " entries, more than the limit; the network is too densely connected for this pattern of missing "
            "values.");
}

// For every configuration of `scope` (last variable fastest) the position in a table over the variables
// `steps` knows, where steps[v] is how far one state of v moves.
template <class Integer, class Step>
std::vector<Integer> positions_over(const Network& net, const std::vector<std::int64_t>& scope, Step step) {
    std::vector<Integer> positions{0};
    for (const std::int64_t v : scope) {
        std::vector<Integer> wider;
        wider.reserve(positions.size() * net.arities[v]);
        for (const Integer base : positions)
            for (std::int64_t s = 0; s < net.arities[v]; ++s)
                wider.push_back(static_cast<Integer>(base + s * step(v)));
        positions = std::move(wider);
    }
    return positions;
}

std::int64_t step_in(const Network& net, const std::vector<std::int64_t>& scope, std::int64_t variable) {
    std::int64_t step = 0;
    std::int64_t size = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
        if (scope[k] == variable) step = size;
        size *= net.arities[scope[k]];
    }
    return step;
}

void add_table(const Network& net, Plan& plan, std::vector<std::int64_t> scope, bool has_query) {
    const auto size = static_cast<std::size_t>(scope_size(net, scope)) * (has_query ? net.classes : 1);
    plan.tables.push_back({std::move(scope), plan.buffer_size, has_query});
    plan.buffer_size += size;
}

void plan_slice(const Network& net, std::size_t f, const std::vector<char>& missing, Plan& plan) {
    std::vector<std::int64_t> scope;
    std::vector<std::int64_t> stride_of(missing.size(), 0);
    for (std::int64_t k = net.factors.offsets[f]; k < net.factors.offsets[f + 1]; ++k) {
        const std::int64_t v = net.factors.variables[k];
        stride_of[v] = net.factors.strides[k];
        if (missing[v]) scope.push_back(v);
    }
    if (scope.empty()) {
        plan.observed.push_back(f);
        return;
    }
    std::sort(scope.begin(), scope.end(),
              [&](std::int64_t a, std::int64_t b) { return net.rank[a] < net.rank[b]; });
    check_size(net, scope_size(net, scope));
    auto positions = positions_over<std::int64_t>(net, scope, [&](std::int64_t v) { return stride_of[v]; });
    const bool has_query = net.factors.has_query[f];
    plan.slices.push_back({f, scope, std::move(positions), plan.buffer_size, has_query});
    add_table(net, plan, std::move(scope), has_query);
}

void plan_elimination(const Network& net, std::int64_t variable, std::vector<char>& used, Plan& plan) {
    Elimination step;
    step.arity = net.arities[variable];
    std::vector<std::int64_t> scope;
    bool has_query = false;
    for (std::size_t t = 0; t < plan.tables.size(); ++t) {
        const auto& table = plan.tables[t];
        if (used[t] || std::find(table.scope.begin(), table.scope.end(), variable) == table.scope.end())
            continue;
        used[t] = 1;
        step.inputs.push_back(t);
        has_query |= table.has_query;
        for (const std::int64_t v : table.scope)
            if (v != variable && std::find(scope.begin(), scope.end(), v) == scope.end()) scope.push_back(v);
    }
    std::sort(scope.begin(), scope.end(),
              [&](std::int64_t a, std::int64_t b) { return net.rank[a] < net.rank[b]; });
    check_size(net, scope_size(net, scope) * static_cast<double>(step.arity));
    std::vector<std::int64_t> clique = scope;
    clique.push_back(variable);
    for (const std::size_t t : step.inputs) {
        const auto& inside = plan.tables[t].scope;
        step.positions.push_back(positions_over<std::uint32_t>(
            net, clique, [&](std::int64_t v) { return step_in(net, inside, v); }));
    }
    step.configurations = static_cast<std::size_t>(scope_size(net, scope));
    step.output = plan.tables.size();
    if (scope.empty()) plan.unscoped.push_back(step.output);
    add_table(net, plan, std::move(scope), has_query);
    used.push_back(0);
    plan.eliminations.push_back(std::move(step));
}

Plan make_plan(const Network& net, const std::vector<char>& missing) {
    Plan plan;
    const std::vector<char> relevant = relevant_nodes(net, missing);
    for (std::size_t f = 0; f < net.factors.size(); ++f)
        if (relevant[f]) plan_slice(net, f, missing, plan);
    std::vector<std::int64_t> to_eliminate;
    for (std::size_t v = 0; v < missing.size(); ++v)
        if (missing[v] && relevant[v] && static_cast<std::int64_t>(v) != net.query) to_eliminate.push_back(v);
    std::sort(to_eliminate.begin(), to_eliminate.end(),
              [&](std::int64_t a, std::int64_t b) { return net.rank[a] < net.rank[b]; });
    std::vector<char> used(plan.tables.size(), 0);
    for (const std::int64_t v : to_eliminate) plan_elimination(net, v, used, plan);
    return plan;
}

// Where the observed part of factor f puts this row. Missing variables count as state 0.
template <class Code>
std::int64_t observed_position(const CodeMatrix<Code>& codes, const Factors& factors, std::size_t f,
                               std::size_t row) {
    std::int64_t position = 0;
    for (std::int64_t k = factors.offsets[f]; k < factors.offsets[f + 1]; ++k) {
        const Code value = codes.column(factors.variables[k])[row];
        if (value != kMissing<Code>) position += factors.strides[k] * value;
    }
    return position;
}

void eliminate(const Elimination& step, const Plan& plan, std::size_t classes, double* buffer,
               std::vector<double>& product) {
    const WorkingTable& result = plan.tables[step.output];
    const std::size_t width = result.has_query ? classes : 1;
    double* out = buffer + result.buffer;
    std::fill_n(out, step.configurations * width, 0.0);
    product.resize(width);
    for (std::size_t u = 0; u < step.configurations; ++u) {
        for (std::int64_t s = 0; s < step.arity; ++s) {
            std::fill(product.begin(), product.end(), 1.0);
            for (std::size_t k = 0; k < step.inputs.size(); ++k) {
                const WorkingTable& input = plan.tables[step.inputs[k]];
                const std::size_t position = step.positions[k][u * step.arity + s];
                const double* values = buffer + input.buffer + position * (input.has_query ? classes : 1);
                for (std::size_t c = 0; c < width; ++c) product[c] *= values[input.has_query ? c : 0];
            }
            for (std::size_t c = 0; c < width; ++c) out[u * width + c] += product[c];
        }
    }
}

// Long chains of messages would underflow: a message whose largest value for a class is tiny is scaled up,
// and the scale kept as a logarithm.
void rescale(const WorkingTable& table, std::size_t configurations, std::size_t classes, double* buffer,
             double* sums) {
    const std::size_t width = table.has_query ? classes : 1;
    double* values = buffer + table.buffer;
    for (std::size_t c = 0; c < width; ++c) {
        double top = 0;
        for (std::size_t u = 0; u < configurations; ++u) top = std::max(top, values[u * width + c]);
        if (top > 1e-60 || top == 0) continue;
        for (std::size_t u = 0; u < configurations; ++u) values[u * width + c] /= top;
        for (std::size_t k = 0; k < (table.has_query ? 1 : classes); ++k)
            sums[table.has_query ? c : k] += std::log(top);
    }
}

template <class Code>
void run_plan(const Plan& plan, const CodeMatrix<Code>& codes, const Network& net, const double* tables,
              std::size_t row, std::vector<double>& buffer, std::vector<double>& product, double* sums) {
    const std::size_t classes = net.classes;
    std::fill_n(sums, classes, 0.0);
    auto add_log = [&](const double* values, bool has_query) {
        for (std::size_t c = 0; c < classes; ++c) {
            const double p = values[has_query ? c : 0];
            sums[c] += p > 0 ? std::log(p) : kNothing;
        }
    };
    for (const std::size_t f : plan.observed)
        add_log(tables + net.factors.table_offsets[f] + observed_position(codes, net.factors, f, row),
                net.factors.has_query[f]);
    for (const Slice& slice : plan.slices) {
        const double* base = tables + net.factors.table_offsets[slice.factor] +
                             observed_position(codes, net.factors, slice.factor, row);
        const std::size_t width = slice.has_query ? classes : 1;
        double* out = buffer.data() + slice.buffer;
        for (const std::int64_t position : slice.positions) out = std::copy_n(base + position, width, out);
    }
    for (const Elimination& step : plan.eliminations) {
        eliminate(step, plan, classes, buffer.data(), product);
        rescale(plan.tables[step.output], step.configurations, classes, buffer.data(), sums);
    }
    for (const std::size_t t : plan.unscoped)
        add_log(buffer.data() + plan.tables[t].buffer, plan.tables[t].has_query);
}

}  // namespace

template <class Code>
void log_joint_missing(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                       const Factors& factors, const double* tables,
                       std::span<const std::int64_t> topological, std::span<const std::int64_t> rank,
                       std::int64_t query, std::int64_t largest_factor, double* out, int threads) {
    const Network net{arities,
                      factors,
                      topological,
                      rank,
                      query,
                      static_cast<std::size_t>(factors.query_states),
                      static_cast<double>(largest_factor)};
    parallel_blocks(codes.rows, 256, threads, [&](std::size_t first, std::size_t last) {
        std::vector<char> planned_for;
        std::vector<char> missing(factors.size());
        std::vector<double> buffer;
        std::vector<double> product;
        Plan plan;
        for (std::size_t row = first; row < last; ++row) {
            for (std::size_t v = 0; v < factors.size(); ++v)
                missing[v] = static_cast<std::int64_t>(v) != query && codes.column(v)[row] == kMissing<Code>;
            if (missing != planned_for) {
                plan = make_plan(net, missing);
                planned_for = missing;
                buffer.resize(plan.buffer_size);
            }
            run_plan(plan, codes, net, tables, row, buffer, product, out + row * net.classes);
        }
    });
}

template void log_joint_missing(const CodeMatrix<std::uint8_t>&, std::span<const std::int64_t>,
                                const Factors&, const double*, std::span<const std::int64_t>,
                                std::span<const std::int64_t>, std::int64_t, std::int64_t, double*, int);
template void log_joint_missing(const CodeMatrix<std::uint16_t>&, std::span<const std::int64_t>,
                                const Factors&, const double*, std::span<const std::int64_t>,
                                std::span<const std::int64_t>, std::int64_t, std::int64_t, double*, int);

}  // namespace bayleaf
