// Replaying a plan on a stream of one's own: epilogues, two streams at once, no wait, capture into a CUDA graph.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/stream_tools.hpp>
#include <cmath>
#include <copse/algebra/replay_gpu.cuh>
#include <copse/formats/generators.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/state.cuh>
#include <string>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

namespace copse::tests {
namespace {

class replay_on_gpu : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }

    /// Rows that several parts share, and others.
    coo<double> const matrix_ =
        matrix_where(300, 2000, [](auto i, auto j) { return (i > 40 && i < 90) || (i + 3 * j) % 41 == 0; });
    std::vector<double> const x_ = std::vector<double>(2000, 0.5);
};

struct square {
    COPSE_HOST_DEVICE double operator()(std::int64_t, double y_i) const { return y_i * y_i; }
};

TEST_F(replay_on_gpu, sums_what_the_epilogue_returns) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    buffer<double> const x(executor, x_), y(executor, 300);
    auto const pieces = piece_count(plan);
    double first = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
        buffer<double> const sums(executor, std::vector<double>(static_cast<std::size_t>(pieces), NAN));
        replay_on_stream<double, double>(state_of(executor).stream(), 1.0, plan, x, 0.0, y, square{}, sums.data());
        double total = 0, exact = 0;
        for (double sum : sums.to_host()) total += sum;
        for (double y_i : y.to_host()) exact += y_i * y_i;
        EXPECT_NEAR(total, exact, 1e-12 * exact);
        if (repeat == 0) first = total;
        ASSERT_EQ(total, first);
    }
}

struct halve {
    COPSE_HOST_DEVICE void operator()(std::int64_t, double& y_i) const { y_i /= 2; }
};
struct double_and_square {
    COPSE_HOST_DEVICE double operator()(std::int64_t, double& y_i) const {
        double const before = y_i;
        y_i *= 2;
        return before * before;
    }
};

TEST_F(replay_on_gpu, multiplies_with_both_and_sums) {
    gpu executor;
    auto const check = [&]<class T>(std::type_identity<T>) {
        spmv_plan<T> const plan(executor, hisparse<T>(executor, with_values_of<T>(matrix_)));
        buffer<double> const x(executor, x_), w(executor, std::vector<double>(300, 0.25)), y(executor, 300),
            z(executor, 2000), t(executor, 300), expected(executor, 2000);
        spmv(executor, 1.0, plan, x.view(), 0.0, t.view());
        double square_of_t = 0;
        std::vector<double> twice = t.to_host();
        for (double& t_i : twice) square_of_t += t_i * t_i;
        spmv(executor, 1.0, transposed(plan), w.view(), 0.0, expected.view());
        auto const [sum, nothing] =
            spmv_both(executor, plan, 1.0, x.view(), 0.0, y.view(), 2.0, w.view(), 0.0, z.view(), square(), halve());
        EXPECT_NEAR(sum, square_of_t, 1e-12 * square_of_t);
        EXPECT_TRUE((std::is_same_v<std::decay_t<decltype(nothing)>, std::monostate>));
        EXPECT_EQ(y.to_host(), t.to_host());
        EXPECT_EQ(z.to_host(), expected.to_host());
        for (double& t_i : twice) t_i *= 2;
        spmv(executor, 1.0, transposed(plan), buffer<double>(executor, twice).view(), 0.0, expected.view());
        double const of_normal = normal_product(executor, plan, x.view(), double_and_square(), 0.0, z.view());
        EXPECT_NEAR(of_normal, square_of_t, 1e-12 * square_of_t);
        EXPECT_EQ(z.to_host(), expected.to_host());
    };
    check(std::type_identity<double>());
    check(std::type_identity<float>());
}

