// A wide leaf: a hyper-sparse block of d * d x d * d as one list, at level 1, in place of an inner node and its leaves
// (node_kind::wide).
//
//   | entry count (4 bytes), 12 bytes of padding | values[p] | rows[p] | columns[p] |      two bytes a coordinate
//
// Values once: 16 bytes of the one value in the place of values[p].
//
// p: the entry count, rounded up to a multiple of 4. Entries ascend by the leaves that it stands for, row-major, and in
// each in leaf_order. A reference rounds the count up to a multiple of 16; the node knows the exact number.
#pragma once

#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_stretch.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

/// A hyper-sparse block of d * d x d * d as op(A) sees it: entry i is (rows[i], columns[i], values[i]).
template <class T>
struct wide_leaf_view {
    entry_values<T> values;
    std::uint16_t const* rows;
    std::uint16_t const* columns;
    int count;

    /// The block of d x d that entry i is in, row-major. As it is stored, entries of a block stand side by side.
    COPSE_HOST_DEVICE COPSE_INLINE int block(int i, int dimension_log2) const {
        return (rows[i] >> dimension_log2) << dimension_log2 | columns[i] >> dimension_log2;
    }
};

namespace detail {

struct wide_leaf {
    static constexpr node_kind kind = node_kind::wide;
    static constexpr char const* name = "wide leaf";
    static constexpr leaf_kinds kinds = leaf_kinds::wide;
    static constexpr std::int64_t header = 16;

    COPSE_HOST_DEVICE static constexpr leaf_shape shape(std::int64_t entries) {
        return {kind, static_cast<std::int32_t>(entries), 0, 0};
    }
    COPSE_HOST_DEVICE static leaf_shape shape_of(std::byte const* memory, child_reference leaf) {
        leaf_shape s = shape(count(memory));
        s.others_values = stored_as(leaf);
        return s;
    }
    COPSE_HOST_DEVICE static int count(std::byte const* memory) {
        return reinterpret_cast<std::int32_t const*>(memory)[0];
    }
    COPSE_HOST_DEVICE static constexpr std::int64_t padded(std::int64_t entries) { return (entries + 3) / 4 * 4; }
    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(leaf_shape s, std::int64_t, std::int64_t value_bytes) {
        return s.values_once() ? header + 16 + align_node(4 * padded(s.entries)) : bytes(s.entries, value_bytes);
    }
    /// With a value for each entry.
    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(std::int64_t entries, std::int64_t value_bytes) {
        return header + align_node(padded(entries) * (value_bytes + 4));
    }

