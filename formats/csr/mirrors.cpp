#include <fmt/format.h>

#include <atomic>
#include <copse/formats/csr/mirrors.hpp>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/error.hpp>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace copse::detail {
namespace {

constexpr std::int64_t no_entry = std::numeric_limits<std::int64_t>::max();

/// Copies those of `count` things for which counts(k) holds to places `first` and on, in their order: put(k, place).
/// make_room(n) comes before, where n is the number of places. Parallel.
template <class Counts, class MakeRoom, class Put>
void copy_some(std::int64_t count, std::int64_t first, Counts counts, MakeRoom make_room, Put put) {
    std::int64_t const parts = parts_for(count);
    std::vector<std::int64_t> places(static_cast<std::size_t>(parts), 0);
    auto const for_each_part = [&](auto f) {
        parallel_for(parts, 1, [&](std::int64_t part) {
            f(places[static_cast<std::size_t>(part)], part_begin(part, parts, count),
              part_begin(part + 1, parts, count));
        });
    };
    for_each_part([&](std::int64_t& found, std::int64_t begin, std::int64_t end) {
        std::int64_t sum = 0;
        for (std::int64_t k = begin; k < end; ++k) sum += counts(k) ? 1 : 0;
        found = sum;
    });
    for (std::int64_t& place : places) first += std::exchange(place, first);
    make_room(first);
    for_each_part([&](std::int64_t place, std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k)
            if (counts(k)) put(k, place++);
    });
}

template <class T>
auto room_in(coo<T>& a) {
    return [&a](std::int64_t count) {
        a.rows.resize(static_cast<std::size_t>(count));
        a.columns.resize(static_cast<std::size_t>(count));
        a.values.resize(static_cast<std::size_t>(count));
    };
}

bool is_in(matrix_half half, std::int32_t row, std::int32_t column) {
    return half == matrix_half::either || (half == matrix_half::lower ? row >= column : row <= column);
}

/// Throws for what a half must not have.
template <class T>
void check_half(entries_view<T> const& a, view_options const& options, std::string_view whose) {
    std::atomic<std::int64_t> below{no_entry}, above{no_entry}, on_diagonal{no_entry};
    for_stretches(a.count, elements_at_once, [&](std::int64_t first, std::int64_t last) {
        std::int64_t low = no_entry, high = no_entry, bad = no_entry;
        for (std::int64_t k = first; k < last; ++k) {
            if (a.rows[k] > a.columns[k]) low = std::min(low, k);
            if (a.rows[k] < a.columns[k]) high = std::min(high, k);
            if (a.rows[k] == a.columns[k] && !(a.values[k] == T(0))) bad = std::min(bad, k);
        }
        make_least(below, low);
        make_least(above, high);
        make_least(on_diagonal, bad);
    });
    if (options.half == matrix_half::either && below != no_entry && above != no_entry)
        throw_both_sides(a.rows[below], a.columns[below], a.rows[above], a.columns[above], options, whose);
    if (options.symmetry == matrix_symmetry::skew && on_diagonal != no_entry)
        throw_skew_diagonal(a.rows[on_diagonal], a.values[on_diagonal], options, whose);
}

}  // namespace

void check_square(std::int64_t row_count, std::int64_t column_count, view_options const& options,
                  std::string_view whose) {
    if (options.symmetry == matrix_symmetry::general || row_count == column_count) return;
    throw shape_error(fmt::format("{}: the matrix is {} x {}, and its view says {}: such a matrix is square", whose,
                                  row_count, column_count,
                                  options.symmetry == matrix_symmetry::skew ? "skew" : "symmetric"));
}

void throw_both_sides(std::int64_t row, std::int64_t column, std::int64_t other_row, std::int64_t other_column,
                      view_options const& options, std::string_view whose) {
    int const base = options.index_base;
    throw shape_error(fmt::format(
        "{}: the entries at row {}, column {} and at row {}, column {} lie on different sides of the "
        "diagonal; the view of a {} matrix holds one half: give one, or set half to lower or upper, and the "
        "other is ignored",
        whose, row + base, column + base, other_row + base, other_column + base,
        options.symmetry == matrix_symmetry::skew ? "skew" : "symmetric"));
}

template <class T>
void throw_skew_diagonal(std::int64_t row, T value, view_options const& options, std::string_view whose) {
    throw shape_error(fmt::format("{}: row {}, column {} has the value {}; a skew matrix has zeros on its diagonal",
                                  whose, row + options.index_base, row + options.index_base, value));
}

template <class T>
void append_mirrors(coo<T>& a, matrix_symmetry symmetry) {
    value_sign<T> const sign(symmetry == matrix_symmetry::skew);
    auto const is_off = [&](std::int64_t k) {
        auto const i = static_cast<std::size_t>(k);
        return a.rows[i] != a.columns[i];
    };
    copy_some(a.entry_count(), a.entry_count(), is_off, room_in(a), [&](std::int64_t from, std::int64_t to) {
        auto const i = static_cast<std::size_t>(from), k = static_cast<std::size_t>(to);
        a.rows[k] = a.columns[i];
        a.columns[k] = a.rows[i];
        a.values[k] = sign(a.values[i]);
    });
}

template <class T>
coo<T> with_mirrors(entries_view<T> const& entries, std::int64_t n, view_options const& options,
                    std::string_view whose) {
    check_half(entries, options, whose);
    coo<T> all(n, n);
    copy_some(
        entries.count, 0, [&](std::int64_t k) { return is_in(options.half, entries.rows[k], entries.columns[k]); },
        room_in(all),
        [&](std::int64_t from, std::int64_t to) {
            auto const k = static_cast<std::size_t>(to);
            all.rows[k] = entries.rows[from];
            all.columns[k] = entries.columns[from];
            all.values[k] = entries.values[from];
        });
    append_mirrors(all, options.symmetry);
    return all;
}

template void throw_skew_diagonal(std::int64_t, float, view_options const&, std::string_view);
template void throw_skew_diagonal(std::int64_t, double, view_options const&, std::string_view);
template void append_mirrors(coo<float>&, matrix_symmetry);
template void append_mirrors(coo<double>&, matrix_symmetry);
template coo<float> with_mirrors(entries_view<float> const&, std::int64_t, view_options const&, std::string_view);
template coo<double> with_mirrors(entries_view<double> const&, std::int64_t, view_options const&, std::string_view);

}  // namespace copse::detail

namespace copse {

template <class T>
coo<T> all_entries(symmetric_coo<T> a) {
    if (a.symmetry != matrix_symmetry::general) detail::append_mirrors(a.entries, a.symmetry);
    return std::move(a.entries);
}

template coo<float> all_entries(symmetric_coo<float>);
template coo<double> all_entries(symmetric_coo<double>);

}  // namespace copse