/// One launch gives the bits of two products; part by part, sums of whole numbers are exact in any order.
TEST_F(replay_on_gpu, multiplies_with_both_at_once_and_part_by_part) {
    gpu executor;
    auto const whole = [](std::int64_t n) {
        std::vector<double> x(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7919 % 5) - 2;
        return x;
    };
    auto const check = [&]<class T>(std::type_identity<T>, coo<double> const& entries, bool twins) {
        hisparse<T> const a(executor, with_values_of<T>(entries), {.share_transposed = twins});
        spmv_plan<T> const stored(executor, a);
        for (auto const& plan : {stored, stored.transposed()}) {
            std::int64_t const m = plan.row_count(), n = plan.column_count();
            buffer<double> const x(executor, whole(n)), w(executor, whole(m)), y(executor, m), z(executor, n),
                expected_y(executor, m), expected_z(executor, n);
            auto const both = [&](bool at_once, buffer<double> const& to_y, buffer<double> const& to_z) {
                return detail::multiply_both_with<T, double>(
                    executor, plan, {2, x.view(), 0, to_y.view(), 1, w.view(), 0, to_z.view()}, square(), halve(),
                    detail::replay_choices{.both_at_once = at_once});
            };
            EXPECT_EQ(both(true, y, z).first, both(false, expected_y, expected_z).first);
            EXPECT_EQ(y.to_host(), expected_y.to_host());
            EXPECT_EQ(z.to_host(), expected_z.to_host());
            detail::replay_both_on_gpu<T, double>(executor, plan, {2, x.view(), 1, y.view(), 1, w.view(), 3, z.view()},
                                                  detail::replay_choices{.both_at_once = true});
            spmv(executor, 2.0, plan, x.view(), 1.0, expected_y.view());
            spmv(executor, 1.0, transposed(plan), w.view(), 3.0, expected_z.view());
            EXPECT_EQ(y.to_host(), expected_y.to_host());
            EXPECT_EQ(z.to_host(), expected_z.to_host());
            for (double beta : {0.0, 3.0}) {
                auto const normal = [&](bool by_parts, buffer<double> const& to) {
                    return detail::multiply_normal<T, double>(executor, plan, x.view(), double_and_square(), beta,
                                                              to.view(),
                                                              detail::replay_choices{.normal_by_parts = by_parts});
                };
                EXPECT_EQ(normal(true, z), normal(false, expected_z));
                EXPECT_EQ(z.to_host(), expected_z.to_host());
            }
        }
    };
    coo<double> entries = matrix_, skew{300, 300, {}, {}, {}};
    for (std::size_t k = 0; k < entries.values.size(); ++k) entries.values[k] = static_cast<double>(k % 7) - 3;
    for (std::int32_t i = 0; i < 300; ++i)
        for (std::int32_t j = 0; j < 300; ++j) {
            if (i == j || (i + j) % 7 != 0) continue;
            skew.rows.push_back(i);
            skew.columns.push_back(j);
            skew.values.push_back(i < j ? 3 : -3);
        }
    for (bool twins : {false, true}) {
        check(std::type_identity<double>(), twins ? skew : entries, twins);
        check(std::type_identity<float>(), twins ? skew : entries, twins);
    }
}

TEST_F(replay_on_gpu, gives_the_same_bits_whatever_grid_and_fetching_are) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    buffer<double> const x(executor, x_), y(executor, 300);
    detail::replay_on_gpu<double>(executor, 2, plan, x, 0, y, {});
    for (auto grid : {detail::plan_grid::resident, detail::plan_grid::whole})
        for (bool ahead : {false, true}) {
            buffer<double> const again(executor, std::vector<double>(300, NAN));
            detail::replay_on_gpu<double>(executor, 2, plan, x, 0, again, {.grid = grid, .fetch_ahead = ahead});
            EXPECT_EQ(y.to_host(), again.to_host());
        }
}

TEST_F(replay_on_gpu, gives_the_same_bits_whether_leaves_are_kept_for_their_twins) {
    gpu executor;
    hisparse<double> const a(executor, generate<double>("stencil27:20"),
                             {.values = stored_values::each, .share_transposed = true});
    spmv_plan<double> const plan(executor, a);
    ASSERT_TRUE(detail::direction_of(plan).leaves_repeat);
    buffer<double> const x(executor, std::vector<double>(8000, 0.3)), y(executor, 8000), again(executor, 8000);
    detail::replay_on_gpu<double>(executor, 2, plan, x, 0, y, {});
    detail::replay_on_gpu<double>(executor, 2, plan, x, 0, again, {.keep_twins = false});
    EXPECT_EQ(y.to_host(), again.to_host());
}

TEST_F(replay_on_gpu, gives_the_same_bits_whether_leaves_are_staged) {
    gpu executor;
    auto const check = [&]<class T>(coo<T> const& entries) {
        spmv_plan<T> const plan(executor, hisparse<T>(executor, entries));
        for (auto const& op : {plan, transposed(plan)}) {
            buffer<T> const x(executor, std::vector<T>(static_cast<std::size_t>(op.column_count()), T(0.3)));
            buffer<T> const y(executor, op.row_count());
            detail::replay_on_gpu<T>(executor, 2, op, x, 0, y, {});
            for (auto grid : {detail::plan_grid::resident, detail::plan_grid::whole})
                for (auto staged : {detail::plan_staging::leaves, detail::plan_staging::leaves_and_x}) {
                    buffer<T> const again(executor, std::vector<T>(static_cast<std::size_t>(op.row_count()), T(NAN)));
                    detail::replay_on_gpu<T>(executor, 2, op, x, 0, again, {.grid = grid, .staged = staged});
                    EXPECT_EQ(y.to_host(), again.to_host());
                }
        }
    };
    check(matrix_);
    for (char const* name : {"stencil27:40", "elasticity:9", "qcd:6", "uniform:20000,40"}) {
        check(generate<double>(name));
        check(generate<float>(name));
    }
}

