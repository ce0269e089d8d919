// What two matrices must have in common where their nodes meet.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <string>

namespace copse::detail {

/// Throws shape_error if the matrices have different shapes, argument_error if their nodes have different dimensions;
/// the messages begin with the operation and name both.
template <class T>
void check_alike(std::string const& operation, std::string const& name_of_a, hisparse<T> const& a,
                 std::string const& name_of_b, hisparse<T> const& b) {
    auto const m = a.row_count(), n = a.column_count();
    if (m != b.row_count() || n != b.column_count())
        throw shape_error(operation + ": " + name_of_a + " is " + std::to_string(m) + " x " + std::to_string(n) + ", " +
                          name_of_b + " is " + std::to_string(b.row_count()) + " x " +
                          std::to_string(b.column_count()) + "; they must have the same shape" +
                          (m == b.column_count() && n == b.row_count() ? ": take the transpose of one" : ""));
    if (a.node_dimension() != b.node_dimension())
        throw argument_error(operation + ": " + name_of_a + " has nodes of " + std::to_string(a.node_dimension()) +
                             " rows, " + name_of_b + " of " + std::to_string(b.node_dimension()) +
                             "; convert both with the same node_dimension");
}

}  // namespace copse::detail
