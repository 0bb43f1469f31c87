// The way of Arrow data and of labels into numpy. What is read here comes from other libraries: it is checked
// before any kernel sees it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "common/bindings.hpp"
#include "encode/arrow_numbers.hpp"
#include "encode/arrow_stream.hpp"
#include "encode/numbered.hpp"
#include "encode/translate.hpp"

using bayleaf::ArrowField;
using bayleaf::ArrowKind;
using bayleaf::ArrowTable;

namespace {

// A numpy array over memory of its own.
template <class Value>
nb::object owning_array(std::unique_ptr<char[]> bytes, std::size_t rows) {
    char* data = bytes.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<char*>(p); });
    return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(reinterpret_cast<Value*>(data), {rows}, owner).cast();
}

}  // namespace

nb::object codes_array(bayleaf::NarrowCodes& codes) {
    if (codes.width() == 1) return owning_array<std::int8_t>(codes.take(), codes.rows());
    if (codes.width() == 2) return owning_array<std::int16_t>(codes.take(), codes.rows());
    return owning_array<std::int32_t>(codes.take(), codes.rows());
}

namespace {

constexpr const char* kStreamCapsule = "arrow_array_stream";

bayleaf::Owned<bayleaf::ArrowArrayStream> take_stream(nb::handle capsule) {
    if (!PyCapsule_IsValid(capsule.ptr(), kStreamCapsule))
        throw std::invalid_argument(
            "An Arrow stream is needed here, in a capsule of the name 'arrow_array_stream'.");
    auto* stream =
        static_cast<bayleaf::ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kStreamCapsule));
    return bayleaf::Owned<bayleaf::ArrowArrayStream>(stream);
}

const ArrowField& field_of(const ArrowTable& table, std::size_t column) {
    if (column >= table.fields().size()) throw nb::index_error("There is no such column.");
    return table.fields()[column];
}

const char* kind_of(const ArrowTable& table, std::size_t column) {
    constexpr const char* kNames[] = {"nothing", "boolean",    "integer", "real", "moment",
                                      "text",    "dictionary", "other",   "other"};
    return kNames[static_cast<int>(field_of(table, column).kind)];
}

nb::object level(const std::string& text, const ArrowField& field) {
    if (field.kind == ArrowKind::boolean) return nb::bool_(text == "1");
    PyObject* decoded = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    if (decoded == nullptr) {
        PyErr_Clear();
        const std::string sentence =
            "The Arrow data is broken: column '" + field.name + "' has text that is not UTF-8.";
        throw nb::value_error(sentence.c_str());
    }
    return nb::steal(decoded);
}

Numbered labels(const ArrowTable& table, std::size_t column) {
    const ArrowField& field = field_of(table, column);
    if (field.kind != ArrowKind::boolean && field.kind != ArrowKind::text &&
        field.kind != ArrowKind::dictionary)
        throw nb::type_error("The column holds no labels.");
    auto read = [&] {
        nb::gil_scoped_release release;
        return bayleaf::read_labels(table, column);
    }();
    nb::list levels;
    for (const std::string& text : read.levels) levels.append(level(text, field));
    return numbered(levels, read.codes);
}

template <class Value>
nb::object integers(nb::handle self, const ArrowTable& table, std::size_t column) {
    if (const void* plain = bayleaf::plain_numbers(table, column)) {
        const auto* values = static_cast<const Value*>(plain);
        return nb::ndarray<nb::numpy, const Value, nb::ndim<1>>(values, {table.rows()}, self).cast();
    }
    std::unique_ptr<char[]> bytes(new char[table.rows() * sizeof(Value)]);
    {
        nb::gil_scoped_release release;
        bayleaf::copy_integers(table, column, bytes.get());
    }
    return owning_array<Value>(std::move(bytes), table.rows());
}

nb::object floats(nb::handle self, const ArrowTable& table, std::size_t column) {
    if (field_of(table, column).letter == 'g')
        if (const void* plain = bayleaf::plain_numbers(table, column))
            return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(static_cast<const double*>(plain),
                                                                     {table.rows()}, self)
                .cast();
    std::unique_ptr<char[]> bytes(new char[table.rows() * sizeof(double)]);
    {
        nb::gil_scoped_release release;
        bayleaf::copy_floats(table, column, reinterpret_cast<double*>(bytes.get()));
    }
    return owning_array<double>(std::move(bytes), table.rows());
}

