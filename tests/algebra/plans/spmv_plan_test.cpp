// Plans on the CPU's executors.
#include <algebra/plans/plan_matrices.hpp>
#include <algebra/plans/plan_suite.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <cmath>
#include <controllers.hpp>
#include <copse/algebra/add.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <formats/edits/edit_tools.hpp>
#include <random>
#include <runtime/message_of.hpp>
#include <string>
#include <thread>

namespace copse::tests {
namespace {

TEST(plan_on_cpu, agrees_with_the_reference) {
    cpu executor(3), alone(1);
    check_battery<by_plan>(executor, whole_battery());
    for (battery_case const& c : small_battery()) check_product<double, by_plan>(alone, c, {false, 2, 0.5, 3, 64});
}

TEST(plan_on_cpu, factors_that_are_not_finite_meet_whole_sums) {
    cpu executor(3);
    check_all_factors<by_plan>(executor);
    for (battery_case const& c : whole_number_battery()) check_float_matrix_by_factors(executor, c, all_factors());
}

TEST(plan_in_lanes, factors_that_are_not_finite_meet_whole_sums) {
    emulated executor({.mode = emulation::explore, .seed = 3});
    check_factors_in_turn<by_plan>(executor);
    check_float_matrix_by_factors(executor, small_whole_number_battery()[3], factors_in_turn(0));
    check_float_matrix_by_factors(executor, small_whole_number_battery()[6], factors_in_turn(1));
}

class plan_explored : public testing::TestWithParam<controller> {};

TEST_P(plan_explored, agrees_with_the_reference) {
    emulated executor({.mode = emulation::explore, .seed = 1, .controller = GetParam()});
    for (battery_case const& c : small_battery()) {
        check_product<double, by_plan>(executor, c, {false, 2, 0.5, 3, 64});
        check_product<float, by_plan>(executor, c, {true, -1, 0, 1, 64});
        for (bool transposed : {false, true})
            check_product<double, by_plan>(executor, c, {transposed, 1, 0}, special_values::nan_and_infinity_in_x);
    }
}

/// The most items of a size that a part of A x has, for nodes of 64.
int most_of(coo<double> const& a, detail::item_size size) {
    emulated executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor.memory(), a, {.node_dimension = 64}));
    int most = 0;
    for (auto const& part : detail::direction_of(plan).parts.to_host())
        most = std::max(most, part.small[static_cast<std::size_t>(size)]);
    return most;
}

TEST_P(plan_explored, agrees_for_leaves_that_share_a_warp) {
    using detail::item_size;
    EXPECT_GT(most_of(leaves_of_many_sizes(), item_size::sparse_to_4), 8);
    EXPECT_GT(most_of(leaves_of_many_sizes(), item_size::sparse_to_32), 8);
    EXPECT_GT(most_of(wide_leaves_of_many_sizes(), item_size::wide_to_4), 8);
    EXPECT_GT(most_of(wide_leaves_of_many_sizes(), item_size::wide_to_32), 4);
    emulated executor({.mode = emulation::explore, .seed = 4, .controller = GetParam()});
    for (battery_case const& c : {battery_case{"many sizes", leaves_of_many_sizes()},
                                  battery_case{"many sizes, wide", wide_leaves_of_many_sizes()}})
        for (bool transposed : {false, true}) {
            check_product<double, by_plan>(executor, c, {transposed, 2, 0.5, 3, 64});
            check_product<float, by_plan>(executor, c, {transposed, -1, 0, 1, 64});
            check_product<double, by_plan>(executor, c, {transposed, 1, 0, 1, 64},
                                           special_values::nan_and_infinity_in_x);
        }
}

class plan_stressed : public testing::TestWithParam<controller> {};

TEST_P(plan_stressed, agrees_with_the_reference) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    battery_case const c{"crossing",
                         matrix_where(130, 200, [](auto i, auto j) { return i == 7 || (i > 64 && j < 9) || i == j; })};
    for (bool transposed : {false, true}) check_product<double, by_plan>(executor, c, {transposed, 2, 0.5, 1, 64});
}

INSTANTIATE_TEST_SUITE_P(controllers, plan_explored, every_controller(), controller_name);
INSTANTIATE_TEST_SUITE_P(controllers, plan_stressed, every_controller(), controller_name);

