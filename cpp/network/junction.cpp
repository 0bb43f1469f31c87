#include "network/junction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "network/cliques.hpp"

namespace bayleaf {
namespace {

// Messages are scaled to a largest entry of one. Where a product of them stays below this everywhere, entries
// may have vanished that would have mattered.
constexpr double kHealthy = 1e-200;

// A walk over all entries of a table, in order, and beside it over the entries of another one.
class Walk {
  public:
    void add(std::size_t size, std::int64_t step) {
        if (size == 1) return;
        // Two axes along which the other table moves evenly are one axis.
        if (!sizes_.empty() && steps_.back() == step * static_cast<std::int64_t>(size)) {
            sizes_.back() *= size;
            steps_.back() = step;
            return;
        }
        sizes_.push_back(size);
        steps_.push_back(step);
    }

    // visit(first entry, number of entries, first entry of the other table, its step) for each innermost run.
    template <class Visit>
    void runs(Visit visit) const {
        if (sizes_.empty()) return visit(std::size_t{0}, std::size_t{1}, std::int64_t{0}, std::int64_t{0});
        const std::size_t outer = sizes_.size() - 1;
        const std::size_t length = sizes_[outer];
        std::vector<std::size_t> at(outer);
        std::size_t entry = 0;
        std::int64_t other = 0;
        while (true) {
            visit(entry, length, other, steps_[outer]);
            entry += length;
            std::size_t axis = outer;
            while (axis-- > 0) {
                other += steps_[axis];
                if (++at[axis] < sizes_[axis]) break;
                other -= steps_[axis] * static_cast<std::int64_t>(sizes_[axis]);
                at[axis] = 0;
            }
            if (axis == static_cast<std::size_t>(-1)) return;
        }
    }

  private:
    std::vector<std::size_t> sizes_;
    std::vector<std::int64_t> steps_;
};

void multiply(double* table, const Walk& walk, const double* other) {
    walk.runs([&](std::size_t entry, std::size_t length, std::int64_t start, std::int64_t step) {
        double* values = table + entry;
        const double* factors = other + start;
        if (step == 0)
            for (std::size_t k = 0; k < length; ++k) values[k] *= factors[0];
        else if (step == 1)
            for (std::size_t k = 0; k < length; ++k) values[k] *= factors[k];
        else
            for (std::size_t k = 0; k < length; ++k)
                values[k] *= factors[static_cast<std::int64_t>(k) * step];
    });
}

void sum_into(const double* table, const Walk& walk, double* sums) {
    walk.runs([&](std::size_t entry, std::size_t length, std::int64_t start, std::int64_t step) {
        const double* values = table + entry;
        double* out = sums + start;
        if (step == 0) {
            double total = 0;
            for (std::size_t k = 0; k < length; ++k) total += values[k];
            out[0] += total;
        } else {
            for (std::size_t k = 0; k < length; ++k) out[static_cast<std::int64_t>(k) * step] += values[k];
        }
    });
}

// A table of the network where its observed variables are fixed: its own variables are the others.
struct Part {
    Scope scope;
    std::vector<std::int64_t> strides;
    const double* values;
};

class Propagator {
  public:
    explicit Propagator(const Question& question) : q_(question) {}

    Propagation run(double* out) {
        collect_parts();
        std::vector<Scope> scopes;
        for (const Part& part : parts_) scopes.push_back(part.scope);
        tree_ = junction_tree(q_.arities, scopes, Scope(q_.targets.begin(), q_.targets.end()));
        if (tree_.total > q_.limit) return result(Answer::kTooLarge);
        if (!healthy_) return result(Answer::kTooSmall);
        fill_cliques();
        if (!collect()) return result(Answer::kTooSmall);
        if (q_.all) {
            if (!distribute()) return result(Answer::kTooSmall);
            write_all(out);
        } else if (!q_.targets.empty()) {
            write_targets(out);
        }
        return result(Answer::kExact);
    }

  private:
    std::size_t nodes() const { return q_.arities.size(); }
    bool observed(std::int64_t v) const { return q_.codes[v] >= 0; }
    bool has_likelihood(std::int64_t v) const { return q_.likelihood_offsets[v] >= 0; }
    std::size_t arity(std::int64_t v) const { return static_cast<std::size_t>(q_.arities[v]); }
    std::span<const std::int64_t> family(std::size_t node) const {
        const auto first = static_cast<std::size_t>(q_.factors.offsets[node]);
        return q_.factors.variables.subspan(first,
                                            static_cast<std::size_t>(q_.factors.offsets[node + 1]) - first);
    }

