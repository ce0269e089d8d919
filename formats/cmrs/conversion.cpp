#include <algorithm>
#include <bit>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/cmrs/padding.hpp>
#include <copse/formats/cmrs/strips.hpp>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/steps/sort_by_row.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

void check_options(cmrs_options const& options) {
    if (options.height < 1 || options.height > 16)
        throw argument_error("cmrs: height is " + std::to_string(options.height) + "; it must be 1 to 16");
    if (options.per_row < 0 || options.per_row > cmrs_chunk ||
        (options.per_row > 0 && !std::has_single_bit(static_cast<unsigned>(options.per_row))))
        throw argument_error("cmrs: per_row is " + std::to_string(options.per_row) +
                             "; it must be 0 or a power of two up to " + std::to_string(cmrs_chunk));
    if (options.stretch != 0 && options.stretch < cmrs_chunk)
        throw argument_error("cmrs: stretch is " + std::to_string(options.stretch) + "; it must be 0 or at least " +
                             std::to_string(cmrs_chunk));
}

template <class T>
void fill_packed(detail::compressed_rows<T> const& a, cmrs_content<T>& c) {
    detail::make_strip_offsets(c.shape(), a.offsets.data(), c.strip_offsets.data());
    c.stored_count = a.entry_count();
    c.words = detail::copy_in<std::int32_t>(host_memory(), a.column_indices);
    c.values = detail::copy_in<T>(host_memory(), a.values);
    detail::pack_strips<T>(c.shape(), a.offsets.data(), c.options.sorted.value_or(false),
                           {c.words.data(), c.values.data()});
}

template <class T>
void fill_padded(detail::compressed_rows<T> const& a, cmrs_content<T>& c) {
    auto* const offsets = c.strip_offsets.data();
    detail::count_padded_places(c.shape(), a.offsets.data(), c.options.per_row, offsets);
    c.stored_count = offsets[c.strip_count];
    detail::check_padding(c);
    c.words = buffer<std::int32_t>(host_memory(), c.stored_count);
    c.values = buffer<T>(host_memory(), c.stored_count);
    detail::fill_padded_places<T>({c.shape(), detail::arrays_of(a), c.options.per_row}, offsets,
                                  {c.words.data(), c.values.data()});
}

}  // namespace

namespace detail {

template <class T>
void set_shape(cmrs_content<T>& c, flat_content const& a, cmrs_options const& options) {
    check_options(options);
    static_cast<flat_content&>(c) = a;
    c.options = options;
    c.row_bits = cmrs_row_bits(c.column_count, options.per_row > 0);
    c.height = std::min(options.height, 1 << c.row_bits);
    c.strip_count = c.shape().strip_count();
}

template <class T>
void check_padding(cmrs_content<T> const& c) {
    check_padding("cmrs", c.stored_count, c.entry_count, sizeof(std::int32_t) + sizeof(T), c.options.most_padding_bytes,
                  "cmrs without per_row has no padding, csr5 suits rows of any length, most_padding_bytes sets another "
                  "limit");
}

}  // namespace detail

// Many lanes (§6.3): registers leave a Hopper multiprocessor about 40 warps, whose sums take 40 x 32 x 8 rows x 8
// bytes = 80 of the 256 KiB that they share with the cache for x; 16 rows of doubles would take 160. Of floats 16 take
// 80. Reasoned, not measured. A CPU, whose sums are always in its cache: as many as the words have bits for; strips of
// 8 rows took 1.07 to 1.2 times as long.
template <class T>
cmrs_options detail::with_defaults(cmrs_options options, bool many_lanes) {
    if (options.height == 0) options.height = many_lanes && sizeof(T) == 8 && options.per_row == 0 ? 8 : 16;
    if (!options.sorted) options.sorted = many_lanes;
    return options;
}

