// Matrices for the tests of plans.
#pragma once

#include <algebra/battery.hpp>

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

}  // namespace copse::tests
