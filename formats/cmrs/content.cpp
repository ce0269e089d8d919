#include <algorithm>
#include <bit>
#include <copse/formats/cmrs/content.hpp>
#include <copse/formats/cmrs/padding.hpp>
#include <copse/formats/cmrs/strips.hpp>
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
}

template <class T>
void fill_packed(csr<T> const& a, cmrs_content<T>& c) {
    detail::make_strip_offsets(c.shape(), a.row_offsets.data(), c.strip_offsets.data());
    c.stored_count = a.entry_count();
    c.words = detail::copy_in<std::int32_t>(host_memory(), a.column_indices);
    c.values = detail::copy_in<T>(host_memory(), a.values);
    detail::pack_strips<T>(c.shape(), a.row_offsets.data(), c.options.sorted.value_or(false),
                           {c.words.data(), c.values.data()});
}

template <class T>
void fill_padded(csr<T> const& a, cmrs_content<T>& c) {
    auto* const offsets = c.strip_offsets.data();
    detail::count_padded_places(c.shape(), a.row_offsets.data(), c.options.per_row, offsets);
    c.stored_count = offsets[c.strip_count];
    detail::check_padding(c);
    c.words = buffer<std::int32_t>(host_memory(), c.stored_count);
    c.values = buffer<T>(host_memory(), c.stored_count);
    detail::fill_padded_places(c.shape(), view_of(a), c.options.per_row, offsets,
                               detail::strip_entries<T>{c.words.data(), c.values.data()});
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

template <class T>
std::shared_ptr<cmrs_content<T> const> make_cmrs(std::shared_ptr<memory> const& where, csr<T> const& a,
                                                 cmrs_options const& options) {
    check(a, "cmrs");
    auto c = std::make_shared<cmrs_content<T>>();
    set_shape(*c, {a.row_count, a.column_count, a.entry_count(), where}, options);
    c->strip_offsets = buffer<std::int64_t>(host_memory(), c->strip_count + 1);
    options.per_row > 0 ? fill_padded(a, *c) : fill_packed(a, *c);
    c->strip_offsets = in_memory(where, std::move(c->strip_offsets));
    c->words = in_memory(where, std::move(c->words));
    c->values = in_memory(where, std::move(c->values));
    return c;
}

template <class T>
std::shared_ptr<cmrs_content<T> const> make_cmrs_in_place(csr_content<T>&& rows, cmrs_options const& options) {
    auto c = std::make_shared<cmrs_content<T>>();
    set_shape(*c, rows, options);
    c->strip_offsets = buffer<std::int64_t>(host_memory(), c->strip_count + 1);
    auto const* const row_offsets = rows.row_offsets.data();
    make_strip_offsets(c->shape(), row_offsets, c->strip_offsets.data());
    c->stored_count = c->entry_count;
    c->words = std::move(rows.column_indices);
    c->values = std::move(rows.values);
    pack_strips<T>(c->shape(), row_offsets, options.sorted.value_or(false), {c->words.data(), c->values.data()});
    return c;
}

template <class T>
csr<T> rows_of(cmrs_content<T> const& c) {
    if (c.where->space() != memory_space::host) {
        cmrs_content<T> here;
        set_shape(here, {c.row_count, c.column_count, c.entry_count, host_memory()}, c.options);
        here.stored_count = c.stored_count;
        here.strip_offsets = host_copy(c.strip_offsets);
        here.words = host_copy(c.words);
        here.values = host_copy(c.values);
        return rows_of(here);
    }
    auto result = empty_rows<T>(c.row_count, c.column_count, c.entry_count);
    auto* const rows = result.row_offsets.data();
    if (c.options.per_row > 0) {
        count_padded_rows(c.shape(), c.strip_offsets.data(), c.words.data(), rows);
        take_padded_rows<T>(c.shape(), c.strip_offsets.data(), c.words.data(), c.values.data(), rows,
                            result.column_indices.data(), result.values.data());
    } else {
        std::copy_n(c.words.data(), c.stored_count, result.column_indices.data());
        std::copy_n(c.values.data(), c.stored_count, result.values.data());
        unpack_strips<T>(c.shape(), c.strip_offsets.data(), {result.column_indices.data(), result.values.data()}, rows);
    }
    return result;
}

template <class T>
std::shared_ptr<csr_content<T> const> rows_in_place(cmrs_content<T>&& strips) {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = strips;
    rows->row_offsets = buffer<std::int64_t>(host_memory(), strips.row_count + 1);
    rows->column_indices = std::move(strips.words);
    rows->values = std::move(strips.values);
    unpack_strips<T>(strips.shape(), strips.strip_offsets.data(), {rows->column_indices.data(), rows->values.data()},
                     rows->row_offsets.data());
    choose_kernel(*rows);
    return rows;
}

}  // namespace detail

template void detail::set_shape(cmrs_content<float>&, flat_content const&, cmrs_options const&);
template void detail::check_padding(cmrs_content<float> const&);
template void detail::check_padding(cmrs_content<double> const&);
template std::shared_ptr<cmrs_content<float> const> detail::make_cmrs(std::shared_ptr<memory> const&, csr<float> const&,
                                                                      cmrs_options const&);
template std::shared_ptr<cmrs_content<float> const> detail::make_cmrs_in_place(csr_content<float>&&,
                                                                               cmrs_options const&);
template csr<float> detail::rows_of(cmrs_content<float> const&);
template std::shared_ptr<csr_content<float> const> detail::rows_in_place(cmrs_content<float>&&);
template void detail::set_shape(cmrs_content<double>&, flat_content const&, cmrs_options const&);
template std::shared_ptr<cmrs_content<double> const> detail::make_cmrs(std::shared_ptr<memory> const&,
                                                                       csr<double> const&, cmrs_options const&);
template std::shared_ptr<cmrs_content<double> const> detail::make_cmrs_in_place(csr_content<double>&&,
                                                                                cmrs_options const&);
template csr<double> detail::rows_of(cmrs_content<double> const&);
template std::shared_ptr<csr_content<double> const> detail::rows_in_place(cmrs_content<double>&&);

}  // namespace copse
