// z <- A^T f(A x) + beta z part by part. A worker has the sums of a part's rows on chip. It gives them to f, and goes
// through the same leaves again, which are in a cache then, for A^T.
//
//   phase 0   parts: A x in the part's rows, f, and what these rows add to z; of rows that parts share, the sums only
//   phase 1   shared rows: the sums of all their parts, f, and t to memory
//   phase 2   parts that share rows: what these rows add to z
//
// z is scaled before. What parts add to it are atomic additions, of a leaf's columns after they were summed on chip, of
// lists with few entries or of wide leaves one by one: which comes first does not repeat.
#pragma once

#include <cmath>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/products/leaf_sums.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// z += factor * A^T t, leaf by leaf.
template <class T, class V>
struct part_images {
    // Of all parts, with their signs: replay::items may have these in their columns (items_by_sign).
    listed_leaf const* items;
    V* z;
    std::int64_t size;
    V factor;

    /// A tile of z for a leaf's columns.
    static constexpr std::size_t tile_bytes = 256 * sizeof(V);

    /// What the part's rows add; t: of these rows, from the first on, which lanes may have written just before: the
    /// first sync() in for_each_item() comes before t is read. at_hand: as there. The worker has room for a tile.
    /// Collective.
    template <class Worker>
    COPSE_HOST_DEVICE void add_part(replay<T, V> const& product, std::int64_t index, V const* t, std::byte* at_hand,
                                    Worker& w) const {
        plan_part const part = product.parts[index];
        listed_leaf const* next = items + part.first_item;
        auto const nothing = [](listed_leaf const&) {};
        auto const side_by_side = [&]<item_size Size, class Leaf, int lanes_each>() {
            int const count = part.small[static_cast<std::size_t>(Size)];
            for_each_item<Worker::size() / lanes_each>(
                next, count, at_hand, w, nothing, [&](bool mine, listed_leaf const& item) {
                    if (mine) add_entries<Leaf, lanes_each>(product.tree, item, part, t, w);
                });
            next += count;
        };
        side_by_side.template operator()<item_size::sparse_to_4, sparse_leaf, 4>();
        side_by_side.template operator()<item_size::sparse_to_32, sparse_leaf, 8>();
        side_by_side.template operator()<item_size::wide_to_4, wide_leaf, 4>();
        side_by_side.template operator()<item_size::wide_to_32, wide_leaf, 8>();
        listed_leaf const* const end = items + product.parts[index + 1].first_item;
        for_each_item<1>(next, static_cast<int>(end - next), at_hand, w, nothing,
                         [&](bool, listed_leaf const& item) { add_leaf(product.tree, item, part, t, w); });
    }

  private:
    COPSE_HOST_DEVICE static V const* rows_of(listed_leaf const& item, plan_part const& part, V const* t) {
        return t + static_cast<std::int32_t>(item.leaf.row - part.first_row);
    }
    /// With rows and columns in each other's place.
    COPSE_HOST_DEVICE static node turned(node leaf) {
        return {leaf.reference.transposed_if(true), leaf.column, leaf.row};
    }

    /// Of a short list, by `lanes` of the worker's.
    template <class Leaf, int lanes, class Worker>
    COPSE_HOST_DEVICE void add_entries(node_reader const& tree, listed_leaf const& item, plan_part const& part,
                                       V const* t, Worker& w) const {
        auto const leaf = tree.template view_of<Leaf, T>(item.leaf);
        V const own = signed_factor(item.leaf.reference, factor);
        V const* rows = rows_of(item, part, t);
        if constexpr (Leaf::kind == wide_leaf::kind) rows -= row_in_leaf(item, tree.dimension_log2());
        for (int k = item.first + w.rank() % lanes; k < item.last; k += lanes)
            w.add(&z[item.leaf.column + leaf.columns[k]],
                  own * (static_cast<V>(w.load_stream(leaf.values.at(k))) * rows[leaf.rows[k]]));
    }