    Propagation result(Answer answer) const { return {answer, log_scale_, tree_.largest, tree_.total}; }

    // Nodes whose tables matter: the targets, what is observed, and all their ancestors; the rest sums to
    // one.
    std::vector<char> relevant() const {
        std::vector<char> chosen(nodes(), q_.all);
        if (q_.all) return chosen;
        std::vector<std::int64_t> stack(q_.targets.begin(), q_.targets.end());
        for (std::size_t v = 0; v < nodes(); ++v)
            if (observed(static_cast<std::int64_t>(v)) || has_likelihood(static_cast<std::int64_t>(v)))
                stack.push_back(static_cast<std::int64_t>(v));
        while (!stack.empty()) {
            const auto v = static_cast<std::size_t>(stack.back());
            stack.pop_back();
            if (chosen[v]) continue;
            chosen[v] = 1;
            for (const std::int64_t member : family(v)) stack.push_back(member);
        }
        return chosen;
    }

    void add_part(Part part) {
        if (!part.scope.empty()) {
            parts_.push_back(std::move(part));
            return;
        }
        if (part.values[0] > 0)
            log_scale_ += std::log(part.values[0]);
        else
            healthy_ = false;
    }

    void collect_parts() {
        const auto chosen = relevant();
        for (std::size_t f = 0; f < nodes(); ++f) {
            if (!chosen[f]) continue;
            Part part{{}, {}, q_.tables + q_.factors.table_offsets[f]};
            for (std::int64_t k = q_.factors.offsets[f]; k < q_.factors.offsets[f + 1]; ++k) {
                const std::int64_t v = q_.factors.variables[k];
                if (observed(v)) {
                    part.values += q_.codes[v] * q_.factors.strides[k];
                } else {
                    part.scope.push_back(v);
                    part.strides.push_back(q_.factors.strides[k]);
                }
            }
            add_part(std::move(part));
            const auto v = static_cast<std::int64_t>(f);
            if (!has_likelihood(v)) continue;
            const double* weights = q_.likelihoods.data() + q_.likelihood_offsets[v];
            if (observed(v))
                add_part({{}, {}, weights + q_.codes[v]});
            else
                add_part({{v}, {1}, weights});
        }
    }

    void fill_cliques() {
        std::size_t size = 0;
        for (const Clique& clique : tree_.cliques) {
            starts_.push_back(size);
            size += entries(clique.scope, clique.scope.size());
        }
        starts_.push_back(size);
        tables_.assign(size, 1.0);
        messages_.resize(tree_.cliques.size());
        for (const Part& part : parts_) {
            // The variable of it that is eliminated first is at home in a clique that has all the others.
            const std::int64_t first = *std::min_element(
                part.scope.begin(), part.scope.end(),
                [&](std::int64_t a, std::int64_t b) { return tree_.rank[a] < tree_.rank[b]; });
            const auto c = static_cast<std::size_t>(tree_.home[first]);
            Walk walk;
            for (const std::int64_t v : tree_.cliques[c].scope) {
                const auto found = std::find(part.scope.begin(), part.scope.end(), v);
                walk.add(arity(v), found == part.scope.end() ? 0 : part.strides[found - part.scope.begin()]);
            }
            multiply(table(c), walk, part.values);
        }
    }

    double* table(std::size_t clique) { return tables_.data() + starts_[clique]; }

    std::size_t entries(const Scope& scope, std::size_t count) const {
        std::size_t size = 1;
        for (std::size_t k = 0; k < count; ++k) size *= arity(scope[k]);
        return size;
    }

    // Over the table of a clique, beside a table over the first `count` variables of `scope`. Both have their
    // variables by rank, the highest first.
    Walk beside(const Scope& clique, const Scope& scope, std::size_t count) const {
        std::vector<std::int64_t> steps(clique.size(), 0);
        std::int64_t size = 1;
        std::size_t k = clique.size();
        for (std::size_t s = count; s-- > 0;) {
            while (clique[--k] != scope[s]) {
            }
            steps[k] = size;
            size *= q_.arities[scope[s]];
        }
        Walk walk;
        for (std::size_t axis = 0; axis < clique.size(); ++axis) walk.add(arity(clique[axis]), steps[axis]);
        return walk;
    }

