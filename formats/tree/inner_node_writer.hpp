// Writes one inner node: the lanes of a worker put children into their places, in any order. (Leaves: leaf_writer.hpp.)
#pragma once

#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/node.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

class inner_node_writer {
  public:
    /// `memory`: inner_bytes().
    COPSE_HOST_DEVICE inner_node_writer(std::byte* memory, node_kind kind, int children, int dimension_log2)
        : references_(reinterpret_cast<child_reference*>(memory)),
          children_(children),
          dimension_log2_(dimension_log2),
          dense_(kind == node_kind::dense) {}

    /// The node in an arena.
    COPSE_HOST_DEVICE inner_node_writer(std::byte* arena, child_reference node, int dimension_log2)
        : inner_node_writer(arena + node.offset(), node.kind(), node.entries(), dimension_log2) {}

    /// Every byte: until children have their places there are none. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE void prepare(Worker& w) const {
        auto* const words = reinterpret_cast<std::uint64_t*>(references_);
        std::int64_t const count =
            inner_bytes(dense_ ? node_kind::dense : node_kind::sparse, children_, std::int64_t{1} << dimension_log2_) /
            8;
        COPSE_NO_UNROLL
        for (std::int64_t i = w.rank(); i < count; i += w.size()) words[i] = 0;
        w.sync();
    }

    // Child i of all in row-major order, at `position`, row-major among d x d.

    /// Where its reference is.
    COPSE_HOST_DEVICE child_reference& reference(int i, int position) const {
        return references_[dense_ ? position : i];
    }
    /// The same; its coordinates are written.
    COPSE_HOST_DEVICE child_reference& place(int i, int position) const {
        if (!dense_) {
            std::int64_t const padded = padded_entries(children_);
            auto* const rows = reinterpret_cast<std::uint8_t*>(references_ + padded);
            rows[i] = static_cast<std::uint8_t>(position >> dimension_log2_);
            rows[padded + i] = static_cast<std::uint8_t>(position & ((1 << dimension_log2_) - 1));
        }
        return reference(i, position);
    }

  private:
    child_reference* references_;
    int children_;
    int dimension_log2_;
    bool dense_;
};

}  // namespace copse::detail
