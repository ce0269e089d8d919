// Views as conversions on the host read them: checked, narrowed or widened where their types are others, sorted where
// they do not ascend. And back: rows into arrays of a caller.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr/mirrors.hpp>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/error.hpp>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace copse {
namespace detail {
namespace {

constexpr std::int64_t largest_dimension = std::int64_t{1} << 31;
constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

void check_options(view_options const& options, std::string_view whose) {
    if (options.index_base != 0 && options.index_base != 1)
        throw argument_error(fmt::format("{}: index_base is {}; it must be 0 or 1", whose, options.index_base));
}

void check_pointer(void const* data, std::int64_t size, char const* name, std::string_view whose) {
    if (data == nullptr && size > 0)
        throw argument_error(fmt::format("{}: {} is a null pointer; there must be {} elements", whose, name, size));
}

/// The array in host memory: itself, or a copy of one that is in device memory.
class array_fetcher {
  public:
    array_fetcher(view_options const& options, std::string_view whose, std::shared_ptr<memory> const& where)
        : fetches_(options.space != memory_space::host), where_(where) {
        if (fetches_ && where->space() == memory_space::host)
            throw argument_error(fmt::format(
                "{}: the view's arrays are in device memory, which this executor does not read; give a gpu executor",
                whose));
    }
    void const* operator()(void const* data, std::size_t bytes, buffer<std::byte>& copy) const {
        if (!fetches_ || bytes == 0) return data;
        copy = {host_memory(), static_cast<std::int64_t>(bytes)};
        where_->copy_to_host(copy.data(), data, bytes);
        return copy.data();
    }

  private:
    bool fetches_;
    std::shared_ptr<memory> const& where_;
};

/// The offsets from 0 in 64 bits.
std::span<std::int64_t const> wide_offsets(index_view const& given, int base, buffer<std::int64_t>& copy) {
    if (given.index_bytes() == 8 && base == 0)
        return {static_cast<std::int64_t const*>(given.data()), static_cast<std::size_t>(given.size())};
    copy = {host_memory(), given.size()};
    std::int64_t* const to = copy.data();
    for_stretches(given.size(), elements_at_once, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) to[i] = given[i] - base;
    });
    return {copy.data(), static_cast<std::size_t>(copy.size())};
}

/// The indices of rows or columns as numbers of 32 bits that count from 0. If they are stored so, they are returned as
/// they are, unchecked.
std::span<std::int32_t const> narrow_indices(index_view const& given, int base, std::int64_t limit, char const* name,
                                             std::string_view whose, buffer<std::int32_t>& copy) {
    if (given.index_bytes() == 4 && base == 0)
        return {static_cast<std::int32_t const*>(given.data()), static_cast<std::size_t>(given.size())};
    copy = {host_memory(), given.size()};
    std::int32_t* const to = copy.data();
    std::atomic<std::int64_t> first_bad{nowhere};
    for_stretches(given.size(), elements_at_once, [&](std::int64_t first, std::int64_t last) {
        std::int64_t bad = nowhere;
        for (std::int64_t k = first; k < last; ++k) {
            std::int64_t const index = given[k];
            if (index < base || index - base >= limit) bad = std::min(bad, k);
            to[k] = static_cast<std::int32_t>(index - base);
        }
        make_least(first_bad, bad);
    });
    if (std::int64_t const bad = first_bad; bad != nowhere)
        throw shape_error(
            fmt::format("{}: {}[{}] is {}; it must be {} .. {}", whose, name, bad, given[bad], base, limit - 1 + base));
    return {copy.data(), static_cast<std::size_t>(copy.size())};
}

/// Whether the offsets are right but for the base.
bool counts_from_1(std::span<std::int64_t const> offsets, std::int64_t entry_count, int base) {
    return base == 0 && offsets.front() == 1 && offsets.back() == entry_count + 1;
}

/// Offsets from 0.
void check_offsets(std::span<std::int64_t const> offsets, std::int64_t entry_count, int base, std::string_view whose) {
    if (offsets.front() != 0 || offsets.back() != entry_count)
        throw shape_error(fmt::format(
            "{}: row offsets go from {} to {}: they must go from {} to {}{}{}", whose, offsets.front() + base,
            offsets.back() + base, base, base == 0 ? "the number of entries, " : "1 more than the number of entries, ",
            entry_count + base, counts_from_1(offsets, entry_count, base) ? "; index_base is 1 for these" : ""));
    auto const descent = std::adjacent_find(offsets.begin(), offsets.end(), std::greater<>{});
    if (descent != offsets.end())
        throw shape_error(fmt::format("{}: row {}: its offsets descend from {} to {}", whose, descent - offsets.begin(),
                                      descent[0] + base, descent[1] + base));
}

