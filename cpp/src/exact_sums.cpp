// Sums over the cells of every set of variables, by depth-first refinement of the rows.
//
// Including a variable splits each group of rows that agree so far; leaving it out costs nothing. A group of
// one row never splits again, so it leaves the groups and is only remembered by its weight.
#include <algorithm>
#include <bit>
#include <cmath>

#include "bayleaf/exact.hpp"
#include "bayleaf/exact_leaf.hpp"
#include "bayleaf/parallel.hpp"

namespace bayleaf {

namespace {

constexpr std::size_t kTableLimit = 1024;
constexpr std::size_t kLeafCells = 64;      // cells of the last variables' table
constexpr std::size_t kTaskVariables = 10;  // their subsets are the units of parallel work

// Groups of rows that agree on the variables included so far.
struct Partition {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> ends;
    std::vector<std::uint32_t> singles;  // number of groups of one row, by the index of its weight
};

std::size_t leaf_size(std::span<const std::int64_t> arities, std::size_t variables) {
    std::size_t size = 0;
    for (std::int64_t cells = 1; size < variables; ++size) {
        cells *= arities[size];
        if (cells > static_cast<std::int64_t>(kLeafCells)) break;
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
          leaf_(arities.first(last_)) {
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
        partitions_.resize(arities.size() - last_ + 1);
        start_from_all_rows();
    }

    // Variables that are split one by one, and how many of those tell the tasks apart.
    std::size_t split_variables() const { return variables_ - last_; }
    std::size_t task_variables() const { return std::min(split_variables(), kTaskVariables); }

    // All sets whose first task variables are those of `task`.
    void run(std::size_t task) {
        std::size_t depth = start_, index = functions_.base();
        std::uint64_t set = 0;
        for (std::size_t k = 0; k < task_variables(); ++k) {
            if (!(task >> k & 1)) continue;
            const std::size_t variable = variables_ - 1 - k;
            index += functions_.step(variable);
            set |= std::uint64_t{1} << variable;
            if (!needed(set, index)) return;
            split(partitions_[depth], variable, partitions_[depth + 1]);
            ++depth;
        }
        visit(set, index, depth, task_variables());
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
            split(partitions_[start_], j, partitions_[start_ + 1]);
            ++start_;
        }
    }

    bool needed(std::uint64_t set, std::size_t index) const {
        return std::popcount(set) <= score_.largest_set &&
               functions_.configurations(index) <= score_.most_configurations;
    }

    void visit(std::uint64_t set, std::size_t index, std::size_t depth, std::size_t next) {
        if (watch_.stopped()) return;
        evaluate(set, index, partitions_[depth]);
        watch_.add(1);
        for (std::size_t k = next; k < split_variables(); ++k) {
            const std::size_t variable = variables_ - 1 - k;
            const std::uint64_t larger = set | std::uint64_t{1} << variable;
            const std::size_t larger_index = index + functions_.step(variable);
            if (!needed(larger, larger_index)) continue;
            split(partitions_[depth], variable, partitions_[depth + 1]);
            visit(larger, larger_index, depth + 1, k + 1);
        }
    }

    void split(const Partition& groups, std::size_t variable, Partition& out) {
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
                    *to++ = row[0];
                    *to++ = row[1];
                    out.ends.push_back(static_cast<std::uint32_t>(to - out.rows.data()));
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

    std::uint32_t* close(std::uint32_t* begin, std::uint32_t* end, Partition& out) const {
        if (end - begin > 1) {
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

    void evaluate(std::uint64_t set, std::size_t index, const Partition& groups) {
        const std::size_t subsets = leaf_.subsets();
        function_of_.resize(subsets);
        index_of_.resize(subsets);
        index_of_[0] = index;
        for (std::size_t r = 1; r < subsets; ++r) {
            index_of_[r] = index_of_[r & (r - 1)] + functions_.step(std::countr_zero(r));
        }
        for (std::size_t r = 0; r < subsets; ++r) function_of_[r] = &functions_.at(index_of_[r]);
        leaf_.begin(function_of_);
        const std::uint32_t* row = groups.rows.data();
        for (const std::uint32_t group_end : groups.ends) {
            const std::uint32_t* end = groups.rows.data() + group_end;
            const auto size = static_cast<std::size_t>(end - row);
            std::uint64_t total = 0;
            for (std::size_t i = 0; i < size; ++i) total += rows_.weights[row[i]];
            if (total <= Leaf::kSmall) {
                leaf_.add_small(row, size, cell_.data(), rows_.weights.data());
            } else {
                leaf_.add_large(row, size, cell_.data(), rows_.weights.data(), total);
            }
            row = end;
        }
        const std::vector<double>& terms = leaf_.finish();
        for (std::size_t r = 0; r < subsets; ++r) {
            if (!needed(set | r, index_of_[r])) continue;
            double sum = terms[r] + function_of_[r]->set_term();
            for (std::size_t w = 0; w < distinct_weights_.size(); ++w) {
                if (groups.singles[w]) sum += groups.singles[w] * function_of_[r]->of(distinct_weights_[w]);
            }
            sums_[set | r] = sum;
        }
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
    std::vector<std::size_t> index_of_;
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
