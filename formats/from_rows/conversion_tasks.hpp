// Tasks of a conversion (hisparse §3.2), on the skeleton of the tree (tree_skeleton.hpp).
//
// Before there is memory for the nodes:
//
//   measure_leaves      small or large ones: the streaks that each has
//
// Then, where every node has its place:
//
//   fill_leaves         small or large ones: each, or what a wide leaf has of it
//
// Tasks of small leaves begin as ranges of all leaves that are listed, and hand on the large ones. All other nodes are
// written before by steps (node_steps.hpp).
#pragma once

#include <copse/formats/from_rows/row_stretches.hpp>
#include <copse/formats/from_rows/tree_skeleton.hpp>
#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// The entries of a matrix leaf by leaf, for leaves that are to be made: piece by piece (row_stretches.hpp), by lanes
/// that share the leaf. A union (leaf_union.hpp) tells where each entry goes, so nothing sorts them.
struct leaf_entry_reader {
    tree_skeleton tree;
    ordered_entries entries;

    /// f.template operator()<M>(piece, k) for entries k .. k + M - 1 of a leaf, which the lanes share: M is N, k a
    /// multiple of it, but for the ends of pieces and the entries of a coo, where it is 1.
    template <int N, class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_vector(Worker& w, std::uint32_t leaf, F f) const {
        std::uint32_t const first = tree.first_piece(leaf), end = tree.first_piece(leaf + 1);
        std::int64_t const before = tree.first_entry(leaf), count = tree.first_entry(leaf + 1) - before;
        int together = 1;  // lanes for a piece: one for every N entries of an average one
        while (together < w.size() && std::int64_t{together} * N * (end - first) < count) together *= 2;
        auto const at_once = static_cast<std::uint32_t>(w.size() / together);
        int const lane = w.rank() & (together - 1);
        COPSE_NO_UNROLL
        for (std::uint32_t p = first + static_cast<std::uint32_t>(w.rank() / together); p < end; p += at_once) {
            row_stretch const piece = tree.piece(p, before);
            std::int64_t const last = piece.begin + piece.count;
            COPSE_NO_UNROLL
            for (std::int64_t k = piece.begin / N * N + N * lane; k < last; k += N * together) {
                if (entries.is_csr() && k >= piece.begin && k + N <= last) {
                    f.template operator()<N>(piece, k);
                    continue;
                }
                COPSE_NO_UNROLL
                for (std::int64_t i = k; i < k + N; ++i)
                    if (i >= piece.begin && i < last) f.template operator()<1>(piece, i);
            }
        }
    }
    /// g(j, entry, position) for the M entries from k: entry of the leaf by rows, and leaf_order's position.
    template <int M, class Worker, class G>
    COPSE_HOST_DEVICE COPSE_INLINE void locate(Worker& w, row_stretch const& piece, std::int64_t k, G g) const {
        auto const columns = entries.template columns_of<M>(w, k);
        leaf_order const order = tree.key.order();
        int const entry = piece.before + static_cast<int>(k - piece.begin);
        COPSE_UNROLL
        for (int j = 0; j < M; ++j)
            g(j, entry + j, order.position(piece.row, columns[static_cast<std::size_t>(j)] & order.mask()));
    }
    /// f(entry, position)
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_position(Worker& w, std::uint32_t leaf, F f) const {
        for_each_vector<4>(w, leaf, [&]<int M>(row_stretch const& piece, std::int64_t k) {
            locate<M>(w, piece, k, [&](int, int entry, int position) { f(entry, position); });
        });
    }

    /// All entries of a leaf into a union. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void insert(Worker& w, std::uint32_t leaf, small_union const& into) const {
        for_each_position(w, leaf, [&](int entry, int position) { into.set(entry, position); });
        w.sync();
    }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void insert(Worker& w, std::uint32_t leaf, large_union const& into) const {
        into.clear(w);
        for_each_position(w, leaf, [&](int, int position) { into.insert(w, position); });
        w.sync();
    }
};

