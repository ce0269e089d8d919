// Replaying by tasks: parts in phase 0, the sums of rows that several parts share in phase 1. One source for the
// executors with many lanes; a CPU has replay_cpu.cpp.
//
// Every sum has one order. The lanes of a worker add to the part's rows on chip, and where several want the same row at
// once the lower lane goes first.
#pragma once

#include <array>
#include <copse/algebra/plans/replay.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/plans/replay_fetch.hpp>
#include <copse/algebra/plans/replay_items.hpp>
#include <copse/algebra/plans/row_stream.hpp>
#include <copse/algebra/plans/sums_of_pieces.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/products/leaf_products.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/add_in_order.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace copse::detail {

/// No function for elements that are done.
struct no_epilogue {
    template <class V>
    COPSE_HOST_DEVICE void operator()(std::int64_t, V&) const {}
};

template <class V, class Epilogue>
using epilogue_result = std::decay_t<std::invoke_result_t<Epilogue const&, std::int64_t, V&>>;
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
    /// For a piece whose rows others write. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE void write_none([[maybe_unused]] std::int64_t piece, [[maybe_unused]] Worker& w) const {
        if constexpr (!std::is_void_v<result>)
            if (w.rank() == 0) sums[piece] = result{};
    }

  private:
    COPSE_HOST_DEVICE V& finish(std::int64_t row, V sum) const {
        y[row] = beta == V(0) ? factor * sum : factor * sum + beta * y[row];
        return y[row];
    }
};

template <class T, class V, class Epilogue>
row_writer<V, Epilogue> writer_of(replay<T, V> const& product, Epilogue const& epilogue,
                                  result_pointer<epilogue_result<V, Epilogue>> sums) {
    return {product.y, product.factor, product.beta, epilogue, sums};
}

/// Entries first .. last - 1 of a list, whose rows are counted from first_row.
template <class Leaf, class V, class Worker>
COPSE_HOST_DEVICE void add_list(Leaf const& leaf, int first, int last, int first_row, V const* x, V* sums, Worker& w) {
    for_each_product(leaf, first, last, x, w, [&](bool mine, int row, V product) {
        add_in_order(sums, mine ? row - first_row : -1, product, w);
    });
}

/// What add_products() adds to.
template <class V, class Worker>
struct ordered_sums {
    V* sums;
    Worker& w;

    COPSE_HOST_DEVICE COPSE_INLINE void add(int row, V product) { add_in_order(sums, row, product, w); }
    COPSE_HOST_DEVICE COPSE_INLINE void add_alone(int row, V sum) { sums[row] += sum; }
    COPSE_HOST_DEVICE COPSE_INLINE void begin_rows() {}
    COPSE_HOST_DEVICE COPSE_INLINE void end_rows() { w.sync(); }
};

/// Leaves of the other placed kinds.
template <class... Leaf, class T, class V, class Worker>
COPSE_HOST_DEVICE void add_other(leaf_owners<dense_leaf, Leaf...>, [[maybe_unused]] replay<T, V> const& product,
                                 [[maybe_unused]] listed_leaf const& item, [[maybe_unused]] int rows,
                                 [[maybe_unused]] V const* x, [[maybe_unused]] V* sums, [[maybe_unused]] Worker& w) {
    if constexpr (sizeof...(Leaf) > 0) {
        std::int64_t const columns = product.x_size - item.leaf.column, d = product.tree.dimension();
        leaf_portion const portion{rows, static_cast<int>(columns < d ? columns : d)};
        ordered_sums<V, Worker> own{sums, w};
        with_kind_of(leaf_owners<Leaf...>(), item.leaf.reference.kind(), [&](auto leaf) {
            add_products(product.tree.template view_of<decltype(leaf), T>(item.leaf), portion, x, own, w);
        });
    }
}

/// | x | -x |, for plans with leaves that count negatively: their items begin in the second half (plan_content.hpp). A
/// sign beside each product, or a choice of x for each item, spills registers in every plan's kernel.
template <class V>
struct double_x {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "x and its negative";
    static constexpr std::int64_t stretch = 4096;

