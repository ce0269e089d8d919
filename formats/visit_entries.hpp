// The entries of a leaf of any kind, shared among the lanes of a worker. In tasks of your own:
//
//   copse::for_each_entry<double>(w, tree, leaf, [&](std::int64_t row, std::int64_t column, double value) { ... });
//
// Within:
//
//   f(i, row, column, value)   the number of the entry among the leaf's (in a dense leaf: its position), coordinates in
//                              the leaf. Not collective: f may be called for some lanes and not for others.
//
// One lane goes through the arrays. Many load 16 bytes of values at once, with the coordinates beside them. Lists and
// dense leaves share the loop in which f is called, runs have one of their own: f is long where it adds leaves.
#pragma once

#include <array>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/alignment.hpp>
#include <cstdint>

namespace copse::detail {

/// What is loaded for f: all of each entry, or not its value, and f(i, row, column) is called.
enum class visited { entries, positions };

/// Which leaves a function is compiled for: those of a kind, and of the kinds listed before it. Less code takes fewer
/// registers.
enum class leaf_kinds { lists, runs, dense, wide };

COPSE_HOST_DEVICE constexpr leaf_kinds kinds_with(node_kind kind) {
    return kind == node_kind::sparse     ? leaf_kinds::lists
           : kind == node_kind::diagonal ? leaf_kinds::runs
           : kind == node_kind::dense    ? leaf_kinds::dense
                                         : leaf_kinds::wide;
}

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_one(F& f, int i, int row, int column, T const& value) {
    if constexpr (What == visited::entries)
        f(i, row, column, value);
    else
        f(i, row, column);
}

/// Entries of a leaf that lie side by side, with coordinates of one byte or of two, or of a dense leaf, whose entries have
/// their positions' and perhaps a bit that says whether they are there. Small: it stays in registers while f is at work.
template <class T>
struct leaf_stretch {
    enum class kind { bytes, words, dense, dense_transposed };

    kind stored;
    T const* values;
    void const* rows;  // dense: the presence bits, or null
    void const* columns;
    int count;

