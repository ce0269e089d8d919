// Directions of plans made by steps: the lists that the host makes, one item like the other.
#include <gtest/gtest.h>

#include <algebra/plans/expect_same_lists.hpp>
#include <algebra/plans/plan_matrices.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/algebra/plans/lists_by_steps.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <some_cases.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using detail::direction_content;
using detail::plan_shape;

/// Shapes with parts that are joined and split, with items of all sizes, and with streams.
std::vector<std::pair<std::string, plan_shape>> list_shapes() {
    plan_shape const usual = detail::replay_shape;
    plan_shape small = usual, plain = usual, streams = usual;
    small.join_entries = 100;
    small.most_entries = 130;
    small.most_in_item = 50;
    plain.small_first = false;
    plain.most_rows = 8192;
    streams.most_in_streamed_leaf = 32;
    plan_shape all_streams = small;
    all_streams.most_in_streamed_leaf = 1 << 20;
    return {{"usual", usual},     {"small parts", small},          {"plain", plain},
            {"streams", streams}, {"streams of all", all_streams}, {"of blocks, by distance", detail::block_shape}};
}

template <class T>
std::unique_ptr<direction_content> made_by_steps(detail::plan_content<T> const& plan, std::vector<node> leaves,
                                                 bool of_transpose, bool transposed) {
    std::reverse(leaves.begin(), leaves.end());  // in any order
    detail::host_steps steps;
    buffer<node> const given(host_memory(), std::span<node const>(leaves));
    return detail::direction_by_steps<T, detail::host_steps>(steps, plan, of_transpose)
        .make(given, given.size(), transposed);
}

