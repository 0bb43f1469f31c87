// Arrays of Python texts, numbered without making a Python list of them. It needs the interpreter's lock
// throughout, and lies beside the bindings for that reason.
#include <array>
#include <cstring>

#include "encode/numbered.hpp"

namespace {

constexpr std::int32_t kAbsent = -1;
struct NotText {};

// A one-dimensional array of objects, for as long as it is looked at.
class ObjectArray {
  public:
    explicit ObjectArray(nb::handle array) {
        if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0)
            throw nb::python_error();
        if (view_.ndim != 1 || view_.format == nullptr || std::strcmp(view_.format, "O") != 0) {
            PyBuffer_Release(&view_);
            throw nb::type_error("A one-dimensional array of objects is needed here.");
        }
    }
    ObjectArray(const ObjectArray&) = delete;
    ObjectArray& operator=(const ObjectArray&) = delete;
    ~ObjectArray() { PyBuffer_Release(&view_); }

    std::size_t size() const { return static_cast<std::size_t>(view_.shape[0]); }
    // Borrowed; numpy writes None as a null pointer in arrays that were never filled.
    PyObject* operator[](std::size_t i) const {
        PyObject* item;
        std::memcpy(&item, static_cast<char*>(view_.buf) + static_cast<Py_ssize_t>(i) * view_.strides[0],
                    sizeof item);
        return item == nullptr ? Py_None : item;
    }

  private:
    Py_buffer view_{};
};

// Numbers texts. The same object is usually met again and again, and known by its address.
class ObjectNumbers {
  public:
    explicit ObjectNumbers(PyObject* missing) : missing_(missing) {}

    std::int32_t operator()(PyObject* object) {
        Known& known = known_[(reinterpret_cast<std::uintptr_t>(object) >> 4) % known_.size()];
        if (known.object != object) known = {object, look_up(object)};
        return known.number;
    }

    nb::list levels() const { return nb::list(numbers_.keys()); }

  private:
    struct Known {
        PyObject* object = nullptr;
        std::int32_t number = kAbsent;
    };

    std::int32_t look_up(PyObject* object) {
        if (object == Py_None || object == missing_) return kAbsent;
        if (PyFloat_CheckExact(object)) {
            const double value = PyFloat_AsDouble(object);
            if (value != value) return kAbsent;
            throw NotText{};
        }
        if (!PyUnicode_CheckExact(object)) throw NotText{};
        if (PyObject* number = PyDict_GetItemWithError(numbers_.ptr(), object))
            return static_cast<std::int32_t>(PyLong_AsLong(number));
        if (PyErr_Occurred()) throw nb::python_error();
        const auto next = static_cast<std::int32_t>(nb::len(numbers_));
        numbers_[nb::handle(object)] = next;
        return next;
    }

    PyObject* missing_;
    nb::dict numbers_;
    std::array<Known, 1024> known_{};
};

std::optional<Numbered> number_objects(nb::handle array, nb::handle missing) {
    const ObjectArray objects(array);
    ObjectNumbers numbers(missing.ptr());
    bayleaf::NarrowCodes codes(objects.size());
    try {
        codes.append(objects.size(), [&](std::size_t i) { return numbers(objects[i]); });
    } catch (const NotText&) {
        return std::nullopt;
    }
    return numbered(numbers.levels(), codes);
}

}  // namespace

void bind_objects(nb::module_& m) {
    m.def(
        "number_objects", &number_objects, "objects"_a, "missing"_a.none(),
        "Levels and codes of an array of texts, None and NaN among them; None where there is anything else.");
}
