// The entries of a leaf as a sorted list, and what edits make of it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <copse/formats/edits/node_edit.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/visit_entries.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// The order of entries in a block of d * d x d * d: leaf by leaf, row-major, in each leaf_order. In a block of d x d
/// it is leaf_order.
struct wide_block_order {
    leaf_order leaf;

    std::uint32_t key(std::uint32_t row, std::uint32_t column) const {
        auto const mask = static_cast<std::uint32_t>(leaf.mask());
        std::uint32_t const block = (row >> log2() & mask) << log2() | (column >> log2() & mask);
        return block << (2 * log2()) |
               static_cast<std::uint32_t>(leaf.position(static_cast<int>(row & mask), static_cast<int>(column & mask)));
    }
    /// Of what has the key `in_block` in the block of d x d in this row and column of blocks.
    std::uint32_t key_in(std::uint32_t block_row, std::uint32_t block_column, std::uint32_t in_block) const {
        return (block_row << log2() | block_column) << (2 * log2()) | in_block;
    }
    std::uint32_t block(std::uint32_t key) const { return key >> (2 * log2()); }
    /// Of the block, in its parent; of d * d x d * d.
    std::uint8_t block_row(std::uint32_t key) const { return static_cast<std::uint8_t>(block(key) >> log2()); }
    std::uint8_t block_column(std::uint32_t key) const {
        return static_cast<std::uint8_t>(static_cast<int>(block(key)) & leaf.mask());
    }
    std::uint16_t position(std::uint32_t key) const {
        return static_cast<std::uint16_t>(key & ((std::uint32_t{1} << (2 * log2())) - 1));
    }
    int row(std::uint32_t key) const { return block_row(key) << log2() | leaf.row(position(key)); }
    int column(std::uint32_t key) const { return block_column(key) << log2() | leaf.column(position(key)); }

  private:
    int log2() const { return leaf.dimension_log2; }
};

template <class T>
struct keyed_entry {
    std::uint32_t key;
    T value;

    /// Also of NaN: the same bits.
    friend bool operator==(keyed_entry a, keyed_entry b) {
        return a.key == b.key && std::bit_cast<value_word<T>>(a.value) == std::bit_cast<value_word<T>>(b.value);
    }
};

/// A position that may have an entry.
template <class T>
struct possible_entry {
    bool present = false;
    T value = T(0);
};

/// An addition overflows although what it is to come to may be a number: entries are stored as more than they read.
struct stored_sum_overflow {};

template <class T>
struct keyed_edit {
    std::uint32_t key;
    stored_edit_kind kind;
    T value;

    possible_entry<T> applied_to(possible_entry<T> entry) const {
        if (kind == stored_edit_kind::erase) return {};
        if (kind == stored_edit_kind::set || !entry.present) return {true, value};
        T const sum = entry.value + value;
        bool const overflows = std::isfinite(entry.value) && std::isfinite(value) && !std::isfinite(sum);
        if (kind == stored_edit_kind::add_below && overflows) throw stored_sum_overflow();
        return {true, sum};
    }
};

inline constexpr auto by_key = [](auto const& a, auto const& b) { return a.key < b.key; };

/// Of a leaf of any kind, ascending.
template <class T>
std::vector<keyed_entry<T>> sorted_entries(fetched_node const& leaf, wide_block_order order) {
    std::vector<keyed_entry<T>> entries;
    entries.reserve(static_cast<std::size_t>(leaf.extent.entries));
    serial_worker w;
    visit_entries<T>(w, leaf.tree, leaf.place, [&](int, int row, int column, T value) {
        entries.push_back({order.key(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)), value});
    });
    // As they are stored, lists ascend, and so do both lists of a leaf with streaks.
    auto const middle = std::is_sorted_until(entries.begin(), entries.end(), by_key);
    if (std::is_sorted(middle, entries.end(), by_key))
        std::inplace_merge(entries.begin(), middle, entries.end(), by_key);
    else
        std::sort(entries.begin(), entries.end(), by_key);
    return entries;
}

/// entries: ascending, no key twice; edits: ascending, those of one key in the order in which they apply.
template <class T>
std::vector<keyed_entry<T>> apply_edits(std::vector<keyed_entry<T>> const& entries,
                                        std::vector<keyed_edit<T>> const& edits) {
    std::vector<keyed_entry<T>> result;
    result.reserve(entries.size() + edits.size());
    auto next = entries.begin();
    for (std::size_t i = 0; i < edits.size();) {
        std::uint32_t const key = edits[i].key;
        auto const here = std::lower_bound(next, entries.end(), keyed_entry<T>{key, T(0)}, by_key);
        result.insert(result.end(), next, here);
        next = here;
        possible_entry<T> entry;
        if (next != entries.end() && next->key == key) entry = {true, (next++)->value};
        for (; i < edits.size() && edits[i].key == key; ++i) entry = edits[i].applied_to(entry);
        if (entry.present) result.push_back({key, entry.value});
    }
    result.insert(result.end(), next, entries.end());
    return result;
}

}  // namespace copse::detail
