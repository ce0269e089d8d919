// Two passes over the slices: their widths from the row offsets, then, when the padding is allowed, their entries.
#include <algorithm>
#include <bit>
#include <copse/formats/sellp/content.hpp>
#include <copse/formats/steps/sort_by_row.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

/// What a thread takes at a time.
constexpr std::int64_t rows_at_once = 1 << 13, slices_at_once = 256;

void check_power(char const* name, int value) {
    if (value < 1 || value > 128 || !std::has_single_bit(static_cast<unsigned>(value)))
        throw argument_error(std::string("sellp: ") + name + " is " + std::to_string(value) +
                             "; it must be a power of two from 1 to 128");
}

template <class T>
std::int64_t length_of(csr<T> const& a, std::int64_t row) {
    return a.row_offsets[row + 1] - a.row_offsets[row];
}

/// The row in each slot: longest rows first within each window, rows of one length in their order. Empty for windows of
/// one row.
template <class T>
std::vector<std::int32_t> order_rows(csr<T> const& a, std::int64_t window) {
    if (window == 1 || a.row_count == 0) return {};
    std::vector<std::int32_t> rows(static_cast<std::size_t>(a.row_count));
    std::int64_t const windows = (a.row_count - 1) / window + 1;
    detail::parallel_for(windows, std::max<std::int64_t>(1, rows_at_once / window), [&](std::int64_t w) {
        auto const begin = rows.begin() + w * window;
        auto const end = rows.begin() + std::min(a.row_count, (w + 1) * window);
        std::iota(begin, end, static_cast<std::int32_t>(w * window));
        // By row where lengths are equal: stable_sort, which takes memory, cannot throw here.
        std::sort(begin, end, [&](std::int32_t i, std::int32_t j) {
            auto const first = length_of(a, i), second = length_of(a, j);
            return first != second ? first > second : i < j;
        });
    });
    return rows;
}

/// Into offsets[s + 1]: places of slice s.
template <class T>
void count_places(csr<T> const& a, sellp_content<T> const& c, std::int32_t const* rows, std::int64_t* offsets) {
    detail::parallel_for(c.slice_count, slices_at_once, [&](std::int64_t slice) {
        std::int64_t const first = slice * c.options.slice_rows;
        std::int64_t const last = std::min(a.row_count, first + c.options.slice_rows);
        std::int64_t longest = 0;
        for (auto slot = first; slot < last; ++slot)
            longest = std::max(longest, length_of(a, rows ? rows[slot] : slot));
        offsets[slice + 1] = (longest + c.options.row_threads - 1) / c.options.row_threads * c.options.row_threads *
                             c.options.slice_rows;
    });
}

/// One row into its places, b apart.
template <class T>
void fill_row(std::int32_t const* from_columns, T const* from_values, std::int64_t length, std::int64_t width, int b,
              std::int32_t* columns, T* values) {
    for (std::int64_t k = 0; k < length; ++k) {
        columns[k * b] = from_columns[k];
        values[k * b] = from_values[k];
    }
    for (std::int64_t k = length; k < width; ++k) {
        columns[k * b] = sellp_view<T>::padding;
        values[k * b] = T(0);
    }
}

template <class T>
void fill_slices(csr<T> const& a, sellp_content<T> const& c) {
    sellp_view<T> const to = c.view();
    std::int32_t* const columns = c.column_indices.data();
    T* const values = c.values.data();
    detail::parallel_for(c.slice_count, slices_at_once, [&](std::int64_t slice) {
        auto const begin = to.slice_offsets[slice];
        if (to.width_of(slice) == 0) return;  // no places; there may be none at all, and no arrays
        for (int i = 0; i < c.options.slice_rows; ++i) {
            auto const slot = to.first_slot(slice) + i;
            bool const holds_row = slot < a.row_count;
            auto const row = holds_row ? to.row_in(slot) : 0;
            auto const from = holds_row ? a.row_offsets[row] : 0;
            fill_row(a.column_indices.data() + from, a.values.data() + from, holds_row ? length_of(a, row) : 0,
                     to.width_of(slice), c.options.slice_rows, columns + begin + i, values + begin + i);
        }
    });
}