    // Scale to a largest entry of one; returns what it was.
    static double rescale(std::vector<double>& values) {
        const double top = *std::max_element(values.begin(), values.end());
        if (top > 0)
            for (double& value : values) value /= top;
        return top;
    }

    // From the leaves to the roots: each clique tells its parent what it knows of what they share.
    bool collect() {
        for (std::size_t c = 0; c < tree_.cliques.size(); ++c) {
            const Clique& clique = tree_.cliques[c];
            std::vector<double>& message = messages_[c];
            message.assign(entries(clique.scope, clique.shared), 0.0);
            sum_into(table(c), beside(clique.scope, clique.scope, clique.shared), message.data());
            const double top = rescale(message);
            if (!(top >= kHealthy)) return false;
            log_scale_ += std::log(top);
            if (clique.parent < 0) continue;
            const auto parent = static_cast<std::size_t>(clique.parent);
            multiply(table(parent), beside(tree_.cliques[parent].scope, clique.scope, clique.shared),
                     message.data());
        }
        return true;
    }

    // And back: each clique learns what its parent has heard from everywhere else.
    bool distribute() {
        std::vector<double> news;
        for (std::size_t c = tree_.cliques.size(); c-- > 0;) {
            const Clique& clique = tree_.cliques[c];
            if (clique.parent < 0) continue;
            const auto parent = static_cast<std::size_t>(clique.parent);
            const std::vector<double>& told = messages_[c];
            news.assign(told.size(), 0.0);
            sum_into(table(parent), beside(tree_.cliques[parent].scope, clique.scope, clique.shared),
                     news.data());
            if (!(rescale(news) >= kHealthy)) return false;
            for (std::size_t k = 0; k < news.size(); ++k) news[k] = told[k] > 0 ? news[k] / told[k] : 0.0;
            multiply(table(c), beside(clique.scope, clique.scope, clique.shared), news.data());
        }
        return true;
    }

    static void normalize(double* values, std::size_t size) {
        double total = 0;
        for (std::size_t k = 0; k < size; ++k) total += values[k];
        for (std::size_t k = 0; k < size; ++k) values[k] /= total;
    }

    void write_all(double* out) {
        for (std::size_t node = 0; node < nodes(); ++node) {
            const auto v = static_cast<std::int64_t>(node);
            std::fill(out, out + arity(v), 0.0);
            if (observed(v)) {
                out[q_.codes[v]] = 1.0;
            } else {
                const auto c = static_cast<std::size_t>(tree_.home[v]);
                sum_into(table(c), beside(tree_.cliques[c].scope, {v}, 1), out);
                normalize(out, arity(v));
            }
            out += arity(v);
        }
    }

    // Eliminated last, the targets are the first variables of the clique in which the first of them is at
    // home.
    void write_targets(double* out) {
        Scope order(q_.targets.begin(), q_.targets.end());
        std::sort(order.begin(), order.end(),
                  [&](std::int64_t a, std::int64_t b) { return tree_.rank[a] > tree_.rank[b]; });
        const auto c = static_cast<std::size_t>(tree_.home[order.back()]);
        std::vector<double> joint(entries(order, order.size()), 0.0);
        sum_into(table(c), beside(tree_.cliques[c].scope, order, order.size()), joint.data());
        normalize(joint.data(), joint.size());
        // From the order of elimination to that of the question.
        Walk walk;
        for (const std::int64_t v : order) {
            std::int64_t step = 1;
            for (std::size_t k = q_.targets.size(); q_.targets[--k] != v;) step *= q_.arities[q_.targets[k]];
            walk.add(arity(v), step);
        }
        std::fill(out, out + joint.size(), 0.0);
        sum_into(joint.data(), walk, out);
    }

    const Question& q_;
    std::vector<Part> parts_;
    JunctionTree tree_;
    std::vector<std::size_t> starts_;
    std::vector<double> tables_;
    std::vector<std::vector<double>> messages_;
    double log_scale_ = 0;
    bool healthy_ = true;
};

}  // namespace

Propagation propagate(const Question& question, double* out) { return Propagator(question).run(out); }

}  // namespace bayleaf
