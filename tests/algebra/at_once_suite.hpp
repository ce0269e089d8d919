// Two executors at work at the same time, each from a thread of its own: what they do is what they do alone.
#pragma once

#include <algebra/add_suite.hpp>
#include <algebra/flat_checks.hpp>
#include <algebra/flat_makers.hpp>
#include <algebra/spmv_suite.hpp>
#include <latch>
#include <thread>
#include <vector>

namespace copse::tests {

/// Conversions, products in one traversal and by plans, sums, products of a flat format.
template <class Executor>
void work_on(Executor& executor, battery_case const& c, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        bool const transposed = round % 2 == 1;
        check_product<double>(executor, c, {transposed, 2, 0.5, 3});
        check_product<float, by_plan>(executor, c, {!transposed, -1, 0});
        check_sum<double>(executor, c, partner::moved, {transposed, true, 1, 2});
        check_flat_battery_briefly({&executor}, std::vector{makes_csr5()}, {c});
    }
}

template <class First, class Second>
void check_at_once(First& first, Second& second, coo<double> const& matrix, int rounds) {
    battery_case const c{"scattered", matrix};
    std::latch both(2);
    std::jthread const other([&] {
        both.arrive_and_wait();
        work_on(second, c, rounds);
    });
    both.arrive_and_wait();
    work_on(first, c, rounds);
}

}  // namespace copse::tests
