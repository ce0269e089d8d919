// The entries of a leaf that is to be made, from a matrix row by row: piece by piece (row_pieces.hpp), by lanes that
// work together. A union (leaf_union.hpp) tells where each goes, so nothing sorts them.
#pragma once

#include <copse/formats/from_rows/row_pieces.hpp>
#include <copse/formats/from_rows/tree_skeleton.hpp>
#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// The entries of a matrix leaf by leaf.
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
            row_piece const piece = tree.piece(p, before);
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
    COPSE_HOST_DEVICE COPSE_INLINE void locate(Worker& w, row_piece const& piece, std::int64_t k, G g) const {
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
        for_each_vector<4>(w, leaf, [&]<int M>(row_piece const& piece, std::int64_t k) {
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

}  // namespace copse::detail
