// Sums on the CPU's executors; add_gpu_test.cpp has the gpu's.
#include <algebra/sums/add_suite.hpp>
#include <controllers.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <formats/edits/edit_tools.hpp>
#include <limits>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

/// Two levels of nodes above small and large leaves, lists, runs and a crowd.
battery_case crossing() {
    return {"crossing", matrix_where(130, 200, [](auto i, auto j) {
                return i == 7 || (i > 64 && j < 9 && i < 75) || i + 2 == j || (i < 30 && j > 100 && j < 130);
            })};
}
/// A wide leaf, with a block that is crowded.
battery_case hyper_sparse() {
    return {"hyper-sparse", matrix_where(200, 300, [](auto i, auto j) {
                return (i * 13 + j * 7) % 97 == 0 || (i < 12 && j > 70 && j < 76);
            })};
}

TEST(add, unites_the_entries) {
    cpu executor(3);
    check_sums(executor, whole_battery());
}

class add_on_cpu : public testing::TestWithParam<int> {};

TEST_P(add_on_cpu, unites_in_every_state) {
    cpu executor(GetParam());
    check_all_sums(executor, crossing());
    check_all_sums(executor, hyper_sparse());
    check_all_sums(executor, {"three levels", scattered(5000, 300000, 3000, 6)});
}

INSTANTIATE_TEST_SUITE_P(threads, add_on_cpu, testing::Values(1, 3));

// A wide leaf on one side, an inner node over crowded leaves on the other; both ways round.
TEST(add, unites_a_wide_leaf_with_an_inner_node) {
    cpu executor(2);
    csr<double> const thin = to_csr(scattered(300, 300, 150, 4));
    csr<double> const thick = to_csr(matrix_where(300, 300, [](auto i, auto j) { return (i + j) % 3 == 0; }));
    for (bool transpose : {false, true}) {
        hisparse<double> const a = stored_as(executor.memory(), thin, transpose, 64);
        hisparse<double> const b = stored_as(executor.memory(), thick, transpose, 64);
        ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
        ASSERT_EQ(b.root().reference.kind(), node_kind::sparse);
        expect_sum<double>(add(executor, 2.0, a, -1.0, b), 2, thin, -1, thick, "thin + thick");
        expect_sum<double>(add(executor, -1.0, b, 2.0, a), -1, thick, 2, thin, "thick + thin");
    }
}

// Equal factors below 1 are C's scale only where the sum of stored values is finite.
/// ways: bit 0 says that A is stored transposed, bit 1 that B is.
template <class T, class Executor>
void check_largest_values(Executor& executor, std::vector<int> const& ways = {0, 1, 2, 3}) {
    T const most = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
    coo<double> const dense = matrix_where(64, 64, [](auto i, auto) { return i % 6 != 5; });
    for (coo<double> const& entries : {crossing().matrix, hyper_sparse().matrix, dense})
        for (int way : ways) {
            SCOPED_TRACE(std::to_string(entries.row_count) + " rows, " + std::to_string(way));
            csr<T> a = to_csr(with_values_of<T>(entries));
            auto const sum = [&](T alpha, T beta) {
                return add(executor, alpha, stored_as(executor.memory(), a, way % 2 == 1, 64), beta,
                           stored_as(executor.memory(), a, way / 2 == 1, 64));
            };
            EXPECT_EQ(sum(T(0.25), T(0.25)).scale(), T(0.25)) << "nothing is too large";
            a.values[a.values.size() / 2] = most;
            a.values.back() = -most;
            for (T factor : {T(0.5), T(-0.125)}) {
                hisparse<T> const c = sum(factor, factor);
                EXPECT_EQ(c.scale(), T(1));
                csr<T> const found = to_csr(to_coo(c));
                for (std::size_t k = 0; k < a.values.size(); ++k)
                    EXPECT_EQ(found.values[k], 2 * (factor * a.values[k])) << k;
            }
            a.values.front() = infinity;
            csr<T> const found = to_csr(to_coo(sum(T(0.25), T(0.25))));
            EXPECT_EQ(found.values.front(), infinity);
            EXPECT_EQ(found.values[1], 2 * (T(0.25) * a.values[1]));
            EXPECT_EQ(found.values.back(), T(-0.5) * most);
        }
}