/// Leaves of up to small_leaf entries, which a union of few lanes takes.
struct small_leaves {
    static constexpr int width = 8;
    static constexpr std::size_t scratch_bytes = sizeof(small_union::storage);

    COPSE_HOST_DEVICE static bool take(std::int64_t entries) { return entries <= small_leaf; }
    COPSE_HOST_DEVICE static small_union make_union(std::byte* memory, leaf_order order) {
        return {*reinterpret_cast<small_union::storage*>(memory), order};
    }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE static leaf_shape shape(Worker& w, small_union& leaf, std::int64_t entries,
                                                           std::int64_t value_bytes) {
        auto const count = static_cast<int>(entries);
        return leaf.shape(w, count, count, value_bytes);
    }
    /// By what the union knows an entry.
    COPSE_HOST_DEVICE static int name_of(int entry, int) { return entry; }
};

struct large_leaves {
    static constexpr int width = 128;
    static constexpr std::size_t scratch_bytes = large_union::bytes(256);

    COPSE_HOST_DEVICE static bool take(std::int64_t) { return true; }
    COPSE_HOST_DEVICE static large_union make_union(std::byte* memory, leaf_order order) { return {memory, order}; }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE static leaf_shape shape(Worker& w, large_union& leaf, std::int64_t,
                                                           std::int64_t value_bytes) {
        return leaf.shape(w, value_bytes);
    }
    COPSE_HOST_DEVICE static int name_of(int, int position) { return position; }
};

/// Leaves: small_leaves or large_leaves. Item: place in the list.
template <class Leaves>
struct measure_leaves {
    using item = std::int64_t;
    static constexpr int width = Leaves::width;
    static constexpr std::size_t scratch_bytes = Leaves::scratch_bytes;
    static constexpr int resident_blocks = width == 8 ? 8 : 7;
    static constexpr char const* name = width == 8 ? "measure a small leaf" : "measure a leaf";

    leaf_entry_reader from;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        tree_skeleton const& tree = from.tree;
        std::uint32_t const leaf = tree.listed[which];
        std::int64_t const entries = tree.entries_in(leaf);
        bool const has_streaks = entries >= shortest_streak && !tree.in_wide_leaf(leaf);
        if (has_streaks && !Leaves::take(entries)) {
            if (w.rank() == 0) w.template push<measure_leaves<large_leaves>>(which);
            return;
        }
        leaf_shape shape{};
        if (has_streaks) {
            auto united = Leaves::make_union(w.template scratch<std::byte>(scratch_bytes).data(), tree.key.order());
            from.insert(w, leaf, united);
            shape = Leaves::shape(w, united, entries, tree.value_bytes);
        }
        if (w.rank() == 0) tree.note_streaks(leaf, shape);
    }
};

/// What the tasks that write nodes share.
template <class T>
struct conversion {
    leaf_entry_reader from;
    ordered_values<T> values;
    std::byte* memory;  // the arena

    COPSE_HOST_DEVICE std::byte* address(std::uint32_t node, node_kind kind) const {
        return memory + from.tree.offset(node, kind);
    }
    /// f(entry, position, value) for the entries of a leaf, which the lanes share.
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, std::uint32_t leaf, F f) const {
        from.template for_each_vector<16 / sizeof(T)>(w, leaf, [&]<int M>(row_stretch const& piece, std::int64_t k) {
            auto const own = values.template of<M>(w, k);
            from.template locate<M>(w, piece, k, [&](int j, int entry, int position) {
                f(entry, position, own[static_cast<std::size_t>(j)]);
            });
        });
    }
};

/// What a wide leaf has of a leaf that it stands for.
template <class T>
class wide_part_writer {
  public:
    COPSE_HOST_DEVICE wide_part_writer(conversion<T> const& work, std::uint32_t leaf)
        : wide_part_writer(work, work.from.tree, leaf, work.from.tree.parents[leaf]) {}

