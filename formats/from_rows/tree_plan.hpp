// A tree before it is written: which nodes it has, of which kind, and where each goes.
//
// From sections (planned_sections.hpp) and the sizes of those leaves that are in no wide leaf to addresses: leaves
// first, in the order of a traversal, then inner nodes level by level. Nothing here reads values.
#pragma once

#include <copse/formats/from_rows/planned_sections.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/views.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// A node and where it stands in its parent.
struct planned_node {
    child_reference reference;
    std::uint8_t row;
    std::uint8_t column;
};

/// An inner node: its children are children[first_child .. first_child + reference.entries()) of its level.
struct planned_parent {
    child_reference reference;
    std::size_t first_child;
};

struct planned_level {
    std::vector<planned_node> children;
    std::vector<planned_parent> parents;
};

struct tree_plan {
    std::vector<planned_level> levels;  // level i + 1 of the tree
    child_reference root;
    std::int64_t bytes = 0;
    node_census census;
};

/// Levels above the leaves that a matrix of these dimensions needs.
int root_level(std::int64_t row_count, std::int64_t column_count, int dimension_log2);

/// The tree in the arena with this number. At least one section; leaves and wide leaves get references. symmetry: if it
/// is not general, one half is there (half_rows.hpp); nodes on the diagonal refer to what they have on one side on the
/// other side, too, transposed, and of a skew matrix negative. Throws shape_error when the tree does not fit an arena.
tree_plan plan_tree(section_plan& sections, std::vector<block_row>& block_rows, int arena, int root_level,
                    int dimension_log2, std::int64_t value_bytes, matrix_symmetry symmetry = matrix_symmetry::general);

/// An inner node with its children, in row-major order, into its place in `arena`; every byte of it.
void write_inner_node(std::byte* arena, child_reference node, planned_node const* children, int dimension_log2);

/// The inner nodes of `plan` into `arena`, every byte of them. Parallel.
void write_inner_nodes(tree_plan const& plan, std::byte* arena, int dimension_log2);

}  // namespace copse::detail
