// Exact marginalisation of missing variables by variable elimination. Cost per row: the sum of the
// elimination cliques, which is polynomial for bounded tree-width.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "network/elimination.hpp"
#include "network/factors.hpp"

namespace bayleaf {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
// A message below kScaleUp is scaled to a largest value of one. One below kSuspicious may have lost digits,
// or vanished, by underflow: scaling raises a denormal number by 1 / kSuspicious at most, which stays below
// kSuspicious, so that it cannot pass for a healthy one later.
constexpr double kScaleUp = 1e-12;
constexpr double kSuspicious = 1e-100;

double logarithm(double p) { return p > 0 ? std::log(p) : kNothing; }

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

// Working memory of one thread.
struct Workspace {
    std::vector<double> buffer;   // all working tables of a plan
    std::vector<double> product;  // per class, or per state and class
};

void add_values(const double* values, bool has_query, std::size_t classes, double* sums) {
    for (std::size_t c = 0; c < classes; ++c) sums[c] += values[has_query ? c : 0];
}

void add_logarithms(const double* values, bool has_query, std::size_t classes, double* sums) {
    for (std::size_t c = 0; c < classes; ++c) sums[c] += logarithm(values[has_query ? c : 0]);
}

// The factors without a missing variable: nothing to sum, only logarithms to add.
template <class Code>
void add_observed(const EliminationPlan& plan, const CodeMatrix<Code>& codes, const Network& net,
                  const double* tables, std::size_t row, double* sums) {
    std::fill_n(sums, net.classes, 0.0);
    for (const std::size_t f : plan.observed)
        add_logarithms(tables + net.factors.table_offsets[f] + observed_position(codes, net.factors, f, row),
                       net.factors.has_query[f], net.classes, sums);
}

template <class Code>
void gather_slices(const EliminationPlan& plan, const CodeMatrix<Code>& codes, const Network& net,
                   const double* tables, std::size_t row, std::vector<double>& buffer) {
    for (const Slice& slice : plan.slices) {
        const double* base = tables + net.factors.table_offsets[slice.factor] +
                             observed_position(codes, net.factors, slice.factor, row);
        double* out = buffer.data() + slice.buffer;
        for (const std::int64_t position : slice.positions)
            out = std::copy_n(base + position, slice.has_query ? net.classes : 1, out);
    }
}

// The values of input k at one (configuration, state) of a step: one per class, or a single one.
inline const double* input_values(const Elimination& step, const EliminationPlan& plan, std::size_t k,
                                  std::size_t cell, std::size_t classes, const double* buffer) {
    const WorkingTable& input = plan.tables[step.inputs[k]];
    return buffer + input.buffer + step.positions[k][cell] * (input.has_query ? classes : 1);
}

void eliminate(const Elimination& step, const EliminationPlan& plan, std::size_t classes, Workspace& work) {
    const WorkingTable& result = plan.tables[step.output];
    const std::size_t width = result.has_query ? classes : 1;
    double* out = work.buffer.data() + result.buffer;
    std::fill_n(out, step.configurations * width, 0.0);
    work.product.resize(width);
    double* product = work.product.data();
    for (std::size_t u = 0; u < step.configurations; ++u) {
        for (std::int64_t s = 0; s < step.arity; ++s) {
            std::fill_n(product, width, 1.0);
            for (std::size_t k = 0; k < step.inputs.size(); ++k) {
                const bool by_class = plan.tables[step.inputs[k]].has_query;
                const double* values =
                    input_values(step, plan, k, u * step.arity + s, classes, work.buffer.data());
                for (std::size_t c = 0; c < width; ++c) product[c] *= values[by_class ? c : 0];
            }
            for (std::size_t c = 0; c < width; ++c) out[u * width + c] += product[c];
        }
    }
}

// Long chains of messages would underflow: a small message is scaled up, class by class, and the scale kept
// as a logarithm. Returns false when it is so small that underflow may have come before.
bool rescale(const WorkingTable& table, std::size_t configurations, std::size_t classes, double* buffer,
             double* sums) {
    const std::size_t width = table.has_query ? classes : 1;
    double* values = buffer + table.buffer;
    bool healthy = true;
    for (std::size_t c = 0; c < width; ++c) {
        double top = 0;
        for (std::size_t u = 0; u < configurations; ++u) top = std::max(top, values[u * width + c]);
        healthy &= top > kSuspicious;
        if (top > kScaleUp || top == 0) continue;
        for (std::size_t u = 0; u < configurations; ++u) values[u * width + c] /= top;
        for (std::size_t k = 0; k < (table.has_query ? 1 : classes); ++k)
            sums[table.has_query ? c : k] += std::log(top);
    }
    return healthy;
}

// The fast way. Returns false when underflow cannot be excluded.
bool run_plan(const EliminationPlan& plan, std::size_t classes, Workspace& work, double* sums) {
    bool healthy = true;
    for (const Elimination& step : plan.eliminations) {
        eliminate(step, plan, classes, work);
        healthy &= rescale(plan.tables[step.output], step.configurations, classes, work.buffer.data(), sums);
    }
    for (const std::size_t t : plan.unscoped)
        add_logarithms(work.buffer.data() + plan.tables[t].buffer, plan.tables[t].has_query, classes, sums);
    return healthy;
}

// The same step on logarithms: slower, but nothing is too small for it.
void eliminate_logarithms(const Elimination& step, const EliminationPlan& plan, std::size_t classes,
                          Workspace& work) {
    const WorkingTable& result = plan.tables[step.output];
    const std::size_t width = result.has_query ? classes : 1;
    double* out = work.buffer.data() + result.buffer;
    const auto states = static_cast<std::size_t>(step.arity);
    for (std::size_t u = 0; u < step.configurations; ++u) {
        work.product.assign(states * width, 0.0);
        for (std::size_t s = 0; s < states; ++s) {
            for (std::size_t k = 0; k < step.inputs.size(); ++k) {
                const bool by_class = plan.tables[step.inputs[k]].has_query;
                const double* values =
                    input_values(step, plan, k, u * states + s, classes, work.buffer.data());
                add_values(values, by_class, width, work.product.data() + s * width);
            }
        }
        for (std::size_t c = 0; c < width; ++c) {
            double top = kNothing;
            for (std::size_t s = 0; s < states; ++s) top = std::max(top, work.product[s * width + c]);
            double total = 0;
            for (std::size_t s = 0; s < states && top > kNothing; ++s)
                total += std::exp(work.product[s * width + c] - top);
            out[u * width + c] = top > kNothing ? top + std::log(total) : kNothing;
        }
    }
}

void run_plan_on_logarithms(const EliminationPlan& plan, std::size_t classes, Workspace& work, double* sums) {
    for (const Slice& slice : plan.slices) {
        double* values = work.buffer.data() + slice.buffer;
        const std::size_t size = slice.positions.size() * (slice.has_query ? classes : 1);
        std::transform(values, values + size, values, logarithm);
    }
    for (const Elimination& step : plan.eliminations) eliminate_logarithms(step, plan, classes, work);
    for (const std::size_t t : plan.unscoped)
        add_values(work.buffer.data() + plan.tables[t].buffer, plan.tables[t].has_query, classes, sums);
}

// Whether the smallest numbers of the tables together are small enough to underflow. If not, a zero is a
// zero.
bool may_underflow(const EliminationPlan& plan, const Network& net, const double* tables) {
    double log_smallest = 0;
    for (const Slice& slice : plan.slices) {
        const Factors& factors = net.factors;
        double size = slice.has_query ? static_cast<double>(net.classes) : 1.0;
        for (std::int64_t k = factors.offsets[slice.factor]; k < factors.offsets[slice.factor + 1]; ++k)
            size *= static_cast<double>(net.arities[factors.variables[k]]);
        const double* values = tables + factors.table_offsets[slice.factor];
        double smallest = 1;
        for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k)
            if (values[k] > 0) smallest = std::min(smallest, values[k]);
        log_smallest += std::log(smallest);
    }
    return log_smallest < -690.0;  // 1e-300
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
        Workspace work;
        EliminationPlan plan;
        for (std::size_t row = first; row < last; ++row) {
            for (std::size_t v = 0; v < factors.size(); ++v)
                missing[v] = static_cast<std::int64_t>(v) != query && codes.column(v)[row] == kMissing<Code>;
            if (missing != planned_for) {
                plan = plan_elimination(net, missing);
                planned_for = missing;
                work.buffer.resize(plan.buffer_size);
            }
            double* sums = out + row * net.classes;
            add_observed(plan, codes, net, tables, row, sums);
            gather_slices(plan, codes, net, tables, row, work.buffer);
            if (run_plan(plan, net.classes, work, sums)) continue;
            if (!plan.may_underflow) plan.may_underflow = may_underflow(plan, net, tables);
            if (!*plan.may_underflow) continue;
            add_observed(plan, codes, net, tables, row, sums);
            gather_slices(plan, codes, net, tables, row, work.buffer);
            run_plan_on_logarithms(plan, net.classes, work, sums);
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