    V const* x;
    V* to;
    std::int64_t size;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        for_stretch(w, which, stretch, size, [&](std::int64_t i) {
            to[i] = x[i];
            to[size + i] = -x[i];
        });
    }
};

template <class T, class V, class Worker>
COPSE_HOST_DEVICE void add_item(replay<T, V> const& product, listed_leaf const& item, plan_part const& part, V* sums,
                                Worker& w) {
    node_reader const& tree = product.tree;
    auto const row = static_cast<int>(item.leaf.row - part.first_row);
    V const* const x = product.x + item.leaf.column;
    sums += row;
    auto const rows_of_leaf = [&] { return part.rows - row < tree.dimension() ? part.rows - row : tree.dimension(); };
    // Not add_products() through with_leaf(): the double kernel then spills two registers (nvcc 13.0, sm_90).
    switch (item.leaf.reference.kind_of_positive()) {
        case sparse_leaf::kind: {
            auto const leaf = tree.template view_of<sparse_leaf, T>(item.leaf);
            return add_list(leaf, 0, leaf.count, 0, x, sums, w);
        }
        case diagonal_leaf::kind: {
            auto const leaf = tree.template view_of<diagonal_leaf, T>(item.leaf);
            add_list(leaf.others, 0, leaf.others.count, 0, x, sums, w);
            add_streaks_by_rows(leaf, rows_of_leaf(), x, w, [&](int i, V sum) { sums[i] += sum; });
            return w.sync();
        }
        case dense_leaf::kind: {
            std::int64_t const columns = product.x_size - item.leaf.column;
            dense_extent const extent{rows_of_leaf(),
                                      columns < tree.dimension() ? static_cast<int>(columns) : tree.dimension()};
            add_dense_products(tree.template view_of<dense_leaf, T>(item.leaf), extent, x, w,
                               [&](int i, V sum) { sums[i] += sum; });
            return w.sync();
        }
        case wide_leaf::kind: {
            auto const leaf = tree.template view_of<wide_leaf, T>(item.leaf);
            return add_list(leaf, item.first, item.last, row_in_leaf(item, tree.dimension_log2()), x, sums, w);
        }
        default:
            add_other(placed_leaves(), product, item, rows_of_leaf(), x, sums, w);
    }
}

/// Lists of one kind side by side: `lanes_each` lanes for each, with up to `entries_each` consecutive entries.
template <class Leaf, int lanes_each, int entries_each, class T, class V, class Worker>
COPSE_HOST_DEVICE void add_side_by_side(replay<T, V> const& product, std::uint32_t first_row, listed_leaf const* items,
                                        int item_count, std::byte* at_hand, V* sums, Worker& w) {
    using coordinate = std::decay_t<decltype(*product.tree.template view_of<Leaf, T>(node{}).rows)>;
    int constexpr values_per_load = entries_each == 1 ? 1 : static_cast<int>(16 / sizeof(T));
    auto const add = [&](bool mine, listed_leaf const& item) {
        std::array<coordinate, entries_each> rows{}, columns{};
        std::array<T, values_per_load> values[entries_each / values_per_load]{};
        int own = 0, first = 0, last = 0;
        int row = 0;
        V const* x = product.x;
        if (mine) {
            auto const leaf = product.tree.template view_of<Leaf, T>(item.leaf);
            first = item.first;
            last = item.last;
            own = first / entries_each * entries_each + w.rank() % lanes_each * entries_each;
            row = static_cast<int>(item.leaf.row - first_row);
            if constexpr (Leaf::kind == wide_leaf::kind) row -= row_in_leaf(item, product.tree.dimension_log2());
            x += item.leaf.column;
            if (own < last) {
                columns = w.template load_stream_vector<entries_each>(leaf.columns + own);
                COPSE_UNROLL
                for (int i = 0; i < entries_each; i += values_per_load)
                    if (own + i < last)
                        values[i / values_per_load] =
                            w.template load_stream_vector<values_per_load>(leaf.values.at(own + i));
                rows = w.template load_stream_vector<entries_each>(leaf.rows + own);
            }
        }
        auto const is_mine = [&](int i) { return first <= own + i && own + i < last; };
        V products[entries_each];
        COPSE_UNROLL
        for (int i = 0; i < entries_each; ++i)
            products[i] =
                is_mine(i) ? static_cast<V>(values[i / values_per_load][i % values_per_load]) * w.load(x + columns[i])
                           : V(0);
        COPSE_UNROLL
        for (int i = 0; i < entries_each; ++i)
            add_in_order(sums, is_mine(i) ? row + rows[i] : -1, products[i], warp_of(w));
    };
    for_each_item<Worker::size() / lanes_each>(
        items, item_count, at_hand, w, [](listed_leaf const&) {}, add);
}

