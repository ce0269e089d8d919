// The conversions from CSR5, SELL-P and CMRS back to compressed rows as steps over rows, strips and places: what a GPU
// does, and a host can do for a test. The formats' to_csr() is the host's own.
//
//   1. lengths    each row: its entries, noted one place before where its offset will be (CSR5 has the offsets)
//   2. offsets    the sums of the lengths before
//   3. entries    each place that holds one: to its row, in the order in which the row's entries are stored
//   4. kernel     the longest row, for csr_matrix's choice
#pragma once

#include <bit>
#include <copse/formats/cmrs/content.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr5/descriptors.hpp>
#include <copse/formats/csr5/steps.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp/content.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse::detail {

COPSE_HOST_DEVICE inline void set_largest_for_all(std::uint64_t* p, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
    atomicMax(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
    *p = *p < value ? value : *p;
#endif
}

struct note_longest_row {
    std::int64_t const* row_offsets;
    std::uint64_t* longest;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        auto const length = static_cast<std::uint64_t>(row_offsets[row + 1] - row_offsets[row]);
        if (length > *longest) set_largest_for_all(longest, length);
    }
};

template <class Value>
struct take_from_tile {
    csr5_layout layout;
    std::int64_t tiled;  // entries in full tiles
    Value const* from;
    Value* to;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        int const in_tile = static_cast<int>(entry % layout.size());
        int const place = in_tile % layout.sigma * layout.omega + in_tile / layout.sigma;
        to[entry] = from[entry < tiled ? entry - in_tile + place : entry];
    }
};

template <class T>
struct count_slot {
    sellp_view<T> a;
    int slice_rows_log2;
    std::int64_t* lengths;
    COPSE_HOST_DEVICE void operator()(std::int64_t slot) const {
        std::int64_t const slice = slot >> slice_rows_log2;
        std::int64_t const first = a.slice_offsets[slice] + (slot & (a.slice_rows - 1));
        // Padding is behind the entries.
        std::int64_t length = 0, end = a.width_of(slice);
        while (length < end) {
            std::int64_t const middle = length + (end - length) / 2;
            if (a.column_indices[first + (middle << slice_rows_log2)] != a.padding)
                length = middle + 1;
            else
                end = middle;
        }
        lengths[a.row_in(slot)] = length;
    }
};

template <class T>
struct take_from_slice {
    sellp_view<T> a;
    int slice_rows_log2;
    csr_view<T> to;
    std::int32_t* columns;
    T* values;
    COPSE_HOST_DEVICE void operator()(std::int64_t place) const {
        if (a.column_indices[place] == a.padding) return;
        std::int64_t const slice = row_of_entry(a.slice_offsets, 0, a.slice_count - 1, place);
        std::int64_t const in_slice = place - a.slice_offsets[slice];
        std::int64_t const row = a.row_in(a.first_slot(slice) + (in_slice & (a.slice_rows - 1)));
        std::int64_t const entry = to.row_offsets[row] + (in_slice >> slice_rows_log2);
        columns[entry] = a.column_indices[place];
        values[entry] = a.values[place];
    }
};

/// Where the place's entry goes: row << 32 | column. Places without an entry come behind all rows.
template <class T>
struct key_place {
    cmrs_view<T> a;
    std::uint64_t* keys;
    COPSE_HOST_DEVICE void operator()(std::int64_t place) const {
        std::uint32_t const word = a.words[place];
        std::int64_t row = a.row_count;
        if (a.per_row == 0 || word != a.padding)
            row = a.first_row(row_of_entry(a.strip_offsets, 0, a.strip_count - 1, place)) + a.row_of(word);
        keys[place] = static_cast<std::uint64_t>(row) << 32 | a.column_of(word);
    }
};

/// The first key of each row; behind the last row that of the padding.
struct find_row {
    std::uint64_t const* keys;
    std::int64_t key_count;
    std::int64_t* row_offsets;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        std::int64_t first = 0, last = key_count;
        while (first < last) {
            std::int64_t const middle = first + (last - first) / 2;
            if (static_cast<std::int64_t>(keys[middle] >> 32) < row)
                first = middle + 1;
            else
                last = middle;
        }
        row_offsets[row] = first;
    }
};

/// The same from words, in a strip whose rows lie one after the other.
template <class T>
struct find_row_in_strip {
    cmrs_view<T> a;
    std::int64_t* row_offsets;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        std::int64_t const strip = row < a.row_count ? row / a.height : a.strip_count;
        std::int64_t first = a.strip_offsets[strip];
        std::int64_t last = row < a.row_count ? a.strip_offsets[strip + 1] : first;
        while (first < last) {
            std::int64_t const middle = first + (last - first) / 2;
            if (a.row_of(a.words[middle]) < row - a.first_row(strip))
                first = middle + 1;
            else
                last = middle;
        }
        row_offsets[row] = first;
    }
};

struct unpack_word {
    int row_bits;
    std::int32_t* words_or_columns;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        auto const word = static_cast<std::uint32_t>(words_or_columns[entry]);
        words_or_columns[entry] = static_cast<std::int32_t>(word >> row_bits);
    }
};

struct take_column {
    std::uint64_t const* keys;
    std::int32_t* columns;
    COPSE_HOST_DEVICE void operator()(std::int64_t entry) const {
        columns[entry] = static_cast<std::int32_t>(static_cast<std::uint32_t>(keys[entry]));
    }
};