    template <class T>
    COPSE_HOST_DEVICE static wide_leaf_view<T> view(std::byte const* memory, child_reference leaf, int) {
        int const n = count(memory);
        std::int64_t const p = padded(n);
        bool const flip = leaf.transposed(), once = leaf.values_once();
        auto const* const rows = reinterpret_cast<std::uint16_t const*>(memory + header + (once ? 16 : p * sizeof(T)));
        return {entry_values<T>(reinterpret_cast<T const*>(memory + header), stored_as(leaf)),
                in_global_memory(flip ? rows + p : rows), in_global_memory(flip ? rows : rows + p), n};
    }
    template <class T>
    COPSE_HOST_DEVICE static stored_leaf stored(std::byte const*, leaf_shape s, std::int64_t) {
        std::int64_t const values = values_in_list(padded(s.entries), s.others_values, sizeof(T));
        return {bytes(s, 0, sizeof(T)), header, values, s.values_once() ? values : s.entries, values, nullptr};
    }
};

// The rule for hyper-sparse sub-trees at level 1: a wide leaf where it stands for at least two leaves that have at most
// wide_mean_in_leaf entries on average. Conversions, sums and edits follow it; only an edited node of leaves stays one
// until wide_mean_of_node.

inline constexpr std::int64_t wide_mean_in_leaf = 16;

/// An inner node that is edited becomes a wide leaf from so many entries in a leaf on: as many edits as it has leaves
/// lie between there and back, which each rewrite all of it. So few as 15 cost at most a tenth of the bytes.
inline constexpr std::int64_t wide_mean_of_node = 15;

/// Whether what is a wide leaf, with at least two blocks, remains one.
COPSE_HOST_DEVICE constexpr bool stays_wide(std::int64_t entries, std::int64_t leaves) {
    return entries <= wide_mean_in_leaf * leaves && entries <= child_reference::most_wide_entries;
}
COPSE_HOST_DEVICE constexpr bool is_wide(std::int64_t entries, std::int64_t leaves) {
    return leaves >= 2 && stays_wide(entries, leaves);
}

template <class T>
COPSE_HOST_DEVICE leaf_stretch<T> stretch_of(wide_leaf_view<T> const& leaf, int first, int count) {
    return {leaf_stretch<T>::kind::words, leaf.values.from(first), leaf.rows + first, leaf.columns + first, count};
}

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(wide_leaf_view<T> const& leaf, int first, int count, F f) {
    COPSE_NO_UNROLL
    for (int i = 0; i < count; ++i)
        visit_one<What>(f, i, leaf.rows[first + i], leaf.columns[first + i], leaf.values[first + i]);
}

/// A number by which the entries of a wide leaf ascend: by block, then in leaf_order. Coordinates are the view's; flip:
/// whether the view's rows are stored as columns.
COPSE_HOST_DEVICE inline std::int64_t wide_key(leaf_order order, bool flip, int row, int column) {
    int const log2 = order.dimension_log2, mask = order.mask(), r = flip ? column : row, c = flip ? row : column;
    return std::int64_t{(r >> log2) << log2 | c >> log2} << (2 * log2) | order.position(r & mask, c & mask);
}

/// Where the value of the entry in `row` and `column` of the block of d * d x d * d is; null if there is none.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* find_entry(wide_leaf_view<T> const& leaf, leaf_order order, bool flip, int row,
                                                   int column, entry_cursor& at) {
    int const i = lower_bound_near(at.entry, leaf.count, wide_key(order, flip, row, column),
                                   [&](int k) { return wide_key(order, flip, leaf.rows[k], leaf.columns[k]); });
    bool const found = i < leaf.count && leaf.rows[i] == row && leaf.columns[i] == column;
    at.entry = i + (found ? 1 : 0);
    return found ? leaf.values.at(i) : nullptr;
}

/// Entries first .. last - 1 of a wide leaf.
struct entry_bounds {
    int first;
    int last;
};
/// The entries in the block of d x d that begins in `row` and `column`, multiples of d.
template <class T>
COPSE_HOST_DEVICE entry_bounds bounds_in_block(wide_leaf_view<T> const& leaf, leaf_order order, bool flip, int row,
                                               int column) {
    std::int64_t const block = wide_key(order, flip, row, column) >> (2 * order.dimension_log2);
    auto const key = [&](int k) { return wide_key(order, flip, leaf.rows[k], leaf.columns[k]); };
    return {lower_bound(leaf.count, block << (2 * order.dimension_log2), key),
            lower_bound(leaf.count, (block + 1) << (2 * order.dimension_log2), key)};
}

/// Entries first .. first + count - 1 of a wide leaf, numbered from 0, coordinates in its block of d * d x d * d.
template <visited What = visited::entries, class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_wide(Worker& w, wide_leaf_view<T> const& leaf, int first, int count, F f) {
    if constexpr (Worker::size() > 1)
        visit_stretch<What>(w, stretch_of(leaf, first, count), 0, f);
    else
        visit_alone<What>(leaf, first, count, f);
}

/// f(block row, first, last): entries first .. last - 1 of begin .. end - 1, one after the other, are in one row of
/// blocks.
template <class F>
COPSE_HOST_DEVICE void for_each_block_row(std::uint16_t const* rows, int begin, int end, int dimension_log2, F f) {
    for (int first = begin; first < end;) {
        int const block = rows[first] >> dimension_log2;
        int last = first + 1;
        while (last < end && rows[last] >> dimension_log2 == block) ++last;
        f(block, first, last);
        first = last;
    }
}

/// Blocks of d x d that a leaf stands for.
template <class View>
std::int64_t count_blocks(View const&, int) {
    return 1;
}
template <class T>
std::int64_t count_blocks(wide_leaf_view<T> const& leaf, int dimension_log2) {
    std::int64_t blocks = 0;
    for (int i = 0; i < leaf.count; ++i)
        blocks += i == 0 || leaf.block(i, dimension_log2) != leaf.block(i - 1, dimension_log2);
    return blocks;
}

