#include "common/bindings.hpp"
#include "encode/encode.hpp"

namespace {

template <class Integer>
bool pack_integers(const Strided<const Integer>& values, Columns<std::uint8_t> out,
                   Vector<std::uint8_t> largest, Threads threads) {
    nb::gil_scoped_release release;
    return bayleaf::pack_integers(values.data(), values.shape(0), values.shape(1), values.stride(0),
                                  values.stride(1), out.data(), largest.data(), threads);
}

void present_states(const Columns<const std::uint8_t>& codes, const Vector<const std::uint8_t>& largest,
                    Rows<std::uint8_t> present, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::present_states(matrix(codes), largest.data(), present.data(), threads);
}

template <class Code>
void column_range(const Columns<const Code>& codes, Vector<std::int64_t> largest,
                  Vector<std::uint8_t> missing, Threads threads) {
    nb::gil_scoped_release release;
    bayleaf::column_range(matrix(codes), largest.data(), missing.data(), threads);
}

template <class Code>
void bind_for_code(nb::module_& m) {
    m.def("column_range", &column_range<Code>, "codes"_a.noconvert(), "largest"_a.noconvert(),
          "missing"_a.noconvert(), "n_jobs"_a.none(),
          "Per column, the largest code that is not the missing one, and whether any value is missing.");
}

template <class Integer>
void bind_for_integer(nb::module_& m) {
    m.def("pack_integers", &pack_integers<Integer>, "values"_a.noconvert(), "out"_a.noconvert(),
          "largest"_a.noconvert(), "n_jobs"_a.none(),
          "Copy integers in [0, 254] into columns of bytes; False when a value does not fit.");
}

}  // namespace

void bind_arrow(nb::module_& m);

void bind_encode(nb::module_& m) {
    bind_arrow(m);
    bind_for_code<std::uint8_t>(m);
    bind_for_code<std::uint16_t>(m);
    bind_for_integer<std::int8_t>(m);
    bind_for_integer<std::uint8_t>(m);
    bind_for_integer<std::int32_t>(m);
    bind_for_integer<std::int64_t>(m);
    m.def("present_states", &present_states, "codes"_a.noconvert(), "largest"_a.noconvert(),
          "present"_a.noconvert(), "n_jobs"_a.none(), "Which states occur in each column.");
}
