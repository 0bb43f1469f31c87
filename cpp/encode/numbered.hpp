// Numbered labels on their way to Python.
#pragma once

#include "common/bindings.hpp"
#include "encode/arrow_labels.hpp"

// The labels, and the code of each row.
using Numbered = nb::typed<nb::tuple, nb::any, nb::any>;

// The codes as a numpy array, which owns their memory from now on.
nb::object codes_array(bayleaf::NarrowCodes& codes);

inline Numbered numbered(nb::handle labels, bayleaf::NarrowCodes& codes) {
    return nb::borrow<Numbered>(nb::make_tuple(labels, codes_array(codes)));
}
