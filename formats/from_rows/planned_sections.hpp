// What block rows have in blocks of level 1, and which of these become wide leaves: known before anything is kept for
// single blocks of d x d, of which a hyper-sparse matrix has nearly as many as entries.
//
//              block of level 1 (d x d blocks of d x d)
//            +-------------+-------------+
//   block    |   section   |   section   |    d blocks side by side each; a section without entries is none
//   row      +-------------+-------------+
//            |             |   section   |
#pragma once

#include <copse/formats/from_rows/half_rows.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// A block of d x d that has entries and is a leaf.
struct planned_leaf {
    std::uint32_t column_block;  // of d columns
    leaf_shape shape;
    child_reference reference;
};

/// What a block row has in one block of level 1: leaves side by side, or neighbouring entries of a wide leaf.
struct planned_section {
    std::uint32_t column_block;  // of d * d columns
    std::int32_t entries = 0;
    std::int32_t leaves = 0;      // blocks of d x d that have entries
    std::int32_t wide_leaf = -1;  // its number among the blocks of level 1; negative: leaves of their own
    std::int32_t first = 0;       // its first entry in the wide leaf, or its first leaf among the block row's

    bool in_wide_leaf() const { return wide_leaf >= 0; }
};

/// d rows of which some are stored.
struct block_row {
    std::uint32_t row_block;
    std::int64_t first_row;  // among the stored rows
    std::int64_t last_row;
    std::vector<planned_section> sections;  // ascending by column, as leaves
    std::vector<planned_leaf> leaves;       // those in no wide leaf
};

/// Which section: its block row's number among those given, and its own in that.
struct section_number {
    std::uint32_t band;
    std::uint32_t section;
};

/// A block of level 1 that has entries: a wide leaf, or a node over leaves (with root level 0: one leaf).
struct planned_block {
    std::uint32_t row_block;     // of d * d rows
    std::uint32_t column_block;  // of d * d columns
    bool wide;
    std::int64_t entries;
    std::size_t first_section;  // among the places
    std::size_t last_section;
    // Of a wide leaf:
    child_reference reference;
    stored_values values = stored_values::each;

    leaf_shape wide_shape() const {
        leaf_shape shape = wide_leaf::shape(entries);
        shape.others_values = values;
        return shape;
    }
};

struct section_plan {
    std::vector<section_number> places;  // block by block, in each from the top
    std::vector<planned_block> blocks;   // row-major
    std::vector<std::uint32_t> order;    // numbers of the blocks as a traversal meets them, row-major within every node
};

/// `block_rows`: ascending by row_block, with sections, which learn what they are part of. half: of one half of a
/// symmetric or skew matrix, which blocks on the diagonal are wide leaves. Parallel (OpenMP).
section_plan plan_sections(std::vector<block_row>& block_rows, std::int64_t column_count, int root_level,
                           int dimension_log2, wide_diagonal const* half = nullptr);

}  // namespace copse::detail