/// Throws for a column outside the matrix, or of rows that must ascend. Returns whether all rows ascend.
template <class T>
bool check_columns(compressed_rows<T> const& a, view_options const& options, std::string_view whose) {
    std::atomic<std::int64_t> first_bad{nowhere};
    std::atomic<bool> ascends{true};
    std::int64_t const at_once = worth_threads(a.row_count + a.entry_count())
                                     ? std::clamp<std::int64_t>(a.row_count / 1024, 1, 1024)
                                     : a.row_count;
    parallel_for(a.row_count, at_once, [&](std::int64_t row) {
        auto const i = static_cast<std::size_t>(row);
        auto const* const begin = a.column_indices.data() + a.offsets[i];
        auto const* const end = a.column_indices.data() + a.offsets[i + 1];
        if (begin == end) return;
        if (std::adjacent_find(begin, end, std::greater_equal<>{}) == end) {
            if (*begin < 0 || end[-1] >= a.column_count) make_least(first_bad, row);
            return;
        }
        ascends.store(false, std::memory_order_relaxed);
        auto const outside = [&](std::int32_t column) { return column < 0 || column >= a.column_count; };
        if (options.ascending || std::any_of(begin, end, outside)) make_least(first_bad, row);
    });
    std::int64_t const bad = first_bad;
    if (bad == nowhere) return ascends;
    if (options.ascending)
        throw shape_error(fmt::format("{}: row {}: column indices must ascend without repeating, within {} .. {}",
                                      whose, bad, options.index_base, a.column_count - 1 + options.index_base));
    std::int64_t k = a.offsets[static_cast<std::size_t>(bad)];
    auto const column = [&] { return a.column_indices[static_cast<std::size_t>(k)]; };
    while (column() >= 0 && column() < a.column_count) ++k;
    throw shape_error(fmt::format("{}: row {}: column_indices[{}] is {}; it must be 0 .. {}", whose, bad, k, column(),
                                  a.column_count - 1));
}

/// Parallel.
template <class From, class To>
void copy_elements(std::span<From const> from, To* to) {
    for_stretches(std::ssize(from), elements_at_once, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) to[i] = static_cast<To>(from[static_cast<std::size_t>(i)]);
    });
}

template <class T>
csr<T> copy_of(compressed_rows<T> const& a) {
    auto copy = empty_rows<T>(a.row_count, a.column_count, a.entry_count());
    copy_elements(a.offsets, copy.row_offsets.data());
    copy_elements(a.column_indices, copy.column_indices.data());
    copy_elements(a.values, copy.values.data());
    return copy;
}

template <class T>
compressed_rows<T> rows_of(csr<T> const& a) {
    return {a.row_count, a.column_count, {}, a.row_offsets, a.column_indices, a.values};
}

/// The row of each entry.
template <class T>
buffer<std::int32_t> row_of_each(compressed_rows<T> const& a) {
    buffer<std::int32_t> rows(host_memory(), a.entry_count());
    std::int64_t const at_once = std::max<std::int64_t>(1, a.row_count / 1024);
    parallel_for(a.row_count, worth_threads(a.entry_count()) ? at_once : a.row_count,
                 [offsets = a.offsets.data(), to = rows.data()](std::int64_t row) {
                     std::fill(to + offsets[row], to + offsets[row + 1], static_cast<std::int32_t>(row));
                 });
    return rows;
}

/// Throws for the first entry of a list that is outside the matrix, or not behind the one before it.
template <class T>
void check_ascending(entries_view<T> const& a, coo_view<T> const& given, std::string_view whose) {
    check_indices(a, given.row_count, given.column_count, whose);
    std::atomic<std::int64_t> first_bad{nowhere};
    for_stretches(a.count, elements_at_once, [&](std::int64_t first, std::int64_t last) {
        std::int64_t bad = nowhere;
        for (std::int64_t k = std::max<std::int64_t>(first, 1); k < last; ++k)
            if (a.rows[k - 1] > a.rows[k] || (a.rows[k - 1] == a.rows[k] && a.columns[k - 1] >= a.columns[k]))
                bad = std::min(bad, k);
        make_least(first_bad, bad);
    });
    if (std::int64_t const bad = first_bad; bad != nowhere)
        throw shape_error(fmt::format(
            "{}: entry {} (counted from 0), at row {}, column {}: entries must ascend by row and column without "
            "repeating, as the view says (ascending)",
            whose, bad, a.rows[bad] + given.options.index_base, a.columns[bad] + given.options.index_base));
}

template <class T>
entries_view<T> entries_of(coo<T> const& a) {
    return {a.rows.data(), a.columns.data(), a.values.data(), a.entry_count()};
}

