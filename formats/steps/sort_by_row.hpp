// One stable sort by row, under every conversion to compressed rows:
//
//   entries in any order --parts, buckets--> entries by bucket of rows --> entries by row
//
// The first step splits the entries into contiguous parts, which count and scatter side by side; a bucket holds so few
// rows and entries that the second step stays in a core's cache. Entries that arrive row by row skip both. The number
// of parts does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <copse/formats/csr.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/memory/fresh_pages.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse::detail {

// Entries of somebody else's arrays, `count` of each.
template <class T>
struct entries_view {
    std::int32_t const* rows;
    std::int32_t const* columns;
    T const* values;
    std::int64_t count;
};

template <class T>
struct entry {
    std::int32_t row;
    std::int32_t column;
    T value;
};

inline std::int64_t parts_for(std::int64_t count) {
    return std::clamp<std::int64_t>(count >> 16, 1, 128);
}

inline bool ascending(std::int32_t const* rows, std::int64_t count) {
    std::atomic<bool> descends{false};
    for_stretches(count - 1, elements_at_once, [&](std::int64_t first, std::int64_t last) {
        if (descends.load(std::memory_order_relaxed)) return;
        std::int64_t descents = 0;
        for (std::int64_t k = first; k < last; ++k) descents += rows[k] > rows[k + 1];
        if (descents > 0) descends.store(true, std::memory_order_relaxed);
    });
    return !descends;
}

template <class T>
csr<T> empty_rows(std::int64_t row_count, std::int64_t column_count, std::int64_t entry_count) {
    csr<T> a;
    a.row_count = row_count;
    a.column_count = column_count;
    a.row_offsets.assign(row_count + 1, 0);
    reserve_touched(a.column_indices, static_cast<std::size_t>(entry_count));
    reserve_touched(a.values, static_cast<std::size_t>(entry_count));
    a.column_indices.resize(entry_count);
    a.values.resize(entry_count);
    return a;
}

// Entries that come row by row: where the row changes, offsets are known.
template <class T>
void copy_ascending(entries_view<T> const& from, csr<T>& a) {
    auto* offsets = a.row_offsets.data();
    auto* columns = a.column_indices.data();
    auto* values = a.values.data();
    parallel_for(from.count, elements_at_once, [=](std::int64_t k) {
        std::int64_t const previous = k == 0 ? -1 : from.rows[k - 1];
        for (std::int64_t row = previous + 1; row <= from.rows[k]; ++row) offsets[row] = k;
        columns[k] = from.columns[k];
        values[k] = from.values[k];
    });
    std::int64_t const last = from.count == 0 ? -1 : from.rows[from.count - 1];
    std::fill(offsets + last + 1, offsets + a.row_count + 1, from.count);
}

// Entries gathered by bucket; bucket b holds rows b << shift and on, and entries first[b] .. first[b + 1] - 1.
template <class T>
struct bucketed {
    int shift = 0;
    std::vector<std::int64_t> first;
    buffer<entry<T>> entries;  // in memory that is kept: fresh pages would take longer than the sort
};

// The order of the entries stays as it was within each bucket.
template <class T>
bucketed<T> gather_buckets(entries_view<T> const& from, std::int64_t row_count) {
    bucketed<T> result;
    // At most 1024 buckets. Both steps together take the same, within a noise of 15 %, from 256 to 4096 buckets, and a
    // quarter longer with 64 (20 M entries of rmat and circuit, double).
    result.shift = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(row_count))) - 10);
    auto const shift = result.shift;
    std::int64_t const buckets = ((row_count - 1) >> shift) + 1;
    std::int64_t const parts = parts_for(from.count);
    std::vector<std::int64_t> positions(parts * buckets, 0);
    parallel_for(parts, 1, [&](std::int64_t part) {
        auto* counts = positions.data() + part * buckets;
        std::int64_t const end = part_begin(part + 1, parts, from.count);
        for (auto k = part_begin(part, parts, from.count); k < end; ++k) ++counts[from.rows[k] >> shift];
    });
    result.first.reserve(buckets + 1);
    std::int64_t total = 0;
    for (std::int64_t bucket = 0; bucket < buckets; ++bucket) {
        result.first.push_back(total);
        for (std::int64_t part = 0; part < parts; ++part) {
            total += std::exchange(positions[part * buckets + bucket], total);
        }
    }
    result.first.push_back(total);
    result.entries = {host_memory(), from.count};
    entry<T>* const entries = result.entries.data();
    parallel_for(parts, 1, [&](std::int64_t part) {
        auto* position = positions.data() + part * buckets;
        std::int64_t const end = part_begin(part + 1, parts, from.count);
        for (auto k = part_begin(part, parts, from.count); k < end; ++k) {
            entries[position[from.rows[k] >> shift]++] = {from.rows[k], from.columns[k], from.values[k]};
        }
    });
    return result;
}

// Counting sort of each bucket by row. row_offsets[row + 1] serves as the row's write position: it starts at the
// row's first entry and arrives at its end, which is the next row's first.
template <class T>
void scatter_buckets(bucketed<T> const& from, csr<T>& a) {
    auto const buckets = static_cast<std::int64_t>(from.first.size()) - 1;
    parallel_for(buckets, worth_threads(from.first.back()) ? 1 : buckets, [&](std::int64_t bucket) {
        auto const* begin = from.entries.data() + from.first[bucket];
        auto const* end = from.entries.data() + from.first[bucket + 1];
        auto* position = a.row_offsets.data() + 1;
        for (auto const* e = begin; e != end; ++e) ++position[e->row];
        std::int64_t const last_row = std::min(a.row_count, (bucket + 1) << from.shift);
        std::int64_t running = from.first[bucket];
        for (std::int64_t row = bucket << from.shift; row < last_row; ++row) {
            running += std::exchange(position[row], running);
        }
        for (auto const* e = begin; e != end; ++e) {
            std::int64_t const k = position[e->row]++;
            a.column_indices[k] = e->column;
            a.values[k] = e->value;
        }
    });
}

// Entries by row, in each row in the order given. Indices must lie inside the matrix.
template <class T>
csr<T> group_by_row(entries_view<T> const& from, std::int64_t row_count, std::int64_t column_count) {
    auto a = empty_rows<T>(row_count, column_count, from.count);
    if (ascending(from.rows, from.count)) {
        copy_ascending(from, a);
    } else {
        scatter_buckets(gather_buckets(from, row_count), a);
    }
    return a;
}

}  // namespace copse::detail
