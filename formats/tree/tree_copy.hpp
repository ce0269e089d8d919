// A tree copied node by node into one new arena: compaction, and identical sub-trees stored once.
//
//   | leaves, in the order of a traversal | inner nodes of level 1 | of level 2 | ...
//
// The order of a conversion: compacting what has just been converted changes no byte but the arena's number.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/node_copier.hpp>
#include <cstdint>

namespace copse::detail {

/// The tree of `content` in host memory, in one arena, with those nodes only that its root leads to; a node with
/// several parents stays one. `share_identical`: nodes whose bytes are equal become one, from the leaves up, so that
/// equal sub-trees do. Found by a hash of the bytes and compared. The census stays as it is: it counts visits. The
/// result has no arena table yet (detail::place). Throws shape_error when the nodes take more than 64 GiB.
hisparse_content copy_tree(hisparse_content const& content, std::int64_t value_bytes, copy_options options);

}  // namespace copse::detail
