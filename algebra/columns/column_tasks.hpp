// Products with several columns as per-node functions (hisparse §5), one source for every executor.
//
//   phase 0   scale_output: sums <- 0, a range over stretches of them
//             inner nodes push their children
//   phase 1   leaves: sums[row] += value * X[column], some columns at a time
//   phase 2   write_columns_task: Y <- factor * sums + beta * Y, a range over stretches of rows
//
// By plans there is no phase 0, and sums are on chip (replay_tasks.hpp has the same for one column).
#pragma once

#include <array>
#include <copse/algebra/plans/replay.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/algebra/products/wide_leaf.hpp>
#include <copse/cpu/columns/column_products.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/add_in_order.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// Columns that workers of many lanes multiply together: 32 bytes of X by rows. Sums for replay_rows rows are then 8 KB
/// of the 10 KB on chip that a worker of 32 lanes may have.
template <class V>
inline constexpr int lane_columns = 32 / sizeof(V);

/// What a row has in these columns.
template <class V>
struct lane_row {
    V of[lane_columns<V>];

    COPSE_HOST_DEVICE COPSE_INLINE void operator+=(lane_row const& other) {
        COPSE_UNROLL
        for (int c = 0; c < lane_columns<V>; ++c) of[c] += other.of[c];
    }
};

/// X and Y in the columns that are multiplied together: element (i, c) of X is x[i * x_row_step + c * x_column_step].
/// On a core X is by rows.
template <class V>
struct column_operands {
    V const* x;
    std::int64_t x_row_step;
    std::int64_t x_column_step;
    column_output<V> y;

    COPSE_HOST_DEVICE int columns() const { return y.columns; }
    /// value * X[row]
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE lane_row<V> product(V value, std::int64_t row, Worker& w) const {
        lane_row<V> terms;
        V const* const from = x + row * x_row_step;
        COPSE_UNROLL
        for (int c = 0; c < lane_columns<V>; ++c)
            terms.of[c] = c < columns() ? value * w.load(from + c * x_column_step) : V(0);
        return terms;
    }
    /// Y[first + i] <- factor * sums[i] + beta * Y[first + i], i < rows. The lanes share it.
    template <class Worker>
    COPSE_HOST_DEVICE void write(lane_row<V> const* sums, std::int64_t first, int rows, Worker& w) const {
        bool const by_rows = y.column_step == 1;
        for (int k = w.rank(); k < rows * columns(); k += w.size()) {
            int const i = by_rows ? k / columns() : k % rows, c = by_rows ? k % columns() : k / rows;
            V* const to = y.y + (first + i) * y.row_step + c * y.column_step;
            V const sum = y.factor * sums[i].of[c];
            *to = y.beta == V(0) ? sum : sum + y.beta * *to;
        }
    }
    column_rows<V> rows() const { return {x, x_row_step, columns()}; }
};

/// What the leaf tasks of a product share. op(A) has m rows; row i of the sums is at sums + i * step.
template <class T, class V>
struct columns_product {
    node_reader tree;
    column_operands<V> of;
    V* sums;
    std::int64_t step;  // lane_columns<V> for workers of many lanes
    std::int64_t m;

    COPSE_HOST_DEVICE int rows_of(std::int64_t first_row) const {
        return m - first_row < tree.dimension() ? static_cast<int>(m - first_row) : tree.dimension();
    }
};

template <class T, class V>
struct columns_leaf_task {
    using item = node;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "leaf, several columns";
    static constexpr std::size_t scratch_bytes = 256 * sizeof(lane_row<V>);

    columns_product<T, V> product;

    COPSE_HOST_DEVICE static bool takes(child_reference r) { return r.is_leaf() && r.level() == 0; }
    static std::int64_t visits(node_census const& census) {
        std::int64_t sum = 0;
        for (int kind = 0; kind < node_kind_count; ++kind) sum += census.leaves(static_cast<node_kind>(kind));
        return sum;
    }
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        multiply(n, w);
    }

  private:
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE void multiply(node n, Worker& w) const {
        int const rows = product.rows_of(n.row);
        auto const sums = w.template scratch<lane_row<V>>(rows);
        for (int i = w.rank(); i < rows; i += w.size()) sums[i] = {};
        w.sync();
        visit_stored_together<T>(w, product.tree, n, {}, [&](bool mine, int, int row, int column, T value) {
            add_in_order(sums, mine ? row : -1,
                         mine ? product.of.product(static_cast<V>(value), n.column + column, w) : lane_row<V>{}, w);
        });
        w.sync();
        V* const to = product.sums + static_cast<std::int64_t>(n.row) * lane_columns<V>;
        for (int k = w.rank(); k < rows * lane_columns<V>; k += w.size()) {
            V const sum = signed_factor(n.reference, sums[k / lane_columns<V>].of[k % lane_columns<V>]);
            if (!(sum == V(0))) w.add(to + k, sum);
        }
        w.sync();  // the sums' memory is the next item's
    }
    template <core_worker Worker>
    void multiply(node n, Worker& w) const {
        std::int64_t const step = product.step;
        auto tile = w.tile(product.sums + n.row * step, static_cast<int>(product.rows_of(n.row) * step));
        leaf_piece const piece{n, 0, 0};
        leaf_fetch alone;
        add_leaf_columns<T, V>(product.tree, &piece, 1, product.of.rows(),
                               {tile.sums(), step, product.rows_of(n.row), true}, alone);
        tile.close();
    }
};

