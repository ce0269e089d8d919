// Replaying by tasks with every choice made either way.
#include <algebra/plans/plan_matrices.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <algorithm>
#include <cmath>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/plans/replay_fetch.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <set>
#include <vector>

namespace copse::tests {
namespace {

using detail::plan_grid;

template <class T>
hisparse<T> tree_of(coo<T> const& entries) {
    cpu executor(1);
    return hisparse<T>(executor.memory(), entries, {.node_dimension = 64});
}

std::vector<double> replayed(hisparse<double> const& a, std::uint64_t seed, bool fetch_ahead) {
    emulated executor({.mode = emulation::explore, .seed = seed});
    spmv_plan<double> const plan(executor, a);
    std::vector<double> y(static_cast<std::size_t>(plan.row_count()), NAN);
    auto const x = input_vector<double>(plan.column_count(), special_values::none);
    detail::replay_on_emulated<double, double>(executor, 2, plan, x, 0, y, detail::no_epilogue(),
                                               detail::replay_choices{.fetch_ahead = fetch_ahead});
    return y;
}

TEST(replay_choices, change_no_bit) {
    for (coo<double> const& entries : {mixed_matrix(), leaves_of_many_sizes(), all_kinds()})
        for (bool transposed : {false, true}) {
            hisparse<double> const stored = tree_of(entries);
            hisparse<double> const a = transposed ? stored.transposed() : stored;
            EXPECT_EQ(replayed(a, 2, false), replayed(a, 1, true));
        }
}

/// Leaves that stand at two places stay in a cache: in plans for lanes, where they are many.
TEST(replay_choices, keep_leaves_that_stand_at_two_places) {
    struct facts {
        int band, around;  // diagonals that are each other's images; entries of other leaves
        bool share, repeat;
    };
    for (facts const& f : {facts{100, 0, true, true}, {100, 0, false, false}, {100, 6400, true, false}}) {
        coo<double> entries =
            matrix_where(640, 640, [&](auto i, auto j) { return j == i + f.band || i == j + f.band; });
        for (double& value : entries.values) value = 3;
        for (int k = 0; k < f.around; ++k) {  // on one side
            entries.rows.push_back(k % 640);
            entries.columns.push_back(1024 + 64 * (k / 640) + k % 61);
            entries.values.push_back(1);
        }
        entries.row_count = entries.column_count = 4000;
        hisparse_options const options{
            .node_dimension = 64, .values = stored_values::each, .share_transposed = f.share};
        emulated lanes;
        hisparse<double> const a(lanes, in_order(entries), options);
        for (bool const transpose : {false, true}) {
            spmv_plan<double> const plan(lanes, transpose ? transposed(a) : a);
            EXPECT_EQ(detail::direction_of(plan).leaves_repeat, f.repeat) << f.around;
            EXPECT_EQ(detail::keeps_leaves(detail::direction_of(plan), {}), f.repeat);
            EXPECT_FALSE(detail::keeps_leaves(detail::direction_of(plan), {.keep_twins = false}));
        }
        cpu core(2);
        EXPECT_FALSE(detail::direction_of(spmv_plan<double>(core, a)).leaves_repeat);
    }
}

TEST(replay_choices, let_no_row_see_what_is_in_others) {
    hisparse<double> const a = tree_of(all_kinds());
    emulated executor({.mode = emulation::explore, .seed = 3});
    spmv_plan<double> const plan(executor, a);
    std::vector<double> y(4300, NAN), x(2000, 1.0);
    x[302] = INFINITY;
    x[9] = NAN;
    detail::replay_on_emulated<double, double>(executor, 1, plan, x, 0, y, detail::no_epilogue());
    std::vector<bool> sees(y.size(), false);
    coo<double> const entries = all_kinds();
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (entries.columns[k] == 302 || entries.columns[k] == 9)
            sees[static_cast<std::size_t>(entries.rows[k])] = true;
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isfinite(y[i]), !sees[i]) << "row " << i;
}

/// What is asked for, byte by byte.
struct fetch_recorder {
    std::byte const* node;
    std::vector<bool> fetched;