    COPSE_HOST_DEVICE static leaf_stretch list(sparse_leaf_view<T> const& leaf) {
        return {kind::bytes, leaf.values, leaf.rows, leaf.columns, leaf.count};
    }
    COPSE_HOST_DEVICE static leaf_stretch list(wide_leaf_view<T> const& leaf, int first, int count) {
        return {kind::words, leaf.values + first, leaf.rows + first, leaf.columns + first, count};
    }
    COPSE_HOST_DEVICE static leaf_stretch of(dense_leaf_view<T> const& leaf) {
        return {leaf.transposed ? kind::dense_transposed : kind::dense, leaf.values, leaf.presence, nullptr,
                1 << (2 * leaf.dimension_log2)};
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
    if (What == visited::entries) e.values = load_values<N>(s.values + k, single, w);
    auto const load_list = [&]<class Coordinate>(Coordinate const* rows, Coordinate const* columns) {
        auto const r = load_some<N>(rows + k, single, w), c = load_some<N>(columns + k, single, w);
        COPSE_UNROLL
        for (std::size_t j = 0; j < N; ++j) {
            e.rows[j] = r[j];
            e.columns[j] = c[j];
        }
    };
    if (Kinds <= leaf_kinds::runs || s.stored == stored::bytes) {
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
    int constexpr wide = static_cast<int>(16 / sizeof(T));
    // An entry each, where there are few; lists of one and two entries are not padded.
    bool const single = s.count <= w.size();
    int const step = single ? 1 : wide;
    COPSE_NO_UNROLL
    for (int k = w.rank() * step - (single ? 0 : misalignment(s.values)); k < s.count; k += w.size() * step) {
        auto const e = load_entries<What, Kinds, wide>(s, log2, k, single, w);
        COPSE_UNROLL
        for (int j = 0; j < wide; ++j)
            if ((e.mine >> j & 1) != 0)
                visit_one<What>(f, k + j, e.rows[j], e.columns[j], e.values[static_cast<std::size_t>(j)]);
    }
}

/// Runs, which follow `before` other entries; each is one warp's.
template <visited What, class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_runs(Worker& w, diagonal_leaf_view<T> const& leaf, int before, F f) {
    int constexpr wide = static_cast<int>(16 / sizeof(T));
    int constexpr lanes = Worker::size() < 32 ? Worker::size() : 32, warps = Worker::size() / lanes;
    T const* values = leaf.run_values;
    COPSE_NO_UNROLL
    for (int run = 0; run < leaf.runs; ++run) {
        int const count = leaf.last[run] + 1;
        if (run % warps == w.rank() / lanes) {
            int const row = leaf.first_rows[run], column = leaf.first_columns[run];
            bool const single = count <= lanes;
            int const step = single ? 1 : wide;
            COPSE_NO_UNROLL
            for (int k = w.rank() % lanes * step - (single ? 0 : misalignment(values)); k < count; k += lanes * step) {
                lane_entries<T, wide> e{};
                e.mine = single ? 1 : (1u << wide) - 1;
                if (What == visited::entries) e.values = load_values<wide>(values + k, single, w);
                e.keep_own(k, count);
                COPSE_UNROLL
                for (int j = 0; j < wide; ++j)
                    if ((e.mine >> j & 1) != 0)
                        visit_one<What>(f, before + k + j, row + k + j, column + k + j,
                                        e.values[static_cast<std::size_t>(j)]);
            }
        }
        before += count;
        values += count;
    }
}

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(sparse_leaf_view<T> const& leaf, F f) {
    for (int i = 0; i < leaf.count; ++i) visit_one<What>(f, i, leaf.rows[i], leaf.columns[i], leaf.values[i]);
}
template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(dense_leaf_view<T> const& leaf, F f) {
    int const log2 = leaf.dimension_log2;
    for (int i = 0; i < 1 << (2 * log2); ++i) {
        if (!leaf.is_entry(i)) continue;
        int const row = i >> log2;
        int const column = i & ((1 << log2) - 1);
        visit_one<What>(f, i, leaf.transposed ? column : row, leaf.transposed ? row : column, leaf.values[i]);
    }
}
template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(diagonal_leaf_view<T> const& leaf, F f) {
    visit_alone<What>(leaf.others, f);
    int before = leaf.others.count;
    T const* values = leaf.run_values;
    for (int k = 0; k < leaf.runs; ++k) {
        int const row = leaf.first_rows[k];
        int const column = leaf.first_columns[k];
        int const last = leaf.last[k];
        for (int i = 0; i <= last; ++i) visit_one<What>(f, before + i, row + i, column + i, values[i]);
        before += last + 1;
        values += last + 1;
    }
}

/// Entries first .. first + count - 1 of a wide leaf, numbered from 0, coordinates in its block of d * d x d * d.
template <visited What = visited::entries, class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_wide(Worker& w, wide_leaf_view<T> const& leaf, int first, int count, F f) {
    if constexpr (Worker::size() > 1) {
        visit_stretch<What>(w, leaf_stretch<T>::list(leaf, first, count), 0, f);
    } else {
        COPSE_NO_UNROLL
        for (int i = 0; i < count; ++i)
            visit_one<What>(f, i, leaf.rows[first + i], leaf.columns[first + i], leaf.values[first + i]);
    }
}

/// Entries first .. first + count - 1 of a wide leaf, numbered from 0, or all entries of another leaf. Kinds: what the leaf
/// can be.
template <class T, visited What = visited::entries, leaf_kinds Kinds = leaf_kinds::wide, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_part(Worker& w, tree_view const& tree, node leaf, int first, int count, F f) {
    node_kind const kind = leaf.reference.kind();
    if constexpr (Worker::size() > 1) {
        // One place for f, whatever the kind: a choice of three calls would be three times as much code.
        leaf_stretch<T> list{};
        if (Kinds >= leaf_kinds::dense && kind == node_kind::dense)
            list = leaf_stretch<T>::of(tree.template dense_leaf<T>(leaf));
        else if (Kinds >= leaf_kinds::wide && kind == node_kind::wide)
            list = leaf_stretch<T>::list(tree.template wide_leaf<T>(leaf), first, count);
        else if (Kinds >= leaf_kinds::runs && kind == node_kind::diagonal)
            list = leaf_stretch<T>::list(tree.template diagonal_leaf<T>(leaf).others);
        else
            list = leaf_stretch<T>::list(tree.template sparse_leaf<T>(leaf));
        visit_stretch<What, Kinds>(w, list, tree.dimension_log2(), f);
        if (Kinds >= leaf_kinds::runs && kind == node_kind::diagonal)
            visit_runs<What>(w, tree.template diagonal_leaf<T>(leaf), list.count, f);
    } else {
        if (kind == node_kind::dense) return visit_alone<What>(tree.template dense_leaf<T>(leaf), f);
        if (kind == node_kind::diagonal) return visit_alone<What>(tree.template diagonal_leaf<T>(leaf), f);
        if (kind == node_kind::sparse) return visit_alone<What>(tree.template sparse_leaf<T>(leaf), f);
        return visit_wide<What>(w, tree.template wide_leaf<T>(leaf), first, count, f);
    }
}

/// All entries of a leaf of any kind.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_entries(Worker& w, tree_view const& tree, node leaf, F f) {
    int const count = leaf.reference.kind() == node_kind::wide ? tree.wide_count(leaf) : 0;
    visit_part<T>(w, tree, leaf, 0, count, f);
}

/// What a leaf takes in memory, and where its values are (padding between them included).
struct stored_leaf {
    std::int64_t bytes;
    std::int64_t values_offset;
    std::int64_t values;
    /// Of these values: padding_first and those behind it up to padding_last are none. Absent ones of a dense leaf apart.
    std::int64_t padding_first, padding_last;
};

template <class T>
COPSE_HOST_DEVICE stored_leaf stored(tree_view const& tree, child_reference leaf) {
    std::int64_t const n = leaf.entries();
    std::int64_t const d = tree.dimension();
    switch (leaf.kind()) {
        case node_kind::dense:
            return {dense_leaf_bytes(n, d, sizeof(T)), 0, d * d, 0, 0};
        case node_kind::diagonal: {
            auto const view = tree.template diagonal_leaf<T>({leaf, 0, 0});
            std::int64_t const others = view.others.count;
            return {diagonal_leaf_bytes(n, view.runs, n - others, sizeof(T)), diagonal_values_offset(view.runs, others),
                    padded_entries(others) + n - others, others, padded_entries(others)};
        }
        case node_kind::wide: {
            std::int64_t const count = tree.template wide_leaf<T>({leaf, 0, 0}).count;
            return {wide_leaf_bytes(count, sizeof(T)), 16, wide_padded_entries(count), count,
                    wide_padded_entries(count)};
        }
        default:
            return {sparse_node_bytes(n, sizeof(T)), 0, padded_entries(n), n, padded_entries(n)};
    }
}

}  // namespace copse::detail

namespace copse {

/// f(row, column, value) for each entry of a leaf, wide ones included, of op(A) as the tree's root says it is: coordinates
/// of the whole matrix, values as they are stored, without the matrix's scale (hisparse::scale()). The worker's lanes share
/// the entries in an order of their own; all of them call this, and f is called by some while others have none.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, tree_view const& tree, node leaf, F f) {
    detail::visit_entries<T>(w, tree, leaf, [&](int, int row, int column, T value) {
        f(std::int64_t{leaf.row} + row, std::int64_t{leaf.column} + column, value);
    });
}

}  // namespace copse
