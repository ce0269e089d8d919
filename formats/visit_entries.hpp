// The entries of a leaf of any kind, shared among the lanes of a worker.
#pragma once

#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>

namespace copse::detail {

/// f(i, row, column, value): the number of the entry among the leaf's (in a dense leaf: its position), coordinates in
/// the leaf.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_sparse(Worker& w, sparse_leaf_view<T> const& leaf, F f) {
    for (int i = w.rank(); i < leaf.count; i += w.size()) f(i, leaf.rows[i], leaf.columns[i], leaf.values[i]);
}

template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_dense(Worker& w, dense_leaf_view<T> const& leaf, F f) {
    int const log2 = leaf.dimension_log2;
    for (int i = w.rank(); i < 1 << (2 * log2); i += w.size()) {
        if (!leaf.is_entry(i)) continue;
        int const row = i >> log2;
        int const column = i & ((1 << log2) - 1);
        f(i, leaf.transposed ? column : row, leaf.transposed ? row : column, leaf.values[i]);
    }
}

template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_diagonal(Worker& w, diagonal_leaf_view<T> const& leaf, F f) {
    visit_sparse(w, leaf.others, f);
    int before = leaf.others.count;
    T const* values = leaf.run_values;
    for (int k = 0; k < leaf.runs; ++k) {
        int const row = leaf.first_rows[k];
        int const column = leaf.first_columns[k];
        int const last = leaf.last[k];
        for (int i = w.rank(); i <= last; i += w.size()) f(before + i, row + i, column + i, values[i]);
        before += last + 1;
        values += last + 1;
    }
}

/// Entries first .. first + count - 1 of a wide leaf, numbered from 0, coordinates in its block of d * d x d * d.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_wide(Worker& w, wide_leaf_view<T> const& leaf, int first, int count, F f) {
    for (int i = w.rank(); i < count; i += w.size())
        f(i, leaf.rows[first + i], leaf.columns[first + i], leaf.values[first + i]);
}

/// All entries of a leaf of any kind.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_entries(Worker& w, tree_view const& tree, node leaf, F f) {
    switch (leaf.reference.kind()) {
        case node_kind::sparse:
            return visit_sparse(w, tree.template sparse_leaf<T>(leaf), f);
        case node_kind::dense:
            return visit_dense(w, tree.template dense_leaf<T>(leaf), f);
        case node_kind::diagonal:
            return visit_diagonal(w, tree.template diagonal_leaf<T>(leaf), f);
        case node_kind::wide: {
            auto const wide = tree.template wide_leaf<T>(leaf);
            return visit_wide(w, wide, 0, wide.count, f);
        }
    }
}

/// What a leaf takes in memory, and where its values are (padding between them included).
struct stored_leaf {
    std::int64_t bytes;
    std::int64_t values_offset;
    std::int64_t values;
};

template <class T>
COPSE_HOST_DEVICE stored_leaf stored(tree_view const& tree, child_reference leaf) {
    std::int64_t const n = leaf.entries();
    std::int64_t const d = tree.dimension();
    switch (leaf.kind()) {
        case node_kind::dense:
            return {dense_leaf_bytes(n, d, sizeof(T)), 0, d * d};
        case node_kind::diagonal: {
            auto const view = tree.template diagonal_leaf<T>({leaf, 0, 0});
            std::int64_t const others = view.others.count;
            return {diagonal_leaf_bytes(n, view.runs, n - others, sizeof(T)), diagonal_values_offset(view.runs, others),
                    padded_entries(others) + n - others};
        }
        case node_kind::wide: {
            std::int64_t const count = tree.template wide_leaf<T>({leaf, 0, 0}).count;
            return {wide_leaf_bytes(count, sizeof(T)), 16, wide_padded_entries(count)};
        }
        default:
            return {sparse_node_bytes(n, sizeof(T)), 0, padded_entries(n)};
    }
}

}  // namespace copse::detail