nb::object numbers(nb::handle self, std::size_t column) {
    const auto& table = nb::cast<const ArrowTable&>(self);
    const ArrowField& field = field_of(table, column);
    if (field.kind != ArrowKind::integer && field.kind != ArrowKind::real && field.kind != ArrowKind::moment)
        throw nb::type_error("The column holds no numbers.");
    if (field.kind == ArrowKind::real || bayleaf::any_missing(table, column))
        return floats(self, table, column);
    switch (field.letter) {
        case 'c':
            return integers<std::int8_t>(self, table, column);
        case 'C':
            return integers<std::uint8_t>(self, table, column);
        case 's':
            return integers<std::int16_t>(self, table, column);
        case 'S':
            return integers<std::uint16_t>(self, table, column);
        case 'i':
            return integers<std::int32_t>(self, table, column);
        case 'I':
            return integers<std::uint32_t>(self, table, column);
        case 'l':
            return integers<std::int64_t>(self, table, column);
        default:
            return integers<std::uint64_t>(self, table, column);
    }
}

// A capsule whose stream, if nobody took it, is released with it.
void release_capsule(PyObject* capsule) {
    auto* stream = static_cast<bayleaf::ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kStreamCapsule));
    if (stream->release != nullptr) stream->release(stream);
    delete stream;
}

nb::typed<nb::tuple, nb::any, nb::any, nb::any> checked_stream(nb::handle capsule) {
    auto stream = take_stream(capsule);
    auto fields = bayleaf::read_fields(*bayleaf::read_schema(stream.get()), true);
    nb::list names;
    nb::list refused;
    for (const ArrowField& field : fields) {
        names.append(field.name);
        if (field.kind == ArrowKind::refused) refused.append(nb::make_tuple(field.name, field.format));
    }
    auto checked = std::make_unique<bayleaf::ArrowArrayStream>(
        bayleaf::checked_stream(std::move(stream), std::move(fields)));
    PyObject* wrapped = PyCapsule_New(checked.get(), kStreamCapsule, release_capsule);
    if (wrapped == nullptr) {
        checked->release(checked.get());
        throw nb::python_error();
    }
    checked.release();
    return nb::borrow<nb::typed<nb::tuple, nb::any, nb::any, nb::any>>(
        nb::make_tuple(nb::steal(wrapped), names, refused));
}

Numbered met_labels(bayleaf::MetLabels& read) {
    nb::list met;
    for (const std::int64_t row : read.met) met.append(row);
    return numbered(met, read.codes);
}

Numbered number_fixed(const Strided<const std::uint8_t>& texts) {
    if (texts.shape(1) > 1 && texts.stride(1) != 1)
        throw nb::type_error("The bytes of a text must lie side by side.");
    auto read = [&] {
        nb::gil_scoped_release release;
        return bayleaf::read_fixed(reinterpret_cast<const char*>(texts.data()), texts.shape(0),
                                   texts.shape(1), texts.stride(0));
    }();
    return met_labels(read);
}

Numbered indices(const ArrowTable& table, std::size_t column) {
    field_of(table, column);
    auto read = [&] {
        nb::gil_scoped_release release;
        return bayleaf::read_indices(table, column);
    }();
    return met_labels(read);
}

template <class Index>
void bind_number_codes(nb::module_& m) {
    m.def(
        "number_codes",
        [](const Vector<const Index>& codes, std::size_t categories) {
            auto read = [&] {
                nb::gil_scoped_release release;
                return bayleaf::read_codes(codes.data(), codes.shape(0), categories);
            }();
            return met_labels(read);
        },
        "codes"_a.noconvert(), "categories"_a,
        "The categories that occur, in order of first appearance, and codes that number them so.");
}

template <class From, class To>
void bind_translate(nb::module_& m) {
    m.def(
        "translate",
        [](const Vector<const From>& codes, const Vector<const std::int32_t>& lookup, Vector<To> out) {
            nb::gil_scoped_release release;
            bayleaf::translate(codes.data(), codes.shape(0), lookup.data(), lookup.shape(0), out.data());
        },
        "codes"_a.noconvert(), "lookup"_a.noconvert(), "out"_a.noconvert(),
        "Replace codes by those of a lookup table; negative ones become -1.");
}

