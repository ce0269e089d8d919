// Nodes of a content in any memory, where the host can read them: all of them, or one at a time.
#pragma once

#include <array>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_layout.hpp>
#include <copse/formats/tree_view.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace copse::detail {

/// Child slots of an inner node at `memory`, as stored; those without a child are null.
std::span<child_reference const> child_slots(child_reference node, std::byte const* memory, int dimension_log2);

/// Where the matrices made of `content` keep their nodes.
std::shared_ptr<memory> const& memory_of(hisparse_content const& content);

/// All nodes: in place, or copied from memory that the host cannot read. The content has to live longer.
class host_tree {
  public:
    host_tree(hisparse_content const& content, std::int64_t value_bytes);

    node_geometry geometry() const { return geometry_; }
    tree_view view() const { return {0, addresses_[0], addresses_.data(), geometry_.dimension_log2}; }
    std::byte const* address(child_reference node) const { return addresses_[index(node)] + node.offset(); }
    node_extent extent(child_reference node) const { return extent_of(node, address(node), geometry_); }
    std::span<child_reference const> children(child_reference node) const {
        return child_slots(node, address(node), geometry_.dimension_log2);
    }
    /// The same for the same node, from whichever content it is reached.
    std::uintptr_t identity(child_reference node) const {
        return reinterpret_cast<std::uintptr_t>(stored_[index(node)]) + node.offset();
    }

  private:
    static std::size_t index(child_reference node) { return static_cast<std::size_t>(node.arena()); }

    node_geometry geometry_;
    std::vector<std::vector<std::byte>> copies_;
    std::array<std::byte const*, most_arenas> addresses_{};  // by number, where the host can read
    std::array<std::byte const*, most_arenas> stored_{};
};

/// f(reference, never transposed) for every node that `root` leads to, once each, a node before its children and these
/// in the order in which they are stored. `seen`: nodes that are done already, by identity.
template <class F>
void for_each_node(host_tree const& tree, child_reference root, std::unordered_set<std::uintptr_t>& seen, F& f) {
    if (!root || !seen.insert(tree.identity(root)).second) return;
    f(root.transposed_if(root.transposed()));
    if (root.is_leaf()) return;
    for (child_reference child : tree.children(root)) for_each_node(tree, child, seen, f);
}

/// One node.
struct fetched_node {
    tree_view tree;  // reads `node`
    node place;      // at row 0, column 0
    node_extent extent;
};

/// Single nodes, fetched where they are asked for.
class node_fetcher {
  public:
    node_fetcher(hisparse_content const& content, std::int64_t value_bytes);

    /// Valid until the next call.
    fetched_node fetch(child_reference reference);

  private:
    std::byte const* readable(child_reference reference);

    node_geometry geometry_;
    memory_space space_;
    std::array<buffer<std::byte> const*, most_arenas> arenas_{};
    std::vector<std::byte> copy_;
};

}  // namespace copse::detail