/// Of whole numbers, whose sums are exact in any order.
TEST_F(replay_on_gpu, gives_the_same_whether_warps_or_blocks_take_parts) {
    gpu executor;
    auto const check = [&]<class T>(coo<T> entries, bool twins) {
        for (std::size_t k = 0; k < entries.values.size(); ++k)
            entries.values[k] = static_cast<T>((entries.rows[k] + entries.columns[k]) % 7 - 3);
        hisparse<T> const a(executor, entries, {.share_transposed = twins});
        for (auto const& shape : {detail::replay_shape, detail::block_shape})
            for (auto const& op : {a, transposed(a)}) {
                spmv_plan<T> const plan = detail::plan_in_shape(executor, op, shape);
                std::vector<T> ones(static_cast<std::size_t>(op.column_count()), T(1));
                for (std::size_t i = 0; i < ones.size(); ++i) ones[i] += static_cast<T>(i % 3);
                buffer<T> const x(executor, ones), y(executor, op.row_count());
                detail::replay_on_gpu<T>(executor, 2, plan, x, 0, y, {});
                for (bool const keep : {false, true}) {
                    buffer<T> const again(executor, std::vector<T>(static_cast<std::size_t>(op.row_count()), T(NAN)));
                    detail::replay_on_gpu<T>(executor, 2, plan, x, 0, again, {.keep_twins = keep, .by_blocks = true});
                    EXPECT_EQ(y.to_host(), again.to_host());
                }
            }
    };
    check(matrix_, false);
    for (char const* name : {"stencil27:40", "elasticity:9", "qcd:6", "uniform:20000,40", "circuit:20000"}) {
        check(generate<double>(name), true);
        check(generate<float>(name), true);
    }
}

TEST_F(replay_on_gpu, works_in_both_directions_at_once_from_two_threads) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    spmv_plan<double> const plans[] = {plan, plan.transposed()};
    std::vector<double> expected[2];
    for (int k = 0; k < 2; ++k) {
        buffer<double> const x(executor, std::vector<double>(static_cast<std::size_t>(plans[k].column_count()), 0.5));
        buffer<double> const y(executor, plans[k].row_count());
        spmv(executor, 1, plans[k], x, 0, y);
        expected[k] = y.to_host();
    }
    std::vector<double> found[2];
    auto const work = [&](int k) {
        own_stream const own;
        buffer<double> const x(executor, std::vector<double>(static_cast<std::size_t>(plans[k].column_count()), 0.5));
        buffer<double> const y(executor, plans[k].row_count());
        for (int repeat = 0; repeat < 200; ++repeat)
            replay_on_stream<double, double>(own.stream, 1.0, plans[k], x, 0.0, y);
        EXPECT_EQ(cudaStreamSynchronize(own.stream), cudaSuccess);
        found[k] = y.to_host();
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    for (int k = 0; k < 2; ++k) EXPECT_EQ(found[k], expected[k]) << k;
}

TEST_F(replay_on_gpu, returns_before_the_stream_has_done_it) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    buffer<double> const x(executor, x_), y(executor, 300);
    own_stream const own;
    EXPECT_TRUE(returns_before_the_stream(own.stream,
                                          [&] { replay_on_stream<double, double>(own.stream, 1.0, plan, x, 0.0, y); }));
}

TEST_F(replay_on_gpu, of_a_float_matrix_with_double_vectors_returns_before_it_is_done) {
    gpu executor;
    spmv_plan<float> const stored(executor, hisparse<float>(executor, with_values_of<float>(matrix_)));
    for (auto const& plan : {stored, stored.transposed()}) {
        buffer<double> const x(executor, std::vector<double>(static_cast<std::size_t>(plan.column_count()), 0.3));
        buffer<double> const expected(executor, std::vector<double>(static_cast<std::size_t>(plan.row_count()), 7));
        buffer<double> const y(executor, expected.to_host());
        spmv(executor, 2, plan, x, 0.5, expected);
        spmv_async(executor, 2, plan, x, 0.5, y);
        EXPECT_EQ(y.to_host(), expected.to_host());
        EXPECT_TRUE(
            returns_before_the_stream(state_of(executor).stream(), [&] { spmv_async(executor, 2, plan, x, 0, y); }));
    }
}

