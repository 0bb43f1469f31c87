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

#include "scores/family_table.hpp"

namespace bayleaf {

// What a cell with count N adds to the sum of a set with q configurations.
enum class CountTerm {
    kGammaPerSet,  // lnG(shift / q + N) - lnG(shift / q)
    kGamma,        // lnG(shift + N) - lnG(shift)
    kEntropy,      // N ln N
};

// The term of a cell, and the price of a configuration.
struct SetTerm {
    CountTerm term;
    double shift;
    double penalty;
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
    const CountFunction* function(const SetTerm& term, double configurations);
    double prices(std::int64_t node, double configurations) const;
    double configurations(const std::vector<std::int64_t>& parents) const;

    SearchRows<Code> rows_;
    FamilyScore score_;
    std::map<std::pair<bool, double>, CountFunction> functions_;
    std::mutex guard_;
    // Buffers of calls that work on one family at a time.
    Space<std::uint32_t> whole_;
    Space<double> weighted_;
};

}  // namespace bayleaf
