// Sub-trees of a sum that are each other's transpose, or the negative of that, because those of both operands are. One
// of them is made, the other is a reference to it:
//
//              A                B                C = A + B
//     (i, j)   node a           node b           their sum
//     (j, i)   a, transposed    b, transposed    while tasks run: a mark, [ the child's place of (i, j) | transposed ];
//                                                at the end: the reference at that place, transposed
//
// The tasks do not know where a sum will lie when they decide that it has a twin. Tasks that walk C before the end read
// through its marks, or leave them alone. Each node of C's own has one reference until then.
#pragma once

#include <copse/algebra/sums/addition.hpp>
#include <copse/algebra/sums/block_table.hpp>
#include <copse/formats/node.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// The state alone: how `b`, a reference to the same node, is seen differently from `a`.
COPSE_HOST_DEVICE COPSE_INLINE child_reference state_between(child_reference a, child_reference b) {
    return child_reference().seen_through(a).seen_through(b);
}

/// No node has this kind at this level.
COPSE_HOST_DEVICE COPSE_INLINE bool is_twin_mark(child_reference r) {
    return r.kind() == node_kind::diagonal && !r.is_leaf();
}
/// In C instead of a reference: the child at place `place` of the same node, seen through `state`.
COPSE_HOST_DEVICE COPSE_INLINE child_reference twin_mark(int place, child_reference state) {
    return child_reference(0, static_cast<std::uint64_t>(place) << 4, 1, node_kind::diagonal, 2).seen_through(state);
}
COPSE_HOST_DEVICE COPSE_INLINE int marked_place(child_reference mark) {
    return static_cast<int>(mark.offset() >> 4);
}

/// The child at place i of a node of C, or of what C shares.
COPSE_HOST_DEVICE COPSE_INLINE node child_of_sum(node_reader const& tree, node n, int i) {
    node child = tree.child(n, i);
    if (is_twin_mark(child.reference))
        child.reference = tree.child({n.reference.as_stored(), 0, 0}, marked_place(child.reference))
                              .reference.seen_through(child.reference);
    return child;
}

/// What the operands have at two places of a node, (i, j) and (j, i): null where they have nothing.
struct twin_candidates {
    child_reference a, b;
    child_reference a_image, b_image;

    /// Whether C's two children are one in two states. Then that of the image is what state() makes of the other.
    COPSE_HOST_DEVICE COPSE_INLINE bool are_twins() const {
        return a.as_stored() == a_image.as_stored() && b.as_stored() == b_image.as_stored() &&
               (!a || !b || state_between(a, a_image) == state_between(b, b_image));
    }
    COPSE_HOST_DEVICE COPSE_INLINE child_reference state() const {
        return a ? state_between(a, a_image) : state_between(b, b_image);
    }
};

/// The place of (j, i), where `place` is that of (i, j).
COPSE_HOST_DEVICE COPSE_INLINE int image_of_place(int place, int dimension_log2) {
    return (place & ((1 << dimension_log2) - 1)) << dimension_log2 | place >> dimension_log2;
}

/// A mark for block `index` of a table at `position`, to be a child of `inner`; null if it has no twin, or is the one
/// that is made: the one above the diagonal.
COPSE_HOST_DEVICE COPSE_INLINE child_reference twin_of_block(block_table const& table, child_reference inner, int index,
                                                             int position, int dimension_log2) {
    int const first = image_of_place(position, dimension_log2);
    if (first >= position || !table.blocks.contains(first)) return {};
    int const first_index = table.blocks.index_of(first);
    auto const &a = table.head->stored(0, first_index), &b = table.head->stored(1, first_index);
    auto const &a_image = table.head->stored(0, index), &b_image = table.head->stored(1, index);
    if (a.reference.as_stored() != a_image.reference.as_stored()) return {};  // most have no twin
    twin_candidates const found{a.reference, b.reference, a_image.reference, b_image.reference};
    // Parts of a wide leaf have one reference.
    if (!found.are_twins() || a_image.reference.is_block_of_wide() || b_image.reference.is_block_of_wide()) return {};
    return twin_mark(inner.kind() == node_kind::dense ? first : first_index, found.state());
}

/// A mark for the child at place i of `inner`, a node as it is stored, of an operand that is to be copied; null if the
/// child is to be copied, too. Of two twins the one that is stored transposed is not copied.
COPSE_HOST_DEVICE COPSE_INLINE child_reference twin_of_child(node_reader const& tree, child_reference inner, int i) {
    node const whole{inner.as_stored(), 0, 0}, child = tree.child(whole, i);
    if (is_twin_mark(child.reference)) return child.reference;  // C's own, on its way to other memory
    if (!child.reference.transposed()) return {};
    int const shift = tree.dimension_log2() * inner.level();
    int const first =
        tree.place_of(whole, static_cast<int>(child.column >> shift), static_cast<int>(child.row >> shift));
    if (first < 0) return {};
    child_reference const image = tree.child(whole, first).reference;
    if (image.transposed() || image.as_stored() != child.reference.as_stored()) return {};
    return twin_mark(first, state_between(image, child.reference));
}

/// Each lane's own.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void count_twins(Worker& w, addition<T> const& sum, int marks) {
    if (marks > 0) w.add(&sum.notes->twins, static_cast<std::uint64_t>(marks));
}

/// An inner node of C's own: marks become references.
struct refer_to_twins {
    using item = child_reference;
    static constexpr int width = 32;
    static constexpr char const* name = "references to twins";

    std::byte* nodes;
    int arena;
    int dimension_log2;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item inner, Worker& w) const {
        auto* const slots = reinterpret_cast<child_reference*>(nodes + inner.offset());
        int const count = child_slot_count(inner, dimension_log2);
        for (int i = w.rank(); i < count; i += w.size()) {
            child_reference const child = slots[i];
            if (is_twin_mark(child))
                slots[i] = slots[marked_place(child)].seen_through(child);
            else if (child && child.arena() == arena && !child.is_leaf())
                w.template push<refer_to_twins>(child);
        }
        w.sync();
    }
};

}  // namespace copse::detail
