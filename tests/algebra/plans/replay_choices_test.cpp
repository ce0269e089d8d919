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

using detail::conflicts;
using detail::plan_grid;

/// All kinds of leaves; in some lists many entries of a row, side by side.
coo<double> all_kinds() {
    return matrix_where(4300, 2000, [](auto i, auto j) {
        bool const dense = i / 64 == 2 && j / 64 == 3 && (i + j) % 5 != 0, full = i / 64 == 2 && j / 64 == 5;
        bool const run = (j - i == 7 || j - i == 9) && i < 120,
                   one_row = (i == 300 || i == 301) && j % 2 == 0 && j < 700;
        return dense || full || run || one_row || (j - i == 11 && i % 4 == 0 && i < 600) ||
               (i * 7 + j * 13) % 19990 == 0;
    });
}

template <class T>
hisparse<T> tree_of(coo<T> const& entries) {
    cpu executor(1);
    return hisparse<T>(executor, entries, {.node_dimension = 64});
}

template <conflicts How>
std::vector<double> replayed(hisparse<double> const& a, std::uint64_t seed, bool fetch_ahead) {
    emulated executor({.mode = emulation::explore, .seed = seed});
    spmv_plan<double> const plan(executor, a);
    std::vector<double> y(static_cast<std::size_t>(plan.row_count()), NAN);
    auto const x = input_vector<double>(plan.column_count(), special_values::none);
    detail::replay_on_emulated<double, double, How>(executor, 2, plan, x, 0, y, detail::no_epilogue(),
                                                    {.fetch_ahead = fetch_ahead});
    return y;
}

TEST(replay_choices, change_nothing_but_the_order_of_sums) {
    for (coo<double> const& entries : {mixed_matrix(), leaves_of_many_sizes(), all_kinds()})
        for (bool transposed : {false, true}) {
            hisparse<double> const stored = tree_of(entries);
            hisparse<double> const a = transposed ? stored.transposed() : stored;
            auto const in_turns = replayed<conflicts::in_turns>(a, 1, true),
                       joined = replayed<conflicts::joined>(a, 1, true);
            EXPECT_EQ(replayed<conflicts::in_turns>(a, 2, false), in_turns);
            EXPECT_EQ(replayed<conflicts::joined>(a, 2, false), joined);
            if (entries.row_count > 900) {
                EXPECT_NE(joined, in_turns);  // or they would not have been two ways
            }
            for (std::size_t i = 0; i < joined.size(); ++i)
                ASSERT_NEAR(joined[i], in_turns[i], 1e-12 * std::abs(in_turns[i]) + 1e-12) << "row " << i;
        }
}

TEST(replay_choices, let_no_row_see_what_is_in_others) {
    hisparse<double> const a = tree_of(all_kinds());
    emulated executor({.mode = emulation::explore, .seed = 3});
    spmv_plan<double> const plan(executor, a);
    std::vector<double> y(4300, NAN), x(2000, 1.0);
    x[302] = INFINITY;
    x[9] = NAN;
    detail::replay_on_emulated<double, double, conflicts::joined>(executor, 1, plan, x, 0, y, detail::no_epilogue());
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
    void fetch_line(std::byte const* p) {
        ASSERT_GE(p, node);
        ASSERT_LT(p - node, std::ssize(fetched)) << "behind the leaf";
        auto const begin = std::max<std::ptrdiff_t>((p - node) - reinterpret_cast<std::intptr_t>(p) % 128, 0);
        auto const end = std::min(p - node + 128 - reinterpret_cast<std::intptr_t>(p) % 128, std::ssize(fetched));
        std::fill(fetched.begin() + begin, fetched.begin() + end, true);
    }
    template <class U>
    bool has(U const* p) const {
        return fetched[static_cast<std::size_t>(reinterpret_cast<std::byte const*>(p) - node)];
    }
    double share() const {
        return static_cast<double>(std::count(fetched.begin(), fetched.end(), true)) /
               static_cast<double>(fetched.size());
    }
};

/// By the lanes that will have the item.
template <class T>
void fetch(detail::node_reader const& tree, detail::listed_leaf const& item, detail::item_size size,
           fetch_recorder& w) {
    using detail::item_size;
    for (int k = 0; k < 4; ++k) {
        if (size == item_size::sparse_to_4) detail::fetch_small_item<T, detail::sparse_leaf, 4>(tree, item, k, w);
        if (size == item_size::wide_to_4) detail::fetch_small_item<T, detail::wide_leaf, 4>(tree, item, k, w);
    }
    for (int k = 0; k < 8; ++k) {
        if (size == item_size::sparse_to_32) detail::fetch_small_item<T, detail::sparse_leaf, 8>(tree, item, k, w);
        if (size == item_size::wide_to_32) detail::fetch_small_item<T, detail::wide_leaf, 8>(tree, item, k, w);
    }
    if (size == item_size::larger) detail::fetch_item<T>(tree, item, w);
}

