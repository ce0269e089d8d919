// Conversion by tasks on threads of the CPU. conversion_explored_test.cpp has what runs on one, conversion_gpu_test.cpp
// the gpu's.
#include <controllers.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/from_rows/conversion_suite.hpp>
#include <formats/from_rows/host_conversion.hpp>
#include <runtime/forwarding_memory.hpp>

namespace copse::tests {
namespace {

class conversion_of_dimension : public testing::TestWithParam<int> {};

TEST_P(conversion_of_dimension, makes_the_tree_of_the_host) {
    cpu executor(2);
    conversions_of const which = GetParam() == 64 ? conversions_of::coo_first : conversions_of::csr_first;
    check_conversions(small_battery(), GetParam(), converter_of(executor));
    check_conversions(matrices_in_sections(), GetParam(), converter_of(executor), which);
    check_conversions(largest_matrices(), GetParam(), converter_of(executor));
}

INSTANTIATE_TEST_SUITE_P(dimensions, conversion_of_dimension, testing::Values(64, 128, 256));

/// Leaves that take less than their lists, and those that do not; with wide leaves it is as ever.
TEST(conversion, fills_leaves_before_they_have_places) {
    cpu executor(2);
    auto const convert = converter_of(executor, {.fill_first = true});
    for (int d : {64, 128}) {
        check_conversions(all_in_few_lanes(), d, convert);
        check_conversions(few_rows_battery(), d, convert, conversions_of::csr_first);
    }
}

TEST(conversion, sums_duplicates_in_the_order_given) {
    cpu executor(1);
    // The 1 is lost only when it is added to 1e16 before that is taken away again.
    coo<double> const a{100, 100, {3, 70, 3, 3, 3}, {5, 5, 5, 5, 5}, {1e16, 8, 1, -1e16, 0.25}};
    auto const found = converter_of(executor)(a, {.node_dimension = 64});
    coo<double> const entries = to_coo(hisparse<double>(found));
    EXPECT_EQ(entries.rows, (std::vector<std::int32_t>{3, 70}));
    EXPECT_EQ(entries.values, (std::vector<double>{0.25, 8}));
}

TEST(conversion, leaves_what_is_wrong_to_the_host) {
    cpu executor(1);
    auto const convert = converter_of(executor);
    hisparse_options const options{.node_dimension = 64};
    EXPECT_TRUE(convert(coo<double>{70, 80, {69}, {79}, {1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, 70}, {0, 0}, {1, 1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, -1}, {0, 0}, {1, 1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, 2}, {80, 0}, {1, 1}}, options));
    EXPECT_FALSE(convert(coo<double>{70, 80, {1, 2}, {0, -1}, {1, 1}}, options));
    EXPECT_TRUE(convert(csr<double>{2, 80, {0, 1, 3}, {79, 0, 79}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {0, 1, 3}, {79, 0, 80}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {0, 1, 3}, {79, -1, 7}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {0, 1, 3}, {79, 7, 7}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{3, 80, {0, 2, 1, 3}, {1, 2, 3}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{3, 80, {0, -2, 1, 3}, {1, 2, 3}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {1, 2, 3}, {1, 2, 3}, {1, 1, 1}}, options));
    EXPECT_FALSE(convert(csr<double>{2, 80, {0, 1, 2}, {1, 2, 3}, {1, 1, 1}}, options));
}

/// Rows that do not ascend, too, unless they were said to.
TEST(conversion, takes_views_without_the_host) {
    emulated executor;
    detail::host_steps steps;
    auto const convert = [&](csr_view<double> const& a) {
        return detail::tree_maker<double, emulated, detail::host_steps>(executor, steps, {.node_dimension = 64})
            .make(a);
    };
    std::vector<long> const offsets{1, 2, 4};
    std::vector<long> columns{80, 80, 2};
    std::vector<double> const values{1, 2, 3};
    auto const made = convert(csr_view(2, 80, offsets, columns, values, {.index_base = 1}));
    ASSERT_TRUE(made);
    expect_same_content(
        *made,
        *hisparse<double>(host_memory(), csr<double>{2, 80, {0, 1, 3}, {79, 1, 79}, {1, 3, 2}}, {.node_dimension = 64})
             .content(),
        sizeof(double));
    EXPECT_FALSE(convert(csr_view(2, 80, offsets, columns, values, {.index_base = 1, .ascending = true})));
    EXPECT_FALSE(convert(csr_view(2, 79, offsets, columns, values, {.index_base = 1})));
    EXPECT_FALSE(convert(csr_view(2, 80, std::vector<int>{1, 4, 4}, columns, values, {.index_base = 2})));
    EXPECT_FALSE(convert(csr_view(3, 80, std::vector<int>{1, 4, 2, 4}, columns, values, {.index_base = 1})));
    EXPECT_FALSE(convert(csr_view(2, 80, std::vector<int>{1, 2, 3}, columns, values, {.index_base = 1})));
    EXPECT_FALSE(convert(csr_view(2, 80, std::vector<int>{2, 2, 4}, columns, values, {.index_base = 1})));
    columns.back() = std::int64_t{1} << 32;
    EXPECT_FALSE(convert(csr_view(2, 80, offsets, columns, values, {.index_base = 1})));
}

/// Entries and nodes have numbers of 32 bits; here fewer. 64 entries in a leaf each, and the root: 65 nodes.
TEST(conversion, leaves_too_many_entries_or_nodes_to_the_host) {
    emulated executor;
    detail::host_steps steps;
    hisparse_options const options{.node_dimension = 64};
    coo<double> entries{4096, 4096, {}, {}, {}};
    for (std::int32_t i = 0; i < 4096; i += 64) {
        entries.rows.push_back(i);
        entries.columns.push_back(i);
        entries.values.push_back(i);
    }
    csr<double> const rows = to_csr(entries);
    csr_matrix<double> const placed(executor, rows);
    auto const by_tasks = [&](auto const& a, std::int64_t most) {
        return detail::tree_maker<double, emulated, detail::host_steps>(executor, steps, options, {}, most).make(a);
    };
    for (std::int64_t const few : {1, 64, 65}) {
        EXPECT_FALSE(by_tasks(entries, few)) << few;
        EXPECT_FALSE(by_tasks(rows, few)) << few;
        EXPECT_FALSE(by_tasks(*placed.content(), few)) << few;
    }
    auto const by_host = hisparse<double>(executor.memory(), placed, options).content();
    for (auto const& tree : {by_tasks(entries, 66), by_tasks(rows, 66), by_tasks(*placed.content(), 66)}) {
        ASSERT_TRUE(tree);
        expect_same_content(*tree, *by_host, sizeof(double));
    }
}

/// As memory of a GPU: whoever copies from it waits.
class waited_memory final : public forwarding_memory {
  public:
    void copy_to_host(void* to, void const* from, std::size_t bytes) override {
        ++waits;
        forwarding_memory::copy_to_host(to, from, bytes);
    }
    int waits = 0;
};
struct waiting_steps : detail::host_steps {
    std::shared_ptr<memory> where;
    int* waits;

    std::shared_ptr<memory> const& temporary() const { return where; }
    using host_steps::select;
    std::int64_t select(std::int64_t count, detail::begins_anew const& which, std::uint32_t* to) const {
        ++*waits;
        return host_steps::select(count, which, to);
    }
};

/// Besides the two runs, or the one where leaves are filled first.
TEST(conversion, waits_as_often_for_a_tree_of_any_height) {
    auto const where = std::make_shared<waited_memory>();
    emulated executor({.memory = where, .temporary = where});
    waiting_steps steps{{}, where, &where->waits};
    hisparse_options const options{.node_dimension = 64, .values = stored_values::each};
    auto const waits = [&](auto const& a, detail::conversion_choices const& choices = {}) {
        where->waits = 0;
        detail::tree_maker<double, emulated, waiting_steps> maker(executor, steps, options, choices);
        auto const made = maker.make(a);
        int const found = where->waits;
        EXPECT_TRUE(made);
        if (made) expect_same_content(*made, *hisparse<double>(host_memory(), a, options).content(), 8);
        return found;
    };
    for (std::int64_t const n : {64, 4096, 262144, 1 << 24, 1 << 30})
        EXPECT_EQ(waits(scattered(n, n, 40, 3)), 5) << n << " rows";
    for (std::int64_t const n : {64, 4096, 262144}) EXPECT_EQ(waits(to_csr(scattered(n, n, 40, 3))), 4) << n << " rows";
    coo<double> const far{1 << 20, 1 << 20, {5, 900000}, {77, 3}, {1, 2}};  // no block of level 1 has two leaves
    EXPECT_EQ(waits(to_csr(far)), 4);
    EXPECT_EQ(waits(to_csr(far), {.fill_first = true}), 5);
}

TEST(conversion, shares_nodes_as_the_host_does) {
    emulated executor;
    detail::host_steps steps;
    coo<double> const a = matrix_where(300, 300, [](auto i, auto j) { return (i + j) % 64 < 3; });
    csr<double> const symmetric = to_csr(coo<double>{300, 300, a.rows, a.columns, std::vector(a.values.size(), 2.5)});
    for (bool const transposed : {false, true}) {
        hisparse_options const options{.node_dimension = 64,
                                       .share_identical = true,
                                       .values = stored_values::once,
                                       .share_transposed = transposed};
        auto const made =
            detail::tree_maker<double, emulated, detail::host_steps>(executor, steps, options).make(symmetric);
        ASSERT_TRUE(made);
        expect_same_content(*made, *hisparse<double>(host_memory(), symmetric, options).content(), sizeof(double));
        EXPECT_LT(made->reachable_bytes, 9 * std::ssize(a.values) / 4) << "nothing is shared";
    }
}

class conversion_stressed : public testing::TestWithParam<controller> {};

TEST_P(conversion_stressed, makes_the_tree_of_the_host) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    std::vector<battery_case> cases = all_in_few_lanes();
    cases.resize(2);  // all tasks but the deeper inner nodes
    check_conversions(cases, 64, converter_of(executor));
}

INSTANTIATE_TEST_SUITE_P(controllers, conversion_stressed, every_controller(), controller_name);

}  // namespace
}  // namespace copse::tests
