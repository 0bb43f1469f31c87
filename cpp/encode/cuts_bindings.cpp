#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "common/bindings.hpp"
#include "encode/cuts.hpp"
#include "encode/mdlp.hpp"

namespace {

template <class Number>
using Column = nb::ndarray<const Number, nb::ndim<1>, nb::device::cpu>;

template <class Number>
bayleaf::NumberView<Number> view(const Column<Number>& values) {
    return {values.data(), values.shape(0), values.stride(0)};
}

template <class Number, class Code>
std::pair<std::size_t, std::size_t> code_by_cuts(const Column<Number>& values,
                                                 const Vector<const double>& cuts, Code missing,
                                                 Vector<Code> out) {
    nb::gil_scoped_release release;
    const auto odd = bayleaf::code_by_cuts(view(values), span(cuts), missing, out.data());
    return {odd.missing, odd.infinite};
}

template <class Number, class Label>
void sort_by_class(const Column<Number>& values, const Vector<const Label>& classes, const Integers& starts,
                   Vector<std::uint64_t> out, Vector<std::uint64_t> spare, Vector<std::int64_t> counts) {
    nb::gil_scoped_release release;
    bayleaf::sort_by_class(view(values), classes.data(), span(starts), out.data(), spare.data(),
                           counts.data());
}

template <class Number>
std::pair<Number, Number> value_range(const Column<Number>& values) {
    nb::gil_scoped_release release;
    std::pair<Number, Number> range;
    bayleaf::value_range(view(values), &range.first, &range.second);
    return range;
}

template <class Number, class Label>
void count_by_class(const Column<Number>& values, const Vector<const Label>& classes, Number lowest,
                    Rows<std::int64_t> counts) {
    nb::gil_scoped_release release;
    bayleaf::count_by_class(view(values), classes.data(), counts.shape(1), lowest, counts.data());
}

std::size_t limit(const std::optional<std::size_t>& max_bins) {
    return max_bins.value_or(std::numeric_limits<std::size_t>::max());
}

std::vector<double> mdlp_sorted(const Vector<const double>& values, const Weights& weights,
                                const Integers& starts, const Integers& counts,
                                std::optional<std::size_t> max_bins) {
    nb::gil_scoped_release release;
    return bayleaf::mdlp_cuts({values.data(), pointer(weights), span(starts), span(counts)}, limit(max_bins));
}

std::vector<double> mdlp_counted(std::int64_t lowest, const Rows<const std::int64_t>& counts,
                                 std::optional<std::size_t> max_bins) {
    nb::gil_scoped_release release;
    return bayleaf::mdlp_cuts({lowest, counts.shape(0), counts.shape(1), counts.data()}, limit(max_bins));
}

template <class Number, class Code>
void bind_coding(nb::module_& m) {
    m.def("code_by_cuts", &code_by_cuts<Number, Code>, "values"_a.noconvert(), "cuts"_a.noconvert(),
          "missing"_a, "out"_a.noconvert(),
          "The number of cuts below each value, `missing` for NaN; returns how many are NaN and infinite.");
}

template <class Number, class Label>
void bind_sorting(nb::module_& m) {
    m.def("sort_by_class", &sort_by_class<Number, Label>, "values"_a.noconvert(), "classes"_a.noconvert(),
          "starts"_a.noconvert(), "out"_a.noconvert(), "spare"_a.noconvert(), "counts"_a.noconvert(),
          "Put the known values of each class together, in order, as the bits of floats, and count them.");
}

template <class Number>
void bind_for_number(nb::module_& m) {
    bind_coding<Number, std::uint8_t>(m);
    bind_coding<Number, std::uint16_t>(m);
    bind_coding<Number, std::uint32_t>(m);
    bind_sorting<Number, std::uint8_t>(m);
    bind_sorting<Number, std::uint32_t>(m);
}

template <class Number, class Label>
void bind_counting(nb::module_& m) {
    m.def("count_by_class", &count_by_class<Number, Label>, "values"_a.noconvert(), "classes"_a.noconvert(),
          "lowest"_a, "counts"_a.noconvert(),
          "Add up the rows of each value, from the lowest on, and class.");
}

template <class Number>
void bind_for_integer(nb::module_& m) {
    bind_for_number<Number>(m);
    m.def("value_range", &value_range<Number>, "values"_a.noconvert(), "The least and the greatest value.");
    bind_counting<Number, std::uint8_t>(m);
    bind_counting<Number, std::uint32_t>(m);
}

}  // namespace

void bind_cuts(nb::module_& m) {
    bind_for_number<double>(m);
    bind_for_number<float>(m);
    bind_for_integer<std::int8_t>(m);
    bind_for_integer<std::int16_t>(m);
    bind_for_integer<std::int32_t>(m);
    bind_for_integer<std::int64_t>(m);
    bind_for_integer<std::uint8_t>(m);
    bind_for_integer<std::uint16_t>(m);
    bind_for_integer<std::uint32_t>(m);
    bind_for_integer<std::uint64_t>(m);
    m.def("mdlp_sorted", &mdlp_sorted, "values"_a.noconvert(), "weights"_a.noconvert().none(),
          "starts"_a.noconvert(), "counts"_a.noconvert(), "max_bins"_a.none(),
          "The cuts of a column whose classes lie apart, each sorted.");
    m.def("mdlp_counted", &mdlp_counted, "lowest"_a, "counts"_a.noconvert(), "max_bins"_a.none(),
          "The cuts of a column of whole numbers, given the rows of each value and class.");
}
