// Conversions between entry lists and compressed rows: sort by row, then sort each row and sum its duplicates.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/steps/sort_by_row.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace copse {
namespace {

/// As many rows as a thread takes at once: all where others are not worth waking.
template <class T>
std::int64_t rows_at_once(csr<T> const& a) {
    if (!detail::worth_threads(a.row_count + a.entry_count())) return a.row_count;
    return std::clamp<std::int64_t>(a.row_count / 1024, 1, 1024);
}

template <class T>
using row_scratch = std::vector<std::pair<std::int32_t, T>>;

// Stable: entries of one column keep their order.
template <class T>
void sort_row(std::int32_t* columns, T* values, std::int64_t count, row_scratch<T>& scratch) {
    if (count <= 32) {
        for (std::int64_t k = 1; k < count; ++k) {
            auto const column = columns[k];
            auto const value = values[k];
            std::int64_t hole = k;
            for (; hole > 0 && columns[hole - 1] > column; --hole) {
                columns[hole] = columns[hole - 1];
                values[hole] = values[hole - 1];
            }
            columns[hole] = column;
            values[hole] = value;
        }
        return;
    }
    scratch.resize(count);
    for (std::int64_t k = 0; k < count; ++k) scratch[k] = {columns[k], values[k]};
    std::stable_sort(scratch.begin(), scratch.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (std::int64_t k = 0; k < count; ++k) std::tie(columns[k], values[k]) = scratch[k];
}

// Sorts one row and sums its duplicates; returns the number of entries left, which are the first ones.
template <class T>
std::int64_t finish_row(std::int32_t* columns, T* values, std::int64_t count, row_scratch<T>& scratch) {
    if (std::adjacent_find(columns, columns + count, std::greater_equal<>{}) == columns + count) return count;
    if (!std::is_sorted(columns, columns + count)) sort_row(columns, values, count, scratch);
    std::int64_t kept = 0;
    for (std::int64_t k = 1; k < count; ++k) {
        if (columns[k] == columns[kept]) {
            values[kept] += values[k];
        } else {
            ++kept;
            columns[kept] = columns[k];
            values[kept] = values[k];
        }
    }
    return kept + 1;
}

// Finishes every row; returns how many entries each row keeps, or nothing when every row keeps all.
template <class T>
std::vector<std::uint32_t> finish_rows(csr<T>& a) {
    std::vector<std::uint32_t> kept(a.row_count);
    std::int64_t const parts = std::clamp<std::int64_t>(a.row_count, 1, 1024);
    std::atomic<std::int64_t> dropped{0};
    detail::parallel_for(
        parts, rows_at_once(a) < a.row_count ? 1 : parts, [] { return row_scratch<T>(); },
        [&](row_scratch<T>& scratch, std::int64_t part) {
            std::int64_t dropped_here = 0;
            std::int64_t const end = detail::part_begin(part + 1, parts, a.row_count);
            for (auto row = detail::part_begin(part, parts, a.row_count); row < end; ++row) {
                auto const first = a.row_offsets[row];
                auto const count = a.row_offsets[row + 1] - first;
                auto const left = finish_row(a.column_indices.data() + first, a.values.data() + first, count, scratch);
                kept[row] = static_cast<std::uint32_t>(left);
                dropped_here += count - left;
            }
            dropped.fetch_add(dropped_here, std::memory_order_relaxed);
        });
    if (dropped == 0) kept.clear();
    return kept;
}

template <class T>
csr<T> keep_first(csr<T> const& a, std::vector<std::uint32_t> const& kept) {
    auto const total = std::accumulate(kept.begin(), kept.end(), std::int64_t{0});
    auto result = detail::empty_rows<T>(a.row_count, a.column_count, total);
    std::inclusive_scan(kept.begin(), kept.end(), result.row_offsets.begin() + 1, std::plus<>{}, std::int64_t{0});
    detail::parallel_for(a.row_count, rows_at_once(a), [&](std::int64_t row) {
        auto const from = a.row_offsets[row];
        auto const to = result.row_offsets[row];
        std::copy_n(a.column_indices.begin() + from, kept[row], result.column_indices.begin() + to);
        std::copy_n(a.values.begin() + from, kept[row], result.values.begin() + to);
    });
    return result;
}

// The row of every entry, to `rows`.
template <class T>
void expand_rows(csr<T> const& a, std::int32_t* rows) {
    detail::parallel_for(a.row_count, rows_at_once(a), [offsets = a.row_offsets.data(), rows](std::int64_t row) {
        std::fill(rows + offsets[row], rows + offsets[row + 1], static_cast<std::int32_t>(row));
    });
}

}  // namespace

template <class T>
void detail::check_indices(entries_view<T> const& a, std::int64_t row_count, std::int64_t column_count,
                           std::string_view whose) {
    auto const count = a.count;
    auto const* rows = a.rows;
    auto const* columns = a.columns;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::atomic<std::int64_t> first_bad{none};
    for_stretches(count, elements_at_once, [&](std::int64_t first, std::int64_t last) {
        std::int64_t bad = none;
        for (std::int64_t k = first; k < last; ++k) {
            bool const inside = rows[k] >= 0 && rows[k] < row_count && columns[k] >= 0 && columns[k] < column_count;
            bad = inside ? bad : std::min(bad, k);
        }
        make_least(first_bad, bad);
    });
    std::int64_t const bad = first_bad;
    if (bad == none) return;
    bool const row = rows[bad] < 0 || rows[bad] >= row_count;
    throw shape_error(fmt::format("{}: entry {} (counted from 0): {} index {} lies outside a matrix of {} {}", whose,
                                  bad, row ? "row" : "column", row ? rows[bad] : columns[bad],
                                  row ? row_count : column_count, row ? "rows" : "columns"));
}

template <class T>
csr<T> detail::sort_rows(csr<T>&& rows) {
    auto const kept = finish_rows(rows);
    if (kept.empty()) return std::move(rows);
    return keep_first(rows, kept);
}

template <class T>
csr<T> detail::sort_rows(entries_view<T> const& entries, std::int64_t row_count, std::int64_t column_count,
                         std::string_view whose) {
    check_indices(entries, row_count, column_count, whose);
    return sort_rows(group_by_row<T>(entries, row_count, column_count));
}

template <class T>
csr<T> to_csr(coo_view<T> const& a) {
    return detail::all_rows(a, "to_csr");
}

template <class T>
coo<T> to_coo(csr<T> const& a) {
    std::vector<std::int32_t> rows(a.entry_count());
    expand_rows(a, rows.data());
    return {a.row_count, a.column_count, std::move(rows), a.column_indices, a.values};
}

// Rows come in ascending order, so that the stable sort by column leaves every row of the result sorted.
template <class T>
csr<T> transpose(csr<T> const& a) {
    buffer<std::int32_t> const rows(host_memory(), a.entry_count());
    expand_rows(a, rows.data());
    return detail::group_by_row<T>({a.column_indices.data(), rows.data(), a.values.data(), a.entry_count()},
                                   a.column_count, a.row_count);
}

template void detail::check_indices(entries_view<float> const&, std::int64_t, std::int64_t, std::string_view);
template void detail::check_indices(entries_view<double> const&, std::int64_t, std::int64_t, std::string_view);
template csr<float> detail::sort_rows(csr<float>&&);
template csr<double> detail::sort_rows(csr<double>&&);
template csr<float> detail::sort_rows(entries_view<float> const&, std::int64_t, std::int64_t, std::string_view);
template csr<double> detail::sort_rows(entries_view<double> const&, std::int64_t, std::int64_t, std::string_view);
template csr<float> to_csr(coo_view<float> const&);
template csr<double> to_csr(coo_view<double> const&);
template coo<float> to_coo(csr<float> const&);
template coo<double> to_coo(csr<double> const&);
template csr<float> transpose(csr<float> const&);
template csr<double> transpose(csr<double> const&);

}  // namespace copse
