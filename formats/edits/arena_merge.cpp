#include <bitset>
#include <copse/formats/edits/arena_merge.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/node_copier.hpp>
#include <utility>
#include <vector>

namespace copse::detail {
namespace {

/// New nodes of an edit, in its draft, and old ones that have been fetched.
class edited_nodes {
  public:
    edited_nodes(hisparse_content const& content, std::int64_t value_bytes, edited_tree const& edited)
        : old_(content, value_bytes), edited_(edited) {}

    void fetch(std::span<child_reference const> nodes) {
        std::vector<child_reference> of_old;
        for (child_reference node : nodes)
            if (!is_new(node)) of_old.push_back(node);
        old_.fetch(of_old);
    }
    std::byte const* address(child_reference node) const {
        return is_new(node) ? edited_.new_nodes.data() + node.offset() : old_.address(node);
    }
    node_extent extent(child_reference node) const { return extent_of(node, address(node), old_.geometry()); }
    std::span<child_reference const> children(child_reference node) const {
        return child_slots(node, address(node), old_.geometry().dimension_log2);
    }

  private:
    bool is_new(child_reference node) const { return node.arena() == edited_.root.arena(); }

    node_fetcher old_;
    edited_tree const& edited_;
};

}  // namespace

arena_merge due_merge(std::span<std::uint8_t const> ranks) {
    arena_merge due{0, 0};
    for (;;) {
        std::size_t same = 1;  // the new one
        while (due.arenas + same <= ranks.size() && ranks[ranks.size() - due.arenas - same] == due.rank) ++same;
        if (same < most_of_a_rank) return due;
        due = {due.arenas + same - 1, static_cast<std::uint8_t>(due.rank + 1)};
    }
}

buffer<std::byte> merge_arenas(hisparse_content const& content, std::int64_t value_bytes, std::size_t merged,
                               edited_tree& edited) {
    int const number = edited.root.arena();
    std::bitset<most_arenas> numbers;
    numbers.set(static_cast<std::size_t>(number));
    for (std::size_t i = content.arenas.size() - merged; i < content.arenas.size(); ++i)
        numbers.set(static_cast<std::size_t>(content.arenas[i].number));
    edited_nodes source(content, value_bytes, edited);
    node_copier<edited_nodes> copier(source, {content.dimension_log2, value_bytes}, number, {}, 0);
    // Only edits refer to nodes in these arenas. Edits of both places of a pair let one node stand there, transposed at
    // one of them.
    node_lists nodes;
    for (child_reference node : nodes_by_level(source, edited.root, [&](child_reference n) {
             return numbers.test(static_cast<std::size_t>(n.arena())) && copier.note(n);
         }))
        nodes.add(node, source.extent(node));
    copier.copy(nodes);
    edited.root = copier.copy_of(edited.root);
    return copier.take();
}

}  // namespace copse::detail
