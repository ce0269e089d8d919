// Edits of a tree: the nodes on the way to them are written anew, bottom-up, into a draft of an arena.
#pragma once

#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/memory/chunk_cache.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>
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

/// Nodes of which nobody knows yet how many there will be, side by side in host memory.
class node_draft {
  public:
    std::int64_t size() const noexcept { return size_; }
    std::byte* data() noexcept { return memory_.data(); }
    std::byte const* data() const noexcept { return memory_.data(); }

    /// Room for `bytes` more, content undefined; what is there may move. Throws std::bad_alloc, and has what it had.
    void extend(std::int64_t bytes) {
        if (size_ + bytes > memory_.size()) {
            buffer<std::byte> more = larger(size_ + bytes);
            if (size_ > 0) std::memcpy(more.data(), memory_.data(), static_cast<std::size_t>(size_));
            memory_ = std::move(more);
        }
        size_ += bytes;
    }

    /// What is there, in the memory `where`; the draft is done with. Throws as extend() does, and cuda_error.
    buffer<std::byte> take(std::shared_ptr<memory> const& where) {
        if (where != host_memory() || memory_.size() < in_pages)
            return {where, std::span<std::byte const>(memory_.data(), static_cast<std::size_t>(size_))};
        memory_.shrink(size_);
        return std::move(memory_);
    }

  private:
    /// Twice what is there, so that nodes move seldom; where there is no room for that, what is needed.
    buffer<std::byte> larger(std::int64_t needed) const {
        std::int64_t const wanted = std::max({needed, 2 * memory_.size(), least});
        try {
            return {host_memory(), wanted};
        } catch (std::bad_alloc const&) {
            if (wanted == needed) throw;
        }
        return {host_memory(), needed};
    }

    static constexpr std::int64_t least = 4096;
    /// From here on what is behind the last node can be given back.
    static constexpr std::int64_t in_pages = chunk_cache::smallest;

    buffer<std::byte> memory_;
    std::int64_t size_ = 0;
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
/// symmetry: if it is not general, an edit at (j, i) for each at (i, j) is among the edits, in the same order, with the
/// same value, or, if it is skew, the negative one; nodes that are one at mirrored places, as symmetry wants it, remain
/// one.
/// Throws shape_error for more than 64 GiB of new nodes, cuda_error; stored_sum_overflow (leaf_edit.hpp).
template <class T>
edited_tree edit_tree(hisparse_content const& content, std::vector<stored_edit<T>> edits, int arena,
                      matrix_symmetry symmetry);

}  // namespace copse::detail