/// Writes a wide leaf, whose stretches may be written by several threads.
template <class T>
class wide_leaf_writer {
  public:
    /// Everything that is not an entry, and the count. By one lane.
    COPSE_HOST_DEVICE static void prepare(std::byte* memory, std::int64_t entries) {
        leaf_shape const shape = wide_leaf::shape(entries);
        wide_leaf_writer const writer = prepare_places(memory, shape);
        for (std::int64_t i = entries; i < writer.padded_; ++i) writer.values_[i] = T(0);
    }
    /// The same of a leaf whose entries all have this value; what remains is put_place().
    COPSE_HOST_DEVICE static wide_leaf_writer prepare_once(std::byte* memory, std::int64_t entries, T value) {
        leaf_shape shape = wide_leaf::shape(entries);
        shape.others_values = stored_values::once;
        wide_leaf_writer const writer = prepare_places(memory, shape);
        for (std::size_t i = 0; i < 16 / sizeof(T); ++i) writer.values_[i] = value;
        return writer;
    }

    /// `memory`: of prepare_once().
    COPSE_HOST_DEVICE static wide_leaf_writer of_once(std::byte* memory) {
        return {memory, wide_leaf::count(memory), 16 / static_cast<std::int64_t>(sizeof(T))};
    }

    /// `memory`: prepared.
    COPSE_HOST_DEVICE explicit wide_leaf_writer(std::byte* memory)
        : wide_leaf_writer(memory, wide_leaf::count(memory)) {}
    /// `memory`: to be prepared at some time for so many entries.
    COPSE_HOST_DEVICE wide_leaf_writer(std::byte* memory, std::int64_t entries)
        : wide_leaf_writer(memory, entries, wide_leaf::padded(entries)) {}

    COPSE_HOST_DEVICE void put(std::int64_t i, int row, int column, T value) const {
        values_[i] = value;
        put_place(i, row, column);
    }
    COPSE_HOST_DEVICE void put_place(std::int64_t i, int row, int column) const {
        rows_[i] = static_cast<std::uint16_t>(row);
        rows_[padded_ + i] = static_cast<std::uint16_t>(column);
    }

    COPSE_HOST_DEVICE void add(std::int64_t i, int row, int column, T value) const {
        put(i, row, column, values_[i] + value);
    }
    COPSE_HOST_DEVICE void set_value(std::int64_t i, T value) const { values_[i] = value; }

    COPSE_HOST_DEVICE T* values() const { return values_; }
    COPSE_HOST_DEVICE std::uint16_t* rows() const { return rows_; }
    COPSE_HOST_DEVICE std::uint16_t* columns() const { return rows_ + padded_; }

  private:
    COPSE_HOST_DEVICE wide_leaf_writer(std::byte* memory, std::int64_t entries, std::int64_t values)
        : padded_(wide_leaf::padded(entries)),
          values_(reinterpret_cast<T*>(memory + wide_leaf::header)),
          rows_(reinterpret_cast<std::uint16_t*>(values_ + values)) {}

    COPSE_HOST_DEVICE static wide_leaf_writer prepare_places(std::byte* memory, leaf_shape const& s) {
        for (std::int64_t i = 0; i < wide_leaf::header; ++i) memory[i] = std::byte{0};
        reinterpret_cast<std::int32_t*>(memory)[0] = s.entries;
        std::int64_t const p = wide_leaf::padded(s.entries), values = values_in_list(p, s.others_values, sizeof(T));
        wide_leaf_writer const writer(memory, s.entries, values);
        for (std::int64_t i = s.entries; i < p; ++i) writer.put_place(i, 0, 0);
        std::int64_t const end = wide_leaf::header + values * static_cast<std::int64_t>(sizeof(T)) + 4 * p;
        for (std::int64_t i = end; i < wide_leaf::bytes(s, 0, sizeof(T)); ++i) memory[i] = std::byte{0};
        return writer;
    }

    std::int64_t padded_;
    T* values_;
    std::uint16_t* rows_;
};

}  // namespace detail
}  // namespace copse
