// A product with many columns is one with some of them after the other.
#pragma once

#include <algorithm>
#include <copse/algebra/columns/column_tasks.hpp>
#include <copse/formats/dense_view.hpp>
#include <cstdint>

namespace copse::detail {

/// f(operands, first column) for stretches of up to `at_once` columns.
template <class V, class F>
void for_each_column_stretch(dense_view<V const> const& x, dense_view<V> const& y, V factor, V beta, int at_once,
                             F const& f) {
    for (std::int64_t c = 0; c < y.column_count(); c += at_once) {
        int const columns = static_cast<int>(std::min<std::int64_t>(at_once, y.column_count() - c));
        V* const y_there = y.data() + c * y.column_step();
        f(column_operands<V>{x.data() + c * x.column_step(),
                             x.row_step(),
                             x.column_step(),
                             {factor, beta, y_there, y.row_step(), y.column_step(), columns}},
          c);
    }
}

}  // namespace copse::detail
