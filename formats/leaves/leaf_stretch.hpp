// Entries of a leaf that lie side by side, read by the lanes of a worker: lists, blocks of wide leaves and dense leaves
// share the loop in which f is called, which may be long.
//
//   f(i, row, column, value)   the number of the entry among the leaf's (in a dense leaf: its position), coordinates in
//                              the leaf. Not collective: f may be called for some lanes and not for others.
#pragma once

#include <array>
#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstdint>

namespace copse::detail {

/// What is loaded for f: all of each entry, or not its value, and f(i, row, column) is called.
enum class visited { entries, positions };

/// Which leaves a function is compiled for: those of a kind, and of the kinds listed before it. Less code takes fewer
/// registers.
enum class leaf_kinds { sparse, diagonal, dense, wide };

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_one(F& f, int i, int row, int column, T const& value) {
    if constexpr (What == visited::entries)
        f(i, row, column, value);
    else
        f(i, row, column);
}

/// Entries of a leaf that lie side by side, with coordinates of one byte or of two, or of a dense leaf, whose entries
/// have their positions' and perhaps a bit that says whether they are there. Small: it stays in registers while f is at
/// work.
template <class T>
struct leaf_stretch {
    enum class kind { bytes, words, dense, dense_transposed };

    kind stored;
    entry_values<T> values;
    void const* rows;  // dense: the presence bits, or null
    void const* columns;
    int count;

    /// How many entries before the first one loads begin that get N entries each.
    template <int N>
    COPSE_HOST_DEVICE COPSE_INLINE int skew() const {
        int const bytes = static_cast<int>(reinterpret_cast<std::uintptr_t>(rows) & 15);
        return stored == kind::bytes ? bytes % N : stored == kind::words ? bytes / 2 % N : 0;
    }
};

/// Entries that a lane has at once.
template <class T, int N>
struct lane_entries {
    int rows[N];
    int columns[N];
    std::array<T, N> values;
    std::uint32_t mine;  // bit j: j is an entry, and this lane's

    /// Those that are neither before entry 0 nor behind the last, where the first is entry k.
    COPSE_HOST_DEVICE COPSE_INLINE void keep_own(int k, int count) {
        if (k < 0) mine &= ~0u << -k;
        if (count - k < N) mine &= (1u << (count - k)) - 1;
    }
};

/// p[0], or p[0 .. N) where it is not `single`.
template <int N, class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::array<T, N> load_some(T const* p, bool single, Worker& w) {
    p = in_global_memory(p);
    std::array<T, N> some{};
    if (single)
        some[0] = *p;
    else
        some = w.template load_vector<N>(p);
    return some;
}

/// The same of values, which are read once: coordinates are, for a union, twice.
template <int N, class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::array<T, N> load_values(T const* p, bool single, Worker& w) {
    p = in_global_memory(p);
    std::array<T, N> some{};
    if (single)
        some[0] = w.load_stream(p);
    else
        some = w.template load_stream_vector<N>(p);
    return some;
}

/// Entries k .. k + N - 1 of a stretch in a leaf of d = 2^log2, or k alone where it is `single`.
template <visited What, leaf_kinds Kinds, int N, class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE lane_entries<T, N> load_entries(leaf_stretch<T> const& s, int log2, int k, bool single,
                                                               Worker& w) {
    using stored = typename leaf_stretch<T>::kind;
    lane_entries<T, N> e{};
    e.mine = single ? 1 : (1u << N) - 1;
    if (What == visited::entries) e.values = load_values<N>(s.values.at(k), single, w);
    auto const load_list = [&]<class Coordinate>(Coordinate const* rows, Coordinate const* columns) {
        auto const r = load_some<N>(rows + k, single, w), c = load_some<N>(columns + k, single, w);
        COPSE_UNROLL
        for (std::size_t j = 0; j < N; ++j) {
            e.rows[j] = r[j];
            e.columns[j] = c[j];
        }
    };
    if (Kinds <= leaf_kinds::diagonal || s.stored == stored::bytes) {
        load_list(static_cast<std::uint8_t const*>(s.rows), static_cast<std::uint8_t const*>(s.columns));
    } else if (Kinds >= leaf_kinds::wide && s.stored == stored::words) {
        load_list(static_cast<std::uint16_t const*>(s.rows), static_cast<std::uint16_t const*>(s.columns));
    } else {
        auto const* const presence = static_cast<std::uint32_t const*>(s.rows);
        if (presence != nullptr) e.mine &= in_global_memory(presence)[k / 32] >> (k % 32);
        bool const transposed = s.stored == stored::dense_transposed;
        int const row = k >> log2, column = k & ((1 << log2) - 1);
        COPSE_UNROLL
        for (int j = 0; j < N; ++j) {
            e.rows[j] = transposed ? column + j : row;
            e.columns[j] = transposed ? row : column + j;
        }
    }
    if (!single) e.keep_own(k, s.count);
    return e;
}

template <visited What, leaf_kinds Kinds = leaf_kinds::wide, class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_stretch(Worker& w, leaf_stretch<T> const& s, int log2, F f) {
    int constexpr values_per_load = static_cast<int>(16 / sizeof(T));
    // An entry each, where there are few; lists of one and two entries are not padded.
    bool const single = s.count <= w.size();
    int const step = single ? 1 : values_per_load;
    COPSE_NO_UNROLL
    for (int k = w.rank() * step - (single ? 0 : s.template skew<values_per_load>()); k < s.count;
         k += w.size() * step) {
        auto const e = load_entries<What, Kinds, values_per_load>(s, log2, k, single, w);
        COPSE_UNROLL
        for (int j = 0; j < values_per_load; ++j)
            if ((e.mine >> j & 1) != 0)
                visit_one<What>(f, k + j, e.rows[j], e.columns[j], e.values[static_cast<std::size_t>(j)]);
    }
}

}  // namespace copse::detail
