// Products with several columns on the cpu.
#pragma once

#include <algorithm>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/cpu/columns/column_products.hpp>
#include <copse/formats/dense_view.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>

namespace copse::detail {

/// From this size on, in bytes, Y has left the caches by the time that the product is done.
inline constexpr std::int64_t bytes_past_caches = 16 << 20;

/// X in columns first .. first + columns - 1, by rows: as it is, or a copy.
template <class V>
class rows_of_columns {
  public:
    rows_of_columns(cpu const& executor, dense_view<V const> const& x, std::int64_t first, int columns)
        : rows_{x.data() + first * x.column_step(), x.row_step(), columns} {
        if (x.column_step() == 1 || x.row_count() == 0) return;
        std::int64_t const step = sums_step<V>(columns);
        copy_ = {executor.memory(), x.row_count() * step};
        V* const to = copy_.data();
        auto const from = rows_.x;
        on_threads_of(executor, [&] {
            for_stretches(x.row_count(), 256, [&](std::int64_t begin, std::int64_t end) {
                for (int c = 0; c < columns; ++c)
                    for (std::int64_t i = begin; i < end; ++i)
                        to[i * step + c] = from[c * x.column_step() + i * x.row_step()];
            });
        });
        rows_ = {to, step, columns};
    }
    column_rows<V> const& rows() const { return rows_; }

  private:
    column_rows<V> rows_;
    buffer<V> copy_;
};

/// By a plan. Operands are checked, and have a column at least.
template <class T, class V>
void replay_columns_on_cpu(cpu& executor, V alpha, spmv_plan<T> const& plan, dense_view<V const> const& x, V beta,
                           dense_view<V> const& y);

}  // namespace copse::detail
