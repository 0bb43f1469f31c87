// Decomposable scores of a family and of every family one parent away from it.
//
// A score is a sum over the cells of a family's table minus a sum over its configurations,
// score(X | P) = J(P + X) - K(P), so that counts are all it takes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "common/cell_terms.hpp"
#include "common/codes.hpp"
#include "count/bitsets.hpp"
#include "count/cells.hpp"

namespace bayleaf {

template <class Code>
struct SearchRows {
    CodeMatrix<Code> codes;
    std::span<const std::int64_t> arities;
    const double* weights;
    std::vector<bool> has_missing;  // per column
    OneHotRows one_hot;             // empty where rows have weights

    std::size_t arity(std::size_t column) const { return static_cast<std::size_t>(arities[column]); }
};

// What the cells of a family add, and what its configurations take off.
struct FamilyFunctions {
    const CellFunction* joint;
    const CellFunction* given;
};

// A column that would become a parent, and the sums that would give.
struct Candidate {
    std::int64_t column;
    FamilyFunctions functions;
    double sum = 0;
};

// Buffers of one thread.
template <class Count>
struct FamilyScratch {
    std::vector<Count> table, lanes, totals;
    std::vector<std::uint32_t> tallies;
    std::vector<std::pair<std::uint64_t, double>> keys;
};

// Counts of one child with its parents, and with each of many candidates for one parent more. The rows are
// numbered by the joint value of parents and child, and sorted by it, once. Then the candidates cost
//   one-hot    for narrow columns without weights: one addition per row for some twenty candidates at once;
//   direct     one increment per row and candidate;
//   sorted     for tables with far more cells than rows, a sort of the rows of each configuration.
// Count is double where rows have weights.
template <class Code, class Count>
class FamilyTable {
  public:
    // Counts the family, and gets ready for more parents, if such are wanted.
    void load(const SearchRows<Code>& rows, std::int64_t node, std::span<const std::int64_t> parents,
              bool more_parents, FamilyScratch<Count>& scratch);

    // Sum over the cells minus sum over the configurations: of the family, ...
    double sum(const FamilyFunctions& functions, FamilyScratch<Count>& scratch) const;
    // ... with one parent more, ...
    double sum_with(std::int64_t candidate, const FamilyFunctions& functions,
                    FamilyScratch<Count>& scratch) const;
    // ... and without parent number `position`, if the family's own table tells.
    bool can_drop() const { return complete_ && dense_ && every_; }
    double sum_without(std::size_t position, const FamilyFunctions& functions,
                       FamilyScratch<Count>& scratch) const;

    // The same as sum_with for candidates whose bits lie in one word, over the configurations of one block;
    // no blocks where that is no way.
    std::size_t blocks() const { return borders_.empty() ? 0 : borders_.size() - 1; }
    void add_word_sums(std::size_t block, std::size_t word, std::span<Candidate> candidates,
                       FamilyScratch<Count>& scratch) const;

  private:
    bool by_sorting(std::size_t states) const;
    void number_rows();
    void count_family(FamilyScratch<Count>& scratch);
    void set_borders();
    void count_directly(std::int64_t candidate, FamilyScratch<Count>& scratch) const;
    double sum_sorted(std::int64_t candidate, const FamilyFunctions& functions,
                      FamilyScratch<Count>& scratch) const;

    const SearchRows<Code>* rows_ = nullptr;
    std::int64_t node_ = 0;
    std::vector<std::int64_t> parents_;
    std::size_t states_ = 1;   // of the child
    std::size_t configs_ = 1;  // numbered configurations
    bool complete_ = true;     // no parent, nor the child, lacks values
    bool every_ = true;        // every possible configuration is numbered
    bool dense_ = true;        // the family has a table
    Configurations configurations_;
    std::vector<std::uint32_t> positions_;  // row -> cell of the family; one cell more for rows left out
    std::vector<Count> counts_;             // [configuration][state]
    CellOrder order_;                       // by cell, or by configuration where there is no table
    std::vector<std::size_t> borders_;      // of blocks of configurations
};

struct FamilyScore {
    SetTerm joint;
    std::vector<SetTerm> given;  // per child
};

// A node and its parents.
using Family = std::pair<std::int64_t, std::vector<std::int64_t>>;

template <class Code>
class FamilyGains {
  public:
    // The arrays must outlive the object.
    FamilyGains(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities, const bool* has_missing,
                const double* weights, FamilyScore score, int threads);

    // values[k] is the score of family k. wanted[k * columns + y] asks for the score of the family in which y
    // becomes a parent, or ceases to be one; it goes to the same place of `scores`. One call at a time.
    void evaluate(std::span<const Family> families, const bool* wanted, double* values, double* scores,
                  int threads);

  private:
    template <class Count>
    struct Space {
        FamilyTable<Code, Count> family;
        FamilyScratch<Count> scratch;
    };

    template <class Count>
    void evaluate_as(std::span<const Family> families, const bool* wanted, double* values, double* scores,
                     int threads, Space<Count>& space);
    template <class Count>
    double evaluate_node(const Family& family, const bool* wanted, double* scores, int threads,
                         Space<Count>& space);
    template <class Count>
    double without(const FamilyTable<Code, Count>& table, const Family& family, std::size_t position,
                   FamilyScratch<Count>& scratch);
    FamilyFunctions functions(std::int64_t node, double configurations);
    const CellFunction* function(const SetTerm& term, double configurations);
    double prices(std::int64_t node, double configurations) const;
    double configurations(const std::vector<std::int64_t>& parents) const;

    SearchRows<Code> rows_;
    FamilyScore score_;
    std::map<std::pair<bool, double>, CellFunction> functions_;
    std::mutex guard_;
    // Buffers of calls that work on one family at a time.
    Space<std::uint32_t> whole_;
    Space<double> weighted_;
};

}  // namespace bayleaf
