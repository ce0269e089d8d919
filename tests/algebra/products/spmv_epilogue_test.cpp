// Functions that see each element of a plan's product when it is done.
#include <algebra/plans/plan_matrices.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <cmath>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <stdexcept>
#include <vector>

namespace copse::tests {
namespace {

TEST(spmv_epilogue, sees_each_element_once_when_it_is_done) {
    cpu executor(3);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix()));
    auto const x = input_vector<double>(plan.column_count(), special_values::none);
    std::vector<double> y(static_cast<std::size_t>(plan.row_count())), plain = y, seen(y.size(), NAN);
    std::vector<int> times(y.size(), 0);
    spmv(executor, 1, plan, x, 0, plain);
    spmv(executor, 1, plan, x, 0, y, [&](std::int64_t i, double& y_i) {
        ++times[static_cast<std::size_t>(i)];
        seen[static_cast<std::size_t>(i)] = y_i;
        y_i = -y_i;
    });
    EXPECT_EQ(seen, plain);
    EXPECT_EQ(times, std::vector<int>(y.size(), 1));
    for (double& element : y) element = -element;
    EXPECT_EQ(y, plain);
}

struct square {
    COPSE_HOST_DEVICE double operator()(std::int64_t, double y_i) const { return y_i * y_i; }
};

TEST(spmv_epilogue, sums_in_one_order) {
    cpu executor(4);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix()));
    auto const x = input_vector<double>(plan.column_count(), special_values::none);
    std::vector<double> y(static_cast<std::size_t>(plan.row_count()));
    double const first = spmv(executor, 1, plan, x, 0, y, square());
    double exact = 0;
    for (double y_i : y) exact += y_i * y_i;
    EXPECT_NEAR(first, exact, 1e-12 * exact);
    for (int repeat = 0; repeat < 50; ++repeat) ASSERT_EQ(spmv(executor, 1, plan, x, 0, y, square()), first);
}

TEST(spmv_epilogue, sees_doubles_of_a_float_matrix) {
    cpu executor(3);
    spmv_plan<float> const plan(executor, hisparse<float>(executor, with_values_of<float>(mixed_matrix())));
    auto const x = input_vector<double>(plan.column_count(), special_values::none);
    std::vector<double> y(static_cast<std::size_t>(plan.row_count()), 3), plain = y, seen(y.size(), NAN);
    spmv(executor, 0.3, plan, x, 0.7, plain);
    auto const note = [&](std::int64_t i, double& y_i) {
        seen[static_cast<std::size_t>(i)] = y_i;
        double const before = y_i;
        y_i = 1;
        return before * before;
    };
    double const sum = spmv(executor, 0.3, plan, x, 0.7, y, note);
    EXPECT_EQ(seen, plain);  // bit for bit: a float in between would show
    EXPECT_EQ(y, std::vector<double>(y.size(), 1));
    double exact = 0;
    for (double y_i : plain) exact += y_i * y_i;
    EXPECT_NEAR(sum, exact, 1e-12 * exact);
}

TEST(spmv_epilogue, sums_in_one_order_by_tasks) {
    coo<double> const a = matrix_where(130, 300, [](auto i, auto j) { return i == 7 || i > 120 || (i + j) % 37 == 0; });
    auto const x = input_vector<double>(300, special_values::none);
    double first = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed});
        hisparse<double> const matrix(executor.memory(), a, {.node_dimension = 64});
        // Parts of at most 100 entries: rows that several parts share.
        auto const plan = detail::plan_on(executor, matrix, plan_directions::when_used, {64, 100, 100});
        detail::direction_content const& direction = plan->direction(false);
        detail::plan_direction const& lists = *direction.lists;
        ASSERT_GT(lists.split_count, 0);
        std::vector<double> y(130, NAN), slots(static_cast<std::size_t>(lists.slot_count << 6));
        std::vector<double> sums(static_cast<std::size_t>(lists.part_count + lists.split_count), NAN);
        detail::replay<double, double> const product{.tree = direction.tree,
                                                     .items = lists.items.data(),
                                                     .item_count = lists.item_count,
                                                     .parts = lists.parts.data(),
                                                     .splits = lists.splits.data(),
                                                     .x = x.data(),
                                                     .x_size = static_cast<std::int64_t>(x.size()),
                                                     .y = y.data(),
                                                     .factor = 1,
                                                     .beta = 0,
                                                     .slots = slots.data(),
                                                     .reads_matrix = true};
        detail::row_writer<double, square> const writer{y.data(), 1, 0, {}, sums.data()};
        using part = detail::replay_part_task<double, double, square>;
        using split = detail::replay_split_task<double, double, square>;
        run(executor, seed_range<part>(0, lists.part_count) + seed_range<split>(0, lists.split_count),
            part{product, writer}, split{product, writer, lists.part_count});
        double total = 0, exact = 0;
        for (double sum : sums) total += sum;
        for (double y_i : y) exact += y_i * y_i;
        EXPECT_NEAR(total, exact, 1e-12 * exact);
        if (seed == 0) first = total;
        ASSERT_EQ(total, first) << "seed " << seed;
    }
}

/// Adds what it sees, so that twice would show.
struct note {
    double* seen;
    COPSE_HOST_DEVICE double operator()(std::int64_t i, double& y_i) const {
        seen[i] += y_i;
        y_i = -y_i;
        return seen[i] * seen[i];
    }
};

template <class T>
void check_epilogue_in_lanes(std::uint64_t seeds) {
    coo<T> const a = with_values_of<T>(
        matrix_where(130, 300, [](auto i, auto j) { return i == 7 || i > 120 || (i + j) % 37 == 0; }));
    auto const x = input_vector<double>(300, special_values::none);
    double first = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed});
        spmv_plan<T> const plan(executor, hisparse<T>(executor.memory(), a, {.node_dimension = 64}));
        std::vector<double> y(130, NAN), plain(130), seen(130, 0);
        spmv(executor, 2.0, plan, x, 0.0, plain);
        double const sum = spmv(executor, 2.0, plan, x, 0.0, y, note{seen.data()});
        EXPECT_EQ(seen, plain);  // each once
        double exact = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            EXPECT_EQ(y[i], -plain[i]);
            exact += plain[i] * plain[i];
        }
        EXPECT_NEAR(sum, exact, 1e-12 * exact);
        if (seed == 0) first = sum;
        ASSERT_EQ(sum, first) << "seed " << seed;
    }
}

TEST(spmv_epilogue, runs_in_the_lanes_of_the_emulated_executor) {
    check_epilogue_in_lanes<double>(3);
    check_epilogue_in_lanes<float>(2);
}

TEST(spmv_epilogue, may_throw) {
    cpu executor(2);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix()));
    std::vector<double> const x(static_cast<std::size_t>(plan.column_count()));
    std::vector<double> y(static_cast<std::size_t>(plan.row_count()));
    auto const thrower = [](std::int64_t i, double) {
        if (i == 600) throw std::runtime_error("enough");
    };
    EXPECT_THROW(spmv(executor, 1, plan, x, 0, y, thrower), std::runtime_error);
    spmv(executor, 1, plan, x, 0, y);  // as if nothing had been
    EXPECT_EQ(y, std::vector<double>(y.size(), 0));
}

}  // namespace
}  // namespace copse::tests
