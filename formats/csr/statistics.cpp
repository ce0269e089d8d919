// Entries per row. Two passes: deviations from the mean, so that nothing cancels.
#include <algorithm>
#include <cmath>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <vector>

namespace copse {

namespace {

/// length_of(row): its entries.
template <class LengthOf>
row_statistics count(std::int64_t row_count, std::int64_t entry_count, LengthOf const& length_of) {
    if (row_count == 0) return {};
    std::int64_t minimum = entry_count;
    std::int64_t maximum = 0;
    std::int64_t empty = 0;
#pragma omp parallel for reduction(min : minimum) reduction(max : maximum) reduction(+ : empty) \
    if (detail::worth_threads(row_count))
    for (std::int64_t row = 0; row < row_count; ++row) {
        std::int64_t const length = length_of(row);
        minimum = std::min(minimum, length);
        maximum = std::max(maximum, length);
        empty += length == 0;
    }
    double const rows = static_cast<double>(row_count);
    double const mean = static_cast<double>(entry_count) / rows;
    double squares = 0;
#pragma omp parallel for reduction(+ : squares) if (detail::worth_threads(row_count))
    for (std::int64_t row = 0; row < row_count; ++row) {
        double const deviation = static_cast<double>(length_of(row)) - mean;
        squares += deviation * deviation;
    }
    return {minimum, maximum, mean, std::sqrt(squares / rows), empty};
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
row_statistics count_columns(csr<T> const& a) {
    if (a.column_count / 16 > a.entry_count()) return count_sparsely(a.column_count, a.column_indices);
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(a.column_count));
    auto* const length_of = lengths.data();
    auto const* columns = a.column_indices.data();
#pragma omp parallel for if (detail::worth_threads(a.entry_count()))
    for (std::int64_t entry = 0; entry < a.entry_count(); ++entry) {
#pragma omp atomic
        ++length_of[columns[entry]];
    }
    return count(a.column_count, a.entry_count(), [=](std::int64_t column) { return length_of[column]; });
}

template <class T>
row_statistics count_rows(coo<T> const& a) {
    return count_sparsely(a.row_count, a.rows);
}

template <class T>
row_statistics count_columns(coo<T> const& a) {
    return count_sparsely(a.column_count, a.columns);
}

template row_statistics count_rows(coo<float> const&);
template row_statistics count_rows(coo<double> const&);
template row_statistics count_columns(coo<float> const&);
template row_statistics count_columns(coo<double> const&);
template row_statistics count_rows(csr<float> const&);
template row_statistics count_rows(csr<double> const&);
template row_statistics count_columns(csr<float> const&);
template row_statistics count_columns(csr<double> const&);

}  // namespace copse
