// What the tasks for leaves of a product have in common: operands, and where products are added up.
#pragma once

#include <copse/algebra/products/leaf_products.hpp>
#include <copse/cpu/leaves/leaf_product.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>

namespace copse::detail {

/// What all leaf tasks of a product share. op(A) is m x n.
template <class T>
struct leaf_product {
    node_reader tree;
    T const* x;
    T* y;
    std::int64_t m;
    std::int64_t n;
    T factor;  // alpha times the matrix's scale

    COPSE_HOST_DEVICE int rows_of(node leaf) const { return of_block(m - leaf.row); }
    COPSE_HOST_DEVICE int columns_of(node leaf) const { return of_block(n - leaf.column); }

  private:
    COPSE_HOST_DEVICE int of_block(std::int64_t left) const {
        return left < tree.dimension() ? static_cast<int>(left) : tree.dimension();
    }
};

/// What add_products() adds to, times a factor: a tile of y.
template <class Tile, class T, class Worker>
struct tile_sums {
    Tile& tile;
    T const& factor;
    bool negative;  // of what is added
    Worker& w;

    COPSE_HOST_DEVICE COPSE_INLINE void add(int row, T product) {
        tile.add(row, factor * (negative ? -product : product));
    }
    COPSE_HOST_DEVICE COPSE_INLINE void add_alone(int row, T sum) {
        tile.add_alone(row, factor * (negative ? -sum : sum));
    }
    /// What was added before may have the same rows.
    COPSE_HOST_DEVICE COPSE_INLINE void begin_rows() { w.sync(); }
    COPSE_HOST_DEVICE COPSE_INLINE void end_rows() {}
};

/// y[row] += factor * value * x[column], where values have the leaf's sign, for a leaf of the kind that Leaf owns.
/// Collective.
template <class Leaf, class T, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_INLINE void multiply_leaf(leaf_product<T> const& product, node n, T const* x, Worker& w) {
    auto tile = w.tile(product.y + n.row, product.rows_of(n));
    tile_sums<decltype(tile), T, Worker> sums{tile, product.factor, n.reference.negative(), w};
    leaf_portion const portion{product.rows_of(n), product.columns_of(n)};
    add_products(product.tree.template view_of<Leaf, T>(n), portion, x, sums, w);
    tile.close();
}
/// Of a wide leaf entries first .. last - 1, all in the d rows that begin at n.row.
template <class Leaf, class T, core_worker Worker>
void multiply_leaf(leaf_product<T> const& product, node n, T const* x, Worker& w, int first = 0, int last = 0) {
    int const rows = product.rows_of(n);
    auto tile = w.tile(product.y + n.row, rows);
    add_leaf_product(product.tree, n, first, last, product.factor, x, tile.sums(), rows);
    tile.close();
}

}  // namespace copse::detail
