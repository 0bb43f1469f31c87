#include "network/cliques.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace bayleaf {
namespace {

using Word = std::uint64_t;

// An undirected graph over variables that are numbered from 0 on; one row of bits per variable.
class EliminationGraph {
  public:
    explicit EliminationGraph(std::size_t nodes) : words_((nodes + 63) / 64), bits_(nodes * words_) {}

    void join(std::size_t a, std::size_t b) {
        if (a == b) return;
        row(a)[b / 64] |= Word{1} << (b % 64);
        row(b)[a / 64] |= Word{1} << (a % 64);
    }

    std::vector<std::size_t> neighbours(std::size_t node) const {
        std::vector<std::size_t> found;
        for (std::size_t w = 0; w < words_; ++w)
            for (Word left = row(node)[w]; left; left &= left - 1)
                found.push_back(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
        return found;
    }

    // Edges that the elimination of a node would add, twice.
    std::size_t fill(std::size_t node, const std::vector<std::size_t>& around) const {
        std::size_t lacking = 0;
        for (const std::size_t other : around)
            for (std::size_t w = 0; w < words_; ++w)
                lacking += static_cast<std::size_t>(std::popcount(row(node)[w] & ~row(other)[w]));
        return lacking - around.size();  // no node is its own neighbour
    }

    void eliminate(std::size_t node, const std::vector<std::size_t>& around) {
        for (const std::size_t other : around) {
            for (std::size_t w = 0; w < words_; ++w) row(other)[w] |= row(node)[w];
            row(other)[other / 64] &= ~(Word{1} << (other % 64));
            row(other)[node / 64] &= ~(Word{1} << (node % 64));
        }
    }

  private:
    Word* row(std::size_t node) { return bits_.data() + node * words_; }
    const Word* row(std::size_t node) const { return bits_.data() + node * words_; }

    std::size_t words_;
    std::vector<Word> bits_;
};

// A variable with all its neighbours at the time of its elimination.
struct Bucket {
    std::size_t variable;
    std::vector<std::size_t> others;
};

struct Cost {
    std::size_t kept, fill;
    double log_size;

