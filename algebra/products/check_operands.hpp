// What operands of an operation have in common: memory, sizes.
#pragma once

#include <copse/cpu/reference/shapes.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <string>

namespace copse::detail {

inline void check_space(std::string const& operation, memory_space given, std::string const& what,
                        memory_space wanted) {
    auto const name = [](memory_space space) { return space == memory_space::host ? "host" : "device"; };
    if (given != wanted)
        throw argument_error(operation + ": " + what + " is in " + name(given) + " memory, but the executor works in " +
                             name(wanted) + " memory; make it with the same executor (copse::buffer, copse::hisparse)");
}

/// `written` is a result.
template <class V>
void check_apart(std::string const& operation, char const* name, vector_view<V const> a, char const* written,
                 vector_view<V const> b) {
    if (a.size() > 0 && b.size() > 0 && a.data() < b.data() + b.size() && b.data() < a.data() + a.size())
        throw argument_error(operation + ": " + name + " and " + written + " overlap; give " + written +
                             " memory of its own");
}

/// For y <- op(A) x, op(A) rows x columns.
template <class V>
void check_product(std::string const& operation, std::int64_t rows, std::int64_t columns, vector_view<V const> x,
                   vector_view<V> y, memory_space space) {
    check_product_shapes(operation, rows, columns, x.size(), y.size());
    check_space(operation, x.space(), "x", space);
    check_space(operation, y.space(), "y", space);
    check_apart<V>(operation, "x", x, "y", y);
}

}  // namespace copse::detail
