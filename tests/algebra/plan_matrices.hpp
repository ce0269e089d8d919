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

/// Leaves of 1 to 63 entries in each row of 32 blocks.
inline coo<double> leaves_of_many_sizes() {
    return matrix_where(190, 32 * 64, [](auto i, auto j) {
        auto const block = i / 64 * 32 + j / 64;
        auto const place = (i % 64 * 64 + j % 64) * 29 % 4096;  // every place once
        return place < (block % 3 == 0 ? block % 7 + 1 : block % 3 == 1 ? block % 31 + 4 : 63);
    });
}

}  // namespace copse::tests
