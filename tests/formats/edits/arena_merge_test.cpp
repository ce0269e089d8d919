// Rows of edits: which arenas become one and when, what that copies, and that no matrix notices.
#include <copse/formats/edits/arena_merge.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using ranks = std::vector<std::uint8_t>;

ranks descending(std::size_t of_rank_2, std::size_t of_rank_1, std::size_t of_rank_0) {
    ranks result(of_rank_2, 2);
    result.insert(result.end(), of_rank_1, 1);
    result.insert(result.end(), of_rank_0, 0);
    return result;
}

void expect_due(ranks const& before, std::size_t arenas, int rank) {
    detail::arena_merge const due = detail::due_merge(before);
    EXPECT_EQ(due.arenas, arenas);
    EXPECT_EQ(due.rank, rank);
}

TEST(arena_merge, is_due_at_every_32nd_arena_of_a_rank) {
    expect_due({}, 0, 0);
    expect_due(descending(0, 0, 30), 0, 0);
    expect_due(descending(0, 0, 31), 31, 1);
    expect_due(descending(0, 30, 31), 31, 1);
    expect_due(descending(0, 31, 30), 0, 0);
    expect_due(descending(0, 31, 31), 62, 2);
    expect_due(descending(30, 31, 31), 62, 2);
    expect_due(descending(31, 31, 31), 93, 3);
    expect_due(descending(31, 31, 0), 0, 0);
    expect_due(descending(0, 3, 40), 40, 1);  // where merging was not possible before
}

TEST(arena_merge, leaves_numbers_for_others_after_a_million_edits) {
    ranks of_edits;
    std::size_t most = 0;
    for (int i = 0; i < 1 << 20; ++i) {
        detail::arena_merge const due = detail::due_merge(of_edits);
        of_edits.resize(of_edits.size() - due.arenas);
        of_edits.push_back(due.rank);
        most = std::max(most, of_edits.size());
    }
    EXPECT_EQ(of_edits, ranks{4});
    EXPECT_EQ(most, 4 * 31);
}

template <class T>
class arena_merge_of : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(arena_merge_of, value_types);

/// Bytes of the arenas that `b` has and `a` has not.
template <class T>
std::int64_t new_bytes(hisparse<T> const& a, hisparse<T> const& b) {
    std::int64_t bytes = 0;
    for (arena const& x : b.content()->arenas)
        if (std::none_of(a.content()->arenas.begin(), a.content()->arenas.end(),
                         [&](arena const& y) { return x.memory == y.memory; }))
            bytes += x.memory->size();
    return bytes;
}

TYPED_TEST(arena_merge_of, a_long_row_writes_what_it_touches_a_few_times) {
    coo<double> const entries = generate<double>("poisson3d:40");
    hisparse<TypeParam> const first = matrix_of<TypeParam>(entries);
    entry_map<TypeParam> expected = map_of(first);
    hisparse<TypeParam> a = first;
    std::int64_t all = 0, of_edits = 0;
    for (std::int64_t k = 1; k <= 2000; ++k) {
        std::int64_t const row = k * 7919 % (a.row_count() / 8);
        auto const change = edits<TypeParam>().set(row, row, static_cast<TypeParam>(1000 + k));
        apply_to(expected, change);
        hisparse<TypeParam> const next = edit(a, change);
        all += new_bytes(a, next);
        of_edits += new_bytes(first, edit(first, change));
        ASSERT_LE(next.content()->arenas.size(), 1 + 62);
        a = next;
    }
    EXPECT_EQ(a.content()->edit_ranks, descending(1, 30, 16));  // 2000 = 1024 + 30 * 32 + 16
    EXPECT_LT(all, 3 * of_edits);  // once as edits, and 32 and 1024 together: those of the last without what is gone
    // What no edit has touched is where it was.
    EXPECT_EQ(a.content()->arenas.front().memory, first.content()->arenas.front().memory);
    EXPECT_GT(shared_bytes(first, a), 6 * first.bytes() / 8);
    expect_entries(a, expected);
    EXPECT_EQ(map_of(first), map_of(with_small_values<TypeParam>(entries)));
    EXPECT_EQ(a.content()->reachable_bytes, reachable_bytes(a));
    check_tree(a);
}

