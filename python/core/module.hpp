// The parts of the extension module copse._core; one file each.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>  // in all files: a converter that one of them lacks is no error of the compiler
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

namespace copse::python {

namespace nb = nanobind;
class matrix;

void add_errors(nb::module_& m);
void add_matrix(nb::module_& m, nb::class_<matrix>& c);
void add_conversions(nb::module_& m, nb::class_<matrix>& c);
void add_products(nb::class_<matrix>& c);
void add_operations(nb::class_<matrix>& c);
void add_leaves(nb::class_<matrix>& c);
void add_spy(nb::class_<matrix>& c);
void add_sums(nb::module_& m);
void add_vectors(nb::module_& m);

}  // namespace copse::python
