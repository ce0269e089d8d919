// The memory of a tree that tasks make (tree_writer.hpp): from the root down nodes are opened, from the leaves up they
// are joined.
//
//   pool      the result: inner nodes, wide leaves, leaves of more than wide_mean_in_leaf entries
//   drafts    | open node | open node | small leaf | open node | ...        until the run ends
//
// A small leaf is a draft until all children of its parent are there. Then it is copied to the pool, or the parent
// becomes a wide leaf, and its leaves are copied into that.
#pragma once

#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

/// Where a node of a new tree goes: which open node it is a child of, and what it covers. 16 bytes, part of an item.
class node_place {
  public:
    node_place() = default;
    COPSE_HOST_DEVICE node_place(std::uint32_t parent, int slot, int level, std::uint32_t row, std::uint32_t column)
        : parent_(parent),
          slot_and_level_(static_cast<std::uint32_t>(slot) << 3 | static_cast<std::uint32_t>(level)),
          row_(row),
          column_(column) {}

    /// Of the node that goes here: 0 for a leaf.
    COPSE_HOST_DEVICE int level() const { return static_cast<int>(slot_and_level_ & 7); }
    /// The first row and column that the node covers.
    COPSE_HOST_DEVICE std::int64_t row() const { return row_; }
    COPSE_HOST_DEVICE std::int64_t column() const { return column_; }

    // For the writer: the parent's place in the drafts, in units of 16 bytes, and the child's number there.
    static constexpr std::uint32_t no_parent = 0xffffffffu;
    COPSE_HOST_DEVICE std::uint32_t parent() const { return parent_; }
    COPSE_HOST_DEVICE int slot() const { return static_cast<int>(slot_and_level_ >> 3); }

  private:
    std::uint32_t parent_ = no_parent;
    std::uint32_t slot_and_level_ = 0;
    std::uint32_t row_ = 0;
    std::uint32_t column_ = 0;
};

namespace detail {

/// An inner node of which not all children are there.
///
///   | place, pending, count | references[count] | positions[count] |      children in row-major order
struct open_node {
    struct header {
        node_place place;
        std::int32_t pending;  // children that are neither written nor left out
        std::int32_t count;
        std::int64_t unused;
    };
    header* head;

    COPSE_HOST_DEVICE static std::int64_t bytes(std::int64_t count) {
        return align_node(static_cast<std::int64_t>(sizeof(header)) + 10 * count);
    }
    COPSE_HOST_DEVICE static open_node at(std::byte* drafts, std::uint32_t number) {
        return {reinterpret_cast<header*>(drafts + (static_cast<std::uint64_t>(number) << 4))};
    }
    /// Null: not there yet, or left out.
    COPSE_HOST_DEVICE child_reference* references() const { return reinterpret_cast<child_reference*>(head + 1); }
    COPSE_HOST_DEVICE std::uint16_t* positions() const {  // row-major
        return reinterpret_cast<std::uint16_t*>(references() + head->count);
    }
};

/// What the tasks tell the host.
struct building_notes {
    std::uint64_t pool_bytes = 0;    // asked for
    std::uint64_t draft_bytes = 0;   // asked for
    std::uint64_t unused_bytes = 0;  // of the pool: leaves that a wide leaf has taken in
    std::int64_t shared_bytes = 0;   // of nodes in other matrices' arenas, once for each place
    std::int64_t leaves = 0;         // places of leaves, asked for
    std::int64_t inner_nodes = 0;    // of inner nodes, besides the root
    std::int64_t finished = 0;       // how often the root was written or left out
    child_reference root;
};

}  // namespace detail
}  // namespace copse
