// Entries per row. Two passes: deviations from the mean, so that nothing cancels.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace copse {

namespace {

/// What the rows of one stretch have.
struct row_counts {
    std::int64_t minimum, maximum, empty;
};

/// length_of(row): its entries. By stretches, which do not depend on the number of threads, and the order of sums
/// neither.
template <class LengthOf>
row_statistics count(std::int64_t row_count, std::int64_t entry_count, LengthOf const& length_of) {
    if (row_count == 0) return {};
    std::int64_t const parts = (row_count - 1) / detail::elements_at_once + 1;
    auto const for_part = [&](std::int64_t part, auto const& f) {
        std::int64_t const end = detail::part_begin(part + 1, parts, row_count);
        for (auto row = detail::part_begin(part, parts, row_count); row < end; ++row) f(length_of(row));
    };
    std::vector<row_counts> counts(static_cast<std::size_t>(parts), {entry_count, 0, 0});
    detail::parallel_for(parts, 1, [&](std::int64_t part) {
        row_counts c{entry_count, 0, 0};
        for_part(part, [&](std::int64_t length) {
            c = {std::min(c.minimum, length), std::max(c.maximum, length), c.empty + (length == 0)};
        });
        counts[static_cast<std::size_t>(part)] = c;
    });
    row_counts all{entry_count, 0, 0};
    for (auto const& c : counts)
        all = {std::min(all.minimum, c.minimum), std::max(all.maximum, c.maximum), all.empty + c.empty};

    double const rows = static_cast<double>(row_count);
    double const mean = static_cast<double>(entry_count) / rows;
    std::vector<double> squares(static_cast<std::size_t>(parts));
    detail::parallel_for(parts, 1, [&](std::int64_t part) {
        double sum = 0;
        for_part(part, [&](std::int64_t length) {
            double const deviation = static_cast<double>(length) - mean;
            sum += deviation * deviation;
        });
        squares[static_cast<std::size_t>(part)] = sum;
    });
    double const square_sum = std::accumulate(squares.begin(), squares.end(), 0.0);
    return {all.minimum, all.maximum, mean, std::sqrt(square_sum / rows), all.empty};
}

/// Where rows outnumber entries: sorts the entries' rows, and takes no memory for those that none is in.
row_statistics count_sparsely(std::int64_t row_count, std::vector<std::int32_t> row_of) {
    if (row_count == 0) return {};
    std::sort(row_of.begin(), row_of.end());
    double const rows = static_cast<double>(row_count);
    double const mean = static_cast<double>(row_of.size()) / rows;
    row_statistics s{std::ssize(row_of), 0, mean, 0, row_count};
    double squares = 0;
    for (auto first = row_of.begin(); first != row_of.end();) {
        auto const last = std::find_if(first, row_of.end(), [&](std::int32_t row) { return row != *first; });
        std::int64_t const length = last - first;
        s.minimum = std::min(s.minimum, length);
        s.maximum = std::max(s.maximum, length);
        --s.empty_rows;
        double const deviation = static_cast<double>(length) - mean;
        squares += deviation * deviation;
        first = last;
    }
    if (s.empty_rows > 0) s.minimum = 0;
    s.standard_deviation = std::sqrt((squares + static_cast<double>(s.empty_rows) * mean * mean) / rows);
    return s;
}

}  // namespace

template <class T>
row_statistics count_rows(csr<T> const& a) {
    auto const* offsets = a.row_offsets.data();
    return count(a.row_count, a.entry_count(), [=](std::int64_t row) { return offsets[row + 1] - offsets[row]; });
}

template <class T>
std::vector<std::int64_t> detail::column_lengths(csr<T> const& a) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(a.column_count));
    auto* const length_of = lengths.data();
    auto const* columns = a.column_indices.data();
    parallel_for(a.entry_count(), elements_at_once, [=](std::int64_t entry) {
        std::atomic_ref(length_of[columns[entry]]).fetch_add(1, std::memory_order_relaxed);
    });
    return lengths;
}

row_statistics detail::count_lengths(std::span<std::int64_t const> lengths, std::int64_t entry_count) {
    return count(std::ssize(lengths), entry_count, [=](std::int64_t row) { return lengths[row]; });
}

template <class T>
row_statistics count_columns(csr<T> const& a) {
    if (detail::has_few_entries_for_columns(a)) return count_sparsely(a.column_count, a.column_indices);
    return detail::count_lengths(detail::column_lengths(a), a.entry_count());
}

template <class T>
row_statistics count_rows(coo<T> const& a) {
    return count_sparsely(a.row_count, a.rows);
}

template <class T>
row_statistics count_columns(coo<T> const& a) {
    return count_sparsely(a.column_count, a.columns);
}

template std::vector<std::int64_t> detail::column_lengths(csr<float> const&);
template std::vector<std::int64_t> detail::column_lengths(csr<double> const&);
template row_statistics count_rows(coo<float> const&);
template row_statistics count_rows(coo<double> const&);
template row_statistics count_columns(coo<float> const&);
template row_statistics count_columns(coo<double> const&);
template row_statistics count_rows(csr<float> const&);
template row_statistics count_rows(csr<double> const&);
template row_statistics count_columns(csr<float> const&);
template row_statistics count_columns(csr<double> const&);

}  // namespace copse
