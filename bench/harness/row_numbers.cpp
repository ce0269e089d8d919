#include "bench/harness/row_numbers.hpp"

#include <algorithm>

namespace copse::bench::measure {

template <class T>
void row_numbers::add(coo<T> const& a) {
    numbers_.insert(numbers_.end(), a.rows.begin(), a.rows.end());
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
}

template <class T>
csr<T> row_numbers::compress(coo<T> const& a) const {
    coo<T> packed{size(), a.column_count, a.rows, a.columns, a.values};
    for (std::int32_t& row : packed.rows) {
        auto const found = std::lower_bound(numbers_.begin(), numbers_.end(), row);
        bool const is_known = found != numbers_.end() && *found == row;
        if (!is_known) packed.row_count = size() + 1;
        row = static_cast<std::int32_t>(is_known ? found - numbers_.begin() : size());
    }
    return to_csr(packed);
}

template <class T>
coo<T> row_numbers::expand(csr<T> const& rows, std::int64_t row_count) const {
    coo<T> entries = to_coo(rows);
    entries.row_count = row_count;
    for (std::int32_t& row : entries.rows) row = (*this)[row];
    return entries;
}

template void row_numbers::add(coo<float> const&);
template void row_numbers::add(coo<double> const&);
template csr<float> row_numbers::compress(coo<float> const&) const;
template csr<double> row_numbers::compress(coo<double> const&) const;
template coo<float> row_numbers::expand(csr<float> const&, std::int64_t) const;
template coo<double> row_numbers::expand(csr<double> const&, std::int64_t) const;

}  // namespace copse::bench::measure
