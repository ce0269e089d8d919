// Threads at work at the same time, with an executor each, or all with the same: what they do is what they do alone.
#pragma once

#include <algebra/flat/flat_checks.hpp>
#include <algebra/flat/flat_makers.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <algebra/sums/add_suite.hpp>
#include <barrier>
#include <copse/algebra/new_matrices.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <cstddef>
#include <cstdint>
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

/// What comes of a square matrix of whole numbers: all of it exact.
struct made_of_matrix {
    std::vector<csr<double>> matrices;
    std::vector<std::vector<double>> products;
};

inline void expect_same(made_of_matrix const& found, made_of_matrix const& expected) {
    ASSERT_EQ(found.matrices.size(), expected.matrices.size());
    for (std::size_t k = 0; k < found.matrices.size(); ++k) {
        EXPECT_EQ(found.matrices[k].row_offsets, expected.matrices[k].row_offsets) << k;
        EXPECT_EQ(found.matrices[k].column_indices, expected.matrices[k].column_indices) << k;
        EXPECT_EQ(found.matrices[k].values, expected.matrices[k].values) << k;
    }
    EXPECT_EQ(found.products, expected.products);
}

/// plan: of a. together: where threads meet before each operation, so that they do the same at the same time.
template <class Executor>
made_of_matrix made_of(Executor& executor, hisparse<double> const& a, spmv_plan<double> const& plan,
                       std::barrier<>& together) {
    made_of_matrix result;
    auto const keep = [&](hisparse<double> const& b) {
        result.matrices.push_back(to_csr(b));
        together.arrive_and_wait();
    };
    std::int64_t const n = a.row_count();
    buffer<double> const x(executor, std::vector<double>(static_cast<std::size_t>(n), 3));
    auto const multiply = [&](auto const& b) {
        buffer<double> const y(executor, n);
        spmv(executor, 1, b, x, 0, y);
        result.products.push_back(y.to_host());
        together.arrive_and_wait();
    };
    together.arrive_and_wait();
    // First, so that threads ask together for what nobody has looked up yet.
    buffer<double> const values(executor, std::vector<double>(static_cast<std::size_t>(a.entry_count()), 7));
    keep(with_values(executor, a, values));
    keep(with_values(executor, a.transposed(), values));
    edits<double> changes;
    for (std::int64_t k = 0; k < n; k += 2) changes.set(k, n - 1 - k, 0).add(k, k, 5).erase(k, k / 2);
    hisparse<double> const edited = edit(a, changes);
    keep(edited);
    keep(prune(executor, edited));
    keep(add(executor, 2, a, -1, edited.transposed()));
    keep(compact(executor, edited));
    keep(compact(a));
    multiply(a);
    multiply(plan);
    spmv_plan<double> const next = update(plan, edited);
    multiply(next);
    multiply(next.transposed());
    return result;
}

/// One matrix, and one plan of it, used by a thread for each of `executors`, which may be one several times.
template <class Executor>
void check_matrix_at_once(std::vector<Executor*> const& executors, std::int64_t n, std::int64_t count, int rounds) {
    coo<double> matrix = scattered(n, n, count, 4);
    for (std::size_t k = 0; k < matrix.values.size(); ++k) matrix.values[k] = static_cast<double>(k % 97);
    Executor& first = *executors.front();
    auto const make = [&] { return hisparse<double>(first, matrix, {.node_dimension = 64}); };
    hisparse<double> const own = make();
    std::barrier<> nobody(1), together(std::ssize(executors));
    made_of_matrix const alone = made_of(first, own, spmv_plan<double>(first, own), nobody);
    for (int round = 0; round < rounds; ++round) {
        hisparse<double> const a = make();  // nothing is known of it
        spmv_plan<double> const plan(first, a);
        std::vector<made_of_matrix> found(executors.size());
        {
            std::vector<std::jthread> threads;
            for (std::size_t k = 0; k < executors.size(); ++k)
                threads.emplace_back([&, k] { found[k] = made_of(*executors[k], a, plan, together); });
        }
        for (made_of_matrix const& each : found) expect_same(each, alone);
    }
}

}  // namespace copse::tests
