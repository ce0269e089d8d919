// The kinds of leaves, in one place. Each has an owner, a file that knows its bytes:
//
//   list_leaf    entries one by one                        run_leaf     runs along diagonals, and a list of the others
//   dense_leaf   a value for each position                 wide_leaf    a list over d * d x d * d, at level 1
//
// An owner has, besides its view:
//
//   kind, name, kinds                  its number in references, its name, and which functions can read it (leaf_kinds)
//   bytes(shape, d, value_bytes)       what it takes
//   shape_of(memory, reference)        where the reference does not tell: from its first head_bytes bytes
//   least_bytes(entries, d, ...)       where it may take less than its reference lets expect
//   view<T>(memory, reference, log2)   what op(A) sees
//   stored<T>(memory, shape, d)        where its values are
//   stretch_of, visit_alone            its entries, for many lanes and for one
//   places, prepare                    where entries go, as far as leaf_writer or wide_leaf_writer write it
#pragma once

#include <copse/formats/leaves/dense_leaf.hpp>
#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/leaves/list_leaf.hpp>
#include <copse/formats/leaves/run_leaf.hpp>
#include <copse/formats/leaves/wide_leaf.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class... Leaf>
struct leaf_owners {};
using all_leaves = leaf_owners<list_leaf, run_leaf, dense_leaf, wide_leaf>;

/// f(owner) for the kind of a leaf. Kinds: what it can be.
template <leaf_kinds Kinds = leaf_kinds::wide, class F>
COPSE_HOST_DEVICE COPSE_INLINE constexpr auto with_kind(node_kind kind, F f) {
    if constexpr (Kinds >= dense_leaf::kinds)
        if (kind == dense_leaf::kind) return f(dense_leaf());
    if constexpr (Kinds >= wide_leaf::kinds)
        if (kind == wide_leaf::kind) return f(wide_leaf());
    if constexpr (Kinds >= run_leaf::kinds)
        if (kind == run_leaf::kind) return f(run_leaf());
    return f(list_leaf());
}

COPSE_HOST_DEVICE constexpr leaf_kinds kinds_with(node_kind kind) {
    return with_kind(kind, [](auto leaf) { return leaf.kinds; });
}

COPSE_HOST_DEVICE constexpr std::int64_t leaf_bytes(leaf_shape s, std::int64_t d, std::int64_t value_bytes) {
    return with_kind(s.kind, [&](auto leaf) { return leaf.bytes(s, d, value_bytes); });
}

/// The rule for leaves of d x d: the kind that takes the fewest bytes; list before runs before dense where they take the
/// same.
COPSE_HOST_DEVICE constexpr leaf_shape smallest_leaf(std::int64_t entries, std::int64_t runs, std::int64_t in_runs,
                                                     std::int64_t d, std::int64_t value_bytes) {
    leaf_shape best{list_leaf::kind, static_cast<std::int32_t>(entries), 0, 0};
    leaf_shape const others[] = {run_leaf::shape(entries, runs, in_runs), dense_leaf::shape(entries)};
    for (leaf_shape const& s : others)
        if (leaf_bytes(s, d, value_bytes) < leaf_bytes(best, d, value_bytes)) best = s;
    return best;
}

/// A reference to a leaf of this shape.
COPSE_HOST_DEVICE inline child_reference leaf_reference(int arena, std::uint64_t offset, leaf_shape const& s) {
    return {arena, offset, s.entries, s.kind, s.kind == wide_leaf::kind ? 1 : 0};
}

/// First bytes of a leaf that tell its size where its reference does not.
inline constexpr std::int64_t head_bytes = 16;

template <class Leaf>
inline constexpr bool leaf_has_head = requires(std::byte const* p) { Leaf::shape_of(p, child_reference()); };

COPSE_HOST_DEVICE inline bool has_head(child_reference leaf) {
    return with_kind(leaf.kind(), [](auto owner) { return leaf_has_head<decltype(owner)>; });
}
/// As far as its reference tells.
COPSE_HOST_DEVICE inline leaf_shape shape_by_reference(child_reference leaf) {
    return {leaf.kind(), leaf.entries(), 0, 0};
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
/// What it takes at most, by its reference: of a wide leaf up to 15 entries too many, of others that have a head what the
/// kinds would take that the rule has rejected.
inline std::int64_t most_leaf_bytes(child_reference leaf, std::int64_t d, std::int64_t value_bytes) {
    bool const chosen = leaf.level() == 0 && has_head(leaf);
    return leaf_bytes(chosen ? smallest_leaf(leaf.entries(), 0, 0, d, value_bytes) : shape_by_reference(leaf), d,
                      value_bytes);
}
/// What a leaf of a kind takes at least, by its reference; of a wide leaf what it takes at most.
template <class Leaf>
COPSE_HOST_DEVICE std::int64_t least_leaf_bytes(child_reference leaf, std::int64_t d, std::int64_t value_bytes) {
    if constexpr (requires { Leaf::least_bytes(d, d, value_bytes); })
        return Leaf::least_bytes(leaf.entries(), d, value_bytes);
    else
        return Leaf::bytes(shape_by_reference(leaf), d, value_bytes);
}
COPSE_HOST_DEVICE inline std::int64_t least_leaf_bytes(child_reference leaf, std::int64_t d,
                                                        std::int64_t value_bytes) {
    return with_kind(leaf.kind(),
                     [&](auto owner) { return least_leaf_bytes<decltype(owner)>(leaf, d, value_bytes); });
}

}  // namespace copse::detail
