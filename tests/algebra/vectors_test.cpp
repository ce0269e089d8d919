// What products take as vectors: spans, std::vectors, buffers, views, in one-shots and with plans.
#include <gtest/gtest.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <span>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

csr<double> const rows_of_vectors_test{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};

/// f(executor, a) of each form of a matrix on each executor.
template <class F>
void on_each_form(F f) {
    auto const on = [&](auto&& executor) {
        hisparse<double> const tree(executor, rows_of_vectors_test);
        csr5<double> const flat(executor, rows_of_vectors_test);
        f(executor, tree);
        f(executor, flat);
        f(executor, spmv_plan<double>(executor, tree));
        f(executor, flat_plan<csr5<double>>(executor, flat));
    };
    on(cpu(2));
    on(emulated());
}

TEST(vectors, may_be_spans_vectors_buffers_and_views) {
    std::vector<double> const expected{7, 6};
    on_each_form([&](auto& executor, auto const& a) {
        std::vector<double> x{1, 2, 3}, y(2);
        std::vector<double> const& constant = x;
        double plain[2] = {};
        auto const check = [&](auto const& from, auto&& to) {
            std::fill(y.begin(), y.end(), -1.0);
            std::fill(plain, plain + 2, -1.0);
            spmv(executor, 1.0, a, from, 0.0, to);
            EXPECT_TRUE(y == expected || std::vector<double>(plain, plain + 2) == expected);
        };
        check(x, y);
        check(constant, std::span(y));
        check(std::span(x), std::span(plain));
        check(std::span(constant), vector_view<double>(std::span(y)));
        check(std::span<double const, 3>(x), vector_view<double>(y.data(), 2, memory_space::host));
        check(buffer<double>(executor, x), y);
        buffer<double> const to(executor, 2);
        spmv(executor, 1.0, a, x, 0.0, to);
        EXPECT_EQ(to.to_host(), expected);
    });
}

TEST(vectors, on_a_device_are_refused_by_executors_on_the_host) {
    on_each_form([&](auto& executor, auto const& a) {
        std::vector<double> x{1, 2, 3}, y(2);
        vector_view<double> const there = device_vector(y.data(), 2);
        EXPECT_EQ(there.space(), memory_space::device);
        EXPECT_THROW(spmv(executor, 1.0, a, x, 0.0, there), argument_error);
        EXPECT_THROW(spmv(executor, 1.0, a, device_vector(std::as_const(x).data(), 3), 0.0, y), argument_error);
    });
}

}  // namespace
}  // namespace copse::tests