template <class From>
void bind_translate_from(nb::module_& m) {
    bind_translate<From, std::int8_t>(m);
    bind_translate<From, std::int16_t>(m);
    bind_translate<From, std::int32_t>(m);
    bind_translate<From, std::int64_t>(m);
}

template <class Integer>
using Line = nb::ndarray<const Integer, nb::ndim<1>, nb::device::cpu>;

template <class Integer, class To>
void bind_number_integers(nb::module_& m) {
    m.def(
        "number_integers",
        [](const Line<Integer>& values, std::int64_t low, const Vector<const std::int32_t>& lookup,
           Vector<To> out) {
            nb::gil_scoped_release release;
            bayleaf::number_integers(values.data(), values.shape(0), values.stride(0), low, lookup.data(),
                                     out.data());
        },
        "values"_a.noconvert(), "low"_a, "lookup"_a.noconvert(), "out"_a.noconvert(),
        "Write the number of each value, from the table of the values from low on.");
}

template <class Integer>
void bind_integers(nb::module_& m) {
    m.def(
        "mark_integers",
        [](const Line<Integer>& values, std::int64_t low, Vector<std::uint8_t> present) {
            nb::gil_scoped_release release;
            bayleaf::mark_integers(values.data(), values.shape(0), values.stride(0), low, present.data());
        },
        "values"_a.noconvert(), "low"_a, "present"_a.noconvert(), "Mark the values that occur, from low on.");
    bind_number_integers<Integer, std::int8_t>(m);
    bind_number_integers<Integer, std::int16_t>(m);
    bind_number_integers<Integer, std::int32_t>(m);
}

}  // namespace

void bind_objects(nb::module_& m);

void bind_arrow(nb::module_& m) {
    bind_objects(m);
    nb::class_<ArrowTable>(m, "ArrowColumns", "The columns of an Arrow stream, read and checked.")
        .def(
            "__init__",
            [](ArrowTable* self, nb::handle capsule, bool table) {
                auto stream = take_stream(capsule);
                // Producers may need the interpreter in other threads while they are asked for data.
                nb::gil_scoped_release release;
                new (self) ArrowTable(std::move(stream), table);
            },
            "stream"_a, "table"_a)
        .def_prop_ro("rows", &ArrowTable::rows)
        .def("kind", &kind_of, "column"_a)
        .def(
            "format",
            [](const ArrowTable& table, std::size_t column) { return field_of(table, column).format; },
            "column"_a, "The type as Arrow spells it.")
        .def("labels", &labels, "column"_a,
             "The labels in order of first appearance, and the codes of the rows.")
        .def("indices", &indices, "column"_a,
             "Of unsigned integers: the row in which each is met first, and the codes of the rows.")
        .def("numbers", &numbers, "column"_a,
             "The values (of dates and times the numbers that Arrow counts): integers, or float64 with NaN "
             "for missing.");
    m.def("checked_stream", &checked_stream, "stream"_a,
          "A stream that passes on the batches of another, once checked; the names of the columns; and name "
          "and format "
          "of those that cannot be read.");
    m.def("number_fixed", &number_fixed, "texts"_a.noconvert(),
          "Rows in which each text of fixed width is met first, and the codes of the rows.");
    bind_number_codes<std::int8_t>(m);
    bind_number_codes<std::int16_t>(m);
    bind_number_codes<std::int32_t>(m);
    bind_number_codes<std::int64_t>(m);
    bind_translate_from<std::int8_t>(m);
    bind_translate_from<std::int16_t>(m);
    bind_translate_from<std::int32_t>(m);
    bind_translate_from<std::int64_t>(m);
    bind_integers<std::int8_t>(m);
    bind_integers<std::uint8_t>(m);
    bind_integers<std::int16_t>(m);
    bind_integers<std::uint16_t>(m);
    bind_integers<std::int32_t>(m);
    bind_integers<std::uint32_t>(m);
    bind_integers<std::int64_t>(m);
    bind_integers<std::uint64_t>(m);
}
