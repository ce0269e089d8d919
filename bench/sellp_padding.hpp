// What SELL-P pads, before a conversion: whether sorting rows by length is worth a try.
#pragma once

#include <algorithm>
#include <copse/formats/csr.hpp>
#include <copse/formats/sellp.hpp>
#include <cstdint>

namespace copse::bench {

/// Places for each entry of `a` in slices of rows in their order, as an executor with or without many lanes makes them,
/// without those of rows that the last slice lacks. 1 without entries.
template <class T>
double places_per_entry(csr<T> const& a, bool for_lanes) {
    auto const sizes = detail::with_defaults<T>(sellp_options{}, for_lanes);
    std::int64_t const b = sizes.slice_rows, t = sizes.row_threads;
    std::int64_t places = 0;
    for (std::int64_t first = 0; first < a.row_count; first += b) {
        auto const last = std::min(first + b, a.row_count);
        std::int64_t longest = 0;
        for (auto row = first; row < last; ++row)
            longest = std::max(longest, a.row_offsets[row + 1] - a.row_offsets[row]);
        places += (longest + t - 1) / t * t * (last - first);
    }
    return places == 0 ? 1 : static_cast<double>(places) / static_cast<double>(a.entry_count());
}

}  // namespace copse::bench
