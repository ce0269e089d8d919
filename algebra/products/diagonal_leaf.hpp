// The streaks of a leaf times x, by rows: a lane adds up its rows' products in registers, over all streaks, and hands
// on each sum once. Values and x are read by lanes side by side.
//
//   rows    lane 0: 0, 32, 64, 96     lane 1: 1, 33, 65, 97     ...     a second time for those from 128 on
//
// Streaks of a leaf share rows (a stencil's have nearly all of them each). Streak by streak, each waits until the sums
// of the one before are in memory, and nothing of it is on its way meanwhile.
#pragma once

#include <copse/algebra/products/sparse_leaf.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>

namespace copse::detail {

/// Rows whose sums the lanes have in registers at once.
inline constexpr int streak_rows_at_once = 128;

/// Streaks whose values are on their way at once.
inline constexpr int streaks_at_once = 2;

/// add_streaks_by_rows(), for leaves whose streaks have their values so.
/// The two places share the walk over the streaks. They differ in how a streak's end is known and in how addresses are
/// computed: with either way for both, kernels spill 12 to 56 bytes more (nvcc 13.0, sm_90).
template <leaf_place Place, stored_values Stored, class T, class V, lanes_worker Worker, class Add>
COPSE_HOST_DEVICE COPSE_INLINE void add_stored_streaks(diagonal_leaf_view<T> const& leaf, int rows, V const* x,
                                                       Worker& w, Add add) {
    bool constexpr once = Stored == stored_values::once, on_chip = Place == leaf_place::on_chip;
    int constexpr lanes = Worker::size(), own_rows = streak_rows_at_once / lanes;
    int constexpr at_once = once && !on_chip ? 1 : streaks_at_once;
    static_assert(own_rows >= 1 && (!on_chip || lanes % at_once == 0));
    packed_streaks const streaks(leaf.streaks);
    COPSE_NO_UNROLL
    for (int base = 0; base < rows; base += streak_rows_at_once) {
        int const own = base + w.rank();
        int before = 0;  // values of the streaks before
        V sums[own_rows]{};
        COPSE_NO_UNROLL
        for (int group = 0; group < leaf.streaks.count; group += lanes) {
            int const here = leaf.streaks.count - group < lanes ? leaf.streaks.count - group : lanes;
            // On chip with the length, not the last row: 0 is a streak without rows.
            std::uint32_t const mine = w.rank() < here ? streaks[group + w.rank()] + (on_chip ? 1 << 16 : 0) : 0;
            COPSE_NO_UNROLL
            for (int k = 0; k < here; k += at_once) {
                V factor[at_once][own_rows];
                [[maybe_unused]] T value[at_once][own_rows];                             // of memory
                [[maybe_unused]] T const* stored[at_once];                               // on chip
                [[maybe_unused]] std::uint32_t row_in_streak[at_once], length[at_once];  // the same
                COPSE_UNROLL
                for (int s = 0; s < at_once; ++s) {
                    std::uint32_t const streak = w.shuffle(mine, (k + s) % lanes);
                    if constexpr (on_chip) {
                        int const row = packed_streaks::row(streak);
                        length[s] = streak >> 16;
                        row_in_streak[s] = static_cast<std::uint32_t>(own - row);
                        stored[s] = leaf.streak_values.first + (once ? before : before + own - row);
                        V const* const factors = x + own + (packed_streaks::column(streak) - row);
                        COPSE_UNROLL
                        for (int i = 0; i < own_rows; ++i)
                            factor[s][i] =
                                row_in_streak[s] + i * lanes < length[s] ? w.load(factors + i * lanes) : V(0);
                        before += once ? 1 : static_cast<int>(length[s]);
                    } else {
                        std::uint32_t const last = packed_streaks::last(streak);
                        int const first = own - packed_streaks::row(streak);
                        bool const is_one = k + s < here;
                        T const* const from = leaf.streak_values.first + (once ? before : before + first);
                        V const* const factors = x + (packed_streaks::column(streak) + first);
                        COPSE_UNROLL
                        for (int i = 0; i < own_rows; ++i) {
                            bool const there = is_one && static_cast<std::uint32_t>(first + i * lanes) <= last;
                            value[s][i] = there ? w.load_stream(from + (once ? 0 : i * lanes)) : T(0);
                            factor[s][i] = there ? w.load(factors + i * lanes) : V(0);
                        }
                        before += once ? 1 : static_cast<int>(last) + 1;
                    }
                }
                COPSE_UNROLL
                for (int s = 0; s < at_once; ++s) {
                    COPSE_UNROLL
                    for (int i = 0; i < own_rows; ++i) {
                        if constexpr (!on_chip)
                            sums[i] += static_cast<V>(value[s][i]) * factor[s][i];
                        else if (row_in_streak[s] + i * lanes < length[s])
                            sums[i] += static_cast<V>(stored[s][once ? 0 : i * lanes]) * factor[s][i];
                    }
                }
            }
        }
        COPSE_UNROLL
        for (int i = 0; i < own_rows; ++i)
            if (own + i * lanes < rows) add(own + i * lanes, sums[i]);
    }
}

/// add(row, sum) for rows 0 .. rows - 1 of the leaf, each by one lane, once: the sum over the leaf's streaks of value *
/// x[column], streak after streak; 0 where none has the row. The order of a sum depends on the leaf alone. Streaks end
/// before `rows`. Collective.
/// In a row that a streak does not have, values in memory add 0 * 0. Values on chip are read when they are needed, and
/// leave such rows out: 80 instructions for 110, and the same bits once the sums are added to others, which are not -0.
template <leaf_place Place = leaf_place::tree, class T, class V, lanes_worker Worker, class Add>
COPSE_HOST_DEVICE COPSE_INLINE void add_streaks_by_rows(diagonal_leaf_view<T> const& leaf, int rows, V const* x,
                                                        Worker& w, Add add) {
    if (leaf.streak_values.once())  // a loop of its own: to tell them apart in one took registers that it has not
        add_stored_streaks<Place, stored_values::once>(leaf, rows, x, w, add);
    else
        add_stored_streaks<Place, stored_values::each>(leaf, rows, x, w, add);
}

template <class T, class V, class Sums, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_products(diagonal_leaf_view<T> const& leaf, leaf_portion const& portion,
                                                 V const* x, Sums& sums, Worker& w) {
    add_products(leaf.others, portion, x, sums, w);
    sums.begin_rows();
    add_streaks_by_rows(leaf, portion.rows, x, w, [&](int row, V sum) { sums.add_alone(row, sum); });
    sums.end_rows();
}

}  // namespace copse::detail
