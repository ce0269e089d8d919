// Two passes over the slices: their widths from the row offsets, then, when the padding is allowed, their entries.
#include <algorithm>
#include <bit>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/steps/sort_by_row.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/vector_lanes.hpp>
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
std::int64_t length_of(detail::compressed_rows<T> const& a, std::int64_t row) {
    return a.offsets[row + 1] - a.offsets[row];
}

/// The row in each slot: longest rows first within each window, rows of one length in their order. Empty for windows of
/// one row.
template <class T>
std::vector<std::int32_t> order_rows(detail::compressed_rows<T> const& a, std::int64_t window) {
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
void count_places(detail::compressed_rows<T> const& a, sellp_content<T> const& c, std::int32_t const* rows,
                  std::int64_t* offsets) {
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
void fill_slices(detail::compressed_rows<T> const& a, sellp_content<T> const& c) {
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
            auto const from = holds_row ? a.offsets[row] : 0;
            fill_row(a.column_indices.data() + from, a.values.data() + from, holds_row ? length_of(a, row) : 0,
                     to.width_of(slice), c.options.slice_rows, columns + begin + i, values + begin + i);
        }
    });
}

template <class T>
void fill_on_host(detail::compressed_rows<T> const& a, sellp_content<T>& c) {
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

}  // namespace detail

// Many lanes: b * t = 32; a warp takes a slice, 2 or 4 columns of it by each load (sellp_tasks.hpp). b = 32 lets lanes
// side by side read neighbouring rows' columns, and with them x, side by side. Reasoned, not measured. A CPU: four
// vectors of rows, whose sums do not wait for one another. Two took 1.04 to 1.5 times as long on stencils, bands and
// rows of equal length, one 1.2 times (double, AVX-512, 2 threads; in cache on poisson3d:20 0.32, 0.33 and 0.41 ns per
// entry). Rows of many lengths pad more: 6.5 times the entries of rmat:17, where two vectors pad 4 times, and one 2.4.
template <class T>
sellp_options detail::with_defaults(sellp_options options, bool many_lanes) {
    int constexpr warp = 32;
    if (options.slice_rows == 0) {
        if (many_lanes)
            options.slice_rows = options.row_threads > 0 ? std::max(1, warp / options.row_threads) : warp;
        else
            options.slice_rows = 4 * vector_bytes() / static_cast<int>(sizeof(T));
    }
    if (options.row_threads == 0)
        options.row_threads = many_lanes && options.slice_rows > 0 ? std::max(1, warp / options.slice_rows) : 1;
    return options;
}

template <class T>
std::shared_ptr<sellp_content<T> const> sellp_content<T>::make(std::shared_ptr<memory> const& where,
                                                               csr_view<T> const& given, sellp_options const& options,
                                                               bool many_lanes) {
    auto c = std::make_shared<sellp_content>();
    c->options = detail::with_defaults<T>(options, many_lanes);
    detail::rows_in_order<T> const in_order(given, "sellp", where);
    detail::compressed_rows<T> const& a = *in_order;
    detail::check_options(c->options);
    static_cast<flat_content&>(*c) = {a.row_count, a.column_count, a.entry_count(), where};
    fill_on_host(a, *c);
    c->slice_offsets = detail::in_memory(where, std::move(c->slice_offsets));
    c->column_indices = detail::in_memory(where, std::move(c->column_indices));
    c->values = detail::in_memory(where, std::move(c->values));
    c->rows = detail::in_memory(where, std::move(c->rows));
    return c;
}

template <class T>
csr<T> sellp_content<T>::to_rows() const {
    if (this->where->space() != memory_space::host) {
        sellp_content here;
        static_cast<flat_content&>(here) = {this->row_count, this->column_count, this->entry_count, host_memory()};
        here.slice_count = slice_count;
        here.stored_count = stored_count;
        here.options = options;
        here.slice_offsets = detail::host_copy(slice_offsets);
        here.column_indices = detail::host_copy(column_indices);
        here.values = detail::host_copy(values);
        here.rows = detail::host_copy(rows);
        return here.to_rows();
    }
    sellp_view<T> const a = view();
    auto result = detail::empty_rows<T>(a.row_count, a.column_count, this->entry_count);
    std::int64_t* const offsets = result.row_offsets.data();
    count_entries(a, offsets + 1);
    std::inclusive_scan(offsets, offsets + a.row_count + 1, offsets);
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

template struct sellp_content<float>;
template struct sellp_content<double>;
template void detail::check_padding(sellp_content<float> const&);
template void detail::check_padding(sellp_content<double> const&);
template sellp_options detail::with_defaults<float>(sellp_options, bool);
template sellp_options detail::with_defaults<double>(sellp_options, bool);

}  // namespace copse
