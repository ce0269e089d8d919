#include <algorithm>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <utility>

namespace copse::detail {

std::span<child_reference const> child_slots(child_reference node, std::byte const* memory, int dimension_log2) {
    return {reinterpret_cast<child_reference const*>(memory),
            static_cast<std::size_t>(child_slot_count(node, dimension_log2))};
}

std::shared_ptr<memory> const& memory_of(hisparse_content const& content) {
    if (!content.arenas.empty()) return content.arenas.front().memory->where();
    return content.arena_table.where() ? content.arena_table.where() : host_memory();
}

host_tree::host_tree(std::span<arena const> arenas, memory_space space, node_geometry geometry) : geometry_(geometry) {
    for (arena const& a : arenas) {
        auto const number = static_cast<std::size_t>(a.number);
        stored_[number] = a.memory->data();
        if (space != memory_space::host) copies_.push_back(a.memory->to_host());
        addresses_[number] = space == memory_space::host ? a.memory->data() : copies_.back().data();
    }
}

child_reference child_at(fetched_node const& parent, std::uint32_t row, std::uint32_t column) {
    node_reader const& tree = parent.tree;
    child_reference const reference = parent.place.reference;
    node const stored{reference.as_stored(), 0, 0};
    if (reference.transposed()) std::swap(row, column);
    int const log2 = tree.dimension_log2(), shift = log2 * reference.level();
    std::uint32_t const slot = row << log2 | column;
    if (reference.kind() == node_kind::dense) return tree.child(parent.place, static_cast<int>(slot)).reference;
    int first = 0;
    for (int last = tree.child_count(stored); first < last;) {
        int const middle = (first + last) / 2;
        node const child = tree.child(stored, middle);
        std::uint32_t const found = child.row >> shift << log2 | child.column >> shift;
        if (found == slot) return tree.child(parent.place, middle).reference;
        (found < slot ? first : last) = found < slot ? middle + 1 : middle;
    }
    return {};
}

node_fetcher::node_fetcher(hisparse_content const& content, std::int64_t value_bytes)
    : geometry_{content.dimension_log2, value_bytes}, space_(content.space), where_(memory_of(content)) {
    for (arena const& a : content.arenas) arenas_[static_cast<std::size_t>(a.number)] = a.memory.get();
}

void node_fetcher::fetch(std::span<child_reference const> nodes) {
    if (reads_in_place()) return;
    std::vector<memory_extent> pieces;
    std::int64_t bytes = 0;
    for (child_reference node : nodes) {
        if (!places_.try_emplace(stored_key(node), place{blocks_.size(), bytes}).second) continue;
        pieces.push_back(piece_of(node));
        bytes += static_cast<std::int64_t>(pieces.back().bytes);
    }
    if (pieces.empty()) return;
    where_->gather_to_host(blocks_.emplace_back(host_memory(), bytes).data(), pieces);
}

/// Not a byte behind the arena's end, where the node takes less than it might.
memory_extent node_fetcher::piece_of(child_reference node) const {
    buffer<std::byte> const& arena = *arenas_[static_cast<std::size_t>(node.arena())];
    auto const offset = static_cast<std::int64_t>(node.offset());
    std::int64_t const bytes = std::min(most_node_bytes(node, geometry_), arena.size() - offset);
    return {arena.data() + offset, static_cast<std::size_t>(bytes)};
}

fetched_node node_fetcher::fetched(child_reference r) const {
    std::byte const* const memory = address(r);
    // The same node, named as the first in an arena of its own.
    return {node_reader(0, memory, nullptr, geometry_.dimension_log2),
            {r.placed(0, 0), 0, 0},
            extent_of(r, memory, geometry_)};
}

std::byte const* node_fetcher::address(child_reference r) const {
    if (reads_in_place()) return stored(r);
    place const& p = places_.at(stored_key(r));
    return blocks_[p.block].data() + p.offset;
}

}  // namespace copse::detail
