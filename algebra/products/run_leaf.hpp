// The runs of a leaf times x, by rows: a lane adds up its rows' products in registers, over all runs, and hands on each
// sum once. Values and x are read by lanes side by side.
//
//   rows    lane 0: 0, 32, 64, 96     lane 1: 1, 33, 65, 97     ...     a second time for those from 128 on
//
// Runs of a leaf share rows (a stencil's have nearly all of them each). Run by run, each waits until the sums of the
// one before are in memory, and nothing of it is on its way meanwhile.
#pragma once

#include <copse/algebra/products/list_leaf.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>

namespace copse::detail {

/// Rows whose sums the lanes have in registers at once.
inline constexpr int run_rows_at_once = 128;

/// add(row, sum) for rows 0 .. rows - 1 of the leaf, each by one lane, once: the sum over the leaf's runs of value *
/// x[column], run after run; 0 where none has the row. The order of a sum depends on the leaf alone. Runs end before
/// `rows`. Collective.
template <class T, class V, lanes_worker Worker, class Add>
COPSE_HOST_DEVICE COPSE_INLINE void add_runs_by_rows(run_leaf_view<T> const& leaf, int rows, V const* x, Worker& w,
                                                     Add add) {
    int constexpr lanes = Worker::size(), own_rows = run_rows_at_once / lanes;
    static_assert(own_rows >= 1);
    packed_runs const runs(leaf.runs);
    COPSE_NO_UNROLL
    for (int base = 0; base < rows; base += run_rows_at_once) {
        int const own = base + w.rank();
        int before = 0;  // values of the runs before
        V sums[own_rows]{};
        COPSE_NO_UNROLL
        for (int group = 0; group < leaf.runs.count; group += lanes) {
            int const here = leaf.runs.count - group < lanes ? leaf.runs.count - group : lanes;
            std::uint32_t const mine = w.rank() < here ? runs[group + w.rank()] : 0;
            COPSE_NO_UNROLL
            for (int k = 0; k < here; ++k) {
                std::uint32_t const run = w.shuffle(mine, k);
                std::uint32_t const last = packed_runs::last(run);
                int const first = own - packed_runs::row(run);
                T const* const from = leaf.run_values + (before + first);
                V const* const factors = x + (packed_runs::column(run) + first);
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

template <class T, class V, class Sums, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_products(run_leaf_view<T> const& leaf, leaf_share const& share, V const* x,
                                                 Sums& sums, Worker& w) {
    add_products(leaf.others, share, x, sums, w);
    sums.begin_rows();
    add_runs_by_rows(leaf, share.rows, x, w, [&](int row, V sum) { sums.add_alone(row, sum); });
    sums.end_rows();
}

}  // namespace copse::detail
