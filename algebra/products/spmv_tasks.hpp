// SpMV as per-node functions (hisparse §5). One source for every executor.
//
//   phase 0   scale_output: y <- beta * y, a range over stretches of y
//             inner nodes push their children
//   phase 1   leaves: y[row] += alpha * value * x[column]
//
// Leaves wait for phase 0, so that no product is added to an element that is scaled afterwards.
#pragma once

#include <copse/algebra/node_bins.hpp>
#include <copse/algebra/products/dense_products.hpp>
#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/algebra/products/leaf_sums.hpp>
#include <copse/algebra/products/list_products.hpp>
#include <copse/algebra/products/run_products.hpp>
#include <copse/algebra/products/scale_output.hpp>
#include <copse/algebra/products/wide_leaf_tasks.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class T, int Width, std::int64_t Above, std::int64_t UpTo>
struct sparse_leaf_task : takes_leaves<node_kind::sparse, Above, UpTo> {
    using item = node;
    static constexpr int width = Width;
    static constexpr int phase = 1;
    static constexpr char const* name = UpTo == 4     ? "sparse leaf, up to 4"
                                        : UpTo == 32  ? "sparse leaf, up to 32"
                                        : UpTo == 512 ? "sparse leaf, up to 512"
                                                      : "sparse leaf, larger";
    /// Sums stay on chip where a leaf has more entries than the tile has elements to clear and to merge, more or less.
    static constexpr std::size_t scratch_bytes = Width / 32 * 256 * sizeof(T);

    leaf_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        T const* const x = product.x + n.column;
        if constexpr (Worker::on_cpu) {
            add_on_cpu(product, n, x, w);
        } else {
            auto tile = w.tile(product.y + n.row, product.rows_of(n));
            auto const leaf = product.tree.template sparse_leaf<T>(n);
            add_entries(leaf, 0, leaf.count, product.factor, x, tile, w);
            tile.close();
        }
    }
};

template <class T>
struct dense_leaf_task : takes_leaves<node_kind::dense> {
    using item = node;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "dense leaf";
    static constexpr std::size_t scratch_bytes = 256 * sizeof(T);

    leaf_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        T const* const x = product.x + n.column;
        if constexpr (Worker::on_cpu) {
            add_on_cpu(product, n, x, w);
        } else {
            dense_leaf_view<T> const leaf = product.tree.template dense_leaf<T>(n);
            auto tile = w.tile(product.y + n.row, product.rows_of(n));
            add_dense_products(leaf, {product.rows_of(n), product.columns_of(n)}, x, w,
                               [&](int row, T sum) { tile.add_alone(row, product.factor * sum); });
            tile.close();
        }
    }
};

/// Runs along diagonals: y, the values and x are read side by side.
template <class T>
struct diagonal_leaf_task : takes_leaves<node_kind::diagonal> {
    using item = node;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "diagonal leaf";
    static constexpr std::size_t scratch_bytes = 256 * sizeof(T);

    leaf_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        T const* const x = product.x + n.column;
        if constexpr (Worker::on_cpu) {
            add_on_cpu(product, n, x, w);
        } else {
            auto const leaf = product.tree.template diagonal_leaf<T>(n);
            auto tile = w.tile(product.y + n.row, product.rows_of(n));
            add_entries(leaf.others, 0, leaf.others.count, product.factor, x, tile, w);
            w.sync();  // the entries before may have the same rows
            add_runs_by_rows(leaf, product.rows_of(n), x, w,
                             [&](int row, T sum) { tile.add_alone(row, product.factor * sum); });
            tile.close();
        }
    }
};

template <class T>
using sparse_leaf_4 = sparse_leaf_task<T, 4, 0, 4>;
template <class T>
using sparse_leaf_32 = sparse_leaf_task<T, 8, 4, 32>;
template <class T>
using sparse_leaf_512 = sparse_leaf_task<T, 32, 32, 512>;
template <class T>
using sparse_leaf_large = sparse_leaf_task<T, 128, 512, any_size>;

/// The leaves' tasks, in the order in which an inner node asks them.
template <class T>
using spmv_leaves = task_list<sparse_leaf_512<T>, sparse_leaf_32<T>, sparse_leaf_4<T>, sparse_leaf_large<T>,
                              diagonal_leaf_task<T>, dense_leaf_task<T>, wide_leaf_task<T>>;

/// The tasks of a product, in the order that run() gets them: the first that has items is preferred on the CPU.
template <class T, template <class...> class List>
using spmv_tasks =
    List<scale_output<T>, inner_dense<spmv_leaves<T>>, inner_many<spmv_leaves<T>>, inner_few<spmv_leaves<T>>,
         wide_leaf_task<T>, wide_part_task<T>, diagonal_leaf_task<T>, sparse_leaf_large<T>, dense_leaf_task<T>,
         sparse_leaf_512<T>, sparse_leaf_32<T>, sparse_leaf_4<T>>;

}  // namespace copse::detail
