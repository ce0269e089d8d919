// What operands of an operation have in common: memory, sizes.
#pragma once

#include <copse/cpu/shapes.hpp>
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

/// For y <- op(A) x, op(A) rows x columns.
template <class V>
void check_product(std::string const& operation, std::int64_t rows, std::int64_t columns, vector_view<V const> x,
                   vector_view<V> y, memory_space space) {
    check_product_shapes(operation, rows, columns, x.size(), y.size());
    check_space(operation, x.space(), "x", space);
    check_space(operation, y.space(), "y", space);
    if (x.size() > 0 && y.size() > 0 && x.data() < y.data() + y.size() && y.data() < x.data() + x.size())
        throw argument_error(operation + ": x and y overlap; give y memory of its own");
}

}  // namespace copse::detail
