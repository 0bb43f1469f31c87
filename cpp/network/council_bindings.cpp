// Several networks that answer as one, as Python sees them.
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/bindings.hpp"
#include "network/council.hpp"

namespace {

// The tables of a member are Python's, and kept alive.
struct MemberTables {
    Integers variables, strides, offsets, table_offsets;
    Vector<const std::uint8_t> has_query;
    Vector<const double> log_tables, fallback;
    Integers arities, topological;
};

class Council {
  public:
    explicit Council(std::size_t classes) : classes_(classes) {}

    void add_member(Integers variables, Integers strides, Integers offsets, Integers table_offsets,
                    Vector<const std::uint8_t> has_query, Vector<const double> log_tables,
                    Vector<const double> fallback, Integers arities, Integers topological, double weight,
                    int level) {
        if (fallback.shape(0) != classes_) throw std::invalid_argument("A member has other classes.");
        if (!(weight > 0 && std::isfinite(weight)))
            throw std::invalid_argument("A weight is not a number above 0.");
        kept_.push_back({std::move(variables), std::move(strides), std::move(offsets),
                         std::move(table_offsets), std::move(has_query), std::move(log_tables),
                         std::move(fallback), std::move(arities), std::move(topological)});
        const MemberTables& own = kept_.back();
        const bayleaf::Factors factors{span(own.variables), span(own.strides),
                                       span(own.offsets),   span(own.table_offsets),
                                       span(own.has_query), static_cast<std::int64_t>(classes_)};
        members_.push_back({factors, own.log_tables.data(), own.fallback.data(), weight, level,
                            span(own.arities), span(own.topological)});
    }

    template <class Code>
    void log_joint(const Columns<const Code>& codes, Rows<double> out, Threads threads) const {
        nb::gil_scoped_release release;
        bayleaf::council_log_joint(matrix(codes), members_, classes_, out.data(), threads);
    }

    template <class Code>
    void log_joint_of_gaps(const Columns<const Code>& codes, Rows<double> out, Vector<std::uint8_t> undone,
                           Threads threads) const {
        nb::gil_scoped_release release;
        for (const bayleaf::CouncilMember& member : members_)
            if (member.factors.size() != codes.shape(1) + 1)
                throw std::invalid_argument("The nodes of a member are not the columns and the class.");
        bayleaf::council_gaps(matrix(codes), members_, classes_, out.data(), undone.data(), threads);
    }

    template <class Code>
    void posteriors(const Columns<const Code>& codes, Rows<double> out, Threads threads) const {
        nb::gil_scoped_release release;
        bayleaf::council_posteriors(matrix(codes), members_, classes_, out.data(), threads);
    }

  private:
    std::size_t classes_;
    std::vector<MemberTables> kept_;
    std::vector<bayleaf::CouncilMember> members_;  // views of what is kept
};

template <class Code>
void bind_for_code(nb::class_<Council>& council) {
    council.def("log_joint", &Council::log_joint<Code>, "codes"_a.noconvert(), "out"_a.noconvert(),
                "n_jobs"_a.none(), "Logarithms of the weighted sums of the members' joint probabilities.");
    council.def("log_joint_of_gaps", &Council::log_joint_of_gaps<Code>, "codes"_a.noconvert(),
                "out"_a.noconvert(), "undone"_a.noconvert(), "n_jobs"_a.none(),
                "The same for rows with gaps; those that have too many states to try are marked as undone.");
    council.def("posteriors", &Council::posteriors<Code>, "codes"_a.noconvert(), "out"_a.noconvert(),
                "n_jobs"_a.none(), "Weighted means of the members' posteriors.");
}

}  // namespace

void bind_council(nb::module_& m) {
    nb::class_<Council> council(m, "Council", "Networks by which rows without gaps are scored together.");
    council.def(nb::init<std::size_t>(), "classes"_a);
    council.def("add_member", &Council::add_member, "variables"_a.noconvert(), "strides"_a.noconvert(),
                "offsets"_a.noconvert(), "table_offsets"_a.noconvert(), "has_query"_a.noconvert(),
                "log_tables"_a.noconvert(), "fallback"_a.noconvert(), "arities"_a.noconvert(),
                "topological"_a.noconvert(), "weight"_a, "level"_a,
                "A network whose variables are columns of the codes.");
    bind_for_code<std::uint8_t>(council);
    bind_for_code<std::uint16_t>(council);
}
