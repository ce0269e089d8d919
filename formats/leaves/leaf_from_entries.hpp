// A leaf of d x d from entries that a task calls out, in any order, no place twice.
//
//   lanes       the entries are called twice: for a set of their positions, and for their places in the leaf
//   one core    they are called once, and noted; then as conversions and edits do it (leaf_entries.hpp)
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// A CPU thread's memory for noting a leaf's entries.
struct leaf_desk {
    leaf_workspace workspace;

    /// With the entries behind it.
    static std::int64_t bytes(std::int64_t d, std::int64_t value_bytes) {
        std::int64_t const own = (static_cast<std::int64_t>(sizeof(leaf_desk)) + 63) / 64 * 64;
        return own + d * d * (value_bytes + 2);
    }
};

/// each(put): calls put(row, column, value), coordinates in the leaf; the lanes share the entries. allocate(shape): the
/// memory, or null. `memory`: large_union::bytes(d), shared by the lanes. False, and nothing is written, if there are
/// no entries or no memory. Collective.
template <class T, lanes_worker Worker, class Each, class Allocate>
COPSE_HOST_DEVICE COPSE_INLINE bool write_leaf(Worker& w, leaf_order order, std::byte* memory, Each each,
                                               Allocate allocate) {
    large_union leaf(memory, order);
    leaf.clear(w);
    each([&](int row, int column, T) { leaf.insert(w, order.position(row, column)); });
    w.sync();
    leaf_shape const shape = leaf.shape(w, sizeof(T));
    if (shape.entries == 0) return false;
    std::byte* const node = allocate(shape);
    if (node == nullptr) return false;
    leaf_writer<T> const writer(node, shape, order);
    writer.prepare(w);
    leaf.write_streaks(w, writer);
    each([&](int row, int column, T value) { leaf.place(w, writer, order.position(row, column)) = value; });
    return true;
}

/// `memory`: leaf_desk::bytes(d, sizeof(T)).
template <class T, core_worker Worker, class Each, class Allocate>
bool write_leaf(Worker&, leaf_order order, std::byte* memory, Each each, Allocate allocate) {
    std::size_t const d = std::size_t{1} << order.dimension_log2, most = d * d;
    auto& workspace = reinterpret_cast<leaf_desk*>(memory)->workspace;
    auto* const values = reinterpret_cast<T*>(memory + leaf_desk::bytes(0, sizeof(T)));
    auto* const positions = reinterpret_cast<std::uint16_t*>(values + most);
    std::size_t count = 0;
    each([&](int row, int column, T value) {
        if (count == most) return;  // an entry too many: some place was called twice
        positions[count] = static_cast<std::uint16_t>(order.position(row, column));
        values[count++] = value;
    });
    if (count == 0) return false;
    return assemble_leaf<T>(workspace, order, {{positions, count}, {values, count}}, allocate);
}

}  // namespace copse::detail
