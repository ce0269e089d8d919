// Products with one leaf, on one core: y[row] += factor * value * x[column], with y and x at the leaf's first row and
// column. hisparse §5, algorithm 1.
#pragma once

#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>

namespace copse::cpu_kernels {

/// Neighbours in a leaf differ in row and column, so no addition waits for the store before.
template <class T>
void add_product(sparse_leaf_view<T> const& leaf, T factor, T const* COPSE_RESTRICT x, T* COPSE_RESTRICT y) {
    for (int i = 0; i < leaf.count; ++i) y[leaf.rows[i]] += factor * leaf.values[i] * x[leaf.columns[i]];
}

template <class T>
void add_product(diagonal_leaf_view<T> const& leaf, T factor, T const* COPSE_RESTRICT x, T* COPSE_RESTRICT y) {
    add_product(leaf.others, factor, x, y);
    T const* values = leaf.run_values;
    for (int k = 0; k < leaf.runs; ++k) {
        T* COPSE_RESTRICT const yk = y + leaf.first_rows[k];
        T const* COPSE_RESTRICT const xk = x + leaf.first_columns[k];
        int const count = leaf.last[k] + 1;
#pragma omp simd
        for (int i = 0; i < count; ++i) yk[i] += factor * values[i] * xk[i];
        values += count;
    }
}

/// Entries first .. last - 1 of a wide leaf; y begins at row first_row of it.
template <class T>
void add_product(wide_leaf_view<T> const& leaf, int first, int last, int first_row, T factor, T const* COPSE_RESTRICT x,
                 T* COPSE_RESTRICT y) {
    for (int i = first; i < last; ++i) y[leaf.rows[i] - first_row] += factor * leaf.values[i] * x[leaf.columns[i]];
}

template <class T>
void add_product(dense_leaf_view<T> const& leaf, T factor, T const* COPSE_RESTRICT x, T* COPSE_RESTRICT y) {
    int const d = 1 << leaf.dimension_log2;
    for (int i = 0; i < d; ++i) {
        T const* const values = leaf.values + i * d;
        if (leaf.presence) {
            for (int j = 0; j < d; ++j) {
                if (!leaf.is_entry(i * d + j)) continue;
                if (leaf.transposed)
                    y[j] += factor * values[j] * x[i];
                else
                    y[i] += factor * values[j] * x[j];
            }
        } else if (leaf.transposed) {
            T const xi = factor * x[i];
            for (int j = 0; j < d; ++j) y[j] += values[j] * xi;
        } else {
            T sum = T(0);
#pragma omp simd reduction(+ : sum)
            for (int j = 0; j < d; ++j) sum += values[j] * x[j];
            y[i] += factor * sum;
        }
    }
}

}  // namespace copse::cpu_kernels
