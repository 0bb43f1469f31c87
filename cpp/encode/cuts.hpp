// Numbers of any type and stride: codes by cut points, values by class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bayleaf {

// A column inside a table; the stride is in elements.
template <class Number>
struct NumberView {
    const Number* data;
    std::size_t size;
    std::int64_t stride;

    double operator[](std::size_t i) const {
        return static_cast<double>(data[static_cast<std::int64_t>(i) * stride]);
    }
};

struct OddValues {
    std::size_t missing = 0;  // NaN
    std::size_t infinite = 0;
};

// The code of a value is the number of cuts (ascending) below it; NaN becomes `missing`.
template <class Number, class Code>
OddValues code_by_cuts(const NumberView<Number>& values, std::span<const double> cuts, Code missing,
                       Code* out);

// Copies the values of class c, as far as they are known, to out[starts[c]] and on, in ascending order, and
// counts them. There is room for all rows of the class, and in `spare` for those of the largest. What is
// written are the bits of floats.
template <class Number, class Label>
void sort_by_class(const NumberView<Number>& values, const Label* classes,
                   std::span<const std::int64_t> starts, std::uint64_t* out, std::uint64_t* spare,
                   std::int64_t* counts);

template <class Number>
void value_range(const NumberView<Number>& values, Number* least, Number* greatest);

// counts[(value - lowest) * n_classes + class] is increased for each row.
template <class Number, class Label>
void count_by_class(const NumberView<Number>& values, const Label* classes, std::size_t n_classes,
                    Number lowest, std::int64_t* counts);

}  // namespace bayleaf