template <class T, class V>
struct columns_stretch_task {
    using item = wide_stretch;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "block of a wide leaf, several columns";

    columns_product<T, V> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item part, Worker& w) const {
        auto const leaf = product.tree.template wide_leaf<T>(part.leaf);
        int constexpr most = wide_stretch_entries<Worker>;
        multiply(leaf, part, part.first + most < leaf.count ? part.first + most : leaf.count, w);
    }
    static std::int64_t visits(node_census const& census) {
        return census.wide_leaves() + census.wide_entries() / least_wide_stretch;
    }

  private:
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE void multiply(wide_leaf_view<T> const& leaf, item const& part, int last, Worker& w) const {
        V const sign = signed_factor(part.leaf.reference, V(1));
        for (int k = part.first + w.rank(); k < last; k += w.size()) {
            V* const to = product.sums + (part.leaf.row + static_cast<std::int64_t>(leaf.rows[k])) * lane_columns<V>;
            auto const terms = product.of.product(sign * static_cast<V>(w.load_stream(leaf.values.at(k))),
                                                  part.leaf.column + leaf.columns[k], w);
            COPSE_UNROLL
            for (int c = 0; c < lane_columns<V>; ++c)
                if (c < product.of.columns()) w.add(to + c, terms.of[c]);
        }
    }
    /// By blocks of d rows, as the other leaves have their tiles.
    template <core_worker Worker>
    void multiply(wide_leaf_view<T> const& leaf, item const& part, int last, Worker& w) const {
        int const log2 = product.tree.dimension_log2();
        std::int64_t const step = product.step;
        auto const tile_of = [&](int block) {
            std::int64_t const row = part.leaf.row + (std::int64_t{block} << log2);
            return w.tile(product.sums + row * step, static_cast<int>(product.rows_of(row) * step));
        };
        if (!part.leaf.reference.transposed())
            return for_each_block_row(leaf.rows, part.first, last, log2, [&](int block, int first, int end) {
                auto tile = tile_of(block);
                leaf_piece const piece{part.leaf, first, end};
                leaf_fetch alone;
                add_leaf_columns<T, V>(product.tree, &piece, 1, product.of.rows(), {tile.sums(), step, 0, true}, alone);
                tile.close();
            });
        int constexpr most = wide_stretch_entries<Worker>;
        block_order<most> const order(leaf.rows + part.first, last - part.first, log2);
        auto const x = product.of.rows().from(part.leaf.column);
        T const sign = signed_factor(part.leaf.reference, T(1));
        // A block's entries, side by side.
        std::array<T, most> values;
        std::array<std::uint16_t, most> rows, columns;
        order.for_each_block([&](int block, std::uint16_t const* positions, int count) {
            for (int k = 0; k < count; ++k) {
                int const i = part.first + positions[k];
                auto const to = static_cast<std::size_t>(k);
                values[to] = sign * leaf.values[i];
                rows[to] = static_cast<std::uint16_t>(leaf.rows[i] - (block << log2));
                columns[to] = leaf.columns[i];
            }
            auto tile = tile_of(block);
            add_list_columns<T, V>(values.data(), rows.data(), columns.data(), count, x, tile.sums(), step);
            tile.close();
        });
    }
};

/// Rows item * stretch .. (item + 1) * stretch - 1 of Y.
template <class V>
struct write_columns_task {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr int phase = 2;
    static constexpr char const* name = "write columns";
    static constexpr std::int64_t stretch = 512;