    /// By all lanes.
    template <class Worker>
    COPSE_HOST_DEVICE void add_leaf(node_reader const& tree, listed_leaf const& item, plan_part const& part, V const* t,
                                    Worker& w) const {
        V const* const rows = rows_of(item, part, t);
        V* const columns = z + item.leaf.column;
        with_kind(item.leaf.reference.kind(), [&](auto owner) {
            auto const leaf = tree.template view_of<decltype(owner), T>(turned(item.leaf));
            if constexpr (decltype(owner)::kind == wide_leaf::kind) {
                V const own = signed_factor(item.leaf.reference, factor);
                for_each_product(leaf, item.first, item.last, rows - row_in_leaf(item, tree.dimension_log2()), w,
                                 [&](bool mine, int column, V product) {
                                     if (mine) w.add(&columns[column], own * product);
                                 });
            } else {
                int const d = tree.dimension(), left = part.rows - static_cast<int>(rows - t);
                std::int64_t const behind = size - item.leaf.column;
                leaf_portion const portion{behind < d ? static_cast<int>(behind) : d, left < d ? left : d};
                auto tile = w.tile(columns, portion.rows);
                tile_sums<decltype(tile), V, Worker> sums{tile, factor, item.leaf.reference.negative(), w};
                add_products(leaf, portion, rows, sums, w);
                tile.close();
            }
        });
    }
};

/// On chip: a tile, and behind it what a part has. Half as many blocks as a product has: what these have read once, and
/// will read again, is to fit the L2 cache (4 blocks of 4 parts of 20 KB on 132 multiprocessors: 42 MB).
template <class T, class V, class F>
struct normal_part_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "part of a normal product";
    static constexpr std::size_t scratch_bytes = part_images<T, V>::tile_bytes + part_bytes<V>;
    static constexpr int resident_blocks = 4;

    replay<T, V> product;
    row_writer<V, F> writer;  // its y is not used
    part_images<T, V> images;
    bool fetch_ahead;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        w.keep_streams();
        plan_part const part = product.parts[index];
        std::byte* const on_chip = w.template scratch<std::byte>(scratch_bytes).data() + images.tile_bytes;
        V* const rows = sums_of_part(product, index, part, on_chip, add_from_tree{fetch_ahead}, w);
        row_writer<V, F> own = writer;
        own.y = rows - part.first_row;
        write_part(product, own, index, part, rows, w);
        if (part.split < 0) images.add_part(product, index, rows, on_chip + sum_bytes<V>, w);
        w.sync();  // the sums' memory is the next item's
    }
};

/// Parts that share rows, when t is known in them.
template <class T, class V>
struct shared_images_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = 2;
    static constexpr char const* name = "shared rows of a normal product";
    static constexpr std::size_t scratch_bytes = part_images<T, V>::tile_bytes + at_hand_bytes();
    static constexpr int resident_blocks = 4;

    replay<T, V> product;
    part_images<T, V> images;
    V const* t;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item index, Worker& w) const {
        plan_part const part = product.parts[index];
        if (part.split < 0) return;
        std::byte* const at_hand = w.template scratch<std::byte>(scratch_bytes).data() + images.tile_bytes;
        images.add_part(product, index, t + part.first_row, at_hand, w);
    }
};

/// Whether normal_product() goes part by part. A factor that is not finite is to meet whole sums.
template <class V, class T>
bool goes_by_parts(spmv_plan<T> const& plan, replay_choices const& choices) {
    return choices.normal_by_parts && std::isfinite(static_cast<V>(plan.matrix().scale()));
}
/// run(parts, splits, shared): the tasks of the phases. t: of all rows, if parts share some.
template <class T, class V, class F, class Run>
void with_normal_tasks(ready_replay<T, V> const& a, F const& f, result_pointer<epilogue_result<V, F>> sums, V* t,
                       vector_view<V> z, bool fetch_ahead, Run run) {
    part_images<T, V> const images{a.lists.items.data(), z.data(), z.size(), a.product.factor};
    row_writer<V, F> const writer{t, a.product.factor, V(0), f, sums};
    run(normal_part_task<T, V, F>{a.product, writer, images, fetch_ahead},
        replay_split_task<T, V, F>{a.product, writer, a.lists.part_count},
        shared_images_task<T, V>{a.product, images, t});
}

}  // namespace copse::detail
