// Sums over the cells of every set of variables, by depth-first refinement of the rows.
//
// Including a variable splits each group of rows that agree so far; leaving it out costs nothing. A group of
// one row never splits again, so it leaves the groups and is only remembered by its weight. A group of a few
// rows leaves them too, once few enough variables are open: it is counted for all their sets together.
#include <algorithm>
#include <bit>
#include <cmath>

#include "bayleaf/exact.hpp"
#include "bayleaf/exact_leaf.hpp"
#include "bayleaf/exact_small.hpp"
#include "bayleaf/parallel.hpp"

namespace bayleaf {

namespace {

constexpr std::size_t kTableLimit = 1024;
constexpr std::int64_t kLeafPlaces = 729;   // cells and margins of the last variables' table
constexpr std::size_t kTaskVariables = 10;  // their subsets are the units of parallel work

// Groups of rows that agree on the variables included so far.
struct Partition : GroupList {
    std::vector<std::uint32_t> singles;  // number of groups of one row, by the index of its weight
};

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

template <class Code>
class SumSearch {
  public:
    SumSearch(const DistinctRows<Code, std::uint32_t>& rows, std::span<const std::int64_t> arities,
              std::size_t variables, const SetScore& score, const CellFunctions& functions, double* sums,
              const Watch& watch)
        : rows_(rows),
          arities_(arities),
          variables_(variables),
          score_(score),
          functions_(functions),
          sums_(sums),
          watch_(watch),
          last_(leaf_size(arities, variables)),
          leaf_(arities.first(last_)),
          steps_(std::size_t{1} << std::min(variables, std::max(last_, kSmallVariables)), 0),
          small_(rows, variables),
          stamps_(functions.size(), 0),
          constants_(functions.size()) {
        for (std::size_t r = 1; r < steps_.size(); ++r) {
            steps_[r] = steps_[r & (r - 1)] + functions.step(static_cast<std::size_t>(std::countr_zero(r)));
        }
        distinct_weights_ = rows.weights;
        std::sort(distinct_weights_.begin(), distinct_weights_.end());
        distinct_weights_.erase(std::unique(distinct_weights_.begin(), distinct_weights_.end()),
                                distinct_weights_.end());
        for (const std::uint32_t weight : rows.weights) {
            const auto at = std::lower_bound(distinct_weights_.begin(), distinct_weights_.end(), weight);
            weight_index_.push_back(static_cast<std::uint32_t>(at - distinct_weights_.begin()));
        }
        cell_.assign(rows.size(), 0);
        std::size_t step = 1;
        for (std::size_t j = 0; j < last_; ++j) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                cell_[i] = static_cast<std::uint16_t>(cell_[i] + rows.columns[j][i] * step);
            }
            step *= static_cast<std::size_t>(arities[j]);
        }
        partitions_.resize(arities.size() - last_ + 2);
        start_from_all_rows();
    }

    // Variables that are split one by one, and how many of those tell the tasks apart.
    std::size_t split_variables() const { return variables_ - last_; }
    std::size_t task_variables() const { return std::min(split_variables(), kTaskVariables); }

    // All sets whose first task variables are those of `task`.
    void run(std::size_t task) {
        Node node{0, functions_.base(), start_, variables_ - task_variables(), false, {}};
        for (std::size_t variable = variables_; variable-- > node.open;) {
            if (!(task >> (variables_ - 1 - variable) & 1)) continue;
            node.index += functions_.step(variable);
            node.set |= std::uint64_t{1} << variable;
            if (!needed(node.set, node.index)) return;
            split(partitions_[node.depth], variable, partitions_[node.depth + 1], false);
            ++node.depth;
        }
        if (node.depth == start_) {  // the visit takes small groups out, and other tasks begin here as well
            partitions_[start_ + 1] = partitions_[start_];
            ++node.depth;
        }
        visit(node);
    }

  private:
    void start_from_all_rows() {
        Partition& all = partitions_[0];
        all.singles.assign(distinct_weights_.size(), 0);
        all.rows.resize(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) all.rows[i] = static_cast<std::uint32_t>(i);
        if (rows_.size() == 1) {
            all.singles[0] = 1;
        } else if (rows_.size() > 1) {
            all.ends.push_back(static_cast<std::uint32_t>(rows_.size()));
        }
        // Variables that belong to every set.
        for (std::size_t j = variables_; j < arities_.size(); ++j) {
            split(partitions_[start_], j, partitions_[start_ + 1], false);
            ++start_;
        }
    }

    bool needed(std::uint64_t set, std::size_t index) const {
        return std::popcount(set) <= score_.largest_set &&
               functions_.configurations(index) <= score_.most_configurations;
    }