/// Of small parts of wide leaves.
struct small_entries {
    int entries = 0;
    int fetched = 0;
};

using kinds_and_sizes = std::set<std::pair<node_kind, detail::item_size>>;

template <class T>
void check_fetch(detail::node_reader const& tree, detail::listed_leaf const& item, detail::item_size size,
                 small_entries& seen) {
    child_reference const leaf = item.leaf.reference;
    std::byte const* const node = tree.address(leaf);
    auto const bytes = static_cast<std::size_t>(detail::extent_of(leaf, node, {6, sizeof(T)}).bytes);
    fetch_recorder w{node, std::vector<bool>(bytes)};
    fetch<T>(tree, item, size, w);
    if (leaf.kind() != node_kind::wide) {
        EXPECT_GE(w.share(), leaf.kind() == node_kind::diagonal ? 0.5 : 1) << bytes;
        return;
    }
    auto const wide = tree.template wide_leaf<T>(item.leaf);
    EXPECT_TRUE(w.has(node));
    EXPECT_TRUE(w.has(wide.values + item.first));
    if (size == detail::item_size::larger)
        for (int k = item.first; k < item.last; ++k) {
            EXPECT_TRUE(w.has(wide.values + k)) << k;
            if (k < wide.count - 80) {
                EXPECT_TRUE(w.has(wide.rows + k) && w.has(wide.columns + k)) << k << " of " << wide.count;
            }
        }
    else  // lines may lie between those at the beginning and the end
        for (int k = item.first; k < item.last; ++k) {
            ++seen.entries;
            seen.fetched += w.has(wide.values + k) && w.has(wide.rows + k) && w.has(wide.columns + k);
        }
}

template <class T>
kinds_and_sizes check_fetches(coo<double> const& entries, small_entries& seen) {
    hisparse<T> const a = tree_of(with_values_of<T>(entries));
    emulated executor;
    spmv_plan<T> const plan(executor, a);
    detail::node_reader const tree = content_of(plan)->tree();  // it may have leaves of its own
    kinds_and_sizes found;
    for (auto const& direction : content_of(plan)->directions) {
        auto const items = direction->items.to_host();
        auto const parts = direction->parts.to_host();
        for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
            auto k = static_cast<std::size_t>(parts[p].first_item);
            for (std::size_t size = 0; size <= detail::small_item_sizes; ++size) {
                auto const end = size < detail::small_item_sizes ? k + static_cast<std::size_t>(parts[p].small[size])
                                                                 : static_cast<std::size_t>(parts[p + 1].first_item);
                for (; k < end; ++k) {
                    check_fetch<T>(tree, items[k], static_cast<detail::item_size>(size), seen);
                    found.insert({items[k].leaf.reference.kind(), static_cast<detail::item_size>(size)});
                }
            }
        }
    }
    return found;
}

template <class T>
void check_all_fetches() {
    small_entries seen;
    kinds_and_sizes found = check_fetches<T>(all_kinds(), seen);
    for (auto const& entries : {leaves_of_many_sizes(), wide_leaves_of_many_sizes()})
        found.merge(check_fetches<T>(entries, seen));
    EXPECT_EQ(found.size(), 8u);  // sparse and wide ones in three sizes, diagonal and dense
    for (int count :
         {2, 15, 16, 17, 33, 47, 60, 97, 140, 141, 142, 143, 144, 145, 146, 150, 155, 160})  // in one wide leaf
        for (int apart : {1, 29}) {                                                          // in one part, in several
            coo<double> a;
            a.row_count = a.column_count = 1 << 14;
            for (int k = 0; k < count; ++k) {
                a.rows.push_back(k * apart % 4096);
                a.columns.push_back(k * 1031 % 4096);
                a.values.push_back(k + 1);
            }
            for (auto const& [kind, size] : check_fetches<T>(a, seen)) ASSERT_EQ(kind, node_kind::wide);
        }
    EXPECT_GT(seen.entries, 1000);
    EXPECT_GE(seen.fetched, seen.entries * 3 / 4) << seen.entries;
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