TEST(add, does_not_overflow_where_the_result_does_not) {
    cpu executor(2);
    check_largest_values<double>(executor);
    check_largest_values<float>(executor);
}

class add_overflow_explored : public testing::TestWithParam<controller> {};

TEST_P(add_overflow_explored, does_not_overflow_where_the_result_does_not) {
    emulated lanes({.mode = emulation::explore, .seed = 41, .controller = GetParam()});
    check_largest_values<double>(lanes, {0, 3});
    check_largest_values<float>(lanes, {1, 2});
}

// The leaves of the sum are more than those of both.
TEST(add, finds_what_overflows_in_blocks_of_wide_leaves) {
    coo<double> thick = four_leaves();
    thick.row_count = thick.column_count = 4096;
    coo<double> thin = scattered(4096, 4096, 60, 4);
    for (double& value : thin.values) value = 1;
    thin.rows.push_back(3);
    thin.columns.push_back(20);
    thin.values.push_back(std::numeric_limits<double>::max());
    for (double& value : thick.values) value = std::numeric_limits<double>::max();
    auto const check = [&](auto& executor) {
        hisparse<double> const a(executor, thick, {.node_dimension = 64}), b(executor, thin, {.node_dimension = 64});
        ASSERT_EQ(a.root().reference.kind(), node_kind::sparse);
        ASSERT_EQ(b.root().reference.kind(), node_kind::wide);
        expect_sum<double>(add(executor, 0.5, a, 0.5, b), 0.5, to_csr(thick), 0.5, to_csr(thin), "parts");
    };
    cpu core(1);
    check(core);
    emulated lanes({.seed = 42});
    check(lanes);
}

INSTANTIATE_TEST_SUITE_P(controllers, add_overflow_explored,
                         testing::Values(controller::persistent, controller::device, controller::host));

// The queues of the addition, and on a CPU of the count of its nodes.
template <class Executor>
void check_reports(Executor& executor, std::size_t queues) {
    hisparse<double> const a(executor, crossing().matrix, {.node_dimension = 64});
    hisparse<double> const b(executor, crossing().matrix, {.node_dimension = 64});
    run_report report{{queue_report{.name = "of before"}}, 1e9};
    add(executor, 1.0, a, 2.0, b, {.report = &report});
    std::int64_t items = 0, batches = 0;
    for (auto const& q : report.queues) {
        EXPECT_NE(q.name, "of before");
        items += q.items;
        batches += q.batches;
    }
    EXPECT_EQ(report.queues.size(), queues);
    EXPECT_GE(items, 9);
    EXPECT_GT(batches, 0);
    EXPECT_GT(report.seconds, 0);
    EXPECT_LT(report.seconds, 1e6);
    add(executor, 1.0, a, 1.0, hisparse<double>(executor, empty_matrix(130, 200), {.node_dimension = 64}),
        {.report = &report});
    EXPECT_TRUE(report.queues.empty());
}
TEST(add, reports_what_its_runs_did) {
    cpu on_cpu(2);
    check_reports(on_cpu, 18);
    emulated on_lanes({.seed = 1});
    check_reports(on_lanes, 17);
}

// Sums of sums share arenas of several matrices, and sub-trees that are transposed.
TEST(add, adds_sums) {
    cpu executor(2);
    csr<double> const a = to_csr(scattered(700, 700, 20000, 5));
    csr<double> const b = to_csr(matrix_where(700, 700, [](auto i, auto j) { return i < 100 && j > 500; }));
    hisparse<double> const ha(executor, a, {.node_dimension = 64}), hb(executor, b, {.node_dimension = 64});
    hisparse<double> sum = add(executor, 1.0, ha, 1.0, transposed(hb));
    csr<double> const expected = to_csr(to_coo(sum));
    EXPECT_GT(sum.content()->arenas.size(), 1u);  // shared
    hisparse<double> const twice = add(executor, 1.0, transposed(sum), 3.0, hb);
    expect_sum<double>(twice, 1, transpose(expected), 3, b, "sum of a sum");
    std::vector<double> const x(700, 1.0);
    std::vector<double> y(700);
    spmv(executor, 1.0, twice, x, 0.0, y);  // the census of a result bounds its queues
    double total = 0, entries = 0;
    for (double v : y) total += v;
    for (double v : to_coo(twice).values) entries += v;
    EXPECT_NEAR(total, entries, 1e-9 * 20000 * 65536);
}

