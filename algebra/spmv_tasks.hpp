// SpMV as per-node functions (hisparse §5). One source for every executor.
//
//   phase 0   scale_output: y <- beta * y, a range over stretches of y
//             inner nodes push their children
//   phase 1   leaves: y[row] += alpha * value * x[column]
//
// Leaves wait for phase 0, so that no product is added to an element that is scaled afterwards.
#pragma once

#include <copse/algebra/node_bins.hpp>
#include <copse/cpu/hisparse_leaf.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// y <- beta * y on elements item * stretch .. (item + 1) * stretch - 1. beta == 0 does not read y.
template <class T>
struct scale_output {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "scale y";
    static constexpr std::int64_t stretch = 4096;

    T* y;
    std::int64_t size;
    T beta;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item stretch_index, Worker& w) const {
        std::int64_t const begin = stretch_index * stretch;
        std::int64_t const end = begin + stretch < size ? begin + stretch : size;
        if (beta == T(0))
            for (std::int64_t i = begin + w.rank(); i < end; i += w.size()) y[i] = T(0);
        else
            for (std::int64_t i = begin + w.rank(); i < end; i += w.size()) y[i] *= beta;
    }
};

/// What all leaf tasks of a product share. op(A) is m x n.
template <class T>
struct leaf_product {
    tree_view tree;
    T const* x;
    T* y;
    std::int64_t m;
    T factor;  // alpha times the matrix's scale

    COPSE_HOST_DEVICE int rows_of(node n) const {
        std::int64_t const left = m - n.row;
        return left < tree.dimension() ? static_cast<int>(left) : tree.dimension();
    }
};

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
    static constexpr std::size_t scratch_bytes = Width >= 32 ? 256 * sizeof(T) : 0;

    leaf_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        auto const leaf = product.tree.template sparse_leaf<T>(n);
        T const* const x = product.x + n.column;
        auto tile = w.tile(product.y + n.row, product.rows_of(n));
        if constexpr (Worker::on_cpu) {
            if (n.reference.transposed())
                cpu_kernels::add_product(leaf, product.factor, x, tile.sums());
            else
                cpu_kernels::add_product_by_row(leaf, product.factor, x, tile.sums());
        } else if (leaf.count < 3) {  // COO1, COO2: not padded for vector loads
            for (int i = w.rank(); i < leaf.count; i += w.size())
                tile.add(leaf.rows[i], product.factor * leaf.values[i] * x[leaf.columns[i]]);
        } else {
            for (int i = 4 * w.rank(); i < leaf.count; i += 4 * w.size()) add_four(leaf, i, x, tile, w);
        }
        tile.close();
    }

  private:
    /// COO4: a lane takes four entries at once; neighbours in one row cost one addition.
    template <class Tile, class Worker>
    COPSE_HOST_DEVICE void add_four(sparse_leaf_view<T> const& leaf, int first, T const* x, Tile& tile,
                                    Worker& w) const {
        auto const values = w.load4(leaf.values + first);
        auto const rows = w.load4(leaf.rows + first);
        auto const columns = w.load4(leaf.columns + first);
        auto row = rows[0];
        T sum = product.factor * values[0] * x[columns[0]];
        COPSE_UNROLL
        for (int k = 1; k < 4; ++k) {
            if (first + k >= leaf.count) break;  // padding is not an entry
            T const term = product.factor * values[k] * x[columns[k]];
            if (rows[k] == row) {
                sum += term;
            } else {
                tile.add(row, sum);
                row = rows[k];
                sum = term;
            }
        }
        tile.add(row, sum);
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
        auto const leaf = product.tree.template dense_leaf<T>(n);
        T const* const x = product.x + n.column;
        auto tile = w.tile(product.y + n.row, product.rows_of(n));
        if constexpr (Worker::on_cpu)
            cpu_kernels::add_product(leaf, product.factor, x, tile.sums());
        else if (leaf.transposed)
            add_by_column(leaf, x, tile, w);
        else
            add_by_row(leaf, x, tile, w);
        tile.close();
    }

  private:
    /// The lanes share each stored row and reduce it: one addition per row.
    template <class Tile, class Worker>
    COPSE_HOST_DEVICE void add_by_row(dense_leaf_view<T> const& leaf, T const* x, Tile& tile, Worker& w) const {
        int const d = 1 << leaf.dimension_log2;
        for (int i = 0; i < d; ++i) {
            T sum = T(0);
            bool any = false;
            for (int j = w.rank(); j < d; j += w.size()) {
                if (!leaf.is_entry(i * d + j)) continue;
                sum += product.factor * w.load_stream(leaf.values + i * d + j) * x[j];
                any = true;
            }
            T const total = w.reduce(sum, [](T a, T b) { return a + b; });
            int const found = w.reduce(any ? 1 : 0, [](int a, int b) { return a | b; });
            if (w.rank() == 0 && found) tile.add(i, total);
        }
    }
    /// A lane owns stored columns, which are rows of the product: one addition per column.
    template <class Tile, class Worker>
    COPSE_HOST_DEVICE void add_by_column(dense_leaf_view<T> const& leaf, T const* x, Tile& tile, Worker& w) const {
        int const d = 1 << leaf.dimension_log2;
        for (int j = w.rank(); j < d; j += w.size()) {
            T sum = T(0);
            bool any = false;
            for (int i = 0; i < d; ++i) {
                if (!leaf.is_entry(i * d + j)) continue;
                sum += product.factor * w.load_stream(leaf.values + i * d + j) * x[i];
                any = true;
            }
            if (any) tile.add(j, sum);
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

template <class T, int Width, node_kind Kind, std::int64_t Above, std::int64_t UpTo>
struct inner_node_task;

template <class T>
using inner_few = inner_node_task<T, 8, node_kind::sparse, 0, 8>;
template <class T>
using inner_many = inner_node_task<T, 32, node_kind::sparse, 8, any_size>;
template <class T>
using inner_dense = inner_node_task<T, 128, node_kind::dense, 0, any_size>;

template <class T, int Width, node_kind Kind, std::int64_t Above, std::int64_t UpTo>
struct inner_node_task : takes_inner_nodes<Kind, Above, UpTo> {
    using item = node;
    static constexpr int width = Width;
    static constexpr char const* name = Kind == node_kind::dense ? "dense inner node"
                                        : UpTo == 8              ? "inner node, up to 8"
                                                                 : "inner node, larger";
    tree_view tree;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        push_children<sparse_leaf_512<T>, sparse_leaf_32<T>, sparse_leaf_4<T>, sparse_leaf_large<T>, dense_leaf_task<T>,
                      inner_few<T>, inner_many<T>, inner_dense<T>>(w, tree, n);
    }
};

/// The tasks of a product, in the order that run() gets them: the first that has items is preferred on the CPU.
template <class T, template <class...> class List>
using spmv_tasks = List<scale_output<T>, inner_dense<T>, inner_many<T>, inner_few<T>, sparse_leaf_large<T>, dense_leaf_task<T>,
                        sparse_leaf_512<T>, sparse_leaf_32<T>, sparse_leaf_4<T>>;

}  // namespace copse::detail
