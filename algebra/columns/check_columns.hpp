// What operands with several columns have in common: memory, sizes.
#pragma once

#include <copse/algebra/products/check_operands.hpp>
#include <copse/formats/dense_view.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace copse::detail {

/// Whether they have elements in common. Two of one layout and leading dimension may lie in one array, side by side.
template <class V>
bool overlap(dense_view<V const> const& x, dense_view<V const> const& y) {
    std::less<V const*> const before;
    if (x.extent() == 0 || y.extent() == 0) return false;
    if (!before(x.data(), y.data() + y.extent()) || !before(y.data(), x.data() + x.extent())) return false;
    std::int64_t const period = x.leading_dimension();
    if (x.layout() != y.layout() || y.leading_dimension() != period) return true;
    bool const by_rows = x.layout() == dense_layout::row_major;
    std::int64_t const x_length = by_rows ? x.column_count() : x.row_count(),
                       y_length = by_rows ? y.column_count() : y.row_count();
    std::int64_t const place = ((y.data() - x.data()) % period + period) % period;
    return place < x_length || place + y_length > period;
}

/// For Y <- op(A) X, op(A) rows x columns.
template <class V>
void check_columns(std::string const& operation, std::int64_t rows, std::int64_t columns, dense_view<V const> const& x,
                   dense_view<V> const& y, memory_space space) {
    char const* const advice = advice_on_transpose(rows, columns, x.row_count(), y.row_count());
    check_vector_size(operation, rows, columns, "X", x.row_count(), columns, advice, "rows");
    check_vector_size(operation, rows, columns, "Y", y.row_count(), rows, advice, "rows");
    if (x.column_count() != y.column_count())
        throw shape_error(operation + ": X has " + std::to_string(x.column_count()) +
                          " columns, so Y must have as many; it has " + std::to_string(y.column_count()));
    check_space(operation, x.space(), "X", space);
    check_space(operation, y.space(), "Y", space);
    if (overlap<V>(x, y)) throw argument_error(operation + ": X and Y overlap; give Y memory of its own");
}

}  // namespace copse::detail