// One leaf of A is all that C could share of it: A's memory may go.
TEST(add, copies_what_little_it_would_share) {
    csr<double> const a = to_csr(matrix_where(512, 512, [](auto i, auto j) { return (i + j) % 5 == 0; }));
    csr<double> const b =
        to_csr(matrix_where(512, 512, [](auto i, auto j) { return (i >= 64 || j >= 64) && (i + j) % 5 == 0; }));
    cpu executor(2);
    hisparse<double> const ha(executor, a, {.node_dimension = 64}), hb(executor, b, {.node_dimension = 64});
    hisparse<double> const sum = add(executor, 1.0, ha, 1.0, hb);
    EXPECT_EQ(sum.content()->arenas.size(), 1u);
    EXPECT_LT(sum.bytes(), ha.bytes() + ha.bytes() / 4);
    expect_sum<double>(sum, 1, a, 1, b, "all but a leaf");
}

// A^T + B^T is A + B, turned: the same nodes.
TEST(add, turns_the_sum_where_both_are_turned) {
    cpu executor(1);
    emulated lanes({.mode = emulation::explore, .seed = 8});
    auto const check = [](auto& where) {
        hisparse<double> const a = matrix_of<double>(
            matrix_where(300, 700, [](auto i, auto j) { return i / 9 == j / 20 || (3 * i + j) % 31 == 0; }));
        hisparse<double> const b =
            matrix_of<double>(matrix_where(300, 700, [](auto i, auto j) { return (i + j) % 29 < 2; }));
        hisparse<double> const plain = add(where, 2, a, 3, b);
        hisparse<double> const turned = add(where, 2, a.transposed(), 3, b.transposed());
        EXPECT_FALSE(plain.is_transposed());
        EXPECT_TRUE(turned.is_transposed());
        EXPECT_EQ(turned.census().visits, plain.census().visits);
        EXPECT_EQ(turned.bytes(), plain.bytes());
        EXPECT_EQ(map_of(turned.transposed()), map_of(plain));
    };
    check(executor);
    check(lanes);
}

TEST(add, shares_what_only_one_operand_has) {
    cpu executor(1);
    csr<double> const a = to_csr(matrix_where(512, 512, [](auto i, auto j) { return i < 256 && (i + j) % 5 == 0; }));
    csr<double> const b = to_csr(matrix_where(512, 512, [](auto i, auto j) { return i >= 256 && (i + j) % 5 == 0; }));
    hisparse<double> const ha(executor, a), hb(executor, b);
    auto const own_bytes = [](hisparse<double> const& c) { return c.content()->arenas.front().memory->size(); };
    hisparse<double> const sum = add(executor, 1.0, ha, 1.0, hb);
    EXPECT_LT(own_bytes(sum), 1000);  // the root
    EXPECT_EQ(sum.content()->arenas.size(), 3u);
    EXPECT_EQ(add(executor, 1.0, ha, 2.0, ha).content()->arenas.size(), 1u);  // nothing of A is in the sum
    // Equal factors become the scale of the sum; with others the side without a factor is shared.
    hisparse<double> const half = add(executor, 0.5, ha, 0.5, hb);
    EXPECT_LT(own_bytes(half), 1000);
    EXPECT_EQ(half.scale(), 0.5);
    hisparse<double> const copied = add(executor, 1.0, ha, 3.0, hb);
    EXPECT_GT(own_bytes(copied), hb.bytes() / 2);
    EXPECT_LT(own_bytes(copied), hb.bytes() + 1000);
    expect_sum<double>(copied, 1, a, 3, b, "copied");
}

template <class Executor>
void check_zeros(Executor executor) {
    csr<double> const a = to_csr(scattered(300, 300, 5000, 8));
    hisparse<double> const h(executor, a);
    hisparse<double> const zeros = add(executor, 1.0, h, -1.0, h);
    EXPECT_EQ(zeros.entry_count(), a.entry_count());
    for (double v : to_coo(zeros).values) EXPECT_EQ(v, 0);
    EXPECT_EQ(add(executor, 1.0, h, -1.0, h, {.prune = true}).entry_count(), 0);
    std::int64_t nonzero = 0;
    for (double v : a.values) nonzero += v != 0 ? 1 : 0;
    EXPECT_EQ(add(executor, 1.0, h, 1.0, h, {.prune = true}).entry_count(), nonzero);
}

