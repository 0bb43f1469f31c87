// Bindings of the scores of families one parent apart. A search holds one object for its whole run.
#include "scores/family_gains.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <variant>

#include "common/bindings.hpp"

namespace {

using Kernel8 = std::unique_ptr<bayleaf::FamilyGains<std::uint8_t>>;
using Kernel16 = std::unique_ptr<bayleaf::FamilyGains<std::uint16_t>>;

// Keeps the arrays alive that the kernel's views point to.
struct BoundGains {
    nb::object codes;
    Integers arities;
    Weights weights;
    std::variant<Kernel8, Kernel16> kernel;
};

bayleaf::SetTerm set_term(std::int64_t kind, double shift, double penalty) {
    return {static_cast<bayleaf::CountTerm>(kind), shift, penalty};
}

template <class Code>
BoundGains make_gains(Columns<const Code> codes, Integers arities, Vector<const bool> has_missing,
                      Weights weights, const Integers& kinds, const Vector<const double>& shifts,
                      const Vector<const double>& penalties, int threads) {
    bayleaf::FamilyScore score{set_term(kinds.data()[0], shifts.data()[0], penalties.data()[0]), {}};
    for (std::size_t k = 1; k < kinds.shape(0); ++k)
        score.given.push_back(set_term(kinds.data()[k], shifts.data()[k], penalties.data()[k]));
    auto kernel = std::make_unique<bayleaf::FamilyGains<Code>>(
        matrix(codes), span(arities), has_missing.data(), weights ? weights->data() : nullptr,
        std::move(score), threads);
    return {nb::cast(codes), arities, weights, std::move(kernel)};
}

using Families = std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>;

// A family outside the table would read foreign memory.
void check(const BoundGains& gains, const Families& families, const Rows<const bool>& wanted,
           const Vector<double>& values, const Rows<double>& scores) {
    const auto columns = static_cast<std::int64_t>(gains.arities.shape(0));
    const auto inside = [&](std::int64_t node) { return 0 <= node && node < columns; };
    for (const auto& [node, parents] : families)
        if (!inside(node) || !std::all_of(parents.begin(), parents.end(), inside))
            throw std::invalid_argument("A family names a column that the table does not have.");
    const bool fits = wanted.shape(1) == gains.arities.shape(0) && scores.shape(1) == wanted.shape(1);
    if (!fits || wanted.shape(0) != families.size() || scores.shape(0) != families.size() ||
        values.shape(0) != families.size())
        throw std::invalid_argument("Flags and results need one row per family and one entry per column.");
}

void family_gains(BoundGains& gains, const Families& families, const Rows<const bool>& wanted,
                  Vector<double> values, Rows<double> scores, int threads) {
    check(gains, families, wanted, values, scores);
    nb::gil_scoped_release release;
    std::visit(
        [&](auto& kernel) {
            kernel->evaluate(families, wanted.data(), values.data(), scores.data(), threads);
        },
        gains.kernel);
}

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("search_families", &make_gains<Code>, "codes"_a.noconvert(), "arities"_a.noconvert(),
          "has_missing"_a.noconvert(), "weights"_a.noconvert().none(), "kinds"_a.noconvert(),
          "shifts"_a.noconvert(), "penalties"_a.noconvert(), "threads"_a,
          "The rows of a search by a decomposable score: the term of joint cells, then those of each child's "
          "configurations.");
}

}  // namespace

void bind_family_gains(nb::module_& m) {
    nb::class_<BoundGains>(m, "FamilyGains");
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
    m.def("family_gains", &family_gains, "gains"_a, "families"_a, "wanted"_a.noconvert(),
          "values"_a.noconvert(), "scores"_a.noconvert(), "threads"_a,
          "Score of each family, and of the family after each wanted change of one parent.");
}
