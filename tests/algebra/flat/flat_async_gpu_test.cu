// Flat formats' products that do not wait: no hidden wait, and capture into a CUDA graph.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/stream_tools.hpp>
#include <cmath>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/state.cuh>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

class flat_async : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }

    /// check(executor, plan) for each format and direction; CSR by each of its kernels.
    template <class Check>
    void with_each_plan(Check const& check) const {
        gpu executor;
        auto const both = [&](char const* name, auto const& matrix) {
            SCOPED_TRACE(name);
            flat_plan const plan(executor, matrix, plan_directions::both);
            check(executor, plan);
            check(executor, plan.transposed());
        };
        for (auto const kernel : {csr_kernel::row_split, csr_kernel::vector, csr_kernel::merge_path})
            both("csr", csr_matrix<double>(executor, rows_, {kernel}));
        both("csr5", csr5<double>(executor, rows_));
        both("sellp", sellp<double>(executor, rows_));
        both("cmrs", cmrs<double>(executor, rows_));
    }

    /// Rows that tiles and shares of the merge path cut, and others.
    csr<double> const rows_ =
        to_csr(matrix_where(300, 2000, [](auto i, auto j) { return (i > 40 && i < 90) || (i + 3 * j) % 41 == 0; }));
};

template <class Plan>
std::vector<double> waves(Plan const& plan, double length) {
    std::vector<double> x(static_cast<std::size_t>(plan.column_count()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i) / length);
    return x;
}

TEST_F(flat_async, returns_before_the_stream_has_done_it) {
    with_each_plan([](gpu& executor, auto const& plan) {
        buffer<double> const x(executor, waves(plan, 3)), y(executor, plan.row_count());
        EXPECT_TRUE(returns_before_the_stream(state_of(executor).stream(),
                                              [&] { spmv_async(executor, 1.0, plan, x, 0.0, y); }));
    });
}

/// A x as by a plan; A^T x adds to y in whatever order.
TEST_F(flat_async, needs_no_plan) {
    with_each_plan([this](gpu& executor, auto const& plan) {
        auto const& a = plan.matrix();
        auto const x = waves(plan, 3);
        buffer<double> const x_there(executor, x), by_plan(executor, a.row_count());
        buffer<double> const y(executor, std::vector<double>(static_cast<std::size_t>(a.row_count()), NAN));
        spmv_async(executor, 2.0, a, x_there, 0.0, y);
        if (a.is_transposed()) {
            std::vector<double> expected(static_cast<std::size_t>(a.row_count()));
            auto const bound = reference::spmv_error_bound<double>(2, rows_, true, x, 0, expected);
            reference::spmv<double>(2, rows_, true, x, 0, expected);
            EXPECT_LE(reference::max_error<double>(y.to_host(), expected, bound), 1);
        } else {
            spmv(executor, 2.0, plan, x_there, 0.0, by_plan);
            EXPECT_EQ(y.to_host(), by_plan.to_host());
        }
        EXPECT_TRUE(returns_before_the_stream(state_of(executor).stream(),
                                              [&] { spmv_async(executor, 1.0, a, x_there, 0.0, y); }));
    });
}

// A plan has its kernels loaded: the first product of a process may be one that is captured.
TEST_F(flat_async, is_captured_before_it_has_multiplied) {
    with_each_plan([](gpu& executor, auto const& plan) {
        buffer<double> const x(executor, waves(plan, 3)), y(executor, plan.row_count());
        buffer<double> const expected(executor, plan.row_count());
        captured const product(
            state_of(executor).stream(), [&] { spmv_async(executor, 2.0, plan, x, 0.0, y); },
            cudaStreamCaptureModeGlobal);
        product.launch();
        product.wait();
        spmv(executor, 2.0, plan, x, 0.0, expected);
        EXPECT_EQ(y.to_host(), expected.to_host());
    });
}

TEST_F(flat_async, is_not_captured_before_its_direction_is_made) {
    gpu executor;
    sellp<double> const a(executor, rows_);
    flat_plan const plan(executor, a), whole(executor, a, plan_directions::both);
    buffer<double> const x(executor, waves(plan.transposed(), 3)), y(executor, plan.column_count());
    buffer<double> const expected(executor, plan.column_count());
    captured const product(state_of(executor).stream(), [&] {
        EXPECT_THROW(spmv_async(executor, 1.0, plan.transposed(), x, 0.0, y), cuda_error);
        spmv_async(executor, 1.0, whole.transposed(), x, 0.0, y);
    });
    product.launch();
    product.wait();
    EXPECT_LT(plan.bytes(), whole.bytes());
    spmv(executor, 1.0, plan.transposed(), x, 0.0, expected);
    EXPECT_EQ(y.to_host(), expected.to_host());
}

/// A graph reads what x holds when it is launched.
TEST_F(flat_async, is_captured_into_a_graph) {
    with_each_plan([](gpu& executor, auto const& plan) {
        auto const rows = plan.row_count();
        buffer<double> const x(executor, waves(plan, 3)), y(executor, rows), expected(executor, rows);
        std::vector<double> const untouched(static_cast<std::size_t>(rows), -1);
        spmv(executor, 2.0, plan, x, 0.0, y);
        executor.memory()->copy_from_host(y.data(), untouched.data(), y.bytes());
        captured const product(state_of(executor).stream(), [&] { spmv_async(executor, 2.0, plan, x, 0.0, y); });
        EXPECT_EQ(y.to_host(), untouched);
        for (double const length : {5.0, 7.0}) {
            auto const values = waves(plan, length);
            executor.memory()->copy_from_host(x.data(), values.data(), x.bytes());
            product.launch();
            product.wait();
            spmv(executor, 2.0, plan, x, 0.0, expected);
            EXPECT_EQ(y.to_host(), expected.to_host());
        }
    });
}

}  // namespace
}  // namespace copse::tests
