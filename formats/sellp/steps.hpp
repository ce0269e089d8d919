// The conversion from compressed rows to SELL-P, and back, as steps over rows, slices and places: what a GPU does, and
// a host can do for a test. sellp/conversion.cpp has the host's own.
//
//   1. order      keys of rows, by window and falling length; a stable sort (for windows of more than a row)
//   2. widths     each slice: its longest row, padded
//   3. entries    each place: a search for its slice, and the entry that belongs there
//
//   back: lengths of rows, their sums, and each place that holds an entry: to its row
#pragma once

#include <bit>
#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

struct key_row {
    std::int64_t const* row_offsets;
    std::int64_t window;
    std::uint64_t* keys;
    std::int32_t* rows;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        auto const shortness =
            (std::uint64_t{1} << 31) - static_cast<std::uint64_t>(row_offsets[row + 1] - row_offsets[row]);
        keys[row] = static_cast<std::uint64_t>(row / window) << 32 | shortness;
        rows[row] = static_cast<std::int32_t>(row);
    }
};

template <class T>
struct count_slice {
    sellp_view<T> a;  // without slice_offsets and entries
    std::int64_t const* row_offsets;
    int row_threads;
    std::int64_t* places;
    COPSE_HOST_DEVICE void operator()(std::int64_t slice) const {
        std::int64_t longest = 0;
        for (int i = 0; i < a.rows_in(slice); ++i) {
            std::int64_t const row = a.row_in(a.first_slot(slice) + i);
            std::int64_t const length = row_offsets[row + 1] - row_offsets[row];
            longest = longest < length ? length : longest;
        }
        places[slice] = (longest + row_threads - 1) / row_threads * row_threads * a.slice_rows;
    }
};

template <class T>
struct fill_place {
    sellp_view<T> a;
    csr_matrix_view<T> from;
    int slice_rows_log2;
    std::int32_t* columns;
    T* values;
    COPSE_HOST_DEVICE void operator()(std::int64_t place) const {
        std::int64_t const slice = row_of_entry(a.slice_offsets, 0, a.slice_count - 1, place);
        std::int64_t const in_slice = place - a.slice_offsets[slice];
        std::int64_t const slot = a.first_slot(slice) + (in_slice & (a.slice_rows - 1));
        columns[place] = a.padding;
        values[place] = T(0);
        if (slot >= a.row_count) return;
        std::int64_t const row = a.row_in(slot);
        std::int64_t const entry = from.row_offsets[row] + (in_slice >> slice_rows_log2);
        if (entry >= from.row_offsets[row + 1]) return;
        columns[place] = from.column_indices[entry];
        values[place] = from.values[entry];
    }
};

/// `content`: shape and options; its arrays are made, from rows in the same memory.
/// primitives: csr_matrix/steps.hpp.
/// Throws too_much_padding before entries take memory.
template <class T, class Primitives>
void make_sellp_by_steps(csr_content<T> const& rows, sellp_content<T>& content, Primitives& primitives) {
    auto const& where = content.where;
    auto const* const row_offsets = rows.row_offsets.data();
    int const b = content.options.slice_rows;
    std::int64_t const window = content.options.sorting_window;
    content.slice_count = (content.row_count + b - 1) / b;
    if (window > 1 && content.row_count > 0) {
        buffer<std::uint64_t> keys(primitives.temporary(), content.row_count);
        content.rows = {where, content.row_count};
        primitives.for_each(content.row_count, key_row{row_offsets, window, keys.data(), content.rows.data()});
        auto const windows = static_cast<std::uint64_t>((content.row_count - 1) / window + 1);
        primitives.sort_pairs(keys, content.rows, 0, 32 + static_cast<int>(std::bit_width(windows)));
    }
    content.slice_offsets = {where, content.slice_count + 1};
    auto* const offsets = content.slice_offsets.data();
    primitives.for_each(content.slice_count + 1,  // none beyond the last
                        count_slice<T>{content.view(), row_offsets, content.options.row_threads, offsets});
    primitives.sum_before(offsets, content.slice_count + 1);
    content.slice_offsets.read(content.slice_count, {&content.stored_count, 1});
    check_padding(content);
    content.column_indices = {where, content.stored_count};
    content.values = {where, content.stored_count};
    int const b_log2 = std::countr_zero(static_cast<unsigned>(b));
    primitives.for_each(content.stored_count, fill_place<T>{content.view(), rows.view(), b_log2,
                                                            content.column_indices.data(), content.values.data()});
    primitives.wait();
}

/// `rows`: in the memory `where`, or in temporary memory of its device.
template <class T, class Primitives>
std::shared_ptr<sellp_content<T> const> content_on(std::shared_ptr<memory> const& where, csr_matrix<T> const& rows,
                                                   sellp_options const& options, Primitives& primitives) {
    auto content = std::make_shared<sellp_content<T>>();
    static_cast<flat_content&>(*content) = *rows.content();
    content->where = where;
    content->options = with_defaults<T>(options, true);
    check_options(content->options);
    make_sellp_by_steps(*rows.content(), *content, primitives);
    return content;
}

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
    csr_matrix_view<T> to;
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

}  // namespace copse::detail