    void fetch_stream(std::byte const* p, std::int64_t bytes) {
        ASSERT_EQ((p - node) % 16, 0);
        ASSERT_EQ(bytes % 16, 0);
        ASSERT_GT(bytes, 0);
        ASSERT_LE(p - node + bytes, std::ssize(fetched)) << "behind the leaf";
        std::fill_n(fetched.begin() + (p - node), bytes, true);
    }
    double share() const {
        return static_cast<double>(std::count(fetched.begin(), fetched.end(), true)) /
               static_cast<double>(fetched.size());
    }
};

/// Whether a product is to find the item in L2.
bool is_fetched(detail::listed_leaf const& item, std::size_t bytes) {
    return !item.leaf.reference.is_wide_leaf() && bytes >= detail::least_fetched_bytes;
}

template <class T>
void check_fetch(detail::node_reader const& tree, detail::listed_leaf const& item, std::set<node_kind>& found) {
    child_reference const leaf = item.leaf.reference;
    std::byte const* const node = tree.address(leaf);
    auto const bytes = static_cast<std::size_t>(detail::extent_of(leaf, node, {6, sizeof(T)}).bytes);
    fetch_recorder w{node, std::vector<bool>(bytes)};
    detail::fetch_item<T>(tree, item, w);
    if (leaf.kind() == node_kind::diagonal && w.share() == 0) return;  // what its reference tells may be less
    if (!is_fetched(item, bytes)) {
        EXPECT_EQ(w.share(), 0) << bytes;
        return;
    }
    found.insert(leaf.kind());
    EXPECT_GE(w.share(), leaf.kind() == node_kind::diagonal ? 0.5 : 1) << bytes;
}

template <class T>
std::set<node_kind> check_fetches(coo<double> const& entries) {
    hisparse<T> const a = tree_of(with_values_of<T>(entries));
    emulated executor;
    spmv_plan<T> const plan(executor, a);
    std::set<node_kind> found;
    for (spmv_plan<T> const& op : {plan, plan.transposed()}) {
        auto const& direction = detail::direction_content_of(op);  // its tree may have leaves of its own
        auto const items = direction.lists->items.to_host();
        for (std::int64_t k = 0; k < direction.lists->item_count; ++k)
            check_fetch<T>(direction.tree, items[static_cast<std::size_t>(k)], found);
    }
    return found;
}

/// A list and streaks of more than 2 KB.
coo<double> large_leaves() {
    return matrix_where(128, 128, [](auto i, auto j) {
        bool const in_list = i < 64 && j < 64 && (i * 64 + j) * 29 % 4096 < 600;
        bool const in_streaks = i >= 64 && j >= 64 && (j - i) % 4 == 0 && j - i >= -24 && j - i <= 24;
        return in_list || in_streaks;
    });
}

template <class T>
void check_all_fetches() {
    std::set<node_kind> found;
    for (auto const& entries : {all_kinds(), leaves_of_many_sizes(), wide_leaves_of_many_sizes(), large_leaves()})
        found.merge(check_fetches<T>(entries));
    EXPECT_EQ(found.size(), 3u);  // sparse, diagonal, dense
}

TEST(replay_fetch, has_what_a_product_reads_and_nothing_behind_the_leaf) {
    check_all_fetches<float>();
    check_all_fetches<double>();
}

TEST(plan_grid, resident_is_what_the_device_has_room_for) {
    EXPECT_EQ(blocks_of(plan_grid::resident, 100'000, 4, 1056), 1056);
    EXPECT_EQ(blocks_of(plan_grid::resident, 4 * 1056 + 1, 4, 1056), 1056);
}

TEST(plan_grid, has_no_blocks_without_items) {
    for (plan_grid grid : {plan_grid::resident, plan_grid::whole}) {
        EXPECT_EQ(blocks_of(grid, 0, 4, 1056), 0);
        EXPECT_EQ(blocks_of(grid, 1, 4, 1056), 1);
        EXPECT_EQ(blocks_of(grid, 4, 4, 1056), 1);
        EXPECT_EQ(blocks_of(grid, 5, 4, 1056), 2);
    }
}

TEST(plan_grid, whole_has_a_worker_for_each_item_as_far_as_grids_go) {
    EXPECT_EQ(blocks_of(plan_grid::whole, 100'000, 4, 1056), 25'000);
    EXPECT_EQ(blocks_of(plan_grid::whole, std::int64_t{1} << 40, 1, 1056), std::int64_t{1} << 30);
}

}  // namespace
}  // namespace copse::tests