/// Sets the kernel. primitives, here and below: as for make_sellp_by_steps (sellp/steps.hpp), zero(p, count),
/// copy(to, from, count) and temporary(), where memory may be given back while steps that use it are on their way.
template <class T, class Primitives>
void choose_kernel_by_steps(csr_content<T>& rows, Primitives& primitives) {
    buffer<std::uint64_t> const longest(primitives.temporary(), 1);
    primitives.zero(longest.data(), 1);
    primitives.for_each(rows.row_count, note_longest_row{rows.row_offsets.data(), longest.data()});
    primitives.wait();
    std::uint64_t found = 0;
    longest.read(0, {&found, 1});
    rows.kernel =
        choose_csr_kernel(rows.row_count, rows.entry_count, static_cast<std::int64_t>(found), rows.where->space());
}

/// With room for the entries; row offsets of zero.
template <class T, class Primitives>
std::shared_ptr<csr_content<T>> make_rows_by_steps(flat_content const& a, Primitives& primitives) {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = a;
    rows->row_offsets = {a.where, a.row_count + 1};
    rows->column_indices = {a.where, a.entry_count};
    rows->values = {a.where, a.entry_count};
    primitives.zero(rows->row_offsets.data(), a.row_count + 1);
    return rows;
}

template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_by_steps(csr5_content<T> const& a, Primitives& primitives) {
    auto rows = make_rows_by_steps<T>(a, primitives);
    std::int64_t const tiled = a.entry_count / a.layout.size() * a.layout.size();
    primitives.copy(rows->row_offsets.data(), a.row_offsets.data(), a.row_count + 1);
    primitives.for_each(a.entry_count, take_from_tile<std::int32_t>{a.layout, tiled, a.column_indices.data(),
                                                                    rows->column_indices.data()});
    primitives.for_each(a.entry_count, take_from_tile<T>{a.layout, tiled, a.values.data(), rows->values.data()});
    choose_kernel_by_steps(*rows, primitives);
    return rows;
}

/// With the arrays of `a`, which nobody else shares. primitives: as for to_tiles_by_steps (csr5/steps.hpp) too.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_in_place_by_steps(csr5_content<T>&& a, Primitives& primitives) {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = a;
    rows->row_offsets = std::move(a.row_offsets);
    rows->column_indices = std::move(a.column_indices);
    rows->values = std::move(a.values);
    from_tiles_by_steps(a.layout, rows->column_indices, primitives);
    from_tiles_by_steps(a.layout, rows->values, primitives);
    choose_kernel_by_steps(*rows, primitives);  // waits
    a.tile_pointers.release_unused();
    a.tile_descriptors.release_unused();
    a.empty_offset_pointers.release_unused();
    a.empty_offsets.release_unused();
    return rows;
}

template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_by_steps(sellp_content<T> const& a, Primitives& primitives) {
    auto rows = make_rows_by_steps<T>(a, primitives);
    auto* const offsets = rows->row_offsets.data();
    int const b_log2 = std::countr_zero(static_cast<unsigned>(a.options.slice_rows));
    primitives.for_each(a.row_count, count_slot<T>{a.view(), b_log2, offsets});
    primitives.sum_before(offsets, a.row_count + 1);
    primitives.for_each(a.stored_count, take_from_slice<T>{a.view(), b_log2, rows->view(), rows->column_indices.data(),
                                                           rows->values.data()});
    choose_kernel_by_steps(*rows, primitives);
    return rows;
}

/// Sorts by row, and keeps a row's entries in the order in which they are stored; strips that are not sorted have their
/// rows one after the other. Takes memory for two keys and two values beside each place.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_by_steps(cmrs_content<T> const& a, Primitives& primitives) {
    auto rows = make_rows_by_steps<T>(a, primitives);
    bool const by_row = a.has_arrays_of_rows();
    buffer<std::uint64_t> keys(primitives.temporary(), a.stored_count);
    buffer<T> values(primitives.temporary(), by_row ? 0 : a.stored_count);
    primitives.for_each(a.stored_count, key_place<T>{a.view(), keys.data()});
    if (!by_row && a.stored_count > 0) {
        primitives.copy(values.data(), a.values.data(), a.stored_count);
        int const row_bits = static_cast<int>(bit_width(static_cast<std::uint64_t>(a.row_count)));
        primitives.sort_pairs(keys, values, 32, 32 + row_bits);
    }
    primitives.for_each(a.row_count + 1, find_row{keys.data(), a.stored_count, rows->row_offsets.data()});
    primitives.for_each(a.entry_count, take_column{keys.data(), rows->column_indices.data()});
    primitives.copy(rows->values.data(), by_row ? a.values.data() : values.data(), a.entry_count);
    choose_kernel_by_steps(*rows, primitives);
    return rows;
}

/// With the arrays of `a`, which nobody else shares and whose strips have their rows one after the other.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_in_place_by_steps(cmrs_content<T>&& a, Primitives& primitives) {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = a;
    rows->row_offsets = {a.where, a.row_count + 1};
    primitives.for_each(a.row_count + 1, find_row_in_strip<T>{a.view(), rows->row_offsets.data()});
    primitives.for_each(a.entry_count, unpack_word{a.row_bits, a.words.data()});
    rows->column_indices = std::move(a.words);
    rows->values = std::move(a.values);
    choose_kernel_by_steps(*rows, primitives);  // waits
    a.strip_offsets.release_unused();
    return rows;
}

}  // namespace copse::detail