template <class T>
std::shared_ptr<cmrs_content<T> const> cmrs_content<T>::make(std::shared_ptr<memory> const& where,
                                                             csr_view<T> const& given, cmrs_options const& options,
                                                             bool many_lanes) {
    detail::rows_in_order<T> const in_order(given, "cmrs", where);
    detail::compressed_rows<T> const& a = *in_order;
    auto c = std::make_shared<cmrs_content>();
    detail::set_shape(*c, {a.row_count, a.column_count, a.entry_count(), where},
                      detail::with_defaults<T>(options, many_lanes));
    c->strip_offsets = buffer<std::int64_t>(host_memory(), c->strip_count + 1);
    c->options.per_row > 0 ? fill_padded(a, *c) : fill_packed(a, *c);
    c->strip_offsets = detail::in_memory(where, std::move(c->strip_offsets));
    c->words = detail::in_memory(where, std::move(c->words));
    c->values = detail::in_memory(where, std::move(c->values));
    return c;
}

template <class T>
std::shared_ptr<cmrs_content<T> const> cmrs_content<T>::make_in_place(csr_content<T>&& rows,
                                                                      cmrs_options const& options, bool many_lanes) {
    auto c = std::make_shared<cmrs_content>();
    detail::set_shape(*c, rows, detail::with_defaults<T>(options, many_lanes));
    c->strip_offsets = buffer<std::int64_t>(host_memory(), c->strip_count + 1);
    auto const* const row_offsets = rows.row_offsets.data();
    detail::make_strip_offsets(c->shape(), row_offsets, c->strip_offsets.data());
    c->stored_count = c->entry_count;
    c->words = std::move(rows.column_indices);
    c->values = std::move(rows.values);
    detail::pack_strips<T>(c->shape(), row_offsets, c->options.sorted.value_or(false),
                           {c->words.data(), c->values.data()});
    return c;
}

template <class T>
csr<T> cmrs_content<T>::to_rows() const {
    if (this->where->space() != memory_space::host) {
        cmrs_content here;
        detail::set_shape(here, {this->row_count, this->column_count, this->entry_count, host_memory()}, options);
        here.stored_count = stored_count;
        here.strip_offsets = detail::host_copy(strip_offsets);
        here.words = detail::host_copy(words);
        here.values = detail::host_copy(values);
        return here.to_rows();
    }
    auto result = detail::empty_rows<T>(this->row_count, this->column_count, this->entry_count);
    auto* const rows = result.row_offsets.data();
    if (options.per_row > 0) {
        detail::count_padded_rows(shape(), strip_offsets.data(), words.data(), rows);
        detail::take_padded_rows<T>(shape(), strip_offsets.data(), words.data(), values.data(), rows,
                                    result.column_indices.data(), result.values.data());
    } else {
        std::copy_n(words.data(), stored_count, result.column_indices.data());
        std::copy_n(values.data(), stored_count, result.values.data());
        detail::unpack_strips<T>(shape(), strip_offsets.data(), {result.column_indices.data(), result.values.data()},
                                 rows);
    }
    return result;
}

template <class T>
std::shared_ptr<csr_content<T> const> cmrs_content<T>::to_rows_in_place() && {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = *this;
    rows->row_offsets = buffer<std::int64_t>(host_memory(), this->row_count + 1);
    rows->column_indices = std::move(words);
    rows->values = std::move(values);
    detail::unpack_strips<T>(shape(), strip_offsets.data(), {rows->column_indices.data(), rows->values.data()},
                             rows->row_offsets.data());
    detail::choose_kernel(*rows);
    return rows;
}

template struct cmrs_content<float>;
template struct cmrs_content<double>;
template void detail::set_shape(cmrs_content<float>&, flat_content const&, cmrs_options const&);
template void detail::set_shape(cmrs_content<double>&, flat_content const&, cmrs_options const&);
template void detail::check_padding(cmrs_content<float> const&);
template void detail::check_padding(cmrs_content<double> const&);
template cmrs_options detail::with_defaults<float>(cmrs_options, bool);
template cmrs_options detail::with_defaults<double>(cmrs_options, bool);

}  // namespace copse