/// From the leaves as they are stored, and from the other direction.
template <class T>
void check_lists(hisparse<T> const& a, plan_shape const& shape) {
    pass_arena_numbers_of(*a.content());
    std::vector<node> const leaves = leaves_as_stored(a);
    auto const host = detail::make_plan<T>(a.content(), leaves, {true, true}, shape, host_memory());
    for (bool const of_transpose : {false, true}) {
        SCOPED_TRACE(of_transpose ? "A^T" : "A");
        auto const made = made_by_steps(*host, leaves, of_transpose, of_transpose);
        ASSERT_TRUE(made);
        direction_content const& expected = *host->directions[of_transpose].made();
        expect_same_lists(expected, *made);
        if (testing::Test::HasFailure()) return;
        detail::host_steps steps;
        buffer<node> const others =
            detail::leaves_by_steps(steps, *host->directions[!of_transpose].made(), a.content()->dimension_log2);
        auto const from_other = made_by_steps(*host, others.to_host(), of_transpose, true);
        ASSERT_TRUE(from_other);
        expect_same_lists(expected, *from_other);
    }
}
/// With a sanitizer one of the shapes, which take turns.
template <class T>
void check_all_shapes(std::string const& name, hisparse<T> const& a) {
    static std::size_t turn = 0;
    std::size_t number = 0;
    ++turn;
    for (auto const& [of_shape, shape] : list_shapes()) {
        if (!takes_all_cases && turn % list_shapes().size() != number++) continue;
        SCOPED_TRACE(name + ", " + of_shape);
        check_lists(a, shape);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(plan_steps, make_the_lists_of_the_host) {
    for (battery_case const& c : whole_battery())
        for (int const d : {64, 128, 256}) {
            auto const name = c.name + ", d = " + std::to_string(d);
            check_all_shapes(name, hisparse<double>(host_memory(), c.matrix, {.node_dimension = d}));
            check_all_shapes(name + ", float",
                             hisparse<float>(host_memory(), with_values_of<float>(c.matrix), {.node_dimension = d}));
            ASSERT_FALSE(HasFailure());
        }
}

/// Leaves of all sizes, blocks of rows in many parts, wide leaves that begin anywhere in a part.
TEST(plan_steps, cut_and_sort_items_of_all_sizes) {
    for (auto const& [name, entries] :
         {std::pair("mixed", mixed_matrix()), std::pair("many sizes", leaves_of_many_sizes()),
          std::pair("many sizes, wide", wide_leaves_of_many_sizes()),
          std::pair("scattered", scattered(20000, 17000, 30000, 7))})
        for (int const d : {64, 128, 256})
            for (stored_values const values : {stored_values::each, stored_values::once})
                check_all_shapes(name,
                                 hisparse<double>(host_memory(), entries, {.node_dimension = d, .values = values}));
}

/// A stream has the columns of 24 bits; a quarter of the items suffices to be kept in a cache.
TEST(plan_steps, have_the_limits_of_the_host) {
    for (std::int32_t const last : {(1 << 24) - 1, 1 << 24}) {
        coo<double> const apart{64, 1 << 25, {0, 5}, {0, last}, {3, 4}};
        check_all_shapes("apart", hisparse<double>(host_memory(), apart, {.node_dimension = 64}));
    }
    coo<double> blocks = matrix_where(64, 256, [](auto i, auto j) { return (i + j % 64) % (j < 128 ? 9 : 7) == 0; });
    for (std::size_t k = 0; k < blocks.values.size(); ++k) blocks.values[k] = blocks.columns[k] < 192 ? 3 : 4;
    hisparse<double> const a(host_memory(), blocks, {.node_dimension = 64, .share_identical = true});
    check_all_shapes("a quarter", a);
    emulated executor({.mode = emulation::explore, .seed = 1});
    EXPECT_TRUE(detail::direction_of(spmv_plan<double>(executor, a)).leaves_repeat);
}

/// Leaves at several places, in either state; several arenas; one value for a wide leaf.
TEST(plan_steps, see_shared_leaves_at_each_place) {
    cpu executor(2);
    auto const tree = [&](coo<double> const& a, hisparse_options options) {
        options.node_dimension = 64;
        return hisparse<double>(executor, a, options);
    };
    coo<double> symmetric = matrix_where(900, 900, [](auto i, auto j) { return (i + j) % 37 < 3; });
    for (std::size_t k = 0; k < symmetric.values.size(); ++k)
        symmetric.values[k] = (symmetric.rows[k] + 1.0) * (symmetric.columns[k] + 1.0);
    coo<double> skew = symmetric;
    for (std::size_t k = 0; k < skew.values.size(); ++k) skew.values[k] *= skew.rows[k] - skew.columns[k];
    coo<double> same_blocks = matrix_where(700, 2000, [](auto i, auto j) { return (i % 64 + j % 64) % 9 == 0; });
    same_blocks.values.assign(same_blocks.values.size(), 3);
    // Wide leaves one above the other and side by side that are the same, or each other's images.
    coo<double> same_wide = empty_matrix(3 * 4096, 3 * 4096);
    coo<double> const wide = scattered(4096, 4096, 900, 5);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < wide.values.size(); ++k) {
                same_wide.rows.push_back(4096 * i + (i < j ? wide.columns[k] : wide.rows[k]));
                same_wide.columns.push_back(4096 * j + (i < j ? wide.rows[k] : wide.columns[k]));
                same_wide.values.push_back(1 + static_cast<double>(k % 5));
            }
    coo<double> skew_wide = scattered(9000, 9000, 6000, 11);
    for (std::size_t k = 0, half = skew_wide.values.size(); k < half; ++k) {
        skew_wide.rows.push_back(skew_wide.columns[k]);
        skew_wide.columns.push_back(skew_wide.rows[k]);
        skew_wide.values.push_back(-skew_wide.values[k]);
    }
    coo<double> one_value = scattered(6000, 6000, 9000, 3);
    one_value.values.assign(one_value.values.size(), 3);

    check_all_shapes("symmetric", tree(symmetric, {.share_transposed = true}));
    check_all_shapes("skew", tree(skew, {.share_transposed = true}));
    check_all_shapes("skew, wide", tree(skew_wide, {.share_transposed = true}));
    check_all_shapes("same blocks", tree(same_blocks, {.share_identical = true}));
    hisparse<double> const shared = tree(same_wide, {.share_identical = true, .share_transposed = true});
    EXPECT_LT(shared.bytes(), 20000);
    check_all_shapes("same wide leaves", shared);
    check_all_shapes("one value", tree(one_value, {.values = stored_values::once}));
    hisparse<double> const scattered_entries = tree(scattered(6000, 6000, 9000, 3), {});
    hisparse<double> const sum =
        add(executor, 1.0, scattered_entries, 1.0, transposed(tree(scattered(6000, 6000, 9000, 12), {})));
    check_all_shapes("sum with a transposed matrix", sum);
    check_all_shapes("edited", edit(sum, edits<double>().set(700, 800, 5).set(5000, 3, 1).erase(3, 5)));
}

TEST(plan_steps, are_what_lanes_plan_by) {
    emulated executor({.mode = emulation::explore, .seed = 1});
    for (coo<double> const& entries : {mixed_matrix(), wide_leaves_of_many_sizes(), empty_matrix(700, 900)}) {
        hisparse<double> const a(host_memory(), entries, {.node_dimension = 64});
        pass_arena_numbers_of(*a.content());
        auto const host = detail::make_plan<double>(a.content(), leaves_as_stored(a), {true, true},
                                                    detail::replay_shape, host_memory());
        for (hisparse<double> const& op : {a, a.transposed()}) {
            spmv_plan<double> const plan(executor, op);
            EXPECT_NE(content_of(plan)->by_steps, nullptr);
            expect_same_lists(*host->directions[op.is_transposed()].made(), detail::direction_content_of(plan));
            EXPECT_EQ(plan.transposed().list_bytes(), 0);
            expect_same_lists(*host->directions[!op.is_transposed()].made(),
                              detail::direction_content_of(plan.transposed()));
        }
    }
}

/// Where numbers of 32 bits do not suffice, the host makes the direction.
TEST(plan_steps, leave_what_is_too_much_to_the_host) {
    hisparse<double> const a(host_memory(), scattered(20000, 17000, 30000, 7), {.node_dimension = 64});
    plan_shape shape = detail::replay_shape;
    shape.most_in_streamed_leaf = 32;
    std::vector<node> const leaves = leaves_as_stored(a);
    detail::plan_content<double> const plan(a.content(), shape, host_memory());
    detail::host_steps steps;
    buffer<node> const given(host_memory(), std::span<node const>(leaves));
    auto const made = [&](std::int64_t most) {
        return detail::direction_by_steps<double, detail::host_steps>(steps, plan, true, most)
            .make(given, given.size(), true);
    };
    std::int64_t const units = a.census().leaves() + a.census().wide_entries();
    EXPECT_FALSE(made(units - 1));
    EXPECT_TRUE(made(units));
    plan_shape of_cpu = detail::replay_shape, groups = detail::replay_shape;
    of_cpu.has_streaks = true;
    groups.most_groups = 2;
    for (plan_shape const& other : {of_cpu, groups}) EXPECT_FALSE(detail::made_by_steps(other));
}

}  // namespace
}  // namespace copse::tests
