// Replaying by tasks: parts in phase 0, the sums of rows that several parts share in phase 1. One source for the
// executors with many lanes; a CPU has replay_cpu.hpp.
//
// Every sum has one order. The lanes of a worker add to the part's rows on chip, and where several want the same row at
// once the lower lane goes first.
#pragma once

#include <copse/algebra/list_products.hpp>
#include <copse/algebra/replay.hpp>
#include <copse/runtime/add_in_order.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace copse::detail {

/// Rows of a part at most: what a worker's sums on chip have room for.
inline constexpr int replay_rows = 256;
/// A worker's part: long enough that its rows' zeroing and writing is little beside it, short enough for many workers.
inline constexpr plan_shape replay_shape{.most_rows = replay_rows, .join_entries = 2048, .most_entries = 4096};

/// No function for elements that are done.
struct no_epilogue {
    template <class V>
    COPSE_HOST_DEVICE void operator()(std::int64_t, V&) const {}
};

template <class V, class Epilogue>
using epilogue_result = std::decay_t<std::invoke_result_t<Epilogue const&, std::int64_t, V&>>;
template <class Result>
using result_pointer = std::conditional_t<std::is_void_v<Result>, std::nullptr_t, std::add_pointer_t<Result>>;

/// What happens to rows whose sums are known.
template <class V, class Epilogue>
struct row_writer {
    using result = epilogue_result<V, Epilogue>;

    V* y;
    V factor;
    V beta;
    Epilogue epilogue;
    result_pointer<result> sums;  // of each piece

    /// Rows first .. first + count - 1, sum_of(i) for the i-th. Collective.
    template <class Sums, class Worker>
    COPSE_HOST_DEVICE void write(std::int64_t piece, std::int64_t first, int count, Sums sum_of, Worker& w) const {
        if constexpr (std::is_void_v<result>) {
            for (int i = w.rank(); i < count; i += w.size()) epilogue(first + i, finish(first + i, sum_of(i)));
        } else {
            result own{};
            for (int i = w.rank(); i < count; i += w.size()) own += epilogue(first + i, finish(first + i, sum_of(i)));
            own = w.reduce(own, [](result a, result const& b) {
                a += b;
                return a;
            });
            if (w.rank() == 0) sums[piece] = own;
        }
    }

  private:
    COPSE_HOST_DEVICE V& finish(std::int64_t row, V sum) const {
        y[row] = beta == V(0) ? factor * sum : factor * sum + beta * y[row];
        return y[row];
    }
};

/// Entries first .. last - 1 of a list, whose rows are counted from first_row.
template <class Leaf, class V, class Worker>
COPSE_HOST_DEVICE void add_list(Leaf const& leaf, int first, int last, int first_row, V const* x, V* sums, Worker& w) {
    for_each_product(leaf, first, last, x, w, [&](bool mine, int row, V product) {
        add_in_order(sums, mine ? row - first_row : -1, product, w);
    });
}

template <class T, class V, class Worker>
COPSE_HOST_DEVICE void add_runs(diagonal_leaf_view<T> const& leaf, V const* x, V* sums, Worker& w) {
    T const* values = leaf.run_values;
    for (int k = 0; k < leaf.runs; ++k) {
        int const row = leaf.first_rows[k], column = leaf.first_columns[k], last = leaf.last[k];
        for_each_product_of_run(values, last, x + column, w, [&](int i, V product) { sums[row + i] += product; });
        w.sync();  // the next run may have the same rows
        values += last + 1;
    }
}