TEST(add, keeps_zeros_unless_it_prunes) {
    check_zeros(cpu(2));
    check_zeros(emulated());
}

TEST(add, adds_special_values_where_they_are) {
    cpu executor(1);
    double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    hisparse<double> const a(executor, coo<double>{2, 3, {0, 0, 1}, {0, 1, 2}, {nan, inf, -0.0}});
    hisparse<double> const b(executor, coo<double>{2, 3, {0, 1, 1}, {1, 0, 1}, {-inf, -0.0, 4}});
    std::vector<double> const sum = to_coo(add(executor, 1.0, a, 1.0, b)).values;
    ASSERT_EQ(sum.size(), 5u);
    EXPECT_TRUE(std::isnan(sum[0]));
    EXPECT_TRUE(std::isnan(sum[1]));
    EXPECT_TRUE(sum[2] == 0 && std::signbit(sum[2]));
    EXPECT_EQ(sum[3], 4);
    EXPECT_TRUE(sum[4] == 0 && std::signbit(sum[4]));
}

TEST(add, keeps_negative_zeros_in_large_leaves) {
    cpu executor(1);
    coo<double> a = matrix_where(64, 64, [](auto i, auto j) { return (i + j) % 3 == 0; });
    coo<double> b = matrix_where(64, 64, [](auto i, auto j) { return (i + j) % 3 == 1; });
    for (coo<double>* m : {&a, &b})
        for (double& v : m->values) v = -0.0;
    coo<double> const sum =
        to_coo(add(executor, 1.0, hisparse<double>(executor, a), 1.0, hisparse<double>(executor, b)));
    ASSERT_EQ(sum.values.size(), a.values.size() + b.values.size());
    for (double v : sum.values) EXPECT_TRUE(v == 0 && std::signbit(v));
}

// Only 256 arenas can be told apart: a matrix whose arena has the same number as another's is copied.
TEST(add, copies_what_it_cannot_share) {
    cpu executor(1);
    csr<double> const a = to_csr(matrix_where(300, 300, [](auto i, auto j) { return i < 100 && j % 3 == 0; }));
    csr<double> const b = to_csr(matrix_where(300, 300, [](auto i, auto j) { return i > 200 && j % 3 == 0; }));
    hisparse<double> const ha(executor, a);
    int const number = ha.content()->arenas.front().number;
    hisparse<double> hb(executor, b);
    while (hb.content()->arenas.front().number != number) hb = hisparse<double>(executor, b);
    hisparse<double> const sum = add(executor, 1.0, ha, 1.0, hb);
    EXPECT_EQ(sum.content()->arenas.size(), 2u);
    expect_sum<double>(sum, 1, a, 1, b, "clash");
}

TEST(add, refuses_what_does_not_fit) {
    cpu executor(1);
    hisparse<double> const a(executor, empty_matrix(3, 4)), b(executor, empty_matrix(4, 3)),
        square(executor, empty_matrix(4, 4));
    hisparse<double> const other(executor, empty_matrix(3, 4), {.node_dimension = 64});
    EXPECT_EQ(message_of<shape_error>([&] { add(executor, 1.0, a, 1.0, b); }),
              "add: A is 3 x 4, B is 4 x 3; they must have the same shape: take the transpose of one");
    EXPECT_EQ(message_of<shape_error>([&] { add(executor, 1.0, a, 1.0, square); }),
              "add: A is 3 x 4, B is 4 x 4; they must have the same shape");
    EXPECT_EQ(message_of<argument_error>([&] { add(executor, 1.0, a, 1.0, other); }),
              "add: A has nodes of 128 rows, B of 64; convert both with the same node_dimension");
    EXPECT_EQ(add(executor, 1.0, a, 1.0, transposed(b)).entry_count(), 0);
}

TEST(add, copies_the_little_that_it_would_share) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_gathered_sum<double>(executor);
        check_gathered_sum<float>(executor);
    }
}

