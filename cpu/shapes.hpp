// The one check that every product makes before it touches anything.
#pragma once

#include <copse/runtime/error.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace copse {

/// Throws shape_error unless x and y fit y <- op(A) x, where A is row_count x column_count.
inline void check_product_shapes(std::int64_t row_count, std::int64_t column_count, bool transposed, std::size_t x_size,
                                 std::size_t y_size) {
    auto const m = transposed ? column_count : row_count;
    auto const n = transposed ? row_count : column_count;
    auto const wrong = [&](char const* vector, std::int64_t needed, std::size_t size) {
        throw shape_error(std::string(transposed ? "the transpose of A is " : "A is ") + std::to_string(m) + " x " +
                          std::to_string(n) + ": " + vector + " must have " + std::to_string(needed) +
                          " elements, but it has " + std::to_string(size));
    };
    if (x_size != static_cast<std::size_t>(n)) wrong("x", n, x_size);
    if (y_size != static_cast<std::size_t>(m)) wrong("y", m, y_size);
}

}  // namespace copse