/// Each lane has rows of its own: those of the leaf as it is stored, or its columns when it is transposed.
template <class T, class V, class Worker>
COPSE_HOST_DEVICE void add_dense(dense_leaf_view<T> const& leaf, V const* x, V* sums, Worker& w) {
    int const d = 1 << leaf.dimension_log2;
    if (leaf.transposed) {
        for (int j = w.rank(); j < d; j += w.size()) {
            V sum = V(0);
            bool any = false;
            for (int i = 0; i < d; ++i) {
                if (!leaf.is_entry(i * d + j)) continue;
                sum += static_cast<V>(w.load_stream(leaf.values + i * d + j)) * x[i];
                any = true;
            }
            if (any) sums[j] += sum;
        }
    } else {
        for (int i = 0; i < d; ++i) {
            V own = V(0);
            bool any = false;
            for (int j = w.rank(); j < d; j += w.size()) {
                if (!leaf.is_entry(i * d + j)) continue;
                own += static_cast<V>(w.load_stream(leaf.values + i * d + j)) * x[j];
                any = true;
            }
            V const sum = w.reduce(own, [](V a, V b) { return a + b; });
            bool const found = w.any(any);
            if (w.rank() == 0 && found) sums[i] += sum;
        }
    }
    w.sync();
}

template <class T, class V, class Worker>
COPSE_HOST_DEVICE void add_item(tree_view const& tree, plan_item const& item, V const* x, V* sums, Worker& w) {
    switch (item.leaf.reference.kind()) {
        case node_kind::sparse: {
            auto const leaf = tree.sparse_leaf<T>(item.leaf);
            return add_list(leaf, 0, leaf.count, 0, x, sums, w);
        }
        case node_kind::diagonal: {
            auto const leaf = tree.diagonal_leaf<T>(item.leaf);
            add_list(leaf.others, 0, leaf.others.count, 0, x, sums, w);
            return add_runs(leaf, x, sums, w);
        }
        case node_kind::dense:
            return add_dense(tree.dense_leaf<T>(item.leaf), x, sums, w);
        case node_kind::wide: {
            auto const leaf = tree.wide_leaf<T>(item.leaf);
            int const log2 = tree.dimension_log2();
            int const first_row = leaf.rows[item.first] >> log2 << log2;
            return add_list(leaf, item.first, item.last, first_row, x, sums, w);
        }
    }
}

template <class T, class V, class Epilogue>
struct replay_part_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "part of a plan";
    static constexpr std::size_t scratch_bytes = replay_rows * sizeof(V);

    replay<T, V> product;
    row_writer<V, Epilogue> writer;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        plan_part const part = product.parts[index];
        V* const sums = w.template scratch<V>(part.rows).data();
        for (int i = w.rank(); i < part.rows; i += w.size()) sums[i] = V(0);
        w.sync();
        std::int64_t const end = product.reads_matrix ? product.parts[index + 1].first_item : part.first_item;
        for (std::int64_t i = part.first_item; i < end; ++i) {
            plan_item const one = product.items[i];
            add_item<T>(product.tree, one, product.x + one.leaf.column, sums + (one.leaf.row - part.first_row), w);
        }
        if (part.split < 0) {
            writer.write(
                index, part.first_row, part.rows, [&](int i) { return sums[i]; }, w);
        } else {
            V* const slot = product.slots + (static_cast<std::int64_t>(part.slot) << product.tree.dimension_log2());
            for (int i = w.rank(); i < part.rows; i += w.size()) slot[i] = sums[i];
        }
        w.sync();  // the sums' memory is the next item's
    }
};

template <class T, class V, class Epilogue>
struct replay_split_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "shared rows of a plan";

    replay<T, V> product;
    row_writer<V, Epilogue> writer;
    std::int64_t part_count;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        plan_split const split = product.splits[index];
        int const log2 = product.tree.dimension_log2();
        V const* const slots = product.slots + (static_cast<std::int64_t>(split.first_slot) << log2);
        auto const sum_of = [&](int i) {
            V sum = V(0);
            for (int k = 0; k < split.slots; ++k) sum += slots[(static_cast<std::int64_t>(k) << log2) + i];
            return sum;
        };
        writer.write(part_count + index, split.first_row, split.rows, sum_of, w);
    }
};

}  // namespace copse::detail
