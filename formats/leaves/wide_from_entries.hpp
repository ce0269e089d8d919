// A wide leaf from entries that a task calls out, in any order, no place twice. They are called three times; one core
// calls them once, and notes them:
//
//   0   which blocks of d x d have entries, and how many there are: then the caller decides, and has the memory
//   1   the number of entries of each block; the sums say where each block begins in the list
//   2   each entry goes to the next place of its block; then each block is sorted
#pragma once

#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/position_set.hpp>
#include <copse/formats/leaves/wide_leaf.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/sum_before.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::detail {

struct called_entries {
    std::int64_t entries;
    int blocks;  // of d x d that have entries
};
struct wide_leaf_memory {
    std::byte* leaf = nullptr;     // wide_leaf::bytes()
    std::int32_t* ends = nullptr;  // a number for each block
};

/// Puts entries first .. last - 1, which are in one block, into leaf_order. By one lane: most blocks have an entry or
/// two. Shell's sort, as a block may have thousands; up to 17 entries are sorted by insertion alone.
template <class T>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void sort_block(wide_leaf_writer<T> const& leaf, leaf_order order, int first,
                                                     int last) {
    T const* const values = leaf.values();
    std::uint16_t const *const rows = leaf.rows(), *const columns = leaf.columns();
    auto const position = [&](int row, int column) {
        return order.position(row & order.mask(), column & order.mask());
    };
    int gap = 1;
    while (gap < (last - first) / 9) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = first + gap; i < last; ++i) {
            int const row = rows[i], column = columns[i];
            T const value = values[i];
            int k = i;
            for (; k - gap >= first && position(rows[k - gap], columns[k - gap]) > position(row, column); k -= gap)
                leaf.put(k, rows[k - gap], columns[k - gap], values[k - gap]);
            leaf.put(k, row, column, value);
        }
}

/// each(put): calls put(row, column, value), coordinates in a node of level 1; the lanes share the entries.
/// marked: for positions of d x d. allocate(called_entries): the memory; without any, nothing is written. Collective.
template <class T, class Worker, class Each, class Allocate>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void write_wide_leaf_by_passes(Worker& w, leaf_order order,
                                                                    position_set const& marked, Each each,
                                                                    Allocate allocate) {
    int const log2 = order.dimension_log2;
    std::int64_t mine = 0;
    called_entries called{};
    wide_leaf_memory to;
    marked.clear(w);
    COPSE_NO_UNROLL
    for (int pass = 0; pass < 3; ++pass) {  // one call of each: nvcc inlines it
        wide_leaf_writer<T> const leaf(to.leaf, called.entries);
        each([=, &w, &mine](int row, int column, T value) {
            int const block = (row >> log2) << log2 | column >> log2;
            if (pass == 0) {
                marked.insert(w, block);
                ++mine;
                return;
            }
            std::int32_t* const end = &to.ends[marked.index_of(block)];
            int at = 0;
            if constexpr (Worker::size() == 1)
                at = (*end)++;
            else
                at = w.fetch_add(end, 1);
            if (pass == 2) leaf.put(at, row, column, value);
        });
        w.sync();
        if (pass == 0) {
            called.blocks = marked.count(w);
            called.entries = w.reduce(mine, [](std::int64_t a, std::int64_t b) { return a + b; });
            to = allocate(called);
            if (to.leaf == nullptr) return;
            for (int k = w.rank(); k < called.blocks; k += w.size()) to.ends[k] = 0;
            if (w.rank() == 0) wide_leaf_writer<T>::prepare(to.leaf, called.entries);
            w.sync();
        } else if (pass == 1) {  // ends[k]: where block k begins; after pass 2, where it ends
            sum_before(w, to.ends, called.blocks);
        }
    }
    wide_leaf_writer<T> const leaf(to.leaf, called.entries);
    for (int k = w.rank(); k < called.blocks; k += w.size()) {
        int const first = k == 0 ? 0 : to.ends[k - 1];
        if (to.ends[k] - first > 1) sort_block(leaf, order, first, to.ends[k]);
    }
}
template <class T, lanes_worker Worker, class Each, class Allocate>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void write_wide_leaf(Worker& w, leaf_order order, position_set const& marked,
                                                          Each each, Allocate allocate) {
    write_wide_leaf_by_passes<T>(w, order, marked, each, allocate);
}
template <class T, core_worker Worker, class Each, class Allocate>
void write_wide_leaf(Worker& w, leaf_order order, position_set const& marked, Each each, Allocate allocate) {
    struct noted {
        T value;
        std::uint16_t row, column;
    };
    std::vector<noted> entries;
    each([&](int row, int column, T value) {
        entries.push_back({value, static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column)});
    });
    auto const each_noted = [&](auto put) {
        for (noted const& e : entries) put(e.row, e.column, e.value);
    };
    write_wide_leaf_by_passes<T>(w, order, marked, each_noted, allocate);
}

}  // namespace copse::detail
