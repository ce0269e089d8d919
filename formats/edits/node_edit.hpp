// Edits of a tree: the nodes on the way to them are written anew, bottom-up, into a draft of an arena.
#pragma once

#include <copse/formats/edits/node_draft.hpp>
#include <copse/formats/hisparse.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// add_below: of a matrix whose scale is less than 1, so that what overflows as it is stored may read as a number.
enum class stored_edit_kind : std::uint8_t { set, add, add_below, erase };

/// An edit as the tree sees it: without the matrix's state.
template <class T>
struct stored_edit {
    std::uint32_t row;
    std::uint32_t column;
    stored_edit_kind kind;
    T value;
};

/// A tree of which some nodes are in no arena yet.
struct edited_tree {
    child_reference root;  // that of the old tree where nothing changed
    std::int64_t entry_count;
    std::int64_t reachable_bytes;
    node_census census;
    node_draft new_nodes;  // of the arena with the number that was given
};

/// Nodes that the host cannot read are fetched in as many turns as the tree has levels.
/// edits: inside the matrix, in the order in which they apply. arena: a number that content.arenas do not have.
/// Throws shape_error for more than 64 GiB of new nodes, cuda_error; stored_sum_overflow (leaf_edit.hpp).
template <class T>
edited_tree edit_tree(hisparse_content const& content, std::vector<stored_edit<T>> edits, int arena);

}  // namespace copse::detail
