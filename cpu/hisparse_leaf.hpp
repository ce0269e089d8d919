// Products with one leaf, on one core: y[row] += factor * value * x[column], with y and x at the leaf's first row and
// column. hisparse §5, algorithm 1.
#pragma once

#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>

namespace copse::cpu_kernels {

/// Entries of a row are neighbours where the leaf is not transposed: their sum stays in a register, which saves waiting
/// for the store before (a store that the next entry loads again costs about 5 cycles, a row change one mispredicted
/// branch at worst).
template <class T>
void add_product_by_row(sparse_leaf_view<T> const& leaf, T factor, T const* COPSE_RESTRICT x, T* COPSE_RESTRICT y) {
    int row = leaf.rows[0];
    T sum = T(0);
    for (int i = 0; i < leaf.count; ++i) {
        if (leaf.rows[i] != row) {
            y[row] += factor * sum;
            row = leaf.rows[i];
            sum = T(0);
        }
        sum += leaf.values[i] * x[leaf.columns[i]];
    }
    y[row] += factor * sum;
}

/// Any order of entries; neighbours should differ in their row.
template <class T>
void add_product(sparse_leaf_view<T> const& leaf, T factor, T const* COPSE_RESTRICT x, T* COPSE_RESTRICT y) {
    for (int i = 0; i < leaf.count; ++i) y[leaf.rows[i]] += factor * leaf.values[i] * x[leaf.columns[i]];
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
