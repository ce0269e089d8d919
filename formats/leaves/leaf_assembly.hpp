// A leaf from its entries on the host, one thread at work: what conversion and edits share.
#pragma once

#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// The entries of a leaf, in any order, no position twice: positions (leaf_order) and values.
template <class T>
struct leaf_entries {
    std::span<std::uint16_t const> positions;
    std::span<T const> values;

    leaf_values<T> source_values() const { return {values.data(), {}, T(1)}; }
};

/// One thread's memory for looking at a leaf.
struct leaf_workspace {
    small_union_memory small;
    large_union_memory large;
};

/// f(union, sources): for positions as the only source.
template <class F>
auto with_union(leaf_workspace& workspace, leaf_order order, std::span<std::uint16_t const> positions, F f) {
    leaf_pattern const source[] = {{.rows = positions.data(),
                                    .count = static_cast<std::int32_t>(positions.size()),
                                    .entries = static_cast<std::int32_t>(positions.size()),
                                    .stored = leaf_pattern::coordinates::positions}};
    std::span<leaf_pattern const> const sources(source);
    if (small_union_cpu::fits(sources)) {
        small_union_cpu leaf(workspace.small, order);
        return f(leaf, sources);
    }
    large_union_cpu leaf(workspace.large, order);
    return f(leaf, sources);
}

/// What the leaf is to look like.
inline leaf_shape find_leaf_shape(leaf_workspace& workspace, leaf_order order, std::span<std::uint16_t const> positions,
                                  std::int64_t value_bytes) {
    return with_union(workspace, order, positions,
                      [&](auto& leaf, auto sources) { return leaf.shape(sources, value_bytes); });
}

/// Writes the leaf to where allocate(leaf_shape) says.
template <class T, class Allocate>
void assemble_leaf(leaf_workspace& workspace, leaf_order order, leaf_entries<T> const& entries, Allocate allocate) {
    leaf_values<T> const values[] = {entries.source_values()};
    with_union(workspace, order, entries.positions, [&](auto& leaf, auto sources) {
        std::byte* const node = allocate(leaf.shape(sources, sizeof(T)));
        leaf.template write<T>(sources, values, node);
    });
}

/// Writes the entries into a wide leaf.
template <class T>
void write_wide_part(leaf_workspace& workspace, leaf_order order, leaf_entries<T> const& entries,
                     wide_part_place const& place) {
    leaf_values<T> const values[] = {entries.source_values()};
    with_union(workspace, order, entries.positions, [&](auto& leaf, auto sources) {
        leaf.count(sources);
        leaf.template write_part<T>(sources, values, place);
    });
}

}  // namespace copse::detail
