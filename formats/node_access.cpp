#include <copse/formats/node_access.hpp>
#include <copse/formats/node_layout.hpp>

namespace copse::detail {
namespace {

/// Bytes at the start of every node: more than any size depends on, less than any node takes.
constexpr std::int64_t header_bytes = 16;

bool has_header(child_reference node) {
    return node.is_leaf() && (node.kind() == node_kind::wide || node.kind() == node_kind::diagonal);
}

}  // namespace

std::span<child_reference const> child_slots(child_reference node, std::byte const* memory, int dimension_log2) {
    auto const* const first = reinterpret_cast<child_reference const*>(memory);
    return {first, node.kind() == node_kind::dense ? std::size_t{1} << (2 * dimension_log2)
                                                   : static_cast<std::size_t>(node.entries())};
}

std::shared_ptr<memory> const& memory_of(hisparse_content const& content) {
    if (!content.arenas.empty()) return content.arenas.front().memory->where();
    return content.arena_table.where() ? content.arena_table.where() : host_memory();
}

host_tree::host_tree(hisparse_content const& content, std::int64_t value_bytes)
    : geometry_{content.dimension_log2, value_bytes} {
    copies_.reserve(content.arenas.size());
    for (arena const& a : content.arenas) {
        auto const number = static_cast<std::size_t>(a.number);
        stored_[number] = a.memory->data();
        if (content.space != memory_space::host) copies_.push_back(a.memory->to_host());
        addresses_[number] = content.space == memory_space::host ? a.memory->data() : copies_.back().data();
    }
}

node_fetcher::node_fetcher(hisparse_content const& content, std::int64_t value_bytes)
    : geometry_{content.dimension_log2, value_bytes}, space_(content.space) {
    for (arena const& a : content.arenas) arenas_[static_cast<std::size_t>(a.number)] = a.memory.get();
}

fetched_node node_fetcher::fetch(child_reference r) {
    std::byte const* const memory = readable(r);
    // The same node, named as the first in an arena of its own.
    child_reference const alone(0, 0, r.entries(), r.kind(), r.level());
    return {tree_view(0, memory, nullptr, geometry_.dimension_log2),
            {alone.transposed_if(r.transposed()), 0, 0},
            extent_of(r, memory, geometry_)};
}

std::byte const* node_fetcher::readable(child_reference r) {
    buffer<std::byte> const& arena = *arenas_[static_cast<std::size_t>(r.arena())];
    if (space_ == memory_space::host) return arena.data() + r.offset();
    auto const offset = static_cast<std::int64_t>(r.offset());
    copy_.resize(header_bytes);
    if (has_header(r)) arena.read(offset, copy_);
    copy_.resize(static_cast<std::size_t>(extent_of(r, copy_.data(), geometry_).bytes));
    arena.read(offset, copy_);
    return copy_.data();
}

}  // namespace copse::detail
