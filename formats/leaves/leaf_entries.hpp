// The entries of a leaf on the host, and the leaf that one thread makes of them: what conversion and edits share.
#pragma once

#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
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
    small_union::storage small;
    large_union_memory large;
};

inline bool is_small(std::span<std::uint16_t const> positions) {
    return positions.size() <= few_entries;
}
/// Few entries, by the steps that lanes take; shape is found.
class small_assembly {
  public:
    small_assembly(leaf_workspace& workspace, leaf_order order, std::span<std::uint16_t const> positions,
                   std::int64_t value_bytes)
        : union_(workspace.small, order), order_(order), count_(static_cast<int>(positions.size())) {
        for (int i = 0; i < count_; ++i) union_.set(i, positions[static_cast<std::size_t>(i)]);
        serial_worker w;
        shape_ = union_.shape(w, count_, count_, value_bytes);
    }
    leaf_shape const& shape() const { return shape_; }
    template <class T>
    void write(T const* values, std::byte* node) const {
        serial_worker w;
        leaf_writer<T> const writer(node, shape_, order_);
        writer.prepare(w);
        union_.write_streaks(w, writer);
        for (int i = 0; i < count_; ++i) union_.place(w, writer, i) = values[i];
    }

  private:
    small_union union_;
    leaf_order order_;
    int count_;
    leaf_shape shape_;
};

/// positions as the only source of large_union_cpu.
inline leaf_pattern source_of(std::span<std::uint16_t const> positions) {
    auto const count = static_cast<std::int32_t>(positions.size());
    return {.rows = positions.data(), .count = count, .entries = count, .stored = leaf_pattern::coordinates::positions};
}

/// What the leaf is to look like.
inline leaf_shape find_leaf_shape(leaf_workspace& workspace, leaf_order order, std::span<std::uint16_t const> positions,
                                  std::int64_t value_bytes) {
    if (is_small(positions)) return small_assembly(workspace, order, positions, value_bytes).shape();
    leaf_pattern const sources[] = {source_of(positions)};
    return large_union_cpu(workspace.large, order).shape(sources, value_bytes);
}

/// Writes the leaf to where allocate(leaf_shape) says. False, and nothing is written, if that is nowhere.
template <class T, class Allocate>
bool assemble_leaf(leaf_workspace& workspace, leaf_order order, leaf_entries<T> const& entries, Allocate allocate) {
    if (is_small(entries.positions)) {
        small_assembly const leaf(workspace, order, entries.positions, sizeof(T));
        std::byte* const node = allocate(leaf.shape());
        if (node != nullptr) leaf.write(entries.values.data(), node);
        return node != nullptr;
    }
    leaf_pattern const sources[] = {source_of(entries.positions)};
    leaf_values<T> const values[] = {entries.source_values()};
    large_union_cpu leaf(workspace.large, order);
    std::byte* const node = allocate(leaf.shape(sources, sizeof(T)));
    if (node != nullptr) leaf.template write<T>(sources, values, node);
    return node != nullptr;
}

}  // namespace copse::detail