TEST(spmv_plan, gives_the_same_bits_every_time) {
    cpu executor(4);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix()));
    ASSERT_GT(detail::direction_of(plan).split_count, 0);
    for (bool turned : {false, true}) {
        auto const op = turned ? transposed(plan) : plan;
        auto const x = input_vector<double>(op.column_count(), special_values::none);
        std::vector<double> first(static_cast<std::size_t>(op.row_count()));
        spmv(executor, 1, op, x, 0, first);
        for (int repeat = 0; repeat < 50; ++repeat) {
            std::vector<double> again(first.size(), NAN);
            spmv(executor, 1, op, x, 0, again);
            ASSERT_EQ(again, first);
        }
    }
}

TEST(spmv_plan, gives_the_same_bits_in_any_interleaving) {
    auto const crossing = [](auto i, auto j) { return i == 7 || i > 120 || (i + j) % 37 == 0; };
    for (auto const& a : {matrix_where(130, 300, crossing), leaves_of_many_sizes()}) {
        std::vector<double> first;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            emulated executor({.mode = emulation::explore, .seed = seed});
            spmv_plan<double> const plan(executor, hisparse<double>(executor.memory(), a, {.node_dimension = 64}));
            std::vector<double> y(static_cast<std::size_t>(a.row_count), NAN);
            spmv(executor, 1, plan, input_vector<double>(a.column_count, special_values::none), 0, y);
            if (first.empty()) first = y;
            ASSERT_EQ(y, first) << "seed " << seed;
        }
    }
}

TEST(spmv_plan, multiplies_by_both_directions_at_once) {
    cpu executor(2), other(2);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix()));
    auto const x = input_vector<double>(plan.column_count(), special_values::none);
    auto const u = input_vector<double>(plan.row_count(), special_values::none);
    std::vector<double> y(u.size()), v(x.size()), y_alone(u.size()), v_alone(x.size());
    spmv(executor, 1, plan, x, 0, y_alone);
    spmv(executor, 1, transposed(plan), u, 0, v_alone);
    for (int repeat = 0; repeat < 20; ++repeat) {
        std::thread const same([&] { spmv(other, 1, transposed(plan), u, 0, v); });
        spmv(executor, 1, plan, x, 0, y);
        const_cast<std::thread&>(same).join();
        ASSERT_EQ(y, y_alone);
        ASSERT_EQ(v, v_alone);
    }
}

TEST(spmv_plan, has_eight_parts_for_each_thread_where_leaves_are_wide) {
    std::int64_t const n = 160000;
    coo<double> const entries = scattered(n, n, 8 * n, 4);
    for (int threads : {1, 2, 4}) {
        cpu executor(threads);
        hisparse<double> const a(executor, entries);
        ASSERT_GT(2 * a.census().wide_entries(), a.entry_count());
        spmv_plan<double> const plan(executor, a);
        auto const& lists = detail::direction_of(plan);
        // A part has 2048 to 16384 rows, so that x stays and threads have something to share.
        EXPECT_NEAR(static_cast<double>(lists.part_count), std::max(8.0 * threads, n / 16384.0), 2) << threads;
    }
}

TEST(spmv_plan, keeps_the_matrix_alive) {
    cpu executor(1);
    auto plan = [&] {
        return spmv_plan<double>(executor, hisparse<double>(executor, coo<double>{2, 2, {0, 1}, {1, 0}, {3, 4}}));
    }();
    std::vector<double> y(2);
    spmv(executor, 1, scaled(transposed(plan), 2), std::vector<double>{1, 10}, 0, y);
    EXPECT_EQ(y, (std::vector<double>{80, 6}));
}

/// The plan of `a` multiplies as the matrix `entries` does: in both directions, or in those named.
void expect_plan_of(cpu& executor, spmv_plan<double> const& plan, csr<double> const& entries, std::string const& what,
                    std::vector<bool> const& directions = {false, true}) {
    for (bool turned : directions) {
        auto const op = turned ? transposed(plan) : plan;
        auto const x = input_vector<double>(op.column_count(), special_values::none);
        std::vector<double> y(static_cast<std::size_t>(op.row_count())), expected = y;
        reference::spmv<double>(1, entries, turned, x, 0, expected);
        auto const bound = reference::spmv_error_bound<double>(1, entries, turned, x, 0, y);
        spmv(executor, 1, op, x, 0, y);
        EXPECT_LE(reference::max_error<double>(y, expected, bound), 1) << what << (turned ? ", transposed" : "");
    }
}

