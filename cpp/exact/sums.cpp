// Sums over the cells of every set of variables, by depth-first refinement of the rows.
//
// Including a variable splits each group of rows that agree so far; leaving it out merges rows that differ in
// nothing else. A group of one row never splits again, so it leaves the groups and is only remembered by its
// weight. A group of a few rows leaves them too, once few enough variables are open: it is counted for all
// their sets together.
#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "common/parallel.hpp"
#include "exact/leaf.hpp"

namespace bayleaf {

namespace {

constexpr std::size_t kTableLimit = 1024;
constexpr std::int64_t kLeafPlaces = 729;   // cells and margins of the last variables' table
constexpr std::size_t kTaskVariables = 10;  // their subsets are the units of parallel work
constexpr std::size_t kWeightedTaskVariables = 6;

// A set of variables and what is known of it. Variables below `open` may still be added.
struct Node {
    std::uint64_t set;
    std::size_t index;  // of its cell function
    std::size_t depth;  // of its partition
    std::size_t open;
    bool absorbed;  // small groups are no longer in the partition but in `small`
    SmallCounts small;
};

std::size_t leaf_size(std::span<const std::int64_t> arities, std::size_t variables) {
    std::size_t size = 0;
    for (std::int64_t places = 1; size < variables; ++size) {
        places *= arities[size] + 1;
        if (places > kLeafPlaces) break;
    }
    return size;
}

// What a search works on, with weights that are whole numbers or not.
template <class Code, class Weight>
struct SumProblem {
    const DistinctRows<Code, Weight>& rows;
    std::span<const std::int64_t> arities;
    std::size_t variables;
    const SetScore& score;
    const SetFunctions& functions;
    double* sums;
    const Watch& watch;

    bool needed(std::uint64_t set, std::size_t index) const {
        return std::popcount(set) <= score.largest_set &&
               functions.configurations(index) <= score.most_configurations;
    }
};

template <class Code>
class SumSearch {
  public:
    SumSearch(const SumProblem<Code, std::uint32_t>& problem, const RowPrefixes& prefixes)
        : problem_(problem),
          last_(leaf_size(problem.arities, problem.variables)),
          leaf_(problem.arities.first(last_)),
          prefixes_(prefixes),
          splitter_(problem.rows, problem.arities, prefixes, last_),
          steps_(std::size_t{1} << std::min(problem.variables, std::max(last_, kSmallVariables)), 0),
          small_(problem.rows, problem.variables),
          stamps_(problem.functions.size(), 0),
          constants_(problem.functions.size()) {
        for (std::size_t r = 1; r < steps_.size(); ++r) {
            steps_[r] =
                steps_[r & (r - 1)] + problem_.functions.step(static_cast<std::size_t>(std::countr_zero(r)));
        }
        cell_.assign(problem_.rows.size(), 0);
        std::size_t step = 1;
        for (std::size_t j = 0; j < last_; ++j) {
            for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
                cell_[i] = static_cast<std::uint16_t>(cell_[i] + problem_.rows.columns[j][i] * step);
            }
            step *= static_cast<std::size_t>(problem_.arities[j]);
        }
        partitions_.resize(problem_.arities.size() - last_ + 2);
        start_from_all_rows();
    }

    // Variables that are split one by one, and how many of those tell the tasks apart.
    std::size_t split_variables() const { return problem_.variables - last_; }
    std::size_t task_variables() const { return std::min(split_variables(), kTaskVariables); }

    // All sets whose task variables are the bits of `task`. Tasks that follow each other begin alike: what is
    // known from the task before is not split again.
    void run(std::size_t task) {
        Node node{0, problem_.functions.base(), start_, problem_.variables - task_variables(), false, {}};
        std::size_t included = 0;
        for (std::size_t variable = problem_.variables; variable-- > node.open;) {
            if (!(task >> (variable - node.open) & 1)) continue;
            node.index += problem_.functions.step(variable);
            node.set |= std::uint64_t{1} << variable;
            if (!problem_.needed(node.set, node.index)) return;
            if (included == path_.size() || path_[included] != variable) {
                path_.resize(included);
                splitter_.split(partitions_[node.depth], variable, variable, partitions_[node.depth + 1],
                                nullptr);
                path_.push_back(variable);
            }
            ++included;
            ++node.depth;
        }
        // The visit changes its partition, so it gets one that no other task needs.
        if (included > 0 && path_[included - 1] == node.open) {
            path_.resize(included - 1);
        } else {
            path_.resize(included);
            splitter_.narrow(partitions_[node.depth], node.open, partitions_[node.depth + 1]);
            ++node.depth;
        }
        visit(node);
    }