/// Items that are not small, read from the tree, one by each warp: sums[i] += what they give to the part's row i.
/// Collective.
struct add_from_tree {
    bool fetch_ahead;

    template <class T, class V, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void operator()(replay<T, V> const& product, plan_part const& part,
                                                   listed_leaf const* items, int count, V* sums, std::byte* at_hand,
                                                   Worker& w) const {
        auto&& warp = warp_of(w);
        auto const fetch = [&](listed_leaf const& one) {
            if (fetch_ahead && warp.rank() == 0) fetch_item<T>(product.tree, one, w);
        };
        int constexpr warps = warps_of<Worker>();
        for_each_item<warps>(items, count, at_hand, w, fetch, [&](bool mine, listed_leaf const& one) {
            if (warps == 1 || mine) add_item(product, one, part, sums, warp);
        });
    }
};

/// sums[i] += what this warp's items of the part, from `first` on, give to the part's row i. add_larger: as
/// add_from_tree. Collective.
template <class T, class V, class AddLarger, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_items(replay<T, V> const& product, plan_part const& part, int first,
                                              std::int64_t end, V* sums, std::byte* at_hand,
                                              AddLarger const& add_larger, Worker& w) {
    listed_leaf const* next = product.items + part.first_item + first;
    auto const side_by_side = [&]<item_size Size, class Leaf, int lanes_each, int entries_each>() {
        int const count = part.small[static_cast<std::size_t>(Size)];
        add_side_by_side<Leaf, lanes_each, entries_each>(product, part.first_row, next, count, at_hand, sums, w);
        next += count;
    };
    side_by_side.template operator()<item_size::sparse_to_4, sparse_leaf, 4, 1>();
    side_by_side.template operator()<item_size::sparse_to_32, sparse_leaf, 8, 4>();
    side_by_side.template operator()<item_size::wide_to_4, wide_leaf, 4, 1>();
    side_by_side.template operator()<item_size::wide_to_32, wide_leaf, 8, 4>();
    add_larger(product, part, next, static_cast<int>(product.items + end - next), sums, at_hand, w);
}

/// What a worker has on chip for a part: each warp's sums of the part's rows, and behind them items at hand.
template <class V, int lanes = 32>
inline constexpr std::size_t sum_bytes = lanes / 32 * replay_rows * sizeof(V);
template <class V, int lanes = 32>
inline constexpr std::size_t part_bytes = sum_bytes<V, lanes> + at_hand_bytes(lanes);

