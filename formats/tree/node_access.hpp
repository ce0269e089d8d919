// Nodes of a content in any memory, where the host can read them: all of them, or those that are asked for.
#pragma once

#include <array>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace copse::detail {

/// Child slots of an inner node at `memory`, as stored; those without a child are null.
std::span<child_reference const> child_slots(child_reference node, std::byte const* memory, int dimension_log2);

/// The same for all references to a node.
inline std::uint64_t stored_key(child_reference r) {
    return static_cast<std::uint64_t>(r.arena()) << 48 | r.offset();
}

/// Where the matrices made of `content` keep their nodes.
std::shared_ptr<memory> const& memory_of(hisparse_content const& content);

/// All nodes: in place, or copied from memory that the host cannot read. The arenas have to live longer.
class host_tree {
  public:
    host_tree(std::span<arena const> arenas, memory_space space, node_geometry geometry);
    host_tree(hisparse_content const& content, std::int64_t value_bytes)
        : host_tree(content.arenas, content.space, {content.dimension_log2, value_bytes}) {}

    node_geometry geometry() const { return geometry_; }
    node_reader view() const { return {0, addresses_[0], addresses_.data(), geometry_.dimension_log2}; }
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

/// f(reference as the node is stored) for every node that `root` leads to, once each, a node before its children and
/// these in the order in which they are stored. `seen`: nodes that are done already, by identity.
template <class F>
void for_each_node(host_tree const& tree, child_reference root, std::unordered_set<std::uintptr_t>& seen, F& f) {
    if (!root || !seen.insert(tree.identity(root)).second) return;
    f(root.as_stored());
    if (root.is_leaf()) return;
    for (child_reference child : tree.children(root)) for_each_node(tree, child, seen, f);
}

/// One node.
struct fetched_node {
    node_reader tree;  // reads `node`
    node place;        // at row 0, column 0
    node_extent extent;
};

/// The child in this row and column of children, as the parent is seen; null where there is none.
child_reference child_at(fetched_node const& parent, std::uint32_t row, std::uint32_t column);

/// Some nodes, fetched together where the host cannot read them. A copy to the host is waited for, some 10 microseconds
/// on a GPU, so whoever goes down a tree fetches all nodes of a level that it wants at once.
class node_fetcher {
  public:
    /// The content has to live longer.
    node_fetcher(hisparse_content const& content, std::int64_t value_bytes);

    /// Whether there is nothing to fetch.
    bool reads_in_place() const { return space_ == memory_space::host; }
    node_geometry geometry() const { return geometry_; }
    memory& where() const { return *where_; }
    /// Waits once. A node that is there already, however it is seen, is not fetched again.
    void fetch(std::span<child_reference const> nodes);
    // Of a node that fetch() was given; of any one in host memory. Valid as long as this is.
    fetched_node fetched(child_reference node) const;
    std::byte const* address(child_reference node) const;
    node_extent extent(child_reference node) const { return extent_of(node, address(node), geometry_); }
    std::span<child_reference const> children(child_reference node) const {
        return child_slots(node, address(node), geometry_.dimension_log2);
    }
    /// Where any node is stored.
    std::byte const* stored(child_reference node) const {
        return arenas_[static_cast<std::size_t>(node.arena())]->data() + node.offset();
    }

  private:
    struct place {
        std::size_t block;
        std::int64_t offset;
    };

    memory_extent piece_of(child_reference node) const;

    node_geometry geometry_;
    memory_space space_;
    std::shared_ptr<memory> where_;
    std::array<buffer<std::byte> const*, most_arenas> arenas_{};
    std::unordered_map<std::uint64_t, place> places_;  // by stored_key()
    std::vector<buffer<std::byte>> blocks_;            // one of each fetch()
};

/// The nodes that `root` leads to, as they are stored, level by level. first_time(node) says whether a node that is met
/// is listed. source.fetch(nodes) is called before source.children(node) of these.
template <class Source, class FirstTime>
std::vector<child_reference> nodes_by_level(Source& source, child_reference root, FirstTime first_time) {
    std::vector<child_reference> nodes;
    auto const list = [&](child_reference node) {
        if (node && first_time(node)) nodes.push_back(node.as_stored());
    };
    list(root);
    for (std::size_t i = 0; i < nodes.size();) {
        std::size_t const end = nodes.size();
        source.fetch(std::span(nodes).subspan(i));
        for (; i < end; ++i)
            if (child_reference const node = nodes[i]; !node.is_leaf())
                for (child_reference child : source.children(node)) list(child);
    }
    return nodes;
}

}  // namespace copse::detail
