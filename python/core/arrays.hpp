// Arrays of Python (NumPy, CuPy, DLPack) as views: nothing is copied. An array that is not contiguous, of a type that
// the library does not take, or in another memory than the matrix, is refused here; copse/_arrays.py and
// copse/_devices.py make others of them before.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <copse/formats/csr.hpp>
#include <copse/formats/dense_view.hpp>
#include <copse/formats/views.hpp>
#include <copse/runtime/buffer.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

#include "places.hpp"

namespace copse::python {

namespace nb = nanobind;

/// One dimension, in any memory, read only.
using array_in = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>;
using array_out = nb::ndarray<nb::ndim<1>, nb::c_contig>;
/// Two dimensions, by rows.
using columns_in = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig>;
using columns_out = nb::ndarray<nb::ndim<2>, nb::c_contig>;

template <class T, class Array>
bool holds(Array const& array) {
    return array.dtype() == nb::dtype<T>();
}

/// Throws nb::type_error, which names the argument.
[[noreturn]] void refuse_type(char const* name, char const* wanted);
/// Throws nb::type_error unless an array on a device of that kind and number (DLPack's) lies where the matrix does.
void check_place(char const* name, int kind, int device, place where);

template <class T, class Array>
void check_array(char const* name, Array const& array, place where) {
    if (!holds<T>(array)) refuse_type(name, sizeof(T) == 4 ? "float32" : "float64");
    check_place(name, array.device_type(), array.device_id(), where);
}

/// The elements, of T and where the matrix is.
template <class T>
vector_view<T const> values_of(char const* name, array_in const& array, place where = {}) {
    check_array<T>(name, array, where);
    return {static_cast<T const*>(array.data()), static_cast<std::int64_t>(array.size()), where.space()};
}
template <class T>
vector_view<T> values_of(char const* name, array_out const& array, place where = {}) {
    check_array<T>(name, array, where);
    return {static_cast<T*>(array.data()), static_cast<std::int64_t>(array.size()), where.space()};
}

template <class V, class Array>
dense_view<V> columns_of(char const* name, Array const& array, place where) {
    check_array<std::remove_const_t<V>>(name, array, where);
    vector_view<V> const all(static_cast<V*>(array.data()), static_cast<std::int64_t>(array.size()), where.space());
    return row_major(all, static_cast<std::int64_t>(array.shape(0)), static_cast<std::int64_t>(array.shape(1)));
}

/// Integers of 32 or 64 bits.
index_view indices_of(char const* name, array_in const& array, place where = {});

/// f(T()), T the type of the array: float or double.
template <class F>
auto with_value_type(char const* name, array_in const& array, F f) {
    if (holds<float>(array)) return f(float());
    if (holds<double>(array)) return f(double());
    refuse_type(name, "float32 or float64");
}

}  // namespace copse::python