    bool operator<(const Cost& other) const {
        return std::tie(kept, fill, log_size) < std::tie(other.kept, other.fill, other.log_size);
    }
};

std::vector<Bucket> eliminate_all(EliminationGraph& graph, const std::vector<double>& log_arities,
                                  const std::vector<char>& kept) {
    const std::size_t nodes = log_arities.size();
    std::vector<Cost> costs(nodes);
    std::vector<std::size_t> waiting(nodes);
    auto assess = [&](std::size_t node) {
        const auto around = graph.neighbours(node);
        double log_size = log_arities[node];
        for (const std::size_t other : around) log_size += log_arities[other];
        costs[node] = {static_cast<std::size_t>(kept[node]), graph.fill(node, around), log_size};
    };
    for (std::size_t node = 0; node < nodes; ++node) {
        waiting[node] = node;
        assess(node);
    }
    std::vector<Bucket> buckets;
    std::vector<char> changed(nodes);
    while (!waiting.empty()) {
        const auto cheapest =
            std::min_element(waiting.begin(), waiting.end(),
                             [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
        const std::size_t node = *cheapest;
        waiting.erase(cheapest);
        auto around = graph.neighbours(node);
        graph.eliminate(node, around);
        // A new edge also changes what the nodes beside both its ends lack.
        std::fill(changed.begin(), changed.end(), 0);
        for (const std::size_t other : around) {
            changed[other] = 1;
            if (costs[node].fill)
                for (const std::size_t further : graph.neighbours(other)) changed[further] = 1;
        }
        for (const std::size_t other : waiting)
            if (changed[other]) assess(other);
        buckets.push_back({node, std::move(around)});
    }
    return buckets;
}

}  // namespace

JunctionTree junction_tree(std::span<const std::int64_t> arities, const std::vector<Scope>& scopes,
                           const Scope& kept) {
    // Number the variables that occur from 0 on.
    std::vector<std::int64_t> number(arities.size(), -1);
    Scope variables;
    auto add = [&](const Scope& scope) {
        for (const std::int64_t v : scope) {
            if (number[v] >= 0) continue;
            number[v] = static_cast<std::int64_t>(variables.size());
            variables.push_back(v);
        }
    };
    for (const Scope& scope : scopes) add(scope);
    add(kept);
    EliminationGraph graph(variables.size());
    auto join_all = [&](const Scope& scope) {
        for (std::size_t a = 0; a < scope.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                graph.join(static_cast<std::size_t>(number[scope[a]]),
                           static_cast<std::size_t>(number[scope[b]]));
    };
    for (const Scope& scope : scopes) join_all(scope);
    join_all(kept);
    std::vector<double> log_arities;
    for (const std::int64_t v : variables) log_arities.push_back(std::log(static_cast<double>(arities[v])));
    std::vector<char> last(variables.size());
    for (const std::int64_t v : kept) last[number[v]] = 1;
    const auto buckets = eliminate_all(graph, log_arities, last);

    JunctionTree tree;
    tree.home.assign(arities.size(), -1);
    tree.rank.assign(arities.size(), -1);
    for (std::size_t k = 0; k < buckets.size(); ++k)
        tree.rank[variables[buckets[k].variable]] = static_cast<std::int64_t>(k);
    // A bucket that is the rest of the one before it, without the variable eliminated there, is no clique of
    // its own: it joins that one, whose variables it sums out further.
    const std::size_t first_kept = buckets.size() - kept.size();
    std::vector<std::int64_t> group(buckets.size(), -1);  // its clique, by the first bucket of it
    std::vector<std::size_t> top(buckets.size());         // of a group: its last bucket
    std::vector<std::int64_t> next(buckets.size(), -1);   // bucket that receives the message of this one
    for (std::size_t k = 0; k < buckets.size(); ++k) {
        if (group[k] < 0) group[k] = static_cast<std::int64_t>(k);
        top[group[k]] = k;
        for (const std::size_t other : buckets[k].others) {
            const std::int64_t position = tree.rank[variables[other]];
            if (next[k] < 0 || position < next[k]) next[k] = position;
        }
        if (next[k] < 0) continue;
        // The kept variables stay together with the first of them, so that their clique is a root.
        const bool parts_kept = static_cast<std::size_t>(next[k]) > first_kept && k < first_kept;
        if (!parts_kept && group[next[k]] < 0 &&
            buckets[next[k]].others.size() + 1 == buckets[k].others.size())
            group[next[k]] = group[k];
    }
    // By the last bucket of each: so children come before parents.
    std::vector<std::int64_t> clique_of(buckets.size(), -1);
    for (std::size_t k = 0; k < buckets.size(); ++k) {
        const auto first = static_cast<std::size_t>(group[k]);
        if (top[first] != k) continue;
        clique_of[first] = static_cast<std::int64_t>(tree.cliques.size());
        Clique clique{{variables[buckets[first].variable]}, buckets[k].others.size(), next[k]};
        for (const std::size_t other : buckets[first].others) clique.scope.push_back(variables[other]);
        std::sort(clique.scope.begin(), clique.scope.end(),
                  [&](std::int64_t a, std::int64_t b) { return tree.rank[a] > tree.rank[b]; });
        double size = 1;
        for (const std::int64_t v : clique.scope) size *= static_cast<double>(arities[v]);
        tree.largest = std::max(tree.largest, size);
        tree.total += size;
        tree.cliques.push_back(std::move(clique));
    }
    for (Clique& clique : tree.cliques)
        if (clique.parent >= 0) clique.parent = clique_of[group[clique.parent]];
    for (std::size_t k = 0; k < buckets.size(); ++k)
        tree.home[variables[buckets[k].variable]] = clique_of[group[k]];
    return tree;
}

}  // namespace bayleaf