// A leaf that stands in many places is one of A's; a sum that leaves A's memory has it in each of them.
TEST(add, copies_leaves_with_several_parents_for_each) {
    cpu executor(2);
    auto const common = [](auto i, auto j) { return i < 128 && j < 128 && (i + j) % 2 == 0; };
    coo<double> entries = matrix_where(2000, 2000, [&](auto i, auto j) {
        return common(i, j) || (i >= 128 && i < 640 && j >= 128 && i % 128 == 5 && j % 128 < 3 && i / 128 == j / 128);
    });
    for (double& v : entries.values) v = 1;
    csr<double> const a = to_csr(entries), b = to_csr(matrix_where(2000, 2000, [&](auto i, auto j) {
                                               return common(i, j) || (i == 1000 && j < 9);
                                           }));
    hisparse<double> const ha(executor, a, {.share_identical = true}), hb(executor, b);
    ASSERT_LT(ha.bytes(), hisparse<double>(executor, a).bytes());
    hisparse<double> const sum = add(executor, 1.0, ha, 1.0, hb);
    EXPECT_EQ(sum.content()->arenas.size(), 1u);
    EXPECT_EQ(sum.content()->reachable_bytes, reachable_bytes(sum));
    expect_sum<double>(sum, 1, a, 1, b, "several parents");
}

TEST(add, leaves_the_memory_of_others_that_have_the_most) {
    cpu executor(1);
    coo<double> entries =
        matrix_where(1000, 1000, [](auto i, auto j) { return i < 128 && j < 128 && (i + j) % 2 == 0; });
    hisparse<double> const b(executor, entries);
    entries.rows.push_back(999);
    entries.columns.push_back(999);
    entries.values.push_back(1);
    hisparse<double> sum(executor, entries);
    for (int i = 0; i < 5; ++i) {  // the first leaf is new each time, the last one stays where it is
        sum = add(executor, 1.0, sum, 1.0, b);
        EXPECT_EQ(sum.content()->reachable_bytes, reachable_bytes(sum));
        EXPECT_GE(2 * reachable_bytes(sum), sum.bytes());
    }
    EXPECT_EQ(to_coo(sum).values.back(), 1);
    EXPECT_EQ(sum.entry_count(), static_cast<std::int64_t>(entries.values.size()));
}

class add_explored : public testing::TestWithParam<controller> {};

TEST_P(add_explored, unites_the_entries) {
    emulated executor({.mode = emulation::explore, .seed = 3, .controller = GetParam()});
    for (battery_case const& c : {crossing(), hyper_sparse()}) {
        check_sum<double>(executor, c, partner::moved, {false, true, 1, 1, 1, 1, 64});
        check_sum<float>(executor, c, partner::same_pattern, {true, false, 2, 3, 1, 1, 64});
        check_sum<double>(executor, c, partner::elsewhere, {true, true, 1, 2, 1, 1, 128});
    }
    csr<double> const thin = to_csr(scattered(150, 150, 90, 4));
    csr<double> const thick = to_csr(matrix_where(150, 150, [](auto i, auto j) { return (i + j) % 4 == 0; }));
    hisparse<double> const a = stored_as(executor.memory(), thin, true, 64);
    hisparse<double> const b = stored_as(executor.memory(), thick, false, 64);
    expect_sum<double>(add(executor, 2.0, a, 1.0, b), 2, thin, 1, thick, "thin + thick");
    check_gathered_sum<float>(executor);
}

TEST_P(add_explored, unites_in_any_order) {
    battery_case const c{"small", matrix_where(70, 70, [](auto i, auto j) { return i == 9 || (i + 3 * j) % 31 == 0; })};
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed, .controller = GetParam()});
        check_sum<double>(executor, c, partner::moved, {seed % 2 == 0, seed % 3 == 0, 1, 2, 1, 1, 64});
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

class add_stressed : public testing::TestWithParam<controller> {};

TEST_P(add_stressed, unites_the_entries) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    check_sum<double>(executor, crossing(), partner::moved, {false, true, 1, 2, 1, 1, 64});
    check_sum<float>(executor, hyper_sparse(), partner::moved, {true, false, 2, 1, 1, 1, 64});
    check_gathered_sum<double>(executor);
}

INSTANTIATE_TEST_SUITE_P(controllers, add_explored, every_controller(), controller_name);
INSTANTIATE_TEST_SUITE_P(controllers, add_stressed, every_controller(), controller_name);

}  // namespace
}  // namespace copse::tests
