// SpMV as per-node functions (hisparse §5). One source for every executor.
//
//   phase 0   scale_output: y <- beta * y, a range over stretches of y
//             inner nodes push their children
//   phase 1   leaves: y[row] += alpha * value * x[column]
//
// Leaves wait for phase 0, so that no product is added to an element that is scaled afterwards.
#pragma once

#include <copse/algebra/block_order.hpp>
#include <copse/algebra/inner_nodes.hpp>
#include <copse/algebra/list_products.hpp>
#include <copse/algebra/node_bins.hpp>
#include <copse/algebra/scale_output.hpp>
#include <copse/cpu/leaf_product.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

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

/// On a CPU: a leaf, or entries first .. last - 1 of a wide one, all in the d rows that begin at n.row.
template <class T, class Worker>
void add_on_cpu(leaf_product<T> const& product, node n, T const* x, Worker& w, int first = 0, int last = 0) {
    int const rows = product.rows_of(n);
    auto tile = w.tile(product.y + n.row, rows);
    add_leaf_product(product.tree, n, first, last, product.factor, x, tile.sums(), rows);
    tile.close();
}

/// y[row] += factor * value * x[column] for entries first .. last - 1 of a list; the lanes share them.
template <class Leaf, class T, class Tile, class Worker>
COPSE_HOST_DEVICE void add_entries(Leaf const& leaf, int first, int last, T factor, T const* x, Tile& tile, Worker& w) {
    for_each_product(leaf, first, last, x, w, [&](bool mine, int row, T product) {
        if (mine) tile.add(row, factor * product);
    });
}

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
            auto const leaf = product.tree.template dense_leaf<T>(n);
            auto tile = w.tile(product.y + n.row, product.rows_of(n));
            leaf.transposed ? add_by_column(leaf, x, tile, w) : add_by_row(leaf, x, tile, w);
            tile.close();
        }
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
            bool const found = w.any(any);
            if (w.rank() == 0 && found) tile.add_alone(i, total);
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
            if (any) tile.add_alone(j, sum);
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
            T const* values = leaf.run_values;
            for (int k = 0; k < leaf.runs; ++k) {
                int const row = leaf.first_rows[k];
                int const column = leaf.first_columns[k];
                int const last = leaf.last[k];
                w.sync();  // the entries and runs before may have the same rows
                for_each_product_of_run(values, last, x + column, w,
                                        [&](int i, T term) { tile.add_alone(row + i, product.factor * term); });
                values += last + 1;
            }
            tile.close();
        }
    }
};

/// A part of a wide leaf: entries first .. first + wide_stretch_entries - 1, as far as there are any.
struct wide_stretch {
    node leaf;
    std::int32_t first;
};
inline constexpr int wide_stretch_entries = 4096;

template <class T>
struct wide_part_task {
    using item = wide_stretch;
    static constexpr int width = 128;
    static constexpr int phase = 1;
    static constexpr char const* name = "part of a wide leaf";

    leaf_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item part, Worker& w) const {
        auto const leaf = product.tree.template wide_leaf<T>(part.leaf);
        T const* const x = product.x + part.leaf.column;
        int const last =
            part.first + wide_stretch_entries < leaf.count ? part.first + wide_stretch_entries : leaf.count;
        if constexpr (Worker::on_cpu) {
            part.leaf.reference.transposed() ? add_by_ordered_block(leaf, part, last, x, w)
                                             : add_by_block(leaf, part, last, x, w);
        } else {
            auto tile = w.tile(product.y + part.leaf.row, static_cast<int>(product.m - part.leaf.row));
            add_entries(leaf, part.first, last, product.factor, x, tile, w);
            tile.close();
        }
    }

    static std::int64_t visits(node_census const& census) {
        return census.wide_leaves() + census.wide_entries() / wide_stretch_entries;
    }

  private:
    /// Tiles as other leaves have them: as long as entries stay in d rows, one is enough.
    template <class Worker>
    void add_by_block(wide_leaf_view<T> const& leaf, item const& part, int last, T const* x, Worker& w) const {
        int const log2 = product.tree.dimension_log2();
        for (int i = part.first; i < last;) {
            int const block = leaf.rows[i] >> log2;
            int end = i + 1;
            while (end < last && leaf.rows[end] >> log2 == block) ++end;
            node const rows{part.leaf.reference, part.leaf.row + (static_cast<std::uint32_t>(block) << log2), 0};
            add_on_cpu(product, rows, x, w, i, end);
            i = end;
        }
    }
    /// Entries that go through the blocks over and over, as those of a transposed leaf do, would open a tile each.
    template <class Worker>
    void add_by_ordered_block(wide_leaf_view<T> const& leaf, item const& part, int last, T const* x, Worker& w) const {
        auto const *rows = leaf.rows + part.first, *columns = leaf.columns + part.first;
        T const* const values = leaf.values + part.first;
        int const log2 = product.tree.dimension_log2();
        block_order<wide_stretch_entries> const order(rows, last - part.first, log2);
        order.for_each_block([&](int block, std::uint16_t const* positions, int count) {
            node const first{part.leaf.reference, part.leaf.row + (static_cast<std::uint32_t>(block) << log2), 0};
            auto tile = w.tile(product.y + first.row, product.rows_of(first));
            for (int k = 0; k < count; ++k) {
                int const i = positions[k];
                tile.add(rows[i] - (block << log2), product.factor * values[i] * x[columns[i]]);
            }
            tile.close();
        });
    }
};

/// Cuts a wide leaf into parts.
template <class T>
struct wide_leaf_task : takes_inner_nodes<node_kind::wide> {
    using item = node;
    static constexpr int width = 32;
    static constexpr char const* name = "wide leaf";

    tree_view tree;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        int const parts = (tree.template wide_leaf<T>(n).count + wide_stretch_entries - 1) / wide_stretch_entries;
        w.template push_n<wide_part_task<T>>(static_cast<std::uint32_t>(parts), [&](std::uint32_t i) {
            return wide_stretch{n, static_cast<std::int32_t>(i) * wide_stretch_entries};
        });
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
