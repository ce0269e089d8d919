// The flat formats by their names, with their options.
#pragma once

#include <copse/formats/flat_formats.hpp>
#include <copse/runtime/error.hpp>
#include <string>
#include <tuple>
#include <type_traits>

namespace copse::bench::measure {

template <class Matrix, class... Others>
struct flat_format_of {
    template <class F>
    static auto with(std::string const& name, F& f) {
        if (name == Matrix::name) return f(std::type_identity<Matrix>());
        if constexpr (sizeof...(Others) > 0) return flat_format_of<Others...>::with(name, f);
        throw argument_error("'" + name + "' is no flat format");
    }
};

/// f(std::type_identity<Matrix>()): Matrix(executor, csr<T>) makes a matrix of the format. Throws argument_error for a
/// name that is none of flat_format_names.
template <class T, class F>
auto with_flat_format(std::string const& name, F f) {
    return flat_matrices<T, flat_format_of>::with(name, f);
}

template <class... Matrix>
using options_of_matrices = std::tuple<typename Matrix::options_type...>;

/// How matrices are made, by format.
using flat_options = flat_matrices<double, options_of_matrices>;

/// Matrix(executor, a), with the options that belong to it.
template <class Matrix, class Executor>
Matrix make_flat(Executor& executor, csr<typename Matrix::value_type> const& a, flat_options const& options) {
    return {executor, a, std::get<typename Matrix::options_type>(options)};
}

}  // namespace copse::bench::measure
