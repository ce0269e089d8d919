// The entries of a leaf of any kind, shared among the lanes of a worker.
#pragma once

#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>

namespace copse::detail {

/// f(row, column, value), coordinates in the leaf.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE void visit_sparse(Worker& w, sparse_leaf_view<T> const& leaf, F f) {
    for (int i = w.rank(); i < leaf.count; i += w.size()) f(leaf.rows[i], leaf.columns[i], leaf.values[i]);
}

template <class T, class Worker, class F>
COPSE_HOST_DEVICE void visit_dense(Worker& w, dense_leaf_view<T> const& leaf, F f) {
    int const log2 = leaf.dimension_log2;
    for (int i = w.rank(); i < 1 << (2 * log2); i += w.size()) {
        if (!leaf.is_entry(i)) continue;
        int const row = i >> log2;
        int const column = i & ((1 << log2) - 1);
        f(leaf.transposed ? column : row, leaf.transposed ? row : column, leaf.values[i]);
    }
}

template <class T, class Worker, class F>
COPSE_HOST_DEVICE void visit_diagonal(Worker& w, diagonal_leaf_view<T> const& leaf, F f) {
    visit_sparse(w, leaf.others, f);
    T const* values = leaf.run_values;
    for (int k = 0; k < leaf.runs; ++k) {
        int const row = leaf.first_rows[k];
        int const column = leaf.first_columns[k];
        int const last = leaf.last[k];
        for (int i = w.rank(); i <= last; i += w.size()) f(row + i, column + i, values[i]);
        values += last + 1;
    }
}

/// Entries first .. first + count - 1 of a wide leaf, coordinates in its block of d * d x d * d.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE void visit_wide(Worker& w, wide_leaf_view<T> const& leaf, int first, int count, F f) {
    for (int i = first + w.rank(); i < first + count; i += w.size()) f(leaf.rows[i], leaf.columns[i], leaf.values[i]);
}

/// All entries of a leaf of any kind.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE void visit_entries(Worker& w, tree_view const& tree, node leaf, F f) {
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

}  // namespace copse::detail
