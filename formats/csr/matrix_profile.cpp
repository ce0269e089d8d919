#include <algorithm>
#include <atomic>
#include <copse/formats/sellp.hpp>
#include <copse/formats/suitable_format.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace copse {
namespace {

constexpr int block_log2 = 7;

/// Places of slices for each entry: of rows in their order, and sorted.
struct slice_places {
    double in_order;
    double sorted;
};

/// length_of(row): its entries, of `entries` in all.
template <class LengthOf>
slice_places places_of(std::int64_t rows, std::int64_t slice, std::int64_t entries, LengthOf const& length_of) {
    auto const count = [=](std::vector<std::int64_t> const& lengths) {
        std::int64_t places = 0;
        auto const end = std::ssize(lengths);
        for (std::int64_t first = 0; first < end; first += slice) {
            auto const last = std::min(first + slice, end);
            places += *std::max_element(lengths.begin() + first, lengths.begin() + last) * (last - first);
        }
        return places;
    };
    std::int64_t in_order = 0, sorted = 0;
    std::vector<std::int64_t> lengths;
    for (std::int64_t row = 0; row < rows;) {
        auto const end = std::min(row + sorted_sellp.sorting_window, rows);
        for (lengths.clear(); row < end; ++row) lengths.push_back(length_of(row));
        in_order += count(lengths);
        std::sort(lengths.begin(), lengths.end(), std::greater());
        sorted += count(lengths);
    }
    auto const of_one = [=](std::int64_t places) { return static_cast<double>(places) / static_cast<double>(entries); };
    return {of_one(in_order), of_one(sorted)};
}

/// What entries are, one row and one column behind another: how many there are, and how many of them have its value.
struct diagonal_entries {
    std::int64_t all = 0;
    std::int64_t constant = 0;
};

template <class T>
void count_diagonal(csr<T> const& a, std::int64_t row, diagonal_entries& found) {
    auto before = a.row_offsets[row - 1];
    auto const end = a.row_offsets[row];
    for (auto k = end; k < a.row_offsets[row + 1]; ++k) {
        auto const wanted = a.column_indices[k] - 1;
        while (before < end && a.column_indices[before] < wanted) ++before;
        if (before == end || a.column_indices[before] != wanted) continue;
        ++found.all;
        found.constant += std::memcmp(&a.values[before], &a.values[k], sizeof(T)) == 0;
    }
}

/// Counts the blocks that have entries, and the entries behind others on their diagonals.
template <class T>
void count_places(csr<T> const& a, std::int64_t& blocks, diagonal_entries& diagonal) {
    std::int64_t const block_rows = ((a.row_count - 1) >> block_log2) + 1;
    auto const block_columns = static_cast<std::size_t>((a.column_count - 1) >> block_log2) + 1;
    std::atomic<std::int64_t> all_blocks = 0, all_diagonal = 0, all_constant = 0;
    // Of each column of blocks: the row of blocks, and one, that last had an entry there.
    auto const none_seen = [=] { return std::vector<std::int32_t>(block_columns); };
    detail::parallel_for(block_rows, 16, none_seen, [&](std::vector<std::int32_t>& last_seen, std::int64_t block) {
        auto const first = block << block_log2, last = std::min(first + (1 << block_log2), a.row_count);
        auto const number = static_cast<std::int32_t>(block + 1);
        std::int64_t found = 0;
        for (auto k = a.row_offsets[first]; k < a.row_offsets[last]; ++k) {
            auto& seen = last_seen[static_cast<std::size_t>(a.column_indices[k] >> block_log2)];
            found += std::exchange(seen, number) != number;
        }
        all_blocks += found;
        diagonal_entries behind;
        for (auto row = std::max<std::int64_t>(first, 1); row < last; ++row) count_diagonal(a, row, behind);
        all_diagonal += behind.all;
        all_constant += behind.constant;
    });
    blocks = all_blocks;
    diagonal = {all_diagonal, all_constant};
}

}  // namespace

template <class T>
matrix_profile profile_of(csr<T> const& a) {
    matrix_profile p{a.row_count, a.column_count, a.entry_count(), sizeof(T), count_rows(a), {}};
    std::int64_t const slice = detail::with_defaults<T>(sellp_options{}, false).slice_rows;
    auto const entries = static_cast<double>(a.entry_count());
    if (detail::has_few_entries_for_columns(a)) {
        p.columns = count_columns(a);
        // Nearly each entry has a slice of its own.
        p.column_places = p.sorted_column_places = static_cast<double>(slice);
    } else {
        auto const lengths = detail::column_lengths(a);
        auto const length_of = [&](std::int64_t column) { return lengths[static_cast<std::size_t>(column)]; };
        p.columns = detail::count_lengths(lengths, a.entry_count());
        auto const places = places_of(a.column_count, slice, a.entry_count(), length_of);
        p.column_places = places.in_order;
        p.sorted_column_places = places.sorted;
    }
    if (a.entry_count() == 0) {
        p.column_places = p.sorted_column_places = 1;
        return p;
    }
    auto const length_of = [&](std::int64_t row) { return a.row_offsets[row + 1] - a.row_offsets[row]; };
    auto const places = places_of(a.row_count, slice, a.entry_count(), length_of);
    p.row_places = places.in_order;
    p.sorted_row_places = places.sorted;
    std::int64_t blocks = 0;
    diagonal_entries diagonal;
    count_places(a, blocks, diagonal);
    p.entries_per_block = entries / static_cast<double>(blocks);
    p.diagonal_fraction = static_cast<double>(diagonal.all) / entries;
    p.constant_fraction = static_cast<double>(diagonal.constant) / entries;
    return p;
}

template <class T>
matrix_profile profile_of(coo<T> const& a) {
    matrix_profile p{a.row_count, a.column_count, a.entry_count(), sizeof(T), count_rows(a), count_columns(a)};
    p.row_places = p.column_places = p.sorted_row_places = p.sorted_column_places =
        static_cast<double>(detail::with_defaults<T>(sellp_options{}, false).slice_rows);
    p.entries_per_block = 1;
    return p;
}

matrix_profile transposed(matrix_profile const& a) noexcept {
    auto turned = a;
    std::swap(turned.row_count, turned.column_count);
    std::swap(turned.rows, turned.columns);
    std::swap(turned.row_places, turned.column_places);
    std::swap(turned.sorted_row_places, turned.sorted_column_places);
    return turned;
}

template matrix_profile profile_of(csr<float> const&);
template matrix_profile profile_of(csr<double> const&);
template matrix_profile profile_of(coo<float> const&);
template matrix_profile profile_of(coo<double> const&);

}  // namespace copse