  private:
    void start_from_all_rows() {
        Partition& all = partitions_[0];
        for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
            all.rows.push_back({static_cast<std::uint32_t>(i), problem_.rows.weights[i]});
        }
        if (problem_.rows.size() > 0) all.ends.push_back(static_cast<std::uint32_t>(problem_.rows.size()));
        // Variables that belong to every set, from the highest down as well: the rest of them is still open.
        for (std::size_t j = problem_.arities.size(); j-- > problem_.variables; ++start_) {
            splitter_.split(partitions_[start_], j, j, partitions_[start_ + 1], nullptr);
        }
    }

    void visit(Node node) {
        if (problem_.watch.stopped()) return;
        Partition& groups = partitions_[node.depth];
        if (!node.absorbed && node.open <= kSmallVariables) {
            take_small_groups_out(groups);
            node.small = small_.keep(fresh_, node.open);
            node.absorbed = true;
        }
        if (node.absorbed && groups.ends.empty()) {
            evaluate_all(node, groups);
            return;
        }
        evaluate(node, groups);
        for (std::size_t variable = node.open; variable-- > last_;) {
            Node child{node.set | std::uint64_t{1} << variable,
                       node.index + problem_.functions.step(variable),
                       node.depth + 1,
                       variable,
                       node.absorbed,
                       {}};
            if (!problem_.needed(child.set, child.index)) continue;
            fresh_.clear();
            splitter_.split(groups, variable, variable, partitions_[child.depth],
                            node.absorbed ? &fresh_ : nullptr);
            if (node.absorbed) {
                child.small = small_.add(fresh_, variable, node.small.from(std::size_t{1} << variable));
            }
            visit(child);
        }
    }

    // Moves the small groups of a partition to `fresh_`.
    void take_small_groups_out(Partition& groups) {
        fresh_.clear();
        WeightedRow* to = groups.rows.data();
        const WeightedRow* row = to;
        std::size_t kept = 0;
        for (const std::uint32_t group_end : groups.ends) {
            const WeightedRow* end = groups.rows.data() + group_end;
            if (is_small(row, end)) {
                fresh_.add(row, end);
            } else {
                to = to == row ? to + (end - row) : std::copy(row, end, to);
                groups.ends[kept++] = static_cast<std::uint32_t>(to - groups.rows.data());
            }
            row = end;
        }
        groups.ends.resize(kept);
        groups.rows.resize(static_cast<std::size_t>(to - groups.rows.data()));
    }

    // The sets of a node and the last variables.
    void evaluate(const Node& node, const Partition& groups) {
        const std::size_t subsets = leaf_.subsets();
        function_of_.resize(subsets);
        for (std::size_t r = 0; r < subsets; ++r)
            function_of_[r] = &problem_.functions.at(node.index + steps_[r]);
        leaf_.begin(function_of_);
        fresh_.clear();
        Singles singles = groups.singles;
        const WeightedRow* row = groups.rows.data();
        for (const std::uint32_t group_end : groups.ends) {
            const WeightedRow* end = groups.rows.data() + group_end;
            if (prefixes_.all_agree(last_, row, end)) {
                singles.add(total_weight(row, end));
            } else if (!node.absorbed && is_small(row, end)) {
                fresh_.add(row, end);
            } else {
                leaf_.add({row, end}, cell_.data());
            }
            row = end;
        }
        const std::vector<double>& terms = leaf_.finish();
        const SmallCounts small = node.absorbed ? node.small : small_.count(fresh_, last_);
        store(node, small, singles, subsets, [&](std::size_t r) { return terms[r]; });
    }

    // All sets of a node and the variables still open, when only small groups are left.
    void evaluate_all(const Node& node, const Partition& groups) {
        store(node, node.small, groups.singles, std::size_t{1} << node.open, [](std::size_t) { return 0.0; });
    }

    template <class Terms>
    void store(const Node& node, const SmallCounts& small, const Singles& singles, std::size_t subsets,
               Terms&& terms) {
        ++stamp_;
        for (std::size_t r = 0; r < subsets; ++r) {
            const std::size_t index = node.index + steps_[r];
            if (!problem_.needed(node.set | r, index)) continue;
            const SetFunction& function = problem_.functions.at(index);
            if (stamps_[index] != stamp_) {
                stamps_[index] = stamp_;
                constants_[index] = constant(function, small.rows, singles);
            }
            problem_.sums[node.set | r] = terms(r) + constants_[index] + small.term(r, function);
        }
        problem_.watch.add(static_cast<std::int64_t>(subsets));
    }

    // What all sets with this function have in common.
    double constant(const SetFunction& function, std::int64_t small_rows, const Singles& singles) const {
        return function.set_term() + static_cast<double>(small_rows) * function.difference(1) +
               singles.term(function);
    }

