// What a tree is taken apart into on its way to compressed rows, as per-node functions: leaves, and blocks of wide
// leaves, become pieces (tree_rows.hpp).
#pragma once

#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/to_rows/tree_rows.hpp>
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

/// The next place in the list for each lane that wants one. Collective.
template <class Worker>
COPSE_HOST_DEVICE std::int64_t reserve_piece(Worker& w, std::uint64_t* count, bool wanted) {
    int const through = w.inclusive_scan(wanted ? 1 : 0, [](int a, int b) { return a + b; });
    int const total = w.shuffle(through, w.size() - 1);
    if (total == 0) return 0;
    std::uint64_t first = 0;
    if (w.rank() == 0) first = w.fetch_add(count, static_cast<std::uint64_t>(total));
    return static_cast<std::int64_t>(w.shuffle(first, 0)) + through - 1;
}

template <class T>
struct collect_pieces {
    using item = node_part;
    static constexpr int width = 32;
    static constexpr char const* name = "collect the pieces of a node";

    node_reader tree;
    piece_list list;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& part, Worker& w) const {
        bool const wide = part.of.reference.is_wide_leaf();
        int const size = wide ? tree.wide_count(part.of) : tree.child_count(part.of);
        for (int next = 2 * part.part + 1 + w.rank(); next < 2 * part.part + 3; next += w.size())
            if (next * node_part_size < size) w.template push<collect_pieces<T>>({part.of, next});
        int const begin = part.part * node_part_size;
        int const end = begin + node_part_size < size ? begin + node_part_size : size;
        wide ? collect_blocks(w, part.of, begin, end) : collect_children(w, part.of, begin, end);
    }

  private:
    template <class Worker>
    COPSE_HOST_DEVICE void collect_children(Worker& w, node n, int begin, int end) const {
        int const log2 = tree.dimension_log2();
        for (int i = begin; i < end; i += w.size()) {
            node child{};
            if (i + w.rank() < end) child = tree.child(n, i + w.rank());
            bool const is_piece = child && child.reference.level() == 0;
            std::int64_t const place = reserve_piece(w, list.count, is_piece);
            if (is_piece)
                list.put(place, child.row >> log2, child.column >> log2,
                         {child.reference, 0, child.reference.entries()});
            else if (child)
                w.template push<collect_pieces<T>>({child, 0});
        }
    }
    template <class Worker>
    COPSE_HOST_DEVICE void collect_blocks(Worker& w, node n, int begin, int end) const {
        int const log2 = tree.dimension_log2();
        auto const leaf = tree.template wide_leaf<T>(n);
        // The entries of a block lie side by side.
        auto const block = [&](int i) { return leaf.block(i, log2); };
        for (int i = begin; i < end; i += w.size()) {
            int const k = i + w.rank();
            bool const begins = k < end && (k == 0 || block(k - 1) != block(k));
            std::int64_t const place = reserve_piece(w, list.count, begins);
            if (!begins) continue;
            int const behind =
                lower_bound_near(k + 1, leaf.count, 1, [&](int other) { return block(other) == block(k) ? 0 : 1; });
            list.put(place, (n.row + leaf.rows[k]) >> log2, (n.column + leaf.columns[k]) >> log2,
                     {n.reference, k, behind - k});
        }
    }
};

}  // namespace copse::detail