constexpr std::int64_t no_rows[] = {0};

}  // namespace

template <class T>
void check_promise(entries_view<T> const& entries, std::int64_t kept, view_options const& options,
                   std::string_view whose) {
    if (!options.no_duplicates || kept == entries.count) return;
    std::vector<std::tuple<std::int32_t, std::int32_t, std::int64_t>> places;
    for (std::int64_t k = 0; k < entries.count; ++k) places.emplace_back(entries.rows[k], entries.columns[k], k);
    std::sort(places.begin(), places.end());
    std::int64_t again = entries.count;  // the first entry with a place that was there: mirror images come last
    for (std::size_t i = 1; i < places.size(); ++i) {
        auto const& [row, column, k] = places[i];
        auto const& [row_before, column_before, k_before] = places[i - 1];
        if (row == row_before && column == column_before) again = std::min(again, k);
    }
    throw shape_error(
        fmt::format("{}: row {}, column {} occurs more than once; the view says that no place does (no_duplicates)",
                    whose, entries.rows[again] + options.index_base, entries.columns[again] + options.index_base));
}

void check_dimensions(std::string_view whose, std::int64_t row_count, std::int64_t column_count) {
    if (row_count < 0 || column_count < 0 || row_count > largest_dimension || column_count > largest_dimension)
        throw shape_error(fmt::format("{}: the matrix is {} x {}; dimensions must be from 0 to 2^31", whose, row_count,
                                      column_count));
}

template <class T>
rows_in_order<T>::rows_in_order(csr_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where) {
    check_dimensions(whose, a.row_count, a.column_count);
    check_options(a.options, whose);
    check_square(a.row_count, a.column_count, a.options, whose);
    std::int64_t const n = a.entry_count();
    rows_ = {a.row_count, a.column_count, {}, no_rows, {}, {}};
    if (a.row_count == 0 && n == 0 && a.row_offsets.data() == nullptr) return;
    if (a.row_offsets.size() != a.row_count + 1)
        throw shape_error(fmt::format("{}: {} row offsets for {} rows: there must be one offset more than rows", whose,
                                      a.row_offsets.size(), a.row_count));
    if (a.column_indices.size() != n)
        throw shape_error(fmt::format("{}: {} column indices and {} values: their numbers must be equal", whose,
                                      a.column_indices.size(), n));
    check_pointer(a.row_offsets.data(), a.row_offsets.size(), "row_offsets", whose);
    check_pointer(a.column_indices.data(), n, "column_indices", whose);
    check_pointer(a.values.data(), n, "values", whose);
    array_fetcher const fetch(a.options, whose, where);
    int const base = a.options.index_base;
    auto const fetched = [&](index_view const& indices, int i) {
        return indices.at(fetch(indices.data(), indices.bytes(), copied_.from_device[i]));
    };
    rows_.offsets = wide_offsets(fetched(a.row_offsets, 0), base, copied_.offsets);
    check_offsets(rows_.offsets, n, base, whose);
    rows_.column_indices =
        narrow_indices(fetched(a.column_indices, 1), base, a.column_count, "column_indices", whose, copied_.columns);
    auto const count = static_cast<std::size_t>(n);
    rows_.values = {static_cast<T const*>(fetch(a.values.data(), count * sizeof(T), copied_.from_device[2])), count};
    bool const is_whole = a.options.symmetry == matrix_symmetry::general;
    if (check_columns(rows_, a.options, whose) && is_whole) return;
    buffer<std::int32_t> const row_numbers =
        is_whole && !a.options.no_duplicates ? buffer<std::int32_t>() : row_of_each(rows_);
    entries_view<T> given{row_numbers.data(), rows_.column_indices.data(), rows_.values.data(), n};
    coo<T> all;
    if (!is_whole) {
        all = with_mirrors(given, a.row_count, a.options, whose);
        given = entries_of(all);
    }
    sorted_ = is_whole ? sort_rows(copy_of(rows_)) : sort_rows(given, a.row_count, a.row_count, whose);
    check_promise(given, sorted_.entry_count(), a.options, whose);
    rows_ = rows_of(sorted_);
}

template <class T>
csr<T> rows_in_order<T>::to_csr() && {
    return sorted_.entry_count() > 0 ? std::move(sorted_) : copy_of(rows_);
}