    const SumProblem<Code, std::uint32_t> problem_;
    std::size_t last_;
    Leaf leaf_;
    std::size_t start_ = 0;
    std::vector<std::uint16_t> cell_;
    const RowPrefixes& prefixes_;
    Splitter<Code> splitter_;
    std::vector<Partition> partitions_;
    std::vector<std::size_t> path_;  // variables that split the partitions after the first ones
    std::vector<const SetFunction*> function_of_;
    std::vector<std::size_t> steps_;  // of the function's index, by set of the first variables
    SmallGroups<Code> small_;
    GroupList fresh_;  // small groups of the node at hand
    // Constants of the node at hand, by function; valid where the stamp is the present one.
    std::uint64_t stamp_ = 0;
    std::vector<std::uint64_t> stamps_;
    std::vector<double> constants_;
};

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

// The plain form, without tables and tricks, for real weights.
template <class Code>
struct WeightedSearch {
    const SumProblem<Code, double>& problem;

    Groups refine(const Groups& groups, std::size_t variable) const {
        return split(groups, problem.rows.columns[variable],
                     static_cast<std::size_t>(problem.arities[variable]));
    }

    // Sets `set` and those that add variables below `next` to it.
    void visit(std::uint64_t set, std::size_t index, const Groups& groups, std::size_t next) const {
        if (problem.watch.stopped() || !problem.needed(set, index)) return;
        const SetFunction& function = problem.functions.at(index);
        double sum = function.set_term();
        std::uint32_t begin = 0;
        for (const std::uint32_t end : groups.ends) {
            double total = 0.0;
            for (std::uint32_t i = begin; i < end; ++i) total += problem.rows.weights[groups.rows[i]];
            sum += function(total);
            begin = end;
        }
        problem.sums[set] = sum;
        problem.watch.add(1);
        for (std::size_t j = 0; j < next; ++j) {
            visit(set | std::uint64_t{1} << j, index + problem.functions.step(j), refine(groups, j), j);
        }
    }

    void run(std::size_t task, std::size_t first_variable) const {
        Groups groups;
        groups.rows.resize(problem.rows.size());
        std::iota(groups.rows.begin(), groups.rows.end(), 0u);
        if (problem.rows.size() > 0) groups.ends.push_back(static_cast<std::uint32_t>(problem.rows.size()));
        for (std::size_t j = problem.variables; j < problem.arities.size(); ++j) groups = refine(groups, j);
        std::size_t index = problem.functions.base();
        std::uint64_t set = 0;
        for (std::size_t j = first_variable; j < problem.variables; ++j) {
            if (!(task >> (j - first_variable) & 1)) continue;
            groups = refine(groups, j);
            index += problem.functions.step(j);
            set |= std::uint64_t{1} << j;
        }
        visit(set, index, groups, first_variable);
    }
};

void fill_unreachable(double* sums, std::size_t variables, int threads, const Watch& watch) {
    parallel_blocks(std::size_t{1} << variables, std::size_t{1} << 16, threads,
                    [&](std::size_t begin, std::size_t end) {
                        if (watch.stopped()) return;
                        for (std::size_t set = begin; set < end; ++set) {
                            sums[set] = kUnreachable * (1 + std::popcount(set));
                        }
                    });
}

}  // namespace

template <class Code>
void subset_sums(const DistinctRows<Code, std::uint32_t>& rows, std::span<const std::int64_t> arities,
                 std::size_t variables, const SetScore& score, double* sums, int threads,
                 const Watch& watch) {
    fill_unreachable(sums, variables, threads, watch);
    const SetFunctions functions(score, arities, variables, kTableLimit);
    const SumProblem<Code, std::uint32_t> problem{rows, arities, variables, score, functions, sums, watch};
    const RowPrefixes prefixes(rows, variables);
    const auto workers = static_cast<std::size_t>(std::max(threads, 1));
    std::atomic<std::size_t> next{0};
    parallel_for(workers, threads, [&](std::size_t) {
        SumSearch<Code> search(problem, prefixes);
        const std::size_t tasks = std::size_t{1} << search.task_variables();
        for (std::size_t task = next++; task < tasks && !watch.stopped(); task = next++) search.run(task);
    });
}

template <class Code>
void subset_sums(const DistinctRows<Code, double>& rows, std::span<const std::int64_t> arities,
                 std::size_t variables, const SetScore& score, double* sums, int threads,
                 const Watch& watch) {
    fill_unreachable(sums, variables, threads, watch);
    const SetFunctions functions(score, arities, variables, 1);
    const SumProblem<Code, double> problem{rows, arities, variables, score, functions, sums, watch};
    const std::size_t task_variables = std::min(variables, kWeightedTaskVariables);
    parallel_for(std::size_t{1} << task_variables, threads, [&](std::size_t task) {
        WeightedSearch<Code>{problem}.run(task, variables - task_variables);
    });
}

template void subset_sums(const DistinctRows<std::uint8_t, std::uint32_t>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);
template void subset_sums(const DistinctRows<std::uint16_t, std::uint32_t>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);

template void subset_sums(const DistinctRows<std::uint8_t, double>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);
template void subset_sums(const DistinctRows<std::uint16_t, double>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);

}  // namespace bayleaf
