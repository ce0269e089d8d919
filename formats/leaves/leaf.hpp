// The kinds of leaves, in one place. Each has an owner, a file that knows its bytes:
//
//   sparse_leaf      entries one by one
//   diagonal_leaf    streaks along diagonals, and a list of the others
//   dense_leaf       a value for each position
//   wide_leaf        a list over d * d x d * d, at level 1
//
// An owner has, besides its view:
//
//   kind, name, kinds                  its number in references, its name, and which functions can read it (leaf_kinds)
//   bytes(shape, d, value_bytes)       what it takes
//   shape_of(memory, reference)        where the reference does not tell: from its first head_bytes bytes
//   least_bytes(entries, once, ...)    where it may take less than its reference lets expect
//   view<T>(memory, reference, log2)   what op(A) sees, but for the sign of the values (value_sign.hpp)
//   stored<T>(memory, shape, d)        where its values are
//   stretch_of, visit_alone            its entries, for many lanes and for one
//   visit_rest                         for many lanes, where they are in no stretch
//   places, prepare                    where entries go, as far as leaf_writer or wide_leaf_writer write it
//   shape(entries), place              of placed_leaves: what the size rule knows, and the place of one entry
//
// A new kind of d x d is an owner among placed_leaves here, and its product in algebra/products/ and in cpu/leaves/.
// Its `kind` is the next free number, for which child_reference needs room (node.hpp). Only kinds that tasks ask for by
// name have a name in node_kind.
#pragma once

#include <copse/formats/leaves/dense_leaf.hpp>
#include <copse/formats/leaves/diagonal_leaf.hpp>
#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/leaves/sparse_leaf.hpp>
#include <copse/formats/leaves/wide_leaf.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class... Leaf>
struct leaf_owners {};

/// Leaves of d x d in which each entry has a place of its own: neither lists nor streaks.
using placed_leaves = leaf_owners<dense_leaf>;

template <class... Placed>
constexpr leaf_owners<Placed..., wide_leaf, diagonal_leaf, sparse_leaf> with_others(leaf_owners<Placed...>) {
    return {};
}
/// In the order in which with_kind() asks.
using all_leaves = decltype(with_others(placed_leaves()));

/// One more than the highest number of a kind.
template <class... Leaf>
constexpr int count_kinds(leaf_owners<Leaf...>) {
    int count = 0;
    for (int const kind : {static_cast<int>(Leaf::kind)...}) count = count > kind ? count : kind + 1;
    return count;
}

/// f(owner) for the kind of a leaf, one of Leaf... Kinds: what it can be.
template <leaf_kinds Kinds = leaf_kinds::wide, class First, class... Leaf, class F>
COPSE_HOST_DEVICE COPSE_INLINE constexpr decltype(auto) with_kind_of(leaf_owners<First, Leaf...>, node_kind kind, F f) {
    if constexpr (sizeof...(Leaf) == 0) {
        return f(First());
    } else {
        if constexpr (Kinds >= First::kinds)
            if (kind == First::kind) return f(First());
        return with_kind_of<Kinds>(leaf_owners<Leaf...>(), kind, f);
    }
}
template <leaf_kinds Kinds = leaf_kinds::wide, class F>
COPSE_HOST_DEVICE COPSE_INLINE constexpr decltype(auto) with_kind(node_kind kind, F f) {
    return with_kind_of<Kinds>(all_leaves(), kind, f);
}

COPSE_HOST_DEVICE constexpr std::int64_t leaf_bytes(leaf_shape s, std::int64_t d, std::int64_t value_bytes) {
    return with_kind(s.kind, [&](auto leaf) { return leaf.bytes(s, d, value_bytes); });
}

/// The rule for leaves of d x d: the kind that takes the fewest bytes; list before streaks before the others where they
/// take the same.
COPSE_HOST_DEVICE constexpr leaf_shape smallest_leaf(std::int64_t entries, std::int64_t streaks,
                                                     std::int64_t in_streaks, std::int64_t d,
                                                     std::int64_t value_bytes) {
    leaf_shape best{sparse_leaf::kind, static_cast<std::int32_t>(entries), 0, 0};
    auto const try_shape = [&](leaf_shape const& s) {
        if (leaf_bytes(s, d, value_bytes) < leaf_bytes(best, d, value_bytes)) best = s;
    };
    try_shape(diagonal_leaf::shape(entries, streaks, in_streaks));
    [&]<class... Leaf>(leaf_owners<Leaf...>) { (try_shape(Leaf::shape(entries)), ...); }(placed_leaves());
    return best;
}

/// A reference to a leaf of this shape.
COPSE_HOST_DEVICE inline child_reference leaf_reference(int arena, std::uint64_t offset, leaf_shape const& s) {
    return {arena, offset, s.entries, s.kind, s.kind == wide_leaf::kind ? 1 : 0, s.values_once()};
}

/// First bytes of a leaf that tell its size where its reference does not.
inline constexpr std::int64_t head_bytes = 16;

template <class Leaf>
inline constexpr bool leaf_has_head = requires(std::byte const* p) {
    Leaf::shape_of(p, child_reference());
};

COPSE_HOST_DEVICE inline bool has_head(child_reference leaf) {
    return with_kind(leaf.kind(), [](auto owner) { return leaf_has_head<decltype(owner)>; });
}
/// As far as its reference tells.
COPSE_HOST_DEVICE inline leaf_shape shape_by_reference(child_reference leaf) {
    leaf_shape s{leaf.kind(), leaf.entries(), 0, 0};
    if (leaf.kind() != diagonal_leaf::kind) s.others_values = stored_as(leaf);
    return s;
}
/// memory: read where has_head().
COPSE_HOST_DEVICE inline leaf_shape shape_of(child_reference leaf, std::byte const* memory) {
    return with_kind(leaf.kind(), [&](auto owner) {
        if constexpr (leaf_has_head<decltype(owner)>)
            return owner.shape_of(memory, leaf);
        else
            return shape_by_reference(leaf);
    });
}
/// What it takes at most, by its reference: of a wide leaf up to 15 entries too many, of others that have a head what
/// the kinds would take that the rule has rejected.
inline std::int64_t most_leaf_bytes(child_reference leaf, std::int64_t d, std::int64_t value_bytes) {
    bool const chosen = leaf.level() == 0 && has_head(leaf);
    return leaf_bytes(chosen ? smallest_leaf(leaf.entries(), 0, 0, d, value_bytes) : shape_by_reference(leaf), d,
                      value_bytes);
}
/// What a leaf of a kind takes at least, by its reference; of a wide leaf what it takes at most.
template <class Leaf>
COPSE_HOST_DEVICE std::int64_t least_leaf_bytes(child_reference leaf, std::int64_t d, std::int64_t value_bytes) {
    if constexpr (requires { Leaf::least_bytes(d, true, d, value_bytes); })
        return Leaf::least_bytes(leaf.entries(), leaf.values_once(), d, value_bytes);
    else
        return Leaf::bytes(shape_by_reference(leaf), d, value_bytes);
}
COPSE_HOST_DEVICE inline std::int64_t least_leaf_bytes(child_reference leaf, std::int64_t d, std::int64_t value_bytes) {
    return with_kind(leaf.kind(), [&](auto owner) { return least_leaf_bytes<decltype(owner)>(leaf, d, value_bytes); });
}

}  // namespace copse::detail

namespace copse {

/// Kinds of nodes, inner ones' among them, are numbered from 0.
inline constexpr int node_kind_count = detail::count_kinds(detail::all_leaves());
static_assert(node_kind_count <= 4);  // child_reference has two bits for them

}  // namespace copse
