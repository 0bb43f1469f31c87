// The reader of new rows as Python sees it: arrays of numbers, and single rows of Python objects.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/bindings.hpp"
#include "common/codes.hpp"
#include "network/score.hpp"
#include "network/value_reader.hpp"

namespace {

using AnyTuple = nb::typed<nb::tuple, nb::object, nb::ellipsis>;
using AnyRow = nb::typed<nb::dict, nb::str, nb::object>;
using bayleaf::ColumnRule;
using bayleaf::Met;
using bayleaf::Reading;

// A dict that has keys, none of which is a column.
constexpr Met kMetNoColumn = 16;
// What is answered about a value of another kind than the column's; any other negative answer is an unknown
// one.
constexpr std::int64_t kStrange = -2;

class ValueReader {
  public:
    // `scalar` is the base of types whose item() is the value: numpy's. `ask` is called with a column and a
    // value that is not among its states, and returns its code, or one of those below.
    ValueReader(AnyTuple names, AnyTuple states, nb::object scalar, nb::object ask)
        : names_(std::move(names)),
          states_(std::move(states)),
          scalar_(std::move(scalar)),
          ask_(std::move(ask)) {
        if (names_.size() != states_.size()) throw std::invalid_argument("Each column needs its states.");
    }

    // Rules are given in column order; the numbers of a rule are increasing.
    void add_column(int reading, const Vector<const double>& points, const Vector<const std::uint16_t>& codes,
                    std::int64_t fill, std::int64_t unknown, bool pools) {
        if (rules_.size() == names_.size()) throw std::invalid_argument("There are more rules than columns.");
        ColumnRule rule{.reading = static_cast<Reading>(reading),
                        .points = {points.data(), points.data() + points.shape(0)},
                        .codes = {codes.data(), codes.data() + codes.shape(0)},
                        .fill = fill,
                        .unknown = unknown,
                        .pools = pools,
                        .dense = {}};
        bayleaf::complete_rule(rule);
        rules_.push_back(std::move(rule));
    }

    const std::vector<ColumnRule>& rules() const { return rules_; }

    template <class Code>
    Met read_mapping(const AnyRow& row, Vector<Code> codes) const {
        check_width(codes.shape(0));
        Met met = 0;
        std::size_t found = 0;
        for (std::size_t j = 0; j < rules_.size(); ++j) {
            PyObject* value = PyDict_GetItemWithError(row.ptr(), nb::handle(names_[j]).ptr());
            if (!value && PyErr_Occurred()) throw nb::python_error();
            found += value != nullptr;
            met |= read_value(j, value, codes.data()[j]);
        }
        return found == 0 && PyDict_Size(row.ptr()) > 0 ? met | kMetNoColumn : met;
    }

    template <class Code>
    Met read_values(const AnyTuple& row, Vector<Code> codes) const {
        check_width(codes.shape(0));
        check_width(row.size());
        Met met = 0;
        for (std::size_t j = 0; j < rules_.size(); ++j)
            met |= read_value(j, nb::handle(row[j]).ptr(), codes.data()[j]);
        return met;
    }

    void check_width(std::size_t columns) const {
        if (columns != rules_.size()) throw std::invalid_argument("A row has another number of columns.");
    }

    void check_numbers(std::size_t columns) const {
        check_width(columns);
        for (const ColumnRule& rule : rules_)
            if (!rule.reads_numbers()) throw std::invalid_argument("A column does not hold numbers.");
    }

  private:
    template <class Code>
    Met read_value(std::size_t j, PyObject* value, Code& code) const {
        const ColumnRule& rule = rules_[j];
        code = rule.fill < 0 ? bayleaf::kMissing<Code> : static_cast<Code>(rule.fill);
        const Met missing = rule.fill < 0 ? bayleaf::kMetMissing : 0;
        if (!value || value == Py_None) return missing;
        if (PyFloat_Check(value)) {
            const double number = PyFloat_AsDouble(value);
            if (std::isnan(number)) return missing;
            if (std::isinf(number)) return bayleaf::kMetInfinite;
            return read_number(j, value, number, missing, code);
        }
        const bool boolean = PyBool_Check(value);
        if (PyLong_Check(value) && !boolean) {
            const double number = PyLong_AsDouble(value);
            if (number != -1.0 || !PyErr_Occurred()) return read_number(j, value, number, missing, code);
            PyErr_Clear();
            return bayleaf::kMetOther;
        }
        const bool text = PyUnicode_CheckExact(value);
        if (!text && !boolean && nb::isinstance(value, scalar_)) {
            const nb::object plain = nb::handle(value).attr("item")();
            return nb::isinstance(plain, scalar_) ? bayleaf::kMetOther : read_value(j, plain.ptr(), code);
        }
        if (!text && !boolean) return bayleaf::kMetOther;
        if (rule.reading == Reading::kNothing) return missing;
        // To a dict True is 1, but to a column of other numbers it is not.
        return boolean && rule.reading != Reading::kBooleans ? ask(j, value, code) : look_up(j, value, code);
    }