/// The sums of the part's rows, with which on_chip begins: part_bytes, or as much as add_larger takes. A lane sees
/// those of every size()th row from its own number on, after a sync() all of them. Collective.
template <class T, class V, class AddLarger, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE V* sums_of_part(replay<T, V> const& product, std::int64_t index, plan_part const& part,
                                               std::byte* on_chip, AddLarger const& add_larger, Worker& w) {
    V* const sums = reinterpret_cast<V*>(on_chip);
    int constexpr warps = warps_of<Worker>();
    for (int i = w.rank(); i < part.rows; i += w.size()) {
        COPSE_UNROLL
        for (int warp = 0; warp < warps; ++warp) sums[warp * replay_rows + i] = V(0);
    }
    w.sync();
    if (!product.reads_matrix) return sums;
    V* const own = sums + warp_index(w) * replay_rows;
    part_stream const stream = product.streams ? product.streams[index] : part_stream{};
    if (stream.count > 0) add_stream(product, stream, own, w);
    add_items(product, part, stream.items, product.parts[index + 1].first_item, own,
              on_chip + sum_bytes<V, Worker::size()>, add_larger, w);
    if constexpr (warps > 1) {
        w.sync();
        for (int i = w.rank(); i < part.rows; i += w.size()) {
            COPSE_UNROLL
            for (int warp = 1; warp < warps; ++warp) sums[i] += sums[warp * replay_rows + i];
        }
    }
    return sums;
}
/// Writes the part's rows; if other parts share them, its slot. Collective.
template <class T, class V, class Epilogue, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void write_part(replay<T, V> const& product, row_writer<V, Epilogue> const& writer,
                                               std::int64_t index, plan_part const& part, V const* sums, Worker& w) {
    if (part.split < 0) {
        writer.write(
            index, part.first_row, part.rows, [&](int i) { return sums[i]; }, w);
    } else {
        V* const slot = product.slots + (static_cast<std::int64_t>(part.slot) << product.tree.dimension_log2());
        for (int i = w.rank(); i < part.rows; i += w.size()) slot[i] = sums[i];
        writer.write_none(index, w);
    }
}

/// KeepsLeaves: leaves that are read stay in the cache for another worker (keeps_leaves()). Chosen at run time, the
/// loads' policy takes registers, and kernels with sums of double spill 8 bytes more. Lanes: a warp, or the warps of a
/// block, which take a part's items in turn (replay_choices::by_blocks).
template <class T, class V, class Epilogue, bool KeepsLeaves = false, int Lanes = 32>
struct replay_part_task {
    using item = std::int64_t;
    static constexpr int width = Lanes;
    static constexpr char const* name = "part of a plan";
    static constexpr std::size_t scratch_bytes = part_bytes<V, Lanes>;
    static constexpr int resident_blocks = sizeof(T) < sizeof(V) ? 7 : 8;  // 8 with sums of double would spill 8 bytes

    replay<T, V> product;
    row_writer<V, Epilogue> writer;
    bool fetch_ahead = replay_choices{}.fetch_ahead;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        if constexpr (KeepsLeaves) w.keep_streams();
        multiply(index, add_from_tree{fetch_ahead}, w);
    }

  protected:
    template <class AddLarger, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void multiply(item index, AddLarger const& add_larger, Worker& w) const {
        plan_part const part = product.parts[index];
        int constexpr all = static_cast<int>(task_scratch_bytes<typename Worker::task>());
        std::byte* const on_chip = w.template scratch<std::byte>(all).data();
        V const* const sums = sums_of_part(product, index, part, on_chip, add_larger, w);
        write_part(product, writer, index, part, sums, w);
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
            // Several side by side: each is waited for.
            int constexpr together = 8;
            V sum[together]{};
            COPSE_NO_UNROLL
            for (int k = 0; k < split.slots; k += together) {
                COPSE_UNROLL
                for (int j = 0; j < together; ++j)
                    if (k + j < split.slots) sum[j] += slots[(static_cast<std::int64_t>(k + j) << log2) + i];
            }
            COPSE_UNROLL
            for (int half = together / 2; half > 0; half /= 2) {
                COPSE_UNROLL
                for (int j = 0; j < half; ++j) sum[j] += sum[j + half];
            }
            return sum[0];
        };
        writer.write(part_count + index, split.first_row, split.rows, sum_of, w);
    }
};

}  // namespace copse::detail

namespace copse {

/// Where what an epilogue returns goes, summed over each piece of a plan: Result*, or nullptr_t if it returns nothing.
template <class V, class Epilogue>
using piece_sums = detail::result_pointer<detail::epilogue_result<V, Epilogue>>;

}  // namespace copse