/// What edits do not touch, so that matrices are not compacted: 16 dense leaves, d = 64, before `a`.
coo<double> behind_ballast(coo<double> const& a) {
    coo<double> all{a.row_count + 256, a.column_count + 256, {}, {}, {}};
    for (std::int32_t i = 0; i < 256; ++i)
        for (std::int32_t j = 0; j < 256; ++j) {
            all.rows.push_back(i);
            all.columns.push_back(j);
            all.values.push_back(0);
        }
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        all.rows.push_back(a.rows[k] + 256);
        all.columns.push_back(a.columns[k] + 256);
        all.values.push_back(0);
    }
    return all;
}

template <class T>
struct named_matrix {
    std::string name;
    hisparse<T> a;
};

/// Leaves and inner nodes of every kind behind the ballast, nodes with several parents among them, in some state.
template <class T>
std::vector<named_matrix<T>> matrices_to_edit() {
    auto const with_ballast = [](coo<double> const& a) { return matrix_of<T>(behind_ballast(a)); };
    auto const periodic = matrix_where(640, 640, [](auto i, auto j) { return i % 64 < 4 && j % 64 == 9; });
    return {
        {"lists", with_ballast(matrix_where(300, 200, [](auto i, auto j) { return (i * 7 + j * 13) % 31 == 0; }))},
        {"diagonals", with_ballast(matrix_where(300, 300, [](auto i, auto j) { return i == j || j == i + 70; }))},
        {"wide", with_ballast(scattered(4000, 3900, 500, 8)).transposed()},
        {"levels", with_ballast(scattered(300000, 300000, 600, 9)).scaled(2)},
        {"nothing", with_ballast(empty_matrix(300, 90)).transposed().scaled(T(-0.5))},
        {"mosaic", mosaic(with_ballast(matrix_where(90, 90, [](auto i, auto j) { return (i + j) % 5 == 0; })))},
        {"identical", compact(with_ballast(periodic), {.share_identical = true})},
    };
}

/// One set, one erased, one added to, near each other, where no ballast is.
template <class T>
edits<T> next_edits(hisparse<T> const& a, std::mt19937_64& random) {
    auto const within = [&](std::int64_t size) {
        return 256 + static_cast<std::int64_t>(random() % 80) % (size - 256);
    };
    auto const row = [&] { return within(a.row_count()); };
    auto const column = [&] { return within(a.column_count()); };
    edits<T> changes;
    std::int64_t const i = row(), j = column(), k = row(), l = column();
    return changes.set(i, j, static_cast<T>(random() % 100)).erase(k, l).add(row(), column(), 4);
}

TYPED_TEST(arena_merge_of, no_matrix_notices) {
    for (auto const& [name, first] : matrices_to_edit<TypeParam>()) {
        SCOPED_TRACE(name);
        hisparse<TypeParam> here = first;
        hisparse<TypeParam> there = placed_in(std::make_shared<distant_memory>(), first);
        std::vector<std::pair<hisparse<TypeParam>, entry_map<TypeParam>>> history;
        entry_map<TypeParam> expected = map_of(first);
        std::mt19937_64 random(11);
        std::size_t merges = 0;
        for (int k = 1; k <= 70; ++k) {
            if (k % 16 == 1) history.emplace_back(here, expected);
            auto const changes = next_edits(here, random);
            apply_to(expected, changes);
            std::size_t const arenas = here.content()->arenas.size();
            here = edit(here, changes);
            there = edit(there, changes);
            ASSERT_GT(here.content()->arenas.size(), 1u) << "compacted";
            merges += here.content()->arenas.size() < arenas ? 1 : 0;
            if (k % 32 > 1) continue;
            expect_entries(here, expected);
            expect_entries(there, expected);
            check_tree(here);
            EXPECT_LE(here.content()->reachable_bytes, reachable_bytes(here));
        }
        EXPECT_EQ(merges, 2u);
        EXPECT_EQ(here.content()->edit_ranks, descending(0, 2, 6));
        EXPECT_EQ(there.content()->edit_ranks, here.content()->edit_ranks);
        EXPECT_EQ(here.content()->arenas.front().memory, first.content()->arenas.front().memory);
        for (auto const& [old, entries] : history) expect_entries(old, entries);
    }
}