template <class T>
void fill_on_host(csr<T> const& a, sellp_content<T>& c) {
    c.slice_count = (a.row_count + c.options.slice_rows - 1) / c.options.slice_rows;
    auto const rows = order_rows(a, c.options.sorting_window);
    c.rows = buffer<std::int32_t>(host_memory(), rows);
    c.slice_offsets = buffer<std::int64_t>(host_memory(), c.slice_count + 1);
    std::int64_t* const offsets = c.slice_offsets.data();
    offsets[0] = 0;
    count_places(a, c, c.rows.data(), offsets);
    std::inclusive_scan(offsets, offsets + c.slice_count + 1, offsets);
    c.stored_count = offsets[c.slice_count];
    detail::check_padding(c);
    c.column_indices = buffer<std::int32_t>(host_memory(), c.stored_count);
    c.values = buffer<T>(host_memory(), c.stored_count);
    fill_slices(a, c);
}

/// The entries of each slot's row, into lengths[row].
template <class T>
void count_entries(sellp_view<T> const& a, std::int64_t* lengths) {
    detail::parallel_for(a.row_count, rows_at_once, [&](std::int64_t slot) {
        auto const slice = slot / a.slice_rows;
        std::int64_t const first = a.slice_offsets[slice] + slot % a.slice_rows;
        std::int64_t length = a.width_of(slice);
        while (length > 0 && a.column_indices[first + (length - 1) * a.slice_rows] == a.padding) --length;
        lengths[a.row_in(slot)] = length;
    });
}

}  // namespace

namespace detail {

void check_options(sellp_options const& options) {
    check_power("slice_rows", options.slice_rows);
    check_power("row_threads", options.row_threads);
    if (options.sorting_window < 1)
        throw argument_error("sellp: sorting_window is " + std::to_string(options.sorting_window) +
                             "; it must be at least 1");
}

template <class T>
void check_padding(sellp_content<T> const& a) {
    check_padding("sellp", a.stored_count, a.entry_count, sizeof(std::int32_t) + sizeof(T),
                  a.options.most_padding_bytes,
                  "csr5 stores rows of any length without padding, sorting rows (sorting_window) takes less, "
                  "most_padding_bytes sets another limit");
}

template <class T>
std::shared_ptr<sellp_content<T> const> make_sellp(std::shared_ptr<memory> const& where, csr<T> const& a,
                                                   sellp_options const& options) {
    check(a, "sellp");
    check_options(options);
    auto c = std::make_shared<sellp_content<T>>();
    static_cast<flat_content&>(*c) = {a.row_count, a.column_count, a.entry_count(), where};
    c->options = options;
    fill_on_host(a, *c);
    c->slice_offsets = in_memory(where, std::move(c->slice_offsets));
    c->column_indices = in_memory(where, std::move(c->column_indices));
    c->values = in_memory(where, std::move(c->values));
    c->rows = in_memory(where, std::move(c->rows));
    return c;
}

template <class T>
csr<T> rows_of(sellp_content<T> const& content) {
    if (content.where->space() != memory_space::host) {
        sellp_content<T> here;
        static_cast<flat_content&>(here) = {content.row_count, content.column_count, content.entry_count,
                                            host_memory()};
        here.slice_count = content.slice_count;
        here.stored_count = content.stored_count;
        here.options = content.options;
        here.slice_offsets = host_copy(content.slice_offsets);
        here.column_indices = host_copy(content.column_indices);
        here.values = host_copy(content.values);
        here.rows = host_copy(content.rows);
        return rows_of(here);
    }
    sellp_view<T> const a = content.view();
    auto result = empty_rows<T>(content.row_count, content.column_count, content.entry_count);
    std::int64_t* const offsets = result.row_offsets.data();
    count_entries(a, offsets + 1);
    std::inclusive_scan(offsets, offsets + content.row_count + 1, offsets);
    detail::parallel_for(a.row_count, rows_at_once, [&](std::int64_t slot) {
        auto const row = a.row_in(slot);
        auto const from = a.slice_offsets[slot / a.slice_rows] + slot % a.slice_rows;
        for (std::int64_t k = 0, to = offsets[row]; to < offsets[row + 1]; ++k, ++to) {
            result.column_indices[to] = a.column_indices[from + k * a.slice_rows];
            result.values[to] = a.values[from + k * a.slice_rows];
        }
    });
    return result;
}

}  // namespace detail

template void detail::check_padding(sellp_content<float> const&);
template void detail::check_padding(sellp_content<double> const&);
template std::shared_ptr<sellp_content<float> const> detail::make_sellp(std::shared_ptr<memory> const&,
                                                                        csr<float> const&, sellp_options const&);
template std::shared_ptr<sellp_content<double> const> detail::make_sellp(std::shared_ptr<memory> const&,
                                                                         csr<double> const&, sellp_options const&);
template csr<float> detail::rows_of(sellp_content<float> const&);
template csr<double> detail::rows_of(sellp_content<double> const&);

}  // namespace copse
