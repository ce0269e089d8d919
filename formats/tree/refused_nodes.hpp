// What functions say of a node or a place that they are not for, in the same words on the host and on a GPU
// (runtime/scheduler/refusal.hpp).
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/node.hpp>
#include <copse/formats/tree/open_nodes.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/refusal.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// `call` was asked of `n`, which is no `wanted`.
struct refused_node {
    char const* call;
    char const* wanted;
    node n;
    COPSE_HOST_DEVICE void operator()(refusal_words& words) const {
        words << "tree_view: " << call << " wants a node that is: " << wanted << "; it was given ";
        if (!n)
            words << "no node";
        else if (n.reference.is_leaf())
            with_kind(n.reference.kind(), [&](auto owner) { words << "a " << owner.name; });
        else
            words << "an inner node";
        if (n) words << " at row " << n.row << ", column " << n.column;
        words << "; ask is_leaf() and reference.kind() first, or read leaves by for_each_entry()";
    }
};
/// An entry in this row and column was written to the leaf at `place`.
struct refused_entry {
    node_place place;
    std::int64_t row;
    std::int64_t column;
    COPSE_HOST_DEVICE void operator()(refusal_words& words) const {
        words << "tree_writer: the entry in row " << row << ", column " << column
              << " is outside of the matrix, or of the node at row " << place.row() << ", column " << place.column();
    }
};
/// write_leaf() was given the place of an inner node, or open() that of a leaf.
struct refused_level {
    node_place place;
    COPSE_HOST_DEVICE void operator()(refusal_words& words) const {
        words << "tree_writer: " << (place.level() > 0 ? "write_leaf()" : "open()") << " was given the place of "
              << (place.level() > 0 ? "an inner node" : "a leaf") << ", at row " << place.row() << ", column "
              << place.column() << "; ask place.level(), which is 0 for a leaf";
    }
};
/// try_share() was given a node of another level than the place.
struct refused_shared_level {
    node_place place;
    node n;
    COPSE_HOST_DEVICE void operator()(refusal_words& words) const {
        words << "tree_writer::try_share(): a node of level " << n.reference.level() << ", at row " << n.row
              << ", column " << n.column << ", cannot go to a place of level " << place.level();
    }
};

/// Throws argument_error with the words of `what`.
[[noreturn]] void refuse(refused_node const& what);
[[noreturn]] void refuse(refused_entry const& what);
[[noreturn]] void refuse(refused_level const& what);
[[noreturn]] void refuse(refused_shared_level const& what);

/// Whether it is right to go on. On the host it always is: what is wrong is refused by an exception. So it is on a GPU,
/// where what is wrong is undefined; but in a checked build what is wrong ends the run, and false is returned.
template <class What>
COPSE_HOST_DEVICE COPSE_INLINE bool expect(bool right, [[maybe_unused]] What const& what) {
#if !defined(__CUDA_ARCH__)
    if (!right) [[unlikely]]
        refuse(what);
    return true;
#elif COPSE_CHECKED
    if (!right) refuse_in_block(what);
    return right;
#else
    (void)right;
    return true;
#endif
}
[[nodiscard]] COPSE_HOST_DEVICE COPSE_INLINE bool expect_node(bool right, char const* call, char const* wanted,
                                                              node n) {
    return expect(right, refused_node{call, wanted, n});
}

/// What a view of a leaf of any kind reads at most if it has one entry or none.
inline constexpr int blank_leaf_bytes = 16 + 256 * 256 / 8;
/// The view of a leaf whose memory is zeros: at most one entry, of value 0. A lane that asked for a leaf of the wrong
/// kind goes on with it, where it cannot throw.
template <class Leaf, class T>
COPSE_HOST_DEVICE auto view_of_blank(std::byte const* zeros, int dimension_log2) {
    return Leaf::template view<T>(zeros, child_reference(0, 0, 1, Leaf::kind, 0, true), dimension_log2);
}
#if COPSE_CHECKED && defined(__CUDACC__)
__device__ inline std::byte const* blank_leaf() {
    static std::uint64_t const zeros[blank_leaf_bytes / 8] = {};
    return reinterpret_cast<std::byte const*>(zeros);
}
#endif

}  // namespace copse::detail
