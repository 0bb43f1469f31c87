// Types of the bindings. Arrays: a wrong dtype or memory order is a TypeError, never a silent copy.
// Threads: `n_jobs` as users give it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

#include "common/codes.hpp"
#include "common/threads.hpp"

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

// A number of threads, which Python gives as `n_jobs`: it is resolved at each call, with the interpreter lock
// held, as other threads of Python may write to the environment.
class Threads {
  public:
    Threads() = default;
    explicit Threads(std::optional<int> n_jobs) : count_(bayleaf::thread_count(n_jobs)) {}
    operator int() const {
        if (count_ == 0) {
            throw std::invalid_argument(
                "n_jobs must not be 0. Use None for all cores, or a positive number of threads.");
        }
        return count_;
    }

  private:
    int count_ = 0;  // of n_jobs=0: what reads arguments must not throw
};

template <>
struct nb::detail::type_caster<Threads> {
    NB_TYPE_CASTER(Threads, const_name("int"))

    bool from_python(handle given, std::uint8_t, cleanup_list*) noexcept {
        if (given.is_none()) {
            value = Threads(std::nullopt);
            return true;
        }
        PyObject* whole = PyNumber_Index(given.ptr());
        if (whole == nullptr) {
            PyErr_Clear();
            return false;
        }
        int beyond = 0;
        const long long number = PyLong_AsLongLongAndOverflow(whole, &beyond);
        Py_DECREF(whole);
        constexpr long long most = bayleaf::kMostThreads, least = -(1LL << 20);
        value = Threads(static_cast<int>(beyond > 0   ? most
                                         : beyond < 0 ? least
                                                      : std::clamp(number, least, most)));
        return true;
    }
};
