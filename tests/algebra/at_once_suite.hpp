// Two threads at work at the same time, with an executor each, or both with the same: what they do is what they do alone.
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

/// first and second: two executors, or one twice.
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

/// One plan of `executor`'s, multiplied by two threads.
template <class Executor>
void check_plan_at_once(Executor& executor, coo<double> const& matrix, int rounds) {
    auto const check = [&](auto const& plan) {
        buffer<double> const x(executor, std::vector<double>(static_cast<std::size_t>(matrix.column_count), 1.5));
        auto const multiply = [&] {
            buffer<double> const y(executor, matrix.row_count);
            spmv(executor, 1, plan, x, 0, y);
            return y.to_host();
        };
        auto const alone = multiply();
        std::latch both(2);
        auto const work = [&] {
            both.arrive_and_wait();
            for (int round = 0; round < rounds; ++round) EXPECT_EQ(multiply(), alone);
        };
        std::jthread const other(work);
        work();
    };
    csr<double> const rows = to_csr(matrix);
    check(spmv_plan<double>(executor, hisparse<double>(executor, rows)));
    check(flat_plan<csr5<double>>(executor, csr5<double>(executor, rows)));
    check(flat_plan<csr_matrix<double>>(executor, csr_matrix<double>(executor, rows)));
}

}  // namespace copse::tests
