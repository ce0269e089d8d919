// Symmetric and skew matrices that store sub-trees and their transposes once, beside the same ones that store all.
// Every operation must say the same of both.
#pragma once

#include <algebra/values/values_once_suite.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace copse::tests {

/// A whole number that is the same for (i, j) and (j, i), a ninth of them zero; or of opposite sign.
inline double symmetric_value(std::int64_t i, std::int64_t j, double below) {
    std::int64_t const low = std::min(i, j), high = std::max(i, j);
    return static_cast<double>((37 * low + 101 * high) % 9 - 4) * (i > j ? below : 1.0);
}
/// A with its transpose's pattern; symmetric if below == 1, skew if it is -1.
inline coo<double> symmetric(coo<double> const& a, double below = 1) {
    coo<double> both{a.row_count, a.column_count, {}, {}, {}};
    auto const put = [&](std::int32_t i, std::int32_t j) {
        both.rows.push_back(i);
        both.columns.push_back(j);
        both.values.push_back(0);
    };
    for (std::size_t k = 0; k < a.rows.size(); ++k) {
        put(a.rows[k], a.columns[k]);
        put(a.columns[k], a.rows[k]);
    }
    both = in_order(both);  // sums up what is there twice
    for (std::size_t k = 0; k < both.rows.size(); ++k)
        both.values[k] = symmetric_value(both.rows[k], both.columns[k], below);
    return both;
}
inline hisparse_options shared_by(int d) {
    return {.node_dimension = d, .values = stored_values::each, .share_transposed = true};
}
template <class T, class Executor>
void check_share_transposed(Executor& executor, pattern_case const& c, double below) {
    SCOPED_TRACE(c.name);
    coo<double> const entries = symmetric(c.pattern, below);
    auto const a = stored_both_ways<T>(executor, entries, shared_by(c.node_dimension));
    coo<double> const others = symmetric(scattered(entries.row_count, entries.row_count, 900, 11), below);
    check_every_operation(executor, a, stored_both_ways<T>(executor, others, shared_by(c.node_dimension)), entries,
                          {.share_transposed = true});
}

}  // namespace copse::tests
