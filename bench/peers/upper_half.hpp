// What libraries that know symmetric matrices are given of one.
#pragma once

#include <algorithm>
#include <copse/formats/csr.hpp>
#include <cstdint>
#include <optional>

namespace copse::bench {

/// The entries on the diagonal and above. None if the matrix is not symmetric.
template <class T>
std::optional<csr<T>> upper_half(csr<T> const& a) {
    if (a.row_count != a.column_count) return std::nullopt;
    csr<T> upper{a.row_count, a.column_count, {0}, {}, {}};
    auto const at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (std::int64_t i = 0; i < a.row_count; ++i) {
        for (std::int64_t k = a.row_offsets[at(i)]; k < a.row_offsets[at(i + 1)]; ++k) {
            std::int32_t const j = a.column_indices[at(k)];
            auto const first = a.column_indices.begin() + a.row_offsets[at(j)],
                       end = a.column_indices.begin() + a.row_offsets[at(std::int64_t{j} + 1)];
            auto const image = std::lower_bound(first, end, static_cast<std::int32_t>(i));
            if (image == end || *image != i || a.values[at(image - a.column_indices.begin())] != a.values[at(k)])
                return std::nullopt;
            if (j < i) continue;
            upper.column_indices.push_back(j);
            upper.values.push_back(a.values[at(k)]);
        }
        upper.row_offsets.push_back(std::ssize(upper.values));
    }
    return upper;
}

}  // namespace copse::bench
