// A HiSparse node, as its parent and the task queues see it (hisparse §3.1).
//
// child_reference, 64 bits:
//
//   63        62          61-59   58         57-56   55-40     39-32   31-0
//   present   transposed  group   negative   kind    size-1    arena   offset in 16-byte units
//
//   transposed, negative   what the node has at (i, j) is what its bytes have at (j, i); is the negative of it
//
//   group   0     a leaf with a value for each entry; a wide one's level is 1
//           1-5   an inner node of this level; of a wide leaf, 1: one of its blocks, at level 0 (node_pairs.hpp)
//           6, 7  as 0 and 1, for a leaf that stores equal values once
//
// The two bits of the kind are used up. No node has groups 2 to 5 with kinds 2 and 3: these can tell further kinds of
// leaves. (Group 2 with kind 2 marks a place while a sum is made: algebra/sums/sum_twins.hpp.)
//
// All zero: no child. The reference carries the entry count itself where the paper puts it in front of the node and a
// size bin beside the pointer: a parent picks the queue without fetching the child, a leaf's loads do not wait for its
// count, and each node is 16 bytes smaller (a header pads to the vector alignment): 0.9 bytes per entry where leaves
// hold 18 entries, as in ASIC_320k and kkt_power of the paper's Figure 4.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse {

/// The kind of a node, two bits of a reference. Each kind of leaf has an owner (formats/leaves/leaf.hpp).
enum class node_kind : std::uint32_t {
    sparse = 0,    // coordinate list, one byte per coordinate
    dense = 1,     // d * d values or references, row-major
    diagonal = 2,  // a leaf: streaks along diagonals, three bytes each, and a coordinate list of the other entries
    wide = 3,      // a leaf over d * d x d * d, at level 1: coordinate list, two bytes per coordinate
};

class child_reference {
  public:
    /// A reference counts a wide leaf's size in units of this many entries, rounded up; the node itself has the exact
    /// number.
    static constexpr std::int64_t wide_unit = 16;
    static constexpr std::int64_t most_entries = std::int64_t{1} << 16;
    static constexpr std::int64_t most_wide_entries = most_entries * wide_unit;

    child_reference() = default;
    /// offset: bytes from the start of the arena, a multiple of 16 below 2^36. entries: 1 to 2^16, in a wide leaf 1 to
    /// 2^20. A node of level 0 is a leaf. values_once: of a leaf.
    COPSE_HOST_DEVICE child_reference(int arena, std::uint64_t offset, std::int64_t entries, node_kind kind, int level,
                                      bool values_once = false)
        : bits_(present_bit | group_of(kind, level, values_once) << 59 | static_cast<std::uint64_t>(kind) << 56 |
                static_cast<std::uint64_t>((entries - 1) / (kind == node_kind::wide ? wide_unit : 1)) << 40 |
                static_cast<std::uint64_t>(arena) << 32 | offset >> 4) {}

