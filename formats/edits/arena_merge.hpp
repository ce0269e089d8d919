// What an edit writes, together with what the edits before it have written: so that a row of edits neither runs out of
// numbers for arenas nor copies what it has not touched.
//
//   arenas   a | e e e e e e .. e | new      a: what the first edit found; each e: the nodes of one edit, rank 0
//            a | E                           the 32nd: all of them in one arena of rank 1, without those that no root
//                                            leads to any more; 32 of rank 1 make one of rank 2, and so on
//
// In n edits, each node that one of them has written is copied log_32(n) times at most, so the work is that of the
// nodes touched times O(log n); and there are 31 arenas of each rank at most, 186 after 2^30 edits, so that plans and
// sums find numbers too. Nodes refer to older ones only: those of `a` lead to none that moves, and are not looked at.
// Fewer than 32 mean more copies; 64 would need more numbers than there are, 315 after 2^30 edits.
#pragma once

#include <copse/formats/edits/node_edit.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

inline constexpr std::size_t most_of_a_rank = 32;

struct arena_merge {
    std::size_t arenas;  // of the old content, from the last one back: none where there is nothing to merge
    std::uint8_t rank;   // of the arena that the edit adds
};

/// What is due when an edit adds an arena to those of these ranks, which descend.
arena_merge due_merge(std::span<std::uint8_t const> ranks);

/// Those nodes of `edited` and of the last `merged` arenas of `content` that the new root leads to, leaves first, in
/// host memory. They have the number that `edited`'s new nodes had, and its root becomes that of the copies.
/// Nodes in memory that the host cannot read are fetched level by level. Throws std::bad_alloc, cuda_error.
buffer<std::byte> merge_arenas(hisparse_content const& content, std::int64_t value_bytes, std::size_t merged,
                               edited_tree& edited);

}  // namespace copse::detail
