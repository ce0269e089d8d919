// What compaction moves where: the host looks at inner nodes and at the first bytes of some leaves, others copy the
// rest.
//
//   | leaves | inner nodes of level 1 | of level 2 | ...      the new arena
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// A leaf, or some of it: 16 * `count` bytes to offset `to` of the new arena. from: a place (value_places.hpp).
struct leaf_extent {
    std::uint64_t from;
    std::uint64_t to;
    std::int64_t count;
};

struct compaction_plan {
    child_reference root;
    int arena;  // its number
    std::int64_t bytes;
    std::vector<leaf_extent> leaves;
    buffer<std::byte> inner_nodes;  // in host memory: the end of the arena, with references to the copies
};

/// A node with several parents stays one. What is in memory that the host cannot read is fetched level by level, in the
/// end the first bytes of leaves whose size their reference does not tell. content.root: not null.
/// Throws shape_error when the nodes take more than 64 GiB, cuda_error.
compaction_plan plan_compaction(hisparse_content const& content, std::int64_t value_bytes);

/// What the nodes take, each counted once. Fetches what plan_compaction() does. Throws cuda_error.
std::int64_t compacted_bytes(hisparse_content const& content, std::int64_t value_bytes);

}  // namespace copse::detail