    template <class Code>
    Met read_number(std::size_t j, PyObject* value, double number, Met missing, Code& code) const {
        switch (rules_[j].reading) {
            case Reading::kCuts:
                code = static_cast<Code>(bayleaf::code_of(rules_[j], number));
                return 0;
            case Reading::kNothing:
                return missing;
            default:
                return look_up(j, value, code);
        }
    }

    // The code of a label: of a category, or of an interval.
    template <class Code>
    Met look_up(std::size_t j, PyObject* label, Code& code) const {
        PyObject* known = PyDict_GetItemWithError(nb::handle(states_[j]).ptr(), label);
        if (!known) {
            if (PyErr_Occurred()) throw nb::python_error();
            return ask(j, label, code);
        }
        code = static_cast<Code>(PyLong_AsLong(known));
        return 0;
    }

    // The code of a value that is spelled in another way than the states, or is none of them.
    template <class Code>
    Met ask(std::size_t j, PyObject* value, Code& code) const {
        const auto found = nb::cast<std::int64_t>(ask_(j, nb::handle(value)));
        if (found >= 0) {
            code = static_cast<Code>(found);
            return 0;
        }
        const std::int64_t unknown = rules_[j].unknown;
        code = unknown < 0 ? bayleaf::kMissing<Code> : static_cast<Code>(unknown);
        if (found == kStrange) return bayleaf::kMetOther;
        if (rules_[j].pools) return 0;
        return bayleaf::kMetUnknown | (unknown < 0 ? bayleaf::kMetMissing : 0);
    }

    nb::tuple names_;
    nb::tuple states_;  // per column a dict from label to code
    nb::object scalar_, ask_;
    std::vector<ColumnRule> rules_;
};

template <class Number>
bayleaf::NumberMatrix<Number> numbers(const Strided<const Number>& values) {
    return {values.data(), values.shape(0), values.shape(1), values.stride(0), values.stride(1)};
}

template <class Number, class Code>
Met read_numbers(const ValueReader& reader, const Strided<const Number>& values, Columns<Code> codes,
                 Vector<std::uint8_t> missing, Threads threads) {
    nb::gil_scoped_release release;
    reader.check_numbers(values.shape(1));
    return bayleaf::read_numbers(reader.rules(), numbers(values), codes.data(), missing.data(), threads);
}

// The tables of a network, whose variables are columns of the reader. They are Python's, and kept alive.
class NetworkTables {
  public:
    NetworkTables(Integers variables, Integers strides, Integers offsets, Integers table_offsets,
                  Vector<const std::uint8_t> has_query, Vector<const double> log_tables,
                  Vector<const double> fallback)
        : variables_(std::move(variables)),
          strides_(std::move(strides)),
          offsets_(std::move(offsets)),
          table_offsets_(std::move(table_offsets)),
          has_query_(std::move(has_query)),
          log_tables_(std::move(log_tables)),
          fallback_(std::move(fallback)) {}

    // One row: faster than letting another thread of Python run meanwhile.
    template <class Code>
    void score_row(const Vector<const Code>& codes, Vector<double> out) const {
        std::uint32_t position = 0;
        const bayleaf::CodeMatrix<Code> row{codes.data(), 1, codes.shape(0)};
        bayleaf::log_joint_block(row, factors(), log_tables_.data(), 0, 1, &position, out.data());
        bayleaf::normalize_block(out.data(), 1, out.shape(0), fallback_.data(), out.data());
    }

