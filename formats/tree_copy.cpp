#include <algorithm>
#include <copse/formats/arena_limit.hpp>
#include <copse/formats/node_access.hpp>
#include <copse/formats/random.hpp>
#include <copse/formats/tree_copy.hpp>
#include <copse/runtime/error.hpp>
#include <cstring>
#include <string>
#include <unordered_map>

namespace copse::detail {
namespace {

/// Nodes that a root leads to: one list for the leaves, one for the inner nodes of each level.
struct node_lists {
    std::vector<child_reference> of_level[level_count];  // 0: leaves, wide ones too
    std::int64_t bytes = 0;
};

node_lists list_nodes(host_tree const& tree, child_reference root) {
    node_lists lists;
    std::unordered_set<std::uintptr_t> seen;
    auto const list = [&](child_reference node) {
        lists.of_level[node.is_leaf() ? 0 : node.level()].push_back(node);
        lists.bytes += tree.extent(node).bytes;
    };
    for_each_node(tree, root, seen, list);
    return lists;
}

class tree_copier {
  public:
    tree_copier(host_tree const& source, int arena, std::int64_t most_bytes, bool share_identical)
        : source_(source), arena_(arena), share_identical_(share_identical), memory_(host_memory(), most_bytes) {}

    /// After its children.
    void copy(child_reference node) {
        node_extent const extent = source_.extent(node);
        std::byte* const memory = memory_.data() + used_;
        std::memcpy(memory, source_.address(node), static_cast<std::size_t>(extent.bytes));
        if (!node.is_leaf()) redirect(node, memory);
        child_reference const fresh(arena_, static_cast<std::uint64_t>(used_), node.entries(), node.kind(),
                                    node.level());
        child_reference const copied = share_identical_ ? first_like(fresh, extent.bytes) : fresh;
        if (copied == fresh) used_ += extent.bytes;
        copies_.emplace(source_.identity(node), copied);
    }
    child_reference copy_of(child_reference node) const {
        return copies_.at(source_.identity(node)).transposed_if(node.transposed());
    }
    std::int64_t used_bytes() const { return used_; }

    /// What was copied; the copier is done with.
    buffer<std::byte> take() {
        if (used_ == memory_.size()) return std::move(memory_);
        return {host_memory(), std::span<std::byte const>(memory_.data(), static_cast<std::size_t>(used_))};
    }

  private:
    /// An inner node's references to those of the copies.
    void redirect(child_reference node, std::byte* memory) {
        std::size_t const slots = source_.children(node).size();
        auto* const references = reinterpret_cast<child_reference*>(memory);
        for (std::size_t i = 0; i < slots; ++i)
            if (references[i]) references[i] = copy_of(references[i]);
    }
    /// The node that was stored first among those equal to `fresh`, which may be itself.
    child_reference first_like(child_reference fresh, std::int64_t bytes) {
        std::byte const* const memory = memory_.data() + fresh.offset();
        std::uint64_t const hash = hash_of_node(memory, bytes);
        auto const [begin, end] = stored_.equal_range(hash);
        for (auto i = begin; i != end; ++i) {
            child_reference const other = i->second;
            // A node's size follows from its reference and its first bytes: equal ones are equally long.
            if (other.kind() == fresh.kind() && other.level() == fresh.level() && other.entries() == fresh.entries() &&
                std::memcmp(memory_.data() + other.offset(), memory, static_cast<std::size_t>(bytes)) == 0)
                return other;
        }
        stored_.emplace(hash, fresh);
        return fresh;
    }

    host_tree const& source_;
    int arena_;
    bool share_identical_;
    buffer<std::byte> memory_;
    std::int64_t used_ = 0;
    std::unordered_map<std::uintptr_t, child_reference> copies_;
    std::unordered_multimap<std::uint64_t, child_reference> stored_;
};

}  // namespace

std::uint64_t hash_of_node(std::byte const* node, std::int64_t bytes) {
    std::uint64_t hash = static_cast<std::uint64_t>(bytes);
    for (std::int64_t i = 0; i < bytes; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, node + i, 8);
        hash = mix_bits(hash + word) + 0x9e3779b97f4a7c15U;
    }
    return hash;
}

hisparse_content copy_tree(hisparse_content const& content, std::int64_t value_bytes, bool share_identical) {
    hisparse_content result;
    result.row_count = content.row_count;
    result.column_count = content.column_count;
    result.entry_count = content.entry_count;
    result.dimension_log2 = content.dimension_log2;
    result.census = content.census;
    if (!content.root) return result;

    host_tree const source(content, value_bytes);
    node_lists const nodes = list_nodes(source, content.root);
    check_arena_bytes("hisparse", "the nodes of the matrix take", nodes.bytes);
    int const number = new_arena_number({});
    tree_copier copier(source, number, nodes.bytes, share_identical);
    for (auto const& level : nodes.of_level)
        for (child_reference node : level) copier.copy(node);
    result.root = copier.copy_of(content.root);
    result.reachable_bytes = copier.used_bytes();
    result.arenas.push_back({number, std::make_shared<buffer<std::byte>>(copier.take())});
    return result;
}

}  // namespace copse::detail