    column_operands<V> of;
    V const* sums;
    std::int64_t step;
    std::int64_t m;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        std::int64_t const first = which * stretch;
        int const rows = static_cast<int>(m - first < stretch ? m - first : stretch);
        write(first, rows, w);
    }

  private:
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE void write(std::int64_t first, int rows, Worker& w) const {
        of.write(reinterpret_cast<lane_row<V> const*>(sums) + first, first, rows, w);
    }
    template <core_worker Worker>
    void write(std::int64_t first, int rows, Worker&) const {
        write_columns(of.y.from(first), sums + first * step, step, rows);
    }
};

template <class T, class V, template <class...> class List>
struct spmm_lists {
    using leaves = task_list<columns_leaf_task<T, V>, wide_leaf_task<columns_stretch_task<T, V>>>;
    using tasks =
        List<scale_output<V>, write_columns_task<V>, inner_dense<leaves>, inner_many<leaves>, inner_few<leaves>,
             wide_leaf_task<columns_stretch_task<T, V>>, columns_stretch_task<T, V>, columns_leaf_task<T, V>>;
};
/// For the device controller.
template <template <class...> class List>
using spmm_runs =
    std::tuple<typename spmm_lists<float, float, List>::tasks, typename spmm_lists<double, double, List>::tasks,
               typename spmm_lists<float, double, List>::tasks>;

/// A plan's part, by lanes.
template <class T, class V>
struct columns_part_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "part of a plan, several columns";
    static constexpr std::size_t scratch_bytes = replay_rows * sizeof(lane_row<V>);

    replay<T, V> lists;  // without x and y
    column_operands<V> of;
    lane_row<V>* slots;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        plan_part const part = lists.parts[index];
        lane_row<V>* const sums = w.template scratch<lane_row<V>>(replay_rows).data();
        for (int i = w.rank(); i < part.rows; i += w.size()) sums[i] = {};
        w.sync();
        std::int64_t const end = lists.reads_matrix ? lists.parts[index + 1].first_item : part.first_item;
        for (std::int64_t k = part.first_item; k < end; ++k) {
            // -(s - p) for s + p, where p counts negatively.
            if (lists.items[k].leaf.reference.negative()) negate(sums, part.rows, w);
            add(lists.items[k], part, sums, w);
            if (lists.items[k].leaf.reference.negative()) negate(sums, part.rows, w);
        }
        w.sync();
        if (part.split < 0) {
            of.write(sums, part.first_row, part.rows, w);
        } else {
            auto* const slot = slots + (static_cast<std::int64_t>(part.slot) << lists.tree.dimension_log2());
            for (int i = w.rank(); i < part.rows; i += w.size()) slot[i] = sums[i];
        }
        w.sync();  // the sums' memory is the next item's
    }

  private:
    template <class Worker>
    COPSE_HOST_DEVICE static void negate(lane_row<V>* sums, int rows, Worker& w) {
        for (int k = w.rank(); k < rows * lane_columns<V>; k += w.size()) {
            V& sum = sums[k / lane_columns<V>].of[k % lane_columns<V>];
            sum = -sum;
        }
        w.sync();
    }
    /// Adds what the item stores; the sign is the caller's.
    template <class Worker>
    COPSE_HOST_DEVICE void add(listed_leaf const& one, plan_part const& part, lane_row<V>* sums, Worker& w) const {
        int row_of_item = static_cast<int>(one.leaf.row - part.first_row);
        if (one.leaf.reference.is_wide_leaf()) row_of_item -= row_in_leaf(one, lists.tree.dimension_log2());
        visit_stored_together<T>(
            w, lists.tree, one.leaf, {one.first, one.last - one.first},
            [&](bool mine, int, int row, int column, T value) {
                add_in_order(sums, mine ? row_of_item + row : -1,
                             mine ? of.product(static_cast<V>(value), one.leaf.column + column, w) : lane_row<V>{}, w);
            });
    }
};

template <class T, class V>
struct columns_split_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "shared rows of a plan, several columns";

    replay<T, V> lists;
    column_operands<V> of;
    lane_row<V>* slots;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        plan_split const split = lists.splits[index];
        int const log2 = lists.tree.dimension_log2();
        lane_row<V>* const sums = slots + (static_cast<std::int64_t>(split.first_slot) << log2);
        for (int i = w.rank(); i < split.rows; i += w.size()) {
            COPSE_NO_UNROLL
            for (int k = 1; k < split.slots; ++k) sums[i] += sums[(static_cast<std::int64_t>(k) << log2) + i];
        }
        w.sync();
        of.write(sums, split.first_row, split.rows, w);
    }
};

}  // namespace copse::detail
