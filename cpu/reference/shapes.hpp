// The checks that every product and every addition makes before it touches anything.
#pragma once

#include <copse/runtime/error.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace copse::detail {

/// Throws shape_error unless an operand has as many elements (or rows: counted_in) as the operation with op(A), m x n,
/// wants. The message ends with `advice`.
inline void check_vector_size(std::string const& operation, std::int64_t m, std::int64_t n, char const* name,
                              std::int64_t size, std::int64_t wanted, char const* advice = "",
                              char const* counted_in = "elements") {
    if (size != wanted)
        throw shape_error(operation + ": op(A) is " + std::to_string(m) + " x " + std::to_string(n) + ", so " + name +
                          " must have " + std::to_string(wanted) + ' ' + counted_in + "; it has " +
                          std::to_string(size) + advice);
}

/// For a product with op(A), m x n, whose operands do not fit: what to do if they fit the transpose.
inline char const* advice_on_transpose(std::int64_t m, std::int64_t n, std::int64_t x_size, std::int64_t y_size) {
    return x_size == m && y_size == n ? "; both operands fit the transpose of op(A): multiply with that" : "";
}

/// Throws shape_error unless x and y fit y <- op(A) x, where op(A) is m x n.
inline void check_product_shapes(std::string const& operation, std::int64_t m, std::int64_t n, std::int64_t x_size,
                                 std::int64_t y_size) {
    char const* const advice = advice_on_transpose(m, n, x_size, y_size);
    check_vector_size(operation, m, n, "x", x_size, n, advice);
    check_vector_size(operation, m, n, "y", y_size, m, advice);
}
/// The same where A is row_count x column_count.
inline void check_product_shapes(std::int64_t row_count, std::int64_t column_count, bool transposed, std::size_t x_size,
                                 std::size_t y_size) {
    check_product_shapes("spmv", transposed ? column_count : row_count, transposed ? row_count : column_count,
                         static_cast<std::int64_t>(x_size), static_cast<std::int64_t>(y_size));
}

/// Throws shape_error unless op(A) and op(B) have one shape; A is a_rows x a_columns as stored, B likewise.
inline void check_sum_shapes(std::int64_t a_rows, std::int64_t a_columns, bool transpose_a, std::int64_t b_rows,
                             std::int64_t b_columns, bool transpose_b) {
    auto const m = transpose_a ? a_columns : a_rows;
    auto const n = transpose_a ? a_rows : a_columns;
    auto const other_m = transpose_b ? b_columns : b_rows;
    auto const other_n = transpose_b ? b_rows : b_columns;
    if (m == other_m && n == other_n) return;
    auto const operand = [](char const* name, bool transposed, std::int64_t rows, std::int64_t columns) {
        return (transposed ? "the transpose of " : "") + std::string(name) + " is " + std::to_string(rows) + " x " +
               std::to_string(columns);
    };
    throw shape_error(operand("A", transpose_a, m, n) + ", " + operand("B", transpose_b, other_m, other_n) +
                      ": only matrices of one shape can be added");
}

}  // namespace copse::detail
