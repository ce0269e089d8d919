// Entries per row. Two passes: deviations from the mean, so that nothing cancels.
#include <algorithm>
#include <cmath>
#include <copse/formats/parts.hpp>
#include <copse/formats/statistics.hpp>

namespace copse {

template <class T>
row_statistics count_rows(csr<T> const& a) {
    row_statistics result;
    if (a.row_count == 0) return result;
    auto const* offsets = a.row_offsets.data();
    std::int64_t minimum = a.entry_count();
    std::int64_t maximum = 0;
    std::int64_t empty = 0;
#pragma omp parallel for reduction(min : minimum) reduction(max : maximum) reduction(+ : empty) \
    if (detail::worth_threads(a.row_count))
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        auto const count = offsets[row + 1] - offsets[row];
        minimum = std::min(minimum, count);
        maximum = std::max(maximum, count);
        empty += count == 0;
    }
    double const rows = static_cast<double>(a.row_count);
    double const mean = static_cast<double>(a.entry_count()) / rows;
    double squares = 0;
#pragma omp parallel for reduction(+ : squares) if (detail::worth_threads(a.row_count))
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        double const deviation = static_cast<double>(offsets[row + 1] - offsets[row]) - mean;
        squares += deviation * deviation;
    }
    return {minimum, maximum, mean, std::sqrt(squares / rows), empty};
}

template row_statistics count_rows(csr<float> const&);
template row_statistics count_rows(csr<double> const&);

}  // namespace copse
