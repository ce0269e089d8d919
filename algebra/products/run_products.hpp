// The runs of a leaf times x, by rows: a lane adds up its rows' products in registers, over all runs, and hands on each sum
// once. Values and x are read by lanes side by side.
//
//   rows    lane 0: 0, 32, 64, 96     lane 1: 1, 33, 65, 97     ...     a second time for those from 128 on
//
// Runs of a leaf share rows (a stencil's have nearly all of them each). Run by run, each waits until the sums of the one
// before are in memory, and nothing of it is on its way meanwhile.
#pragma once

#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Rows whose sums the lanes have in registers at once.
inline constexpr int run_rows_at_once = 128;

/// add(row, sum) for rows 0 .. rows - 1 of the leaf, each by one lane, once: the sum over the leaf's runs of value * x[column],
/// run after run; 0 where none has the row. The order of a sum depends on the leaf alone. Runs end before `rows`.
/// Collective.
template <class T, class V, class Worker, class Add>
COPSE_HOST_DEVICE COPSE_INLINE void add_runs_by_rows(diagonal_leaf_view<T> const& leaf, int rows, V const* x, Worker& w,
                                                     Add add) {
    int constexpr lanes = Worker::size(), own_rows = run_rows_at_once / lanes;
    static_assert(own_rows >= 1 && !Worker::on_cpu);
    // Distances: pointers would be live in twice as many registers.
    auto const to_columns = static_cast<int>(leaf.first_columns - leaf.first_rows);
    auto const to_last = static_cast<int>(leaf.last - leaf.first_rows);
    COPSE_NO_UNROLL
    for (int base = 0; base < rows; base += run_rows_at_once) {
        int const own = base + w.rank();
        int before = 0;  // values of the runs before
        V sums[own_rows]{};
        COPSE_NO_UNROLL
        for (int group = 0; group < leaf.runs; group += lanes) {
            int const here = leaf.runs - group < lanes ? leaf.runs - group : lanes;
            std::uint32_t mine = 0;  // first row, first column, last
            if (w.rank() < here) {
                std::uint8_t const* const run = leaf.first_rows + group + w.rank();
                mine = run[0] | std::uint32_t{run[to_columns]} << 8 | std::uint32_t{run[to_last]} << 16;
            }
            COPSE_NO_UNROLL
            for (int k = 0; k < here; ++k) {
                std::uint32_t const run = w.shuffle(mine, k);
                std::uint32_t const last = run >> 16;
                int const first = own - static_cast<int>(run & 255);
                T const* const from = leaf.run_values + (before + first);
                V const* const factors = x + (static_cast<int>(run >> 8 & 255) + first);
                T value[own_rows];
                V factor[own_rows];
                COPSE_UNROLL
                for (int i = 0; i < own_rows; ++i) {
                    bool const there = static_cast<std::uint32_t>(first + i * lanes) <= last;
                    value[i] = there ? w.load_stream(from + i * lanes) : T(0);
                    factor[i] = there ? factors[i * lanes] : V(0);
                }
                COPSE_UNROLL
                for (int i = 0; i < own_rows; ++i) sums[i] += static_cast<V>(value[i]) * factor[i];
                before += static_cast<int>(last) + 1;
            }
        }
        COPSE_UNROLL
        for (int i = 0; i < own_rows; ++i)
            if (own + i * lanes < rows) add(own + i * lanes, sums[i]);
    }
}

}  // namespace copse::detail