    COPSE_HOST_DEVICE explicit operator bool() const { return bits_ != 0; }
    COPSE_HOST_DEVICE std::uint64_t offset() const { return (bits_ & 0xffffffffu) << 4; }
    COPSE_HOST_DEVICE int arena() const { return static_cast<int>(bits_ >> 32 & 0xff); }
    /// Entries of a leaf, children of an inner node. For a wide leaf the number is rounded up, by less than 16.
    COPSE_HOST_DEVICE std::int32_t entries() const {
        auto const size = static_cast<std::int32_t>(bits_ >> 40 & 0xffff) + 1;
        return kind() == node_kind::wide ? size * static_cast<std::int32_t>(wide_unit) : size;
    }
    COPSE_HOST_DEVICE node_kind kind() const { return static_cast<node_kind>(bits_ >> 56 & 3); }
    /// The same of a reference that is not negative. The replaying kernels read it so: with kind() nvcc 13.0 knows that
    /// there are four kinds, and what it makes of a choice among them spills up to 16 bytes more.
    COPSE_HOST_DEVICE node_kind kind_of_positive() const { return static_cast<node_kind>(bits_ >> 56 & 7); }
    COPSE_HOST_DEVICE int level() const { return is_wide_leaf() ? 1 - (group() & 1) : is_leaf() ? 0 : group(); }
    COPSE_HOST_DEVICE bool is_leaf() const { return is_wide_leaf() || group() == 0 || values_once(); }
    /// A leaf whose values are stored once where they are equal: for the leaf, or for each streak (leaf.hpp).
    COPSE_HOST_DEVICE bool values_once() const { return group() >= once_group; }
    COPSE_HOST_DEVICE bool is_wide_leaf() const { return kind() == node_kind::wide; }
    /// One block of a wide leaf (visit_rows.hpp).
    COPSE_HOST_DEVICE bool is_block_of_wide() const { return is_wide_leaf() && level() == 0; }
    COPSE_HOST_DEVICE bool transposed() const { return (bits_ & transposed_bit) != 0; }
    /// The same content, transposed once more if `flip`.
    COPSE_HOST_DEVICE child_reference transposed_if(bool flip) const {
        child_reference result = *this;
        if (flip) result.bits_ ^= transposed_bit;
        return result;
    }
    /// Whether the content is the negative of what is stored: each value counts with the other sign.
    COPSE_HOST_DEVICE bool negative() const { return (bits_ & negative_bit) != 0; }
    /// The same content, negated once more if `flip`.
    COPSE_HOST_DEVICE child_reference negative_if(bool flip) const {
        child_reference result = *this;
        if (flip) result.bits_ ^= negative_bit;
        return result;
    }
    /// The node as its bytes have it: neither transposed nor negative.
    COPSE_HOST_DEVICE child_reference as_stored() const {
        child_reference result = *this;
        result.bits_ &= ~state_bits;
        return result;
    }
    /// The same content, transposed once more if `parent` is, and negated once more if `parent` is: a child as it is
    /// seen through the reference to its parent.
    COPSE_HOST_DEVICE child_reference seen_through(child_reference parent) const {
        child_reference result = *this;
        result.bits_ ^= parent.bits_ & state_bits;
        return result;
    }
    /// The same node at another place.
    COPSE_HOST_DEVICE child_reference placed(int arena, std::uint64_t offset) const {
        child_reference result = *this;
        result.bits_ = bits_ >> 40 << 40 | static_cast<std::uint64_t>(arena) << 32 | offset >> 4;
        return result;
    }
    /// The same node, `bytes` further on in its arena. bytes: a multiple of 16.
    COPSE_HOST_DEVICE child_reference moved(std::uint64_t bytes) const {
        child_reference result = *this;
        result.bits_ += bytes >> 4;
        return result;
    }
    COPSE_HOST_DEVICE friend bool operator==(child_reference a, child_reference b) { return a.bits_ == b.bits_; }

  private:
    static constexpr std::uint64_t present_bit = std::uint64_t{1} << 63;
    static constexpr std::uint64_t transposed_bit = std::uint64_t{1} << 62;
    static constexpr std::uint64_t negative_bit = std::uint64_t{1} << 58;
    static constexpr std::uint64_t state_bits = transposed_bit | negative_bit;
    static constexpr int once_group = 6;

    COPSE_HOST_DEVICE int group() const { return static_cast<int>(bits_ >> 59 & 7); }
    COPSE_HOST_DEVICE static std::uint64_t group_of(node_kind kind, int level, bool values_once) {
        return static_cast<std::uint64_t>((kind == node_kind::wide ? 1 - level : level) +
                                          (values_once ? once_group : 0));
    }

    std::uint64_t bits_ = 0;
};

/// A node as an item of a queue: where the node is stored and which part of the matrix it covers. 16 bytes.
/// `transposed()` and `negative()` of the reference are relative to the matrix as the operation sees it: they include
/// all transpositions and negations on the way from the root, but not the sign of the matrix's scale.
struct node {
    child_reference reference;
    std::uint32_t row;  // of the node's first row and column in op(A)
    std::uint32_t column;

    COPSE_HOST_DEVICE explicit operator bool() const { return static_cast<bool>(reference); }
};

}  // namespace copse
