// Decomposable scores of a family and of every family one parent away from it.
//
// A score is a sum over the cells of a family's table minus a sum over its configurations,
// score(X | P) = J(P + X) - K(P), so that counts are all it takes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "bayleaf/family_table.hpp"

namespace bayleaf {

// The term of a cell and the price of a configuration.
struct SetTerm {
    CellTerm term;
    double shift;
    double penalty;
};

struct FamilyScore {
    SetTerm joint;
    std::vector<SetTerm> given;  // per child
};

// Nodes with their parents and, per node, one flag per column: whether to value its becoming a parent, or
// its ceasing to be one.
struct ParentChanges {
    std::span<const std::int64_t> nodes;
    std::span<const std::int64_t> parents;
    std::span<const std::int64_t> offsets;
    const std::uint8_t* wanted;

    std::span<const std::int64_t> parents_of(std::size_t k) const {
        return parents.subspan(offsets[k], offsets[k + 1] - offsets[k]);
    }
};

template <class Code>
class FamilyGains {
  public:
    // The arrays must outlive the object.
    FamilyGains(const CodeMatrix<Code>& codes, std::span<const std::int64_t> arities,
                const std::uint8_t* has_missing, const double* weights, FamilyScore score, int threads);

    // values[k] is the score of family k, scores[k * columns + y] that of the family with y changed.
    void evaluate(const ParentChanges& changes, double* values, double* scores, int threads);

  private:
    template <class Count>
    struct Space;

    template <class Count>
    void evaluate_as(const ParentChanges& changes, double* values, double* scores, int threads);
    // One node: the score of its family and of all changes.
    template <class Count>
    void evaluate_node(std::int64_t node, std::span<const std::int64_t> parents, const std::uint8_t* wanted,
                       double* value, double* scores, int threads, Space<Count>& space);
    template <class Count>
    double without(const FamilyTable<Code, Count>& family, std::int64_t node,
                   std::span<const std::int64_t> parents, std::size_t position,
                   FamilyScratch<Count>& scratch);
    FamilyFunctions functions(std::int64_t node, double configurations);
    const CellFunction* function(const SetTerm& term, double configurations);
    double prices(std::int64_t node, double configurations) const;
    double configurations(std::span<const std::int64_t> parents) const;

    SearchRows<Code> rows_;
    FamilyScore score_;
    std::map<std::pair<int, double>, CellFunction> functions_;
    std::mutex guard_;
};

}  // namespace bayleaf