    void visit(Node node) {
        if (watch_.stopped()) return;
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
                       node.index + functions_.step(variable),
                       node.depth + 1,
                       variable,
                       node.absorbed,
                       {}};
            if (!needed(child.set, child.index)) continue;
            fresh_.clear();
            split(groups, variable, partitions_[child.depth], node.absorbed);
            if (node.absorbed) {
                child.small = small_.add(fresh_, variable, node.small.from(std::size_t{1} << variable));
            }
            visit(child);
        }
    }

    bool is_small(const std::uint32_t* begin, const std::uint32_t* end) const {
        if (end - begin > static_cast<std::ptrdiff_t>(kSmall)) return false;
        std::uint64_t total = 0;
        for (; begin != end; ++begin) total += rows_.weights[*begin];
        return total <= kSmall;
    }

    // Moves the small groups of a partition to `fresh_`.
    void take_small_groups_out(Partition& groups) {
        fresh_.clear();
        std::uint32_t* to = groups.rows.data();
        const std::uint32_t* row = to;
        std::size_t kept = 0;
        for (const std::uint32_t group_end : groups.ends) {
            const std::uint32_t* end = groups.rows.data() + group_end;
            if (is_small(row, end)) {
                fresh_.add(row, end);
            } else {
                to = std::copy(row, end, to);
                groups.ends[kept++] = static_cast<std::uint32_t>(to - groups.rows.data());
            }
            row = end;
        }
        groups.ends.resize(kept);
        groups.rows.resize(static_cast<std::size_t>(to - groups.rows.data()));
    }

    // Small groups go to `fresh_` if `absorbing`.
    void split(const Partition& groups, std::size_t variable, Partition& out, bool absorbing) {
        absorbing_ = absorbing;
        const Code* codes = rows_.columns[variable].data();
        const auto arity = static_cast<std::size_t>(arities_[variable]);
        out.rows.resize(groups.rows.size());
        out.ends.clear();
        out.singles = groups.singles;
        std::uint32_t* to = out.rows.data();
        const std::uint32_t* row = groups.rows.data();
        for (const std::uint32_t group_end : groups.ends) {
            const std::uint32_t* end = groups.rows.data() + group_end;
            if (end - row == 2) {
                if (codes[row[0]] == codes[row[1]]) {
                    to = close(to, std::copy(row, end, to), out);
                } else {
                    ++out.singles[weight_index_[row[0]]];
                    ++out.singles[weight_index_[row[1]]];
                }
            } else if (arity == 2) {
                to = split_in_two(row, end, codes, to, out);
            } else {
                to = split_in_many(row, end, codes, arity, to, out);
            }
            row = end;
        }
        out.rows.resize(static_cast<std::size_t>(to - out.rows.data()));
    }

    std::uint32_t* close(std::uint32_t* begin, std::uint32_t* end, Partition& out) {
        if (end - begin > 1) {
            if (absorbing_ && is_small(begin, end)) {
                fresh_.add(begin, end);
                return begin;
            }
            out.ends.push_back(static_cast<std::uint32_t>(end - out.rows.data()));
            return end;
        }
        if (end - begin == 1) ++out.singles[weight_index_[*begin]];
        return begin;
    }

    std::uint32_t* split_in_two(const std::uint32_t* row, const std::uint32_t* end, const Code* codes,
                                std::uint32_t* to, Partition& out) {
        if (other_.size() < static_cast<std::size_t>(end - row)) other_.resize(rows_.size());
        std::uint32_t* zeros = to;
        std::uint32_t* ones = other_.data();
        for (; row != end; ++row) {
            const bool one = codes[*row] != 0;
            *zeros = *row;
            *ones = *row;
            zeros += !one;
            ones += one;
        }
        std::uint32_t* mid = close(to, zeros, out);
        std::uint32_t* stop = std::copy(other_.data(), ones, mid);
        return close(mid, stop, out);
    }

    std::uint32_t* split_in_many(const std::uint32_t* row, const std::uint32_t* end, const Code* codes,
                                 std::size_t arity, std::uint32_t* to, Partition& out) {
        if (other_.size() < static_cast<std::size_t>(end - row)) other_.resize(rows_.size());
        starts_.assign(arity + 1, 0);
        for (const std::uint32_t* r = row; r != end; ++r) ++starts_[codes[*r] + 1u];
        for (std::size_t k = 0; k < arity; ++k) starts_[k + 1] += starts_[k];
        for (const std::uint32_t* r = row; r != end; ++r) other_[starts_[codes[*r]]++] = *r;
        std::uint32_t from = 0;
        for (std::size_t k = 0; k < arity; ++k) {  // starts_[k] is now the end of state k
            std::uint32_t* stop = std::copy(other_.data() + from, other_.data() + starts_[k], to);
            from = starts_[k];
            to = close(to, stop, out);
        }
        return to;
    }

    // The sets of a node and the last variables.
    void evaluate(const Node& node, const Partition& groups) {
        const std::size_t subsets = leaf_.subsets();
        function_of_.resize(subsets);
        for (std::size_t r = 0; r < subsets; ++r) function_of_[r] = &functions_.at(node.index + steps_[r]);
        leaf_.begin(function_of_);
        fresh_.clear();
        const std::uint32_t* row = groups.rows.data();
        for (const std::uint32_t group_end : groups.ends) {
            const std::uint32_t* end = groups.rows.data() + group_end;
            if (!node.absorbed && is_small(row, end)) {
                fresh_.add(row, end);
            } else {
                leaf_.add(row, static_cast<std::size_t>(end - row), cell_.data(), rows_.weights.data());
            }
            row = end;
        }
        const std::vector<double>& terms = leaf_.finish();
        const SmallCounts small = node.absorbed ? node.small : small_.count(fresh_, last_);
        store(node, small, groups.singles, subsets, [&](std::size_t r) { return terms[r]; });
    }

    // All sets of a node and the variables still open, when only small groups are left.
    void evaluate_all(const Node& node, const Partition& groups) {
        store(node, node.small, groups.singles, std::size_t{1} << node.open, [](std::size_t) { return 0.0; });
    }

    template <class Terms>
    void store(const Node& node, const SmallCounts& small, const std::vector<std::uint32_t>& singles,
               std::size_t subsets, Terms&& terms) {
        ++stamp_;
        for (std::size_t r = 0; r < subsets; ++r) {
            const std::size_t index = node.index + steps_[r];
            if (!needed(node.set | r, index)) continue;
            const CellFunction& function = functions_.at(index);
            if (stamps_[index] != stamp_) {
                stamps_[index] = stamp_;
                constants_[index] = constant(function, small.rows, singles);
            }
            sums_[node.set | r] = terms(r) + constants_[index] + small.term(r, function);
        }
        watch_.add(static_cast<std::int64_t>(subsets));
    }

    // What all sets with this function have in common.
    double constant(const CellFunction& function, std::int64_t small_rows,
                    const std::vector<std::uint32_t>& singles) const {
        double sum = function.set_term() + static_cast<double>(small_rows) * function.difference(1);
        for (std::size_t w = 0; w < distinct_weights_.size(); ++w) {
            if (singles[w]) sum += singles[w] * function.of(distinct_weights_[w]);
        }
        return sum;
    }

    const DistinctRows<Code, std::uint32_t>& rows_;
    std::span<const std::int64_t> arities_;
    std::size_t variables_;
    const SetScore& score_;
    const CellFunctions& functions_;
    double* sums_;
    const Watch& watch_;
    std::size_t last_;
    Leaf leaf_;
    std::size_t start_ = 0;
    std::vector<std::uint32_t> distinct_weights_, weight_index_, other_, starts_;
    std::vector<std::uint16_t> cell_;
    std::vector<Partition> partitions_;
    std::vector<const CellFunction*> function_of_;
    std::vector<std::size_t> steps_;  // of the function's index, by set of the first variables
    SmallGroups<Code> small_;
    GroupList fresh_;  // small groups of the node at hand
    bool absorbing_ = false;
    // Constants of the node at hand, by function; valid where the stamp is the present one.
    std::uint64_t stamp_ = 0;
    std::vector<std::uint64_t> stamps_;
    std::vector<double> constants_;
};

void fill_unreachable(double* sums, std::size_t variables, int threads) {
    parallel_blocks(std::size_t{1} << variables, std::size_t{1} << 16, threads,
                    [&](std::size_t begin, std::size_t end) {
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
    fill_unreachable(sums, variables, threads);
    const CellFunctions functions(score, arities, variables, kTableLimit);
    const auto workers = static_cast<std::size_t>(std::max(threads, 1));
    std::atomic<std::size_t> next{0};
    parallel_for(workers, threads, [&](std::size_t) {
        SumSearch<Code> search(rows, arities, variables, score, functions, sums, watch);
        const std::size_t tasks = std::size_t{1} << search.task_variables();
        for (std::size_t task = next++; task < tasks && !watch.stopped(); task = next++) search.run(task);
    });
}

template void subset_sums(const DistinctRows<std::uint8_t, std::uint32_t>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);
template void subset_sums(const DistinctRows<std::uint16_t, std::uint32_t>&, std::span<const std::int64_t>,
                          std::size_t, const SetScore&, double*, int, const Watch&);

}  // namespace bayleaf
