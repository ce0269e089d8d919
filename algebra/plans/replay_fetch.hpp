// Leaves on their way into L2 before a worker comes to them: as far as a plan's item and the leaf's reference say where
// its bytes are. Reading its header for the rest would be to wait for it.
//
//   a part of a wide leaf   the header, the part's values, and where its rows and columns are (wide_part_extent)
//   other leaves            as many bytes from the start on as such a leaf has at least: all of it, or all but what
//                           streaks take
//
// Large items by one lane, which has whole stretches fetched; small ones by the lanes that will share them, a line each
// (of a part of a wide leaf the lines where a stretch begins and ends: one between them is missed).
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Bytes first .. last - 1 of a node, and what is missing to multiples of 16.
template <class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void fetch_bytes(std::byte const* node, std::int64_t first, std::int64_t last,
                                                Worker& w) {
    std::int64_t const begin = first / 16 * 16;
    w.fetch_stream(node + begin, align_node(last) - begin);
}

/// By one lane.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void fetch_item(node_reader const& tree, listed_leaf const& item, Worker& w) {
    std::byte const* const node = tree.address(item.leaf.reference);
    if (!item.leaf.reference.is_wide_leaf())
        return w.fetch_stream(node, least_leaf_bytes(item.leaf.reference, tree.dimension(), sizeof(T)));
    wide_part_extent<T> const part(item.leaf.reference, item.first, item.last);
    fetch_bytes(node, 0, wide_leaf::header, w);
    fetch_bytes(node, part.value(part.first), part.value(part.last), w);
    fetch_bytes(node, part.first_coordinate(part.row_bytes), part.last_coordinate(part.row_bytes), w);
    fetch_bytes(node, part.first_coordinate(part.column_bytes), part.last_coordinate(part.column_bytes), w);
}

/// An item of item_size::*_to_4 by 4 lanes, or *_to_32 by 8, of which this is lane k.
template <class T, class Leaf, int lanes, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void fetch_small_item(node_reader const& tree, listed_leaf const& item, int k,
                                                     Worker& w) {
    std::int64_t constexpr line = 128;
    std::byte const* const node = tree.address(item.leaf.reference);
    if constexpr (Leaf::kind == wide_leaf::kind) {
        wide_part_extent<T> const part(item.leaf.reference, item.first, item.last);
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
        std::int64_t const bytes = least_leaf_bytes<Leaf>(item.leaf.reference, tree.dimension(), sizeof(T));
        if (k * line < bytes + line) w.fetch_line(node + (k * line < bytes ? k * line : bytes - 1));
    }
}

}  // namespace copse::detail
