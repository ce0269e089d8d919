// A leaf from its entries on the host, one thread at work: what conversion and edits share.
#pragma once

#include <copse/formats/leaf_union.hpp>
#include <copse/formats/leaf_writer.hpp>
#include <copse/formats/serial_worker.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace copse::detail {

/// The entries of a leaf, in any order, no position twice: positions (leaf_order) and values.
template <class T>
struct leaf_entries {
    std::span<std::uint16_t const> positions;
    std::span<T const> values;
};

/// One thread's memory for looking at a leaf.
struct leaf_workspace {
    small_union::storage small;
    alignas(16) std::byte large[large_union::bytes(256)];
};

/// f(union, shape, key): the leaf's positions in a small or a large union; shape(value_bytes) says what the leaf is to
/// look like, key(i) is what the union calls entry i.
template <class F>
void with_union(leaf_workspace& workspace, leaf_order order, std::span<std::uint16_t const> positions, F f) {
    serial_worker w;
    if (positions.size() <= small_leaf) {
        small_union leaf(workspace.small, order);
        for (std::size_t i = 0; i < positions.size(); ++i) leaf.set(static_cast<int>(i), positions[i]);
        auto const n = static_cast<int>(positions.size());
        f(
            leaf, [&](std::int64_t bytes) { return leaf.shape(w, n, n, bytes); },
            [](std::size_t i) { return static_cast<int>(i); });
    } else {
        large_union leaf(workspace.large, order);
        leaf.clear(w);
        for (std::uint16_t position : positions) leaf.insert(w, position);
        f(
            leaf, [&](std::int64_t bytes) { return leaf.shape(w, bytes); },
            [&](std::size_t i) { return static_cast<int>(positions[i]); });
    }
}

/// Writes the leaf to where allocate(leaf_shape) says.
template <class T, class Allocate>
void assemble_leaf(leaf_workspace& workspace, leaf_order order, leaf_entries<T> const& entries, Allocate allocate) {
    with_union(workspace, order, entries.positions, [&](auto& leaf, auto shape, auto key) {
        serial_worker w;
        leaf_shape const chosen = shape(sizeof(T));
        leaf_writer<T> const writer(allocate(chosen), chosen, order);
        writer.prepare(w);
        leaf.write_runs(w, writer);
        if constexpr (std::is_same_v<decltype(leaf), small_union&>)
            for (std::size_t i = 0; i < entries.values.size(); ++i) leaf.place(w, writer, key(i)) = entries.values[i];
        else
            with_kind<serial_worker>(chosen.kind, [&](auto kind) {
                for (std::size_t i = 0; i < entries.values.size(); ++i)
                    leaf.place(w, kind, writer, key(i)) = entries.values[i];
            });
    });
}

}  // namespace copse::detail