TEST(spmv_plan, follows_edits) {
    cpu executor(2);
    std::mt19937_64 random(5);
    // Leaves and wide leaves; edits that make nodes, remove them, and turn wide leaves into others.
    for (coo<double> const& entries : {mixed_matrix(), scattered(6000, 5000, 9000, 3), empty_matrix(700, 900)}) {
        hisparse<double> a(executor, entries, {.node_dimension = 64});
        spmv_plan<double> plan(executor, a);
        for (int round = 0; round < 20; ++round) {
            edits<double> changes;
            for (int k = 0; k < 40; ++k) {
                auto const i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(entries.row_count));
                auto const j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(entries.column_count));
                if (round % 4 == 3 && !entries.rows.empty()) {
                    auto const e = random() % entries.rows.size();
                    changes.erase(entries.rows[e], entries.columns[e]);
                } else {
                    changes.set(round % 3 == 0 ? i % 64 : i, j, static_cast<double>(k + 1));
                }
            }
            a = edit(a, changes);
            plan = update(plan, a);
            expect_plan_of(executor, plan, to_csr(a), "round " + std::to_string(round));
            if (HasFailure()) return;
        }
        EXPECT_EQ(plan.matrix().content(), a.content());
    }
}

// To edited matrices and back, to new values and to copies; wide leaves come back, stand in several places, and go with
// the memory they were in.
TEST(spmv_plan, follows_from_any_matrix_to_any_other) {
    cpu executor(2);
    for (unsigned seed = 1; seed <= (COPSE_ADDRESS_SANITIZER ? 2 : 4); ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        hisparse<double> const wide(executor, scattered(6000, 5000, 9000, 3), {.node_dimension = 64});
        ASSERT_GT(wide.census().wide_leaves(), 3);
        std::vector<hisparse<double>> all(3, seed % 2 == 0 ? mosaic(wide) : wide);
        spmv_plan<double> plan(executor, all[0]);
        for (int step = 0; step < 25; ++step) {
            auto& a = all[random() % all.size()];
            switch (random() % 5) {
                case 0: {
                    auto values = to_csr(a).values;
                    for (double& value : values) value = static_cast<double>(random() % 1000) / 8;
                    a = with_values(executor, a, values);
                    break;
                }
                case 1:
                    a = compact(a);
                    break;
                case 2:
                case 3: {
                    edits<double> changes;
                    for (int k = 0; k < 3; ++k)
                        changes.set(static_cast<std::int64_t>(random() % 6000),
                                    static_cast<std::int64_t>(random() % 5000), k + 1);
                    a = edit(a, changes);
                    break;
                }
                default:;  // as it was when the plan saw it, or did not
            }
            plan = update(plan, a);
            // In one direction: a mosaic has half a million rows. The next steps show what is wrong in the other.
            expect_plan_of(executor, plan, to_csr(a), "step " + std::to_string(step), {step % 2 == 1});
            if (HasFailure()) return;
        }
    }
}

TEST(spmv_plan, takes_over_the_parts_without_a_change) {
    cpu executor(1);
    hisparse<double> const a(executor, matrix_where(20000, 300, [](auto i, auto j) { return i % 300 == j; }));
    spmv_plan<double> const plan(executor, a);
    auto const edited = update(plan, edit(a, edits<double>().set(9999, 7, 2)));
    auto const &old_lists = detail::direction_of(plan), &new_lists = detail::direction_of(edited);
    ASSERT_EQ(new_lists.part_count, old_lists.part_count);
    ASSERT_EQ(new_lists.items.size(), old_lists.items.size());
    int changed = 0;
    for (std::int64_t part = 0; part < old_lists.part_count; ++part) {
        bool same = true;
        for (auto i = old_lists.parts.data()[part].first_item; i < old_lists.parts.data()[part + 1].first_item; ++i)
            same = same && new_lists.items.data()[i].leaf.reference == old_lists.items.data()[i].leaf.reference;
        changed += same ? 0 : 1;
    }
    EXPECT_EQ(changed, 1);
}

