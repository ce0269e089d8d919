// Leaves on their way into L2 before a worker comes to them: as far as a plan's item and the leaf's reference say where
// its bytes are. Reading its header for the rest would be to wait for it.
//
//   sparse, dense   all of it
//   diagonal        as many bytes from its start on as such a leaf has at least
//   wide            the header, the part's values, and where its rows and columns are: how far behind the values depends on
//                   the exact number of entries, which the reference rounds up to a multiple of 16. (Of the leaf's last 80
//                   entries some coordinates may be missing: the node might end before.)
//
// Large items by one lane, which has whole stretches fetched; small ones by the lanes that will share them, a line each
// (of a part of a wide leaf the lines where a stretch begins and ends: one between them is missed).
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Where a part of a wide leaf is in its node, which has at least `end` bytes. T: of the values.
template <class T>
struct fetched_part {
    static constexpr std::int64_t header = 16, value_bytes = sizeof(T);
    // Before rows and before columns, for each entry.
    static constexpr std::int64_t row_bytes = value_bytes, column_bytes = value_bytes + 2;
    std::int64_t first;
    std::int64_t last;
    std::int64_t least;  // of entries, padded
    std::int64_t most;
    std::int64_t end;

    COPSE_HOST_DEVICE explicit fetched_part(plan_item const& item)
        : first(item.first), last(item.last), most(item.leaf.reference.entries()) {
        std::int64_t const certain = most - child_reference::wide_unit + 1;
        least = wide_padded_entries(certain < last ? last : certain);
        end = wide_leaf_bytes(least, value_bytes);
    }
    COPSE_HOST_DEVICE std::int64_t value(std::int64_t k) const { return header + k * value_bytes; }
    /// Where the part's rows or columns may begin, and where they may end.
    COPSE_HOST_DEVICE std::int64_t first_coordinate(std::int64_t before) const {
        return header + least * before + 2 * first;
    }
    COPSE_HOST_DEVICE std::int64_t last_coordinate(std::int64_t before) const {
        return within(header + most * before + 2 * last);
    }
    COPSE_HOST_DEVICE std::int64_t within(std::int64_t bytes) const { return bytes < end ? bytes : end; }
};

/// Bytes first .. last - 1 of a node, and what is missing to multiples of 16.
template <class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void fetch_bytes(std::byte const* node, std::int64_t first, std::int64_t last,
                                                Worker& w) {
    std::int64_t const begin = first / 16 * 16;
    w.fetch_stream(node + begin, align_node(last) - begin);
}

/// By one lane.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void fetch_item(tree_view const& tree, plan_item const& item, Worker& w) {
    std::byte const* const node = tree.address(item.leaf.reference);
    std::int64_t const n = item.leaf.reference.entries();
    switch (item.leaf.reference.kind()) {
        case node_kind::sparse:
            return w.fetch_stream(node, sparse_node_bytes(n, sizeof(T)));
        case node_kind::dense:
            return w.fetch_stream(node, dense_leaf_bytes(n, tree.dimension(), sizeof(T)));
        case node_kind::diagonal:  // at least one run, at most all entries in it
            return w.fetch_stream(node, diagonal_leaf_bytes(n, 1, n, sizeof(T)));
        case node_kind::wide: {
            fetched_part<T> const part(item);
            fetch_bytes(node, 0, part.header, w);
            fetch_bytes(node, part.value(part.first), part.value(part.last), w);
            fetch_bytes(node, part.first_coordinate(part.row_bytes), part.last_coordinate(part.row_bytes), w);
            fetch_bytes(node, part.first_coordinate(part.column_bytes), part.last_coordinate(part.column_bytes), w);
        }
    }
}

/// An item of item_size::*_to_4 by 4 lanes, or *_to_32 by 8, of which this is lane k.
template <class T, node_kind Kind, int lanes, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void fetch_small_item(tree_view const& tree, plan_item const& item, int k, Worker& w) {
    std::int64_t constexpr line = 128;
    std::byte const* const node = tree.address(item.leaf.reference);
    if constexpr (Kind == node_kind::wide) {
        fetched_part<T> const part(item);
        bool const is_end = k % (lanes / 4) != 0;
        std::int64_t place = 0;
        switch (k / (lanes / 4)) {
            case 0:
                if (is_end) place = part.within(part.value(part.first) + line) - 1;
                break;
            case 1:
                place = is_end ? part.value(part.last) - 1 : part.value(part.first);
                break;
            case 2:
                place = is_end ? part.last_coordinate(part.row_bytes) - 1 : part.first_coordinate(part.row_bytes);
                break;
            case 3:
                place = is_end ? part.last_coordinate(part.column_bytes) - 1 : part.first_coordinate(part.column_bytes);
        }
        w.fetch_line(node + place);
    } else {
        std::int64_t const bytes = sparse_node_bytes(item.leaf.reference.entries(), sizeof(T));
        if (k * line < bytes + line) w.fetch_line(node + (k * line < bytes ? k * line : bytes - 1));
    }
}

}  // namespace copse::detail
