// Array types of the bindings: a wrong dtype or memory order is a TypeError, never a silent copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <span>

#include "common/codes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Columns = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Strided = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
using Integers = Vector<const std::int64_t>;
using Weights = std::optional<Vector<const double>>;

template <class T>
std::span<const T> span(const Vector<const T>& v) {
    return {v.data(), v.shape(0)};
}

template <class Code>
bayleaf::CodeMatrix<Code> matrix(const Columns<const Code>& codes) {
    return {codes.data(), codes.shape(0), codes.shape(1)};
}

// Null where there is no array.
template <class T>
const T* pointer(const std::optional<Vector<const T>>& v) {
    return v ? v->data() : nullptr;
}