TEST(spmv_plan, keeps_its_lists_for_other_values) {
    cpu executor(2);
    std::mt19937_64 random(5);
    for (coo<double> const& entries : {mixed_matrix(), scattered(6000, 5000, 9000, 3)}) {
        hisparse<double> a(executor, entries, {.node_dimension = 64});
        // Wide leaves that were turned at different times.
        spmv_plan<double> plan =
            update(spmv_plan<double>(executor, a, plan_directions::both), edit(a, edits<double>().set(700, 800, 5)));
        auto const lists_of = [](spmv_plan<double> const& p) {
            return std::pair(detail::direction_content_of(p).lists, detail::direction_content_of(p.transposed()).lists);
        };
        auto const lists = lists_of(plan);
        auto values = to_csr(plan.matrix()).values;
        for (double& value : values) value = static_cast<double>(random() % 1000) / 8;
        a = with_values(executor, plan.matrix(), values);
        plan = update(plan, a);
        EXPECT_EQ(lists_of(plan), lists);
        expect_plan_of(executor, plan, to_csr(a), "new values");
    }
}

TEST(spmv_plan, updates_to_a_matrix_that_shares_nothing) {
    cpu executor(1);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, scattered(900, 800, 3000, 1)));
    auto const other = scattered(900, 800, 5000, 2);
    expect_plan_of(executor, update(plan, hisparse<double>(executor, other)), to_csr(other), "other");
}

TEST(spmv_plan, multiplies_nodes_that_are_stored_transposed) {
    // A + B^T shares the leaves that B^T alone has: transposed ones in a matrix that is not.
    cpu executor(2);
    coo<double> const b = scattered(3000, 3000, 9000, 12);
    coo<double> const a = matrix_where(3000, 3000, [](auto i, auto j) { return i == j && i < 100; });
    auto const sum = add(executor, 1.0, hisparse<double>(executor, a), 1.0, transposed(hisparse<double>(executor, b)));
    auto const x = input_vector<double>(3000, special_values::none);
    csr<double> const stored = to_csr(sum);
    for (bool turned : {false, true}) {
        std::vector<double> y(3000), expected(3000);
        reference::spmv<double>(1, stored, turned, x, 0, expected);
        spmv_plan<double> const plan(executor, sum);
        spmv(executor, 1, turned ? transposed(plan) : plan, x, 0, y);
        EXPECT_LE(
            reference::max_error<double>(y, expected, reference::spmv_error_bound<double>(1, stored, turned, x, 0, y)),
            1);
    }
}

TEST(spmv_plan, takes_a_float_matrix_with_double_vectors) {
    cpu on_cpu(2);
    emulated on_lanes({.mode = emulation::explore, .seed = 3});
    for (coo<double> const& shape : {mixed_block(), leaves_of_many_sizes()}) {
        check_float_matrix(on_cpu, shape);
        check_float_matrix(on_lanes, shape);
    }
}

TEST(spmv_plan, refuses_what_does_not_fit) {
    cpu executor(1);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, empty_matrix(3, 2)));
    std::vector<double> two(2), three(3), four(4);
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, plan, four, 0, three); }),
              "spmv: op(A) is 3 x 2, so x must have 2 elements; it has 4");
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, transposed(plan), three, 0, four); }),
              "spmv: op(A) is 2 x 3, so y must have 2 elements; it has 4");
    vector_view<double const> const elsewhere(two.data(), 2, memory_space::device);
    EXPECT_EQ(
        message_of<shape_error>([&] { update(plan, hisparse<double>(executor, empty_matrix(3, 3))); }),
        "update: the plan is for a matrix that is stored 3 x 2 with nodes of 128, but the edited matrix is 3 x 3 with "
        "nodes of 128; make a plan for it");
    EXPECT_EQ(message_of<argument_error>([&] { spmv<double>(executor, 1, plan, elsewhere, 0, three); }),
              "spmv: x is in device memory, but the executor works in host memory; make it with the same executor "
              "(copse::buffer, copse::hisparse)");
}

}  // namespace
}  // namespace copse::tests
