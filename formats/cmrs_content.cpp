#include <algorithm>
#include <bit>
#include <copse/formats/cmrs_content.hpp>
#include <copse/formats/cmrs_padding.hpp>
#include <copse/formats/cmrs_strips.hpp>
#include <copse/formats/parts.hpp>
#include <copse/formats/sort_by_row.hpp>
#include <copse/runtime/error.hpp>
#include <span>
#include <string>

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
detail::strip_shape shape_of(cmrs_content<T> const& c) {
    return {c.row_count, c.height, c.row_bits};
}

/// A copy of an array by all threads: the first one to touch a page of new memory pays for it.
template <class U>
buffer<U> copy_of(std::vector<U> const& from) {
    buffer<U> to(host_memory(), std::ssize(from));
    constexpr std::int64_t stretch = 1 << 16;
#pragma omp parallel for if (detail::worth_threads(to.size()))
    for (std::int64_t begin = 0; begin < to.size(); begin += stretch)
        std::copy_n(from.data() + begin, std::min(stretch, to.size() - begin), to.data() + begin);
    return to;
}

template <class T>
void fill_packed(csr<T> const& a, bool sorted, cmrs_content<T>& c) {
    detail::make_strip_offsets(shape_of(c), a.row_offsets.data(), c.strip_offsets.data());
    c.stored_count = a.entry_count();
    c.words = copy_of(a.column_indices);
    c.values = copy_of(a.values);
    detail::pack_strips<T>(shape_of(c), a.row_offsets.data(), sorted, {c.words.data(), c.values.data()});
}

template <class T>
void fill_padded(csr<T> const& a, cmrs_options const& options, cmrs_content<T>& c) {
    auto* const offsets = c.strip_offsets.data();
    detail::count_padded_places(shape_of(c), a.row_offsets.data(), c.per_row, offsets);
    c.stored_count = offsets[c.strip_count];
    detail::check_padding("cmrs", c.stored_count, c.entry_count, sizeof(std::int32_t) + sizeof(T),
                          options.most_padding_bytes,
                          "cmrs without per_row has no padding, csr5 suits rows of any length, most_padding_bytes sets "
                          "another limit");
    c.words = buffer<std::int32_t>(host_memory(), c.stored_count);
    c.values = buffer<T>(host_memory(), c.stored_count);
    detail::fill_padded_places<T>(shape_of(c), a.row_offsets.data(), a.column_indices.data(), a.values.data(), c.per_row,
                                  offsets, {c.words.data(), c.values.data()});
}

}  // namespace

template <class T>
std::int64_t cmrs_content<T>::bytes() const noexcept {
    return static_cast<std::int64_t>(strip_offsets.bytes() + words.bytes() + values.bytes());
}

template <class T>
cmrs_view<T> cmrs_content<T>::view() const noexcept {
    auto const* const unsigned_words = reinterpret_cast<std::uint32_t const*>(words.data());
    bool const aligned = entry_count >= 32 * row_count;  // §6.3
    return {strip_offsets.data(), unsigned_words, values.data(), row_count, column_count,
            strip_count,          height,         row_bits,      per_row,   aligned};
}

namespace detail {

template <class T>
cmrs_content<T> make_cmrs(std::shared_ptr<memory> const& where, csr<T> const& a, cmrs_options const& options) {
    check_options(options);
    cmrs_content<T> c;
    c.row_count = a.row_count;
    c.column_count = a.column_count;
    c.entry_count = a.entry_count();
    c.per_row = options.per_row;
    c.sorted = options.per_row == 0 && options.sorted.value_or(false);
    c.row_bits = cmrs_row_bits(a.column_count, c.per_row > 0);
    c.height = std::min(options.height, 1 << c.row_bits);
    c.strip_count = shape_of(c).strip_count();
    c.strip_offsets = buffer<std::int64_t>(host_memory(), c.strip_count + 1);
    c.per_row > 0 ? fill_padded(a, options, c) : fill_packed(a, c.sorted, c);
    if (where->space() == memory_space::host) return c;
    auto const move_over = [&]<class U>(buffer<U>& array) {
        array = buffer<U>(where, std::span<U const>(array.data(), static_cast<std::size_t>(array.size())));
    };
    move_over(c.strip_offsets);
    move_over(c.words);
    move_over(c.values);
    return c;
}

template <class T>
csr<T> rows_of(cmrs_content<T> const& c) {
    auto result = empty_rows<T>(c.row_count, c.column_count, c.entry_count);
    auto* const rows = result.row_offsets.data();
    if (c.per_row > 0) {
        count_padded_rows(shape_of(c), c.strip_offsets.data(), c.words.data(), rows);
        take_padded_rows<T>(shape_of(c), c.strip_offsets.data(), c.words.data(), c.values.data(), rows,
                            result.column_indices.data(), result.values.data());
    } else {
        std::copy_n(c.words.data(), c.stored_count, result.column_indices.data());
        std::copy_n(c.values.data(), c.stored_count, result.values.data());
        unpack_strips<T>(shape_of(c), c.strip_offsets.data(), {result.column_indices.data(), result.values.data()}, rows);
    }
    return result;
}

}  // namespace detail

template struct cmrs_content<float>;
template struct cmrs_content<double>;
template cmrs_content<float> detail::make_cmrs(std::shared_ptr<memory> const&, csr<float> const&, cmrs_options const&);
template cmrs_content<double> detail::make_cmrs(std::shared_ptr<memory> const&, csr<double> const&,
                                                cmrs_options const&);
template csr<float> detail::rows_of(cmrs_content<float> const&);
template csr<double> detail::rows_of(cmrs_content<double> const&);

}  // namespace copse