    /// Entry i of the leaf in leaf_order.
    COPSE_HOST_DEVICE COPSE_INLINE void put(std::int64_t i, int position, T value) const {
        writer_.put(before_ + i, row_ | order_.row(position), column_ | order_.column(position), value);
    }

  private:
    COPSE_HOST_DEVICE wide_part_writer(conversion<T> const& work, tree_skeleton const& tree, std::uint32_t leaf,
                                       std::uint32_t block)
        : writer_(work.address(block, wide_leaf::kind), tree.block_entries(block)),
          before_(tree.first_entry(leaf) - tree.first_entry(tree.first[block])),
          order_(tree.key.order()),
          row_(tree.key.row_in_parent(tree.numbers[leaf], 0) << tree.key.dimension_log2()),
          column_(tree.key.column_in_parent(tree.numbers[leaf], 0) << tree.key.dimension_log2()) {}

    wide_leaf_writer<T> writer_;
    std::int64_t before_;
    leaf_order order_;
    int row_;
    int column_;
};

/// Item: place in the list.
template <class T, class Leaves>
struct fill_leaves {
    using item = std::int64_t;
    static constexpr int width = Leaves::width;
    static constexpr std::size_t scratch_bytes = Leaves::scratch_bytes;
    // 64 and 96 registers; with 80, for 6 blocks, the resident kernel spills 4 bytes.
    static constexpr int resident_blocks = width == 8 ? 8 : 5;
    static constexpr char const* name = width == 8 ? "fill a small leaf" : "fill a leaf";

    conversion<T> work;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        tree_skeleton const& tree = work.from.tree;
        std::uint32_t const leaf = tree.listed[which];
        std::int64_t const entries = tree.entries_in(leaf);
        if (!Leaves::take(entries)) {
            if (w.rank() == 0) w.template push<fill_leaves<T, large_leaves>>(which);
            return;
        }
        auto united = Leaves::make_union(w.template scratch<std::byte>(scratch_bytes).data(), tree.key.order());
        work.from.insert(w, leaf, united);
        leaf_shape const shape = Leaves::shape(w, united, entries, tree.value_bytes);
        if (w.rank() == 0) tree.note_streaks(leaf, shape);
        if (tree.in_wide_leaf(leaf))
            fill_part(w, leaf, united);
        else
            fill_whole(w, leaf, united, shape);
    }

  private:
    template <class Worker, class Union>
    COPSE_HOST_DEVICE COPSE_INLINE void fill_whole(Worker& w, std::uint32_t leaf, Union const& united,
                                                   leaf_shape const& shape) const {
        leaf_writer<T> const writer(work.address(leaf, shape.kind), shape, work.from.tree.key.order());
        writer.prepare(w);
        united.write_streaks(w, writer);
        work.for_each_entry(w, leaf, [&](int entry, int position, T value) {
            united.place(w, writer, Leaves::name_of(entry, position)) = value;
        });
    }
    template <class Worker, class Union>
    COPSE_HOST_DEVICE COPSE_INLINE void fill_part(Worker& w, std::uint32_t leaf, Union const& united) const {
        wide_part_writer<T> const writer(work, leaf);
        work.for_each_entry(w, leaf, [&](int entry, int position, T value) {
            writer.put(united.index_of(Leaves::name_of(entry, position)), position, value);
        });
    }
};

/// In the order that run() gets them: the first that has items is preferred on the CPU.
template <template <class...> class List>
using measuring_tasks = List<measure_leaves<large_leaves>, measure_leaves<small_leaves>>;
template <class T, template <class...> class List>
using filling_tasks = List<fill_leaves<T, large_leaves>, fill_leaves<T, small_leaves>>;

/// For the device controller.
template <template <class...> class List>
using conversion_runs = std::tuple<measuring_tasks<List>, filling_tasks<float, List>, filling_tasks<double, List>>;

}  // namespace copse::detail