template <class T>
narrow_entries<T>::narrow_entries(coo_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where) {
    check_dimensions(whose, a.row_count, a.column_count);
    check_options(a.options, whose);
    check_square(a.row_count, a.column_count, a.options, whose);
    std::int64_t const n = a.entry_count();
    if (a.rows.size() != n || a.columns.size() != n)
        throw shape_error(
            fmt::format("{}: {} row indices, {} column indices and {} values: their numbers must be equal", whose,
                        a.rows.size(), a.columns.size(), n));
    check_pointer(a.rows.data(), n, "rows", whose);
    check_pointer(a.columns.data(), n, "columns", whose);
    check_pointer(a.values.data(), n, "values", whose);
    array_fetcher const fetch(a.options, whose, where);
    auto const narrowed = [&](index_view const& given, int i, std::int64_t limit, char const* name,
                              buffer<std::int32_t>& copy) {
        return narrow_indices(given.at(fetch(given.data(), given.bytes(), copied_.from_device[i])),
                              a.options.index_base, limit, name, whose, copy)
            .data();
    };
    entries_.rows = narrowed(a.rows, 0, a.row_count, "rows", copied_.rows);
    entries_.columns = narrowed(a.columns, 1, a.column_count, "columns", copied_.columns);
    entries_.values =
        static_cast<T const*>(fetch(a.values.data(), static_cast<std::size_t>(n) * sizeof(T), copied_.from_device[2]));
    entries_.count = n;
    if (a.options.ascending) check_ascending(entries_, a, whose);
    if (a.options.symmetry == matrix_symmetry::general) return;
    if (!a.options.ascending) check_indices(entries_, a.row_count, a.column_count, whose);
    with_mirrors_ = with_mirrors(entries_, a.row_count, a.options, whose);
    entries_ = entries_of(with_mirrors_);
}

template <class T>
csr<T> all_rows(csr_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where) {
    return rows_in_order<T>(a, whose, where).to_csr();
}
template <class T>
csr<T> all_rows(coo_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where) {
    narrow_entries<T> const entries(a, whose, where);
    csr<T> rows = sort_rows(*entries, a.row_count, a.column_count, whose);
    check_promise(*entries, rows.entry_count(), a.options, whose);
    return rows;
}

template <class T>
void check_room(csr_arrays<T> const& to, std::int64_t row_count, std::int64_t entry_count) {
    auto const check_size = [](char const* name, std::int64_t size, std::int64_t needed) {
        if (size < needed)
            throw shape_error(fmt::format("to_csr: {} has {} elements; the matrix needs {}", name, size, needed));
    };
    check_size("row_offsets", to.row_offsets().size(), row_count + 1);
    check_size("column_indices", std::ssize(to.column_indices()), entry_count);
    check_size("values", std::ssize(to.values()), entry_count);
    if (to.row_offsets().index_bytes() == 4 && entry_count > std::numeric_limits<std::int32_t>::max())
        throw shape_error(fmt::format(
            "to_csr: row_offsets has 32 bits for an offset; the matrix has {} entries: give offsets of 64 bits",
            entry_count));
}

template <class T>
void copy_rows(csr<T> const& rows, csr_arrays<T> const& to) {
    to.with_offsets([&]<class Offset>(Offset* offsets) {
        copy_elements(std::span<std::int64_t const>(rows.row_offsets), offsets);
    });
    copy_elements(std::span<std::int32_t const>(rows.column_indices), to.column_indices().data());
    copy_elements(std::span<T const>(rows.values), to.values().data());
}

template void check_room(csr_arrays<float> const&, std::int64_t, std::int64_t);
template void check_room(csr_arrays<double> const&, std::int64_t, std::int64_t);
template void copy_rows(csr<float> const&, csr_arrays<float> const&);
template void copy_rows(csr<double> const&, csr_arrays<double> const&);
template void check_promise(entries_view<float> const&, std::int64_t, view_options const&, std::string_view);
template void check_promise(entries_view<double> const&, std::int64_t, view_options const&, std::string_view);
template csr<float> all_rows(csr_view<float> const&, std::string_view, std::shared_ptr<memory> const&);
template csr<double> all_rows(csr_view<double> const&, std::string_view, std::shared_ptr<memory> const&);
template csr<float> all_rows(coo_view<float> const&, std::string_view, std::shared_ptr<memory> const&);
template csr<double> all_rows(coo_view<double> const&, std::string_view, std::shared_ptr<memory> const&);
template class rows_in_order<float>;
template class rows_in_order<double>;
template class narrow_entries<float>;
template class narrow_entries<double>;

}  // namespace detail

template <class T>
csr<T> to_csr(csr_view<T> const& a) {
    return detail::all_rows(a, "to_csr");
}

template <class T>
void check(csr<T> const& a, std::string_view whose) {
    detail::rows_in_order<T>(a, whose);
}

template csr<float> to_csr(csr_view<float> const&);
template csr<double> to_csr(csr_view<double> const&);
template void check(csr<float> const&, std::string_view);
template void check(csr<double> const&, std::string_view);

}  // namespace copse
