// copse._core: what the Python package copse is written on. Its names may change at any time.
#include "module.hpp"

#include "matrix.hpp"

NB_MODULE(_core, m) {
    namespace python = copse::python;
    m.doc() = "The C++ part of the package copse. Not for use by programs: its names may change at any time.";
    python::add_errors(m);
    auto c = python::nb::class_<python::matrix>(m, "matrix", "A matrix in one of the formats. Never changes.");
    python::add_matrix(m, c);
    python::add_conversions(m, c);
    python::add_products(c);
    python::add_operations(c);
    python::add_leaves(c);
    python::add_spy(c);
    python::add_sums(m);
    python::add_vectors(m);
}