TYPED_TEST(arena_merge_of, rows_before_a_sum_stay_what_they_are) {
    // The new nodes of an edit get several parents, as a sum gives them; 32 edits beside them.
    hisparse<TypeParam> const part =
        edit(matrix_of<TypeParam>(behind_ballast(empty_matrix(100, 100))), edits<TypeParam>().set(300, 300, 5));
    hisparse<TypeParam> a = mosaic(part);
    entry_map<TypeParam> expected = map_of(a);
    for (std::int64_t k = 0; k < 32; ++k) {
        auto const change = edits<TypeParam>().set(310 + k, 4096, TypeParam(1));
        apply_to(expected, change);
        a = edit(a, change);
    }
    EXPECT_EQ(a.content()->edit_ranks, ranks{1});
    EXPECT_EQ(a.content()->arenas.size(), 4u);  // two of the part, the mosaic's root, what the edits have left
    expect_entries(a, expected);
    check_tree(a);
}

TYPED_TEST(arena_merge_of, drops_what_no_root_leads_to) {
    hisparse<TypeParam> const first = matrix_of<TypeParam>(behind_ballast(empty_matrix(64, 64)));
    hisparse<TypeParam> a = first;
    for (int k = 1; k <= 32; ++k) a = edit(a, edits<TypeParam>().set(300, 300, static_cast<TypeParam>(k)));
    // One leaf of one entry and the root, as the first edit alone would have left them.
    EXPECT_EQ(a.bytes(), edit(first, edits<TypeParam>().set(300, 300, 32)).bytes());
    EXPECT_EQ(reachable_bytes(a), a.content()->reachable_bytes);
}

TYPED_TEST(arena_merge_of, fetches_the_nodes_of_each_level_together) {
    auto const where = std::make_shared<distant_memory>();
    hisparse<TypeParam> const first = placed_in(where, matrix_of<TypeParam>(generate<double>("poisson3d:20")));
    hisparse<TypeParam> a = first;
    std::int64_t bytes = 0;
    for (std::int64_t k = 1; k <= 32; ++k) {
        std::int64_t const copies_before = where->copies_to_host(), bytes_before = where->bytes_to_host();
        a = edit(a, edits<TypeParam>().set(200 * k, 200 * k, 3));
        std::int64_t const copies = where->copies_to_host() - copies_before;
        std::int64_t const fetched = where->bytes_to_host() - bytes_before;
        if (k < 32) {
            EXPECT_EQ(copies, 3);
            bytes += fetched;
        } else {
            EXPECT_EQ(copies, 3 + 2);  // below the new root
            EXPECT_LT(fetched, 2 * bytes);
        }
    }
    EXPECT_EQ(a.content()->arenas.size(), 2u);
}

TYPED_TEST(arena_merge_of, matrices_live_in_any_order_of_destruction) {
    std::size_t const count = 40;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(3);
    hisparse<TypeParam> const nothing(host_memory(), coo<TypeParam>{1, 1, {}, {}, {}});
    for (int round = 0; round < 4; ++round) {
        if (round == 1) std::reverse(order.begin(), order.end());
        if (round > 1) std::shuffle(order.begin(), order.end(), random);
        std::vector<hisparse<TypeParam>> chain{matrix_of<TypeParam>(behind_ballast(empty_matrix(200, 64)))};
        for (std::size_t k = 1; k < count; ++k)
            chain.push_back(
                edit(chain.back(), edits<TypeParam>().set(255 + static_cast<std::int64_t>(k), 300, TypeParam(k))));
        ASSERT_EQ(chain[32].content()->arenas.size(), 2u);
        std::vector<bool> gone(count);
        for (std::size_t k : order) {
            chain[k] = nothing;
            gone[k] = true;
            for (std::size_t i : {std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{39}})
                if (!gone[i]) {
                    EXPECT_EQ(std::ssize(to_coo(chain[i]).values), static_cast<std::int64_t>(65536 + i));
                }
        }
    }
}

// Plans keep nodes of a matrix by arena and offset.
TYPED_TEST(arena_merge_of, plans_follow) {
    cpu executor(2);
    hisparse<TypeParam> a = matrix_of<TypeParam>(behind_ballast(scattered(4000, 3900, 500, 8))).transposed();
    spmv_plan<TypeParam> plan(executor, a);
    std::mt19937_64 random(5);
    std::vector<TypeParam> x(static_cast<std::size_t>(a.column_count())), y(static_cast<std::size_t>(a.row_count())),
        expected(y.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<TypeParam>(i % 5);
    for (int k = 1; k <= 66; ++k) {
        a = edit(a, next_edits(a, random));
        plan = update(plan, a);
        spmv(executor, TypeParam(1), plan, x, TypeParam(0), y);
        spmv(executor, TypeParam(1), a, x, TypeParam(0), expected);
        ASSERT_EQ(y, expected) << k;  // whole numbers
    }
}

}  // namespace
}  // namespace copse::tests
