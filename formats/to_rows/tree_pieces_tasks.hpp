// What a tree is taken apart into on its way to compressed rows, as per-node functions: leaves, and blocks of wide
// leaves, become pieces (tree_rows.hpp).
#pragma once

#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/to_rows/tree_rows.hpp>
#include <copse/formats/tree/node_blocks.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Children or entries part * node_part_size and on of an inner node or a wide leaf. Part p lets parts 2 p + 1 and
/// 2 p + 2 be visited too.
struct node_part {
    node of;
    std::int32_t part;
};
inline constexpr int node_part_size = 512;

template <class T>
struct collect_pieces {
    using item = node_part;
    static constexpr int width = 32;
    static constexpr char const* name = "collect the pieces of a node";

    node_reader tree;
    piece_list list;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& part, Worker& w) const {
        node const n = part.of;
        int const log2 = tree.dimension_log2(), mask = tree.dimension() - 1;
        int const size = n.reference.is_wide_leaf() ? tree.wide_count(n) : tree.child_count(n);
        for (int next = 2 * part.part + 1 + w.rank(); next < 2 * part.part + 3; next += w.size())
            if (next * node_part_size < size) w.template push<collect_pieces<T>>({n, next});
        int const begin = part.part * node_part_size;
        auto const visit = [&](auto f) {
            visit_blocks<T, upper_kinds::any>(w, tree, n.reference, begin, begin + node_part_size, f);
        };
        if (n.reference.level() > 1)
            return visit([&](int position, block_border const& child) {
                w.template push<collect_pieces<T>>(
                    {node_in_block(tree, n, child.reference, position >> log2, position & mask), 0});
            });
        int pieces = 0;
        visit([&](int, block_border const& block) { pieces += block.begins ? 1 : 0; });
        std::int64_t place = reserve(w, pieces);
        visit([&](int position, block_border const& block) {
            if (block.begins)
                list.put(place++, (n.row >> log2) + static_cast<std::uint32_t>(position >> log2),
                         (n.column >> log2) + static_cast<std::uint32_t>(position & mask),
                         {block.reference, block.first, count_of(n, position, block)});
        });
    }

  private:
    /// Places in the list for what this lane has; the first of them. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE std::int64_t reserve(Worker& w, int pieces) const {
        int const through = w.inclusive_scan(pieces, [](int a, int b) { return a + b; });
        int const total = w.shuffle(through, w.size() - 1);
        std::uint64_t first = 0;
        if (w.rank() == 0 && total > 0) first = w.fetch_add(list.count, static_cast<std::uint64_t>(total));
        return static_cast<std::int64_t>(w.shuffle(first, 0)) + through - pieces;
    }
    /// Entries of a block, which lie side by side in a wide leaf.
    COPSE_HOST_DEVICE int count_of(node n, int position, block_border const& block) const {
        if (!n.reference.is_wide_leaf()) return block.end;
        auto const leaf = tree.template wide_leaf<T>(n);
        return lower_bound_near(block.end, leaf.count, 1,
                                [&](int i) { return leaf.block(i, tree.dimension_log2()) == position ? 0 : 1; }) -
               block.first;
    }
};

}  // namespace copse::detail