TEST_F(replay_on_gpu, does_not_wait_for_another_stream) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    ASSERT_GT(detail::direction_of(plan).slot_count, 0);  // what each product takes for a while
    buffer<double> const x(executor, x_), y(executor, 300), late(executor, std::vector<double>(300, NAN));
    own_stream const held, own;
    auto const replay = [&](own_stream const& on, buffer<double> const& to) {
        replay_on_stream<double, double>(on.stream, 1.0, plan, x, 0.0, to);
    };
    replay(held, y);  // modules are loaded by the first call
    EXPECT_EQ(cudaStreamSynchronize(held.stream), cudaSuccess);
    gate closed(held.stream);
    for (int repeat = 0; repeat < 3; ++repeat) replay(held, late);
    for (int repeat = 0; repeat < 3; ++repeat) replay(own, y);
    EXPECT_EQ(cudaStreamSynchronize(own.stream), cudaSuccess);
    EXPECT_FALSE(closed.waited_in_vain());
    closed.open();
    EXPECT_EQ(y.to_host(), late.to_host());
}

// A plan has its kernels loaded: the first product of a process may be one that is captured.
TEST_F(replay_on_gpu, is_captured_before_it_has_multiplied) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    spmv_plan<float> const narrow(executor, hisparse<float>(executor, with_values_of<float>(matrix_)));
    for (auto const mode : {cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeGlobal}) {
        buffer<double> const x(executor, x_), y(executor, 300), y_of_narrow(executor, 300), expected(executor, 300);
        {
            captured const products(
                state_of(executor).stream(),
                [&] {
                    spmv_async(executor, 1, plan, x, 0, y);
                    spmv_async(executor, 1, narrow, x, 0, y_of_narrow);
                },
                mode);
            products.launch();
            products.wait();
        }
        spmv(executor, 1, plan, x, 0, expected);
        EXPECT_EQ(y.to_host(), expected.to_host());
        spmv(executor, 1, narrow, x, 0, expected);
        EXPECT_EQ(y_of_narrow.to_host(), expected.to_host());
    }
}

TEST_F(replay_on_gpu, with_an_epilogue_is_captured_when_its_kernels_are_loaded) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    buffer<double> const x(executor, x_), y(executor, 300);
    auto const pieces = static_cast<std::size_t>(piece_count(plan));
    buffer<double> const sums(executor, std::vector<double>(pieces, NAN));
    load_replay<double, double, square>();
    own_stream const own;
    captured const product(
        own.stream, [&] { replay_on_stream<double, double>(own.stream, 1.0, plan, x, 0.0, y, square{}, sums.data()); });
    product.launch();
    product.wait();
    double total = 0, exact = 0;
    for (double sum : sums.to_host()) total += sum;
    for (double y_i : y.to_host()) exact += y_i * y_i;
    EXPECT_NEAR(total, exact, 1e-12 * exact);
}

// Lists that are not there cannot be made while the stream captures: the product says so, and the capture goes on.
TEST_F(replay_on_gpu, is_not_captured_before_its_direction_is_made) {
    gpu executor;
    hisparse<double> const a(executor, matrix_);
    spmv_plan<double> const plan(executor, a), whole(executor, a, plan_directions::both);
    std::vector<double> const ones(300, 1.0);
    buffer<double> const x(executor, ones), y(executor, a.column_count()), expected(executor, a.column_count());
    own_stream const own;
    captured const product(own.stream, [&] {
        EXPECT_THROW((replay_on_stream<double, double>(own.stream, 1.0, plan.transposed(), x, 0.0, y)), cuda_error);
        replay_on_stream<double, double>(own.stream, 1.0, whole.transposed(), x, 0.0, y);
    });
    product.launch();
    product.wait();
    EXPECT_EQ(plan.transposed().list_bytes(), 0);
    spmv(executor, 1, plan.transposed(), x, 0, expected);
    EXPECT_EQ(plan.bytes(), whole.bytes());
    EXPECT_EQ(y.to_host(), expected.to_host());
}

TEST_F(replay_on_gpu, is_captured_into_a_graph) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    buffer<double> const x(executor, x_), y(executor, std::vector<double>(300, 0.0)), once(executor, 300);
    spmv(executor, 1, plan, x, 0, once);
    own_stream const own;
    captured const product(own.stream, [&] { replay_on_stream<double, double>(own.stream, 1.0, plan, x, 1.0, y); });
    for (int repeat = 0; repeat < 3; ++repeat) product.launch();
    product.wait();
    std::vector<double> const three_times = y.to_host(), expected = once.to_host();
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(three_times[i], 3 * expected[i], 1e-14 * std::abs(expected[i])) << i;
}

}  // namespace
}  // namespace copse::tests