    template <class Number>
    Met score_numbers(const ValueReader& reader, bool wide, const Strided<const Number>& values,
                      bool normalised, Rows<double> out, Vector<std::uint8_t> incomplete,
                      Threads threads) const {
        nb::gil_scoped_release release;
        reader.check_numbers(values.shape(1));
        const auto score = wide ? bayleaf::score_numbers<Number, std::uint16_t>
                                : bayleaf::score_numbers<Number, std::uint8_t>;
        return score(reader.rules(), numbers(values), factors(), log_tables_.data(),
                     normalised ? fallback_.data() : nullptr, out.data(), incomplete.data(), threads);
    }

  private:
    bayleaf::Factors factors() const {
        return {span(variables_),     span(strides_),   span(offsets_),
                span(table_offsets_), span(has_query_), static_cast<std::int64_t>(fallback_.shape(0))};
    }

    Integers variables_, strides_, offsets_, table_offsets_;
    Vector<const std::uint8_t> has_query_;
    Vector<const double> log_tables_, fallback_;
};

template <class Number>
void bind_for_number(nb::class_<ValueReader>& reader, nb::class_<NetworkTables>& tables) {
    constexpr const char* kDoc =
        "Codes of an array of numbers; returns what was met, and per column whether a value is missing.";
    reader.def("read_numbers", &read_numbers<Number, std::uint8_t>, "values"_a.noconvert(),
               "codes"_a.noconvert(), "missing"_a.noconvert(), "n_jobs"_a.none(), kDoc);
    reader.def("read_numbers", &read_numbers<Number, std::uint16_t>, "values"_a.noconvert(),
               "codes"_a.noconvert(), "missing"_a.noconvert(), "n_jobs"_a.none(), kDoc);
    tables.def("score_numbers", &NetworkTables::score_numbers<Number>, "reader"_a, "wide"_a,
               "values"_a.noconvert(), "normalised"_a, "out"_a.noconvert(), "incomplete"_a.noconvert(),
               "n_jobs"_a.none(),
               "Posteriors, or log-joints, of the rows of an array of numbers that miss no value; the others "
               "are marked. Returns what was met.");
}

template <class Code>
void bind_for_code(nb::class_<ValueReader>& reader, nb::class_<NetworkTables>& tables) {
    reader.def("read_mapping", &ValueReader::read_mapping<Code>, "row"_a, "codes"_a.noconvert(),
               "Codes of a row given as a dict by column; returns what was met.");
    reader.def("read_values", &ValueReader::read_values<Code>, "row"_a, "codes"_a.noconvert(),
               "Codes of a row given as a tuple; returns what was met.");
    tables.def("score_row", &NetworkTables::score_row<Code>, "codes"_a.noconvert(), "out"_a.noconvert(),
               "Posterior of one row of codes, none of them missing.");
}

}  // namespace

void bind_value_reader(nb::module_& m) {
    nb::class_<ValueReader> reader(m, "ValueReader", "Reads the values of new rows by what fit has learned.");
    reader.def(nb::init<AnyTuple, AnyTuple, nb::object, nb::object>(), "names"_a, "states"_a, "scalar"_a,
               "ask"_a);
    reader.def("add_column", &ValueReader::add_column, "reading"_a, "points"_a.noconvert(),
               "codes"_a.noconvert(), "fill"_a, "unknown"_a, "pools"_a);
    nb::class_<NetworkTables> tables(m, "NetworkTables", "Family tables by which rows are scored.");
    tables.def(nb::init<Integers, Integers, Integers, Integers, Vector<const std::uint8_t>,
                        Vector<const double>, Vector<const double>>(),
               "variables"_a.noconvert(), "strides"_a.noconvert(), "offsets"_a.noconvert(),
               "table_offsets"_a.noconvert(), "has_query"_a.noconvert(), "log_tables"_a.noconvert(),
               "fallback"_a.noconvert());
    bind_for_code<std::uint8_t>(reader, tables);
    bind_for_code<std::uint16_t>(reader, tables);
    bind_for_number<double>(reader, tables);
    bind_for_number<float>(reader, tables);
    bind_for_number<std::int64_t>(reader, tables);
    bind_for_number<std::int32_t>(reader, tables);
    bind_for_number<std::uint8_t>(reader, tables);
}
