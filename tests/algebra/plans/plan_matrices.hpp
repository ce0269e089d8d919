// Matrices for the tests of plans.
#pragma once

#include <algebra/battery.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

namespace copse::tests {

/// Parts that are joined, blocks that are split, wide leaves.
inline coo<double> mixed_matrix() {
    return matrix_where(900, 2300, [](auto i, auto j) {
        return (i >= 128 && i < 256) || (j >= 700 && j < 705) || (i * 7 + j * 13) % 611 == 0;
    });
}

/// Runs, a dense leaf, lists.
inline coo<double> mixed_block() {
    return matrix_where(
        200, 150, [](auto i, auto j) { return i == j || j == i + 3 || (i < 70 && j < 70) || (i * 5 + j) % 31 == 0; });
}

/// Leaves of 1 to 63 entries in each row of 32 blocks.
inline coo<double> leaves_of_many_sizes() {
    return matrix_where(190, 32 * 64, [](auto i, auto j) {
        auto const block = i / 64 * 32 + j / 64;
        auto const place = (i % 64 * 64 + j % 64) * 29 % 4096;  // every place once
        return place < (block % 3 == 0 ? block % 7 + 1 : block % 3 == 1 ? block % 31 + 4 : 63);
    });
}

/// Twenty wide leaves side by side for nodes of 64: in 256 rows, a part's, they have up to 40 entries, which begin
/// anywhere in their lists.
inline coo<double> wide_leaves_of_many_sizes() {
    coo<double> a;
    a.row_count = 900;
    a.column_count = 20 * 4096;
    for (int part = 0; part < 4; ++part)
        for (int leaf = 0; leaf < 20; ++leaf) {
            int const entries = leaf % 2 == 0 ? (part + leaf) % 5 : (part * 7 + leaf * 3) % 41;
            for (int k = 0; k < entries; ++k) {
                a.rows.push_back(256 * part + k * 29 % 131);
                a.columns.push_back(4096 * leaf + (part * 97 + k * 131) % 4096);
                a.values.push_back(1 + (part + leaf * k) % 9);
            }
        }
    return a;
}

/// All kinds of leaves; in some lists many entries of a row, side by side.
inline coo<double> all_kinds() {
    auto const is_entry = [](std::int64_t i, std::int64_t j) {
        bool const dense = i / 64 == 2 && j / 64 == 3 && (i + j) % 5 != 0, full = i / 64 == 2 && j / 64 == 5;
        bool const run = (j - i == 7 || j - i == 9) && i < 120,
                   one_row = (i == 300 || i == 301) && j % 2 == 0 && j < 700;
        return dense || full || run || one_row || (j - i == 11 && i % 4 == 0 && i < 600) ||
               (i * 7 + j * 13) % 19990 == 0;
    };
    return matrix_of_rows(4300, 2000, [&](std::int64_t i) {
        std::vector<std::int64_t> columns;
        // From row 600 on, one place may be left: 15377 is 1 / 13 modulo 19990.
        std::int64_t const last_kind = (19990 - i * 7 % 19990) * 15377 % 19990;
        for (std::int64_t j = i < 600 ? 0 : last_kind;
             j < (i < 600 ? 2000 : std::min(last_kind + 1, std::int64_t{2000})); ++j)
            if (is_entry(i, j)) columns.push_back(j);
        return columns;
    });
}

}  // namespace copse::tests
