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

}  // namespace copse::tests
