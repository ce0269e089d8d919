// Which nodes matrices share, how long these live, compaction, and identical sub-trees stored once.
#include <copse/formats/hisparse_edit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <copse/algebra/add.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/formats/tree/node_copier.hpp>
#include <copse/runtime/cpu.hpp>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <memory>
#include <optional>
#include <runtime/forwarding_memory.hpp>

namespace copse::tests {
namespace {

template <class T>
class hisparse_sharing : public testing::Test {};
template <class T>
class hisparse_compaction : public testing::Test {};
template <class T>
class hisparse_share_identical : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(hisparse_sharing, value_types);
TYPED_TEST_SUITE(hisparse_compaction, value_types);
TYPED_TEST_SUITE(hisparse_share_identical, value_types);

template <class T>
constexpr std::int64_t leaf_bytes = sizeof(T) == 8 ? 208 : 128;  // 17 as 20: 160 or 80, + 40, in units of 16 bytes
constexpr std::int64_t root_bytes = 48;                          // 4: 32 + 8

TYPED_TEST(hisparse_sharing, is_of_all_nodes_without_an_edit) {
    hisparse<TypeParam> const a = matrix_of<TypeParam>(four_leaves());
    EXPECT_EQ(a.bytes(), 4 * leaf_bytes<TypeParam> + root_bytes);
    EXPECT_EQ(reachable_bytes(a), 4 * leaf_bytes<TypeParam> + root_bytes);
    EXPECT_EQ(shared_bytes(a, transposed(a).scaled(2)), reachable_bytes(a));
    EXPECT_EQ(shared_bytes(a, matrix_of<TypeParam>(four_leaves())), 0);

    hisparse<TypeParam> const b = edit(a, edits<TypeParam>().set(0, 20, 500));
    EXPECT_EQ(b.bytes(), a.bytes() + leaf_bytes<TypeParam> + root_bytes);
    EXPECT_EQ(reachable_bytes(b), reachable_bytes(a));
    EXPECT_EQ(b.content()->reachable_bytes, reachable_bytes(b));
    EXPECT_EQ(shared_bytes(a, b), 3 * leaf_bytes<TypeParam>);
    EXPECT_EQ(shared_bytes(b, a), 3 * leaf_bytes<TypeParam>);

    hisparse<TypeParam> const c = edit(a, edits<TypeParam>().set(1, 20, 500).set(65, 84, 7));
    EXPECT_EQ(shared_bytes(a, c), 2 * leaf_bytes<TypeParam>);
    EXPECT_EQ(shared_bytes(b, c), 2 * leaf_bytes<TypeParam>);
    hisparse<TypeParam> const nothing(host_memory(), coo<TypeParam>{5, 5, {}, {}, {}});
    EXPECT_EQ(shared_bytes(a, nothing), 0);
    EXPECT_EQ(reachable_bytes(nothing), 0);
}

// Edits that are far from one another in a matrix of several levels: new bytes are those of their paths.
TYPED_TEST(hisparse_sharing, costs_the_nodes_on_the_way) {
    hisparse<TypeParam> const a = matrix_of<TypeParam>(scattered(20000, 20000, 400000, 3));
    hisparse<TypeParam> const b = edit(a, edits<TypeParam>().set(77, 99, 1).set(78, 99, 2));
    hisparse<TypeParam> const c = edit(b, edits<TypeParam>().set(19999, 19999, 1));
    std::int64_t const own = reachable_bytes(c) - shared_bytes(c, a);
    EXPECT_LT(own, reachable_bytes(a) / 10);
    EXPECT_GT(own, 0);
    EXPECT_EQ(c.bytes(), a.bytes() + (b.bytes() - a.bytes()) + (c.bytes() - b.bytes()));
    EXPECT_LT(c.bytes() - a.bytes(), reachable_bytes(a) / 5);
}

TYPED_TEST(hisparse_sharing, lives_in_any_order_of_destruction) {
    std::vector<int> order{0, 1, 2, 3};
    do {
        std::vector<std::optional<hisparse<TypeParam>>> chain{matrix_of<TypeParam>(four_leaves())};
        std::vector<entry_map<TypeParam>> expected{map_of(*chain[0])};
        for (int k = 1; k < 4; ++k) {
            edits<TypeParam> const changes = edits<TypeParam>().set(40 * k, 30, static_cast<TypeParam>(k)).erase(k, 20);
            expected.push_back(expected.back());
            apply_to(expected.back(), changes);
            chain.emplace_back(edit(*chain.back(), changes));
        }
        for (int gone : order) {
            chain[static_cast<std::size_t>(gone)].reset();
            for (std::size_t k = 0; k < chain.size(); ++k)
                if (chain[k]) {
                    EXPECT_EQ(map_of(*chain[k]), expected[k]);
                }
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

TYPED_TEST(hisparse_compaction, starts_below_half) {
    // One leaf of 17 entries, the root. Each edit makes another.
    hisparse<TypeParam> const a =
        matrix_of<TypeParam>(matrix_where(64, 64, [](auto i, auto j) { return i < 17 && j == 20; }));
    hisparse<TypeParam> const b = edit(a, edits<TypeParam>().set(0, 20, 500));
    EXPECT_EQ(b.bytes(), 2 * leaf_bytes<TypeParam>);  // half of it: not yet
    hisparse<TypeParam> const c = edit(b, edits<TypeParam>().set(0, 20, 501));
    EXPECT_EQ(c.bytes(), leaf_bytes<TypeParam>);
    EXPECT_EQ(c.content()->arenas.size(), 1);
    EXPECT_EQ(shared_bytes(c, b), 0);
    EXPECT_EQ(map_of(c).at({0, 20}), 501);
    check_tree(c);
    // The state survives.
    hisparse<TypeParam> const d =
        edit(edit(transposed(a).scaled(2), edits<TypeParam>().set(20, 0, 6)), edits<TypeParam>().set(20, 1, 8));
    EXPECT_EQ(d.bytes(), leaf_bytes<TypeParam>);
    EXPECT_EQ(d.scale(), 2);
    EXPECT_TRUE(d.is_transposed());
    EXPECT_EQ(map_of(d).at({20, 0}), 6);
    EXPECT_EQ(map_of(d).at({20, 1}), 8);
}

TYPED_TEST(hisparse_compaction, follows_the_loss_of_most_entries) {
    hisparse<TypeParam> const a = matrix_of<TypeParam>(four_leaves());
    edits<TypeParam> most;
    for (int k = 0; k < 17; ++k) most.erase(k, 20).erase(k, 84).erase(64 + k, 20);
    hisparse<TypeParam> const b = checked_edit(a, most);
    EXPECT_EQ(b.bytes(), leaf_bytes<TypeParam> + 16);
    EXPECT_EQ(b.content()->reachable_bytes, b.bytes());
}

TYPED_TEST(hisparse_compaction, is_not_for_numbers_that_edits_take) {
    // 16 dense leaves of 32 KiB, or 16, that no edit touches, and a leaf of one entry.
    hisparse<TypeParam> const first =
        matrix_of<TypeParam>(matrix_where(256, 320, [](auto i, auto j) { return j < 256 || (i == 3 && j == 300); }));
    entry_map<TypeParam> expected = map_of(first);
    hisparse<TypeParam> a = first;
    std::int64_t const untouched = 16 * 64 * 64 * static_cast<std::int64_t>(sizeof(TypeParam));
    for (int k = 1; k <= 2000; ++k) {
        hisparse<TypeParam> const last = a;
        a = edit(a, edits<TypeParam>().set(3, 300, static_cast<TypeParam>(k)));
        ASSERT_EQ(a.content()->arenas.front().memory, first.content()->arenas.front().memory);
        // A root and a leaf of the last edits: 31 of each rank.
        ASSERT_LE(a.bytes(), first.bytes() + 62 * 256);
        if (k % 250 == 0) {
            ASSERT_EQ(shared_bytes(a, first), untouched);
            ASSERT_EQ(shared_bytes(a, last), untouched);
        }
    }
    expected[{3, 300}] = 2000;
    EXPECT_EQ(map_of(a), expected);
    check_tree(a);
}

/// Four leaves, and as many arenas that no edit has made: all of `bytes`.
template <class T>
std::shared_ptr<hisparse_content> four_leaves_beside(int arenas, std::int64_t bytes) {
    auto content = std::make_shared<hisparse_content>();
    hisparse<T> const four = matrix_of<T>(four_leaves());
    content->row_count = content->column_count = 128;
    content->entry_count = four.entry_count();
    content->dimension_log2 = 6;
    content->root = four.content()->root;
    content->census = four.census();
    content->reachable_bytes = four.content()->reachable_bytes;
    content->arenas = four.content()->arenas;
    for (int number = 0; arenas > 0; ++number) {
        if (number == four.content()->arenas.front().number) continue;
        content->arenas.push_back({number, std::make_shared<buffer<std::byte>>(host_memory(), bytes)});
        --arenas;
    }
    detail::make_arena_table(*content, host_memory());
    return content;
}

TYPED_TEST(hisparse_compaction, frees_a_number_when_all_are_taken) {
    hisparse<TypeParam> const a(four_leaves_beside<TypeParam>(detail::most_arenas - 1, 0));
    hisparse<TypeParam> const b = checked_edit(a, edits<TypeParam>().set(3, 20, -1).erase(0, 20));
    EXPECT_EQ(b.content()->arenas.size(), 2);
    EXPECT_EQ(shared_bytes(a, b), 0);
    EXPECT_EQ(b.content()->edit_ranks.size(), 1);
    EXPECT_EQ(edit(a, edits<TypeParam>()).content(), a.content());
    EXPECT_EQ(edit(a, edits<TypeParam>().erase(127, 127)).content(), a.content());
}

// Counting takes a look at all inner nodes: where it leaves little, the next edits would each count again.
TYPED_TEST(hisparse_compaction, does_not_count_for_a_few_edits) {
    auto const change = edits<TypeParam>().set(3, 20, -1);
    hisparse<TypeParam> const alone = edit(matrix_of<TypeParam>(four_leaves()), change);
    for (double share : {0.53, 0.6}) {
        SCOPED_TRACE(share);
        auto const beside = static_cast<std::int64_t>(static_cast<double>(reachable_bytes(alone)) / share);
        auto const content = four_leaves_beside<TypeParam>(1, beside - alone.bytes());
        content->reachable_bytes /= 4;  // as edits of nodes with several parents leave it
        hisparse<TypeParam> const b = checked_edit(hisparse<TypeParam>(content), change);
        EXPECT_EQ(b.content()->arenas.size(), share < 0.5625 ? 1 : 3);
        EXPECT_EQ(b.content()->reachable_bytes, reachable_bytes(b));
    }
}

TYPED_TEST(hisparse_compaction, gives_the_bytes_of_a_conversion) {
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        hisparse<TypeParam> const a = matrix_of<TypeParam>(c.matrix);
        hisparse<TypeParam> const b = compact(a);
        EXPECT_EQ(map_of(b), map_of(a));
        EXPECT_EQ(b.bytes(), a.bytes());
        EXPECT_EQ(b.content()->reachable_bytes, a.content()->reachable_bytes);
        EXPECT_EQ(reachable_bytes(b), b.bytes());
        EXPECT_EQ(shared_bytes(a, b), 0);
        if (!a.root()) continue;
        // The same nodes at the same places: references differ in the arena's number only.
        EXPECT_EQ(b.root().reference.offset(), a.root().reference.offset());
        std::vector<std::byte> const bytes_a = a.content()->arenas[0].memory->to_host();
        std::vector<std::byte> const bytes_b = b.content()->arenas[0].memory->to_host();
        node_sizes const sizes = sizes_of_nodes(a);
        std::int64_t inner = 0;
        for (int level = 1; level < level_count; ++level)
            for (node_kind kind : {node_kind::sparse, node_kind::dense}) inner += sizes.of(level, kind).bytes;
        EXPECT_TRUE(std::equal(bytes_a.begin(), bytes_a.end() - inner, bytes_b.begin()));
        check_tree(b);
    }
}

TYPED_TEST(hisparse_compaction, keeps_sub_trees_with_several_parents_one) {
    hisparse<TypeParam> const part =
        matrix_of<TypeParam>(matrix_where(64, 64, [](auto i, auto j) { return i == 2 * j || i == 60; }));
    hisparse<TypeParam> const a = mosaic(part).scaled(0.5).transposed();
    hisparse<TypeParam> const b = compact(a);
    EXPECT_EQ(b.bytes(), part.bytes() + root_bytes);
    EXPECT_EQ(map_of(b), map_of(a));
    check_tree(b);
}

/// n x n blocks of 64 x 64, all alike: 40 entries each.
template <class T>
coo<T> periodic(std::int64_t n) {
    std::vector<std::int64_t> columns;
    for (std::int64_t block = 0; block < n; ++block)
        for (std::int64_t j : every(0, 13, 64)) columns.push_back(64 * block + j);
    coo<double> const where = matrix_of_rows(
        64 * n, 64 * n, [&](std::int64_t i) { return i % 8 == 0 ? columns : std::vector<std::int64_t>(); });
    coo<T> a{where.row_count, where.column_count, where.rows, where.columns, {}};
    for (std::size_t k = 0; k < a.rows.size(); ++k)
        a.values.push_back(static_cast<T>(a.rows[k] % 64 * 64 + a.columns[k] % 64));
    return a;
}
template <class T>
constexpr std::int64_t block_bytes = sizeof(T) == 8 ? 400 : 240;

TYPED_TEST(hisparse_share_identical, stores_a_periodic_matrix_once) {
    coo<TypeParam> const entries = periodic<TypeParam>(128);
    hisparse<TypeParam> const all(host_memory(), entries, {.node_dimension = 64});
    hisparse<TypeParam> const once(host_memory(), entries, {.node_dimension = 64, .share_identical = true});
    // 16384 leaves, 4 dense nodes of level 1, the root.
    EXPECT_EQ(all.bytes(), 16384 * block_bytes<TypeParam> + 4 * 32768 + 48);
    EXPECT_EQ(once.bytes(), block_bytes<TypeParam> + 32768 + 48);
    EXPECT_EQ(reachable_bytes(once), once.bytes());
    EXPECT_EQ(once.content()->reachable_bytes, once.bytes());
    // Visits: what a traversal meets.
    EXPECT_EQ(once.census().visits, all.census().visits);
    EXPECT_EQ(once.census().entries, all.census().entries);
    EXPECT_EQ(once.entry_count(), 655360);
    coo<TypeParam> const back = to_coo(once);
    EXPECT_EQ(back.rows, entries.rows);
    EXPECT_EQ(back.columns, entries.columns);
    EXPECT_EQ(back.values, entries.values);

    cpu executor(2);
    std::vector<TypeParam> x(8192), expected(8192), y(8192);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<TypeParam>(i % 7);
    spmv(executor, TypeParam(1), all, x, TypeParam(0), expected);
    spmv(executor, TypeParam(1), once, x, TypeParam(0), y);
    EXPECT_EQ(y, expected);
}

TYPED_TEST(hisparse_share_identical, tells_apart_what_differs_in_a_bit) {
    coo<TypeParam> entries = periodic<TypeParam>(4);
    hisparse_options const options{.node_dimension = 64, .share_identical = true};
    auto const bytes = [&] { return hisparse<TypeParam>(host_memory(), entries, options).bytes(); };
    EXPECT_EQ(bytes(), block_bytes<TypeParam> + 160);
    // The value at (0, 0) of each block is 0; in one it becomes -0, in another it moves.
    entries.values[0] = TypeParam(-0.0);
    EXPECT_EQ(bytes(), 2 * block_bytes<TypeParam> + 160);
    entries.columns.back() += 1;
    hisparse<TypeParam> const a(host_memory(), entries, options);
    EXPECT_EQ(a.bytes(), 3 * block_bytes<TypeParam> + 160);
    EXPECT_EQ(map_of(a), map_of(entries));
}

TYPED_TEST(hisparse_share_identical, compares_what_has_the_same_hash) {
    // Two leaves that differ in their first two words: a value each in double, two in float. The hash's state before
    // word i is s_i, and s_i + word i is all that goes on: the second word makes up for what the first has done.
    using word = std::array<TypeParam, 8 / sizeof(TypeParam)>;
    auto const of_value = [](TypeParam value) {
        word w;
        w.fill(value);
        return std::bit_cast<std::uint64_t>(w);
    };
    auto const state_after = [](std::uint64_t state, std::uint64_t bits) {
        return detail::mix_bits(state + bits) + 0x9e3779b97f4a7c15U;
    };
    std::uint64_t const start = leaf_bytes<TypeParam>;
    std::uint64_t const words[2][2] = {
        {of_value(1), of_value(2)},
        {of_value(3), state_after(start, of_value(1)) + of_value(2) - state_after(start, of_value(3))}};
    coo<TypeParam> entries{64, 128, {}, {}, {}};
    for (int block = 0; block < 2; ++block)
        for (std::size_t i = 0; i < 17; ++i) {  // one after the other in leaf_order: the even rows come first
            auto const row = static_cast<std::int32_t>(3 * i);
            entries.rows.push_back(row);
            entries.columns.push_back(64 * block + row + static_cast<std::int32_t>(i % 2));
            std::size_t const place = i / 2, per_word = word().size();
            entries.values.push_back(i % 2 == 0 && place < 2 * per_word
                                         ? std::bit_cast<word>(words[block][place / per_word])[place % per_word]
                                         : static_cast<TypeParam>(i));
        }
    hisparse<TypeParam> const all(host_memory(), entries, {.node_dimension = 64});
    hisparse<TypeParam> const once(host_memory(), entries, {.node_dimension = 64, .share_identical = true});
    std::int64_t const bytes = leaf_bytes<TypeParam>;
    std::byte const* const leaves = all.content()->arenas[0].memory->data();
    ASSERT_EQ(all.bytes(), 2 * bytes + 32);
    ASSERT_EQ(detail::hash_of_node(leaves, bytes), detail::hash_of_node(leaves + bytes, bytes));
    EXPECT_EQ(once.bytes(), all.bytes());
    EXPECT_EQ(to_coo(once).values[0], 1);
    EXPECT_EQ(to_coo(once).values[1], 3);
}

TYPED_TEST(hisparse_share_identical, changes_nothing_else_over_the_battery) {
    std::vector<int> const dimensions{64, 128, 256};
    std::size_t turn = 0;
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        int const d = dimensions[turn++ % 3];
        hisparse<TypeParam> const all = matrix_of<TypeParam>(c.matrix, d);
        hisparse<TypeParam> const once(host_memory(), with_small_values<TypeParam>(c.matrix),
                                       {.node_dimension = d, .share_identical = true});
        EXPECT_LE(once.bytes(), all.bytes());
        EXPECT_EQ(map_of(once), map_of(all));
        check_tree(once);
    }
}

TYPED_TEST(hisparse_share_identical, survives_edits_and_compaction) {
    hisparse<TypeParam> const a(host_memory(), periodic<TypeParam>(70),
                                {.node_dimension = 64, .share_identical = true});
    hisparse<TypeParam> const b = checked_edit(a, edits<TypeParam>().set(64 * 69, 64 * 69, 5).erase(64, 64));
    EXPECT_EQ(a.content()->arenas.size(), 1);
    // Reachable: the old leaf, the leaf with another value and the one without an entry, nodes above them.
    EXPECT_LE(b.content()->reachable_bytes, reachable_bytes(b));
    hisparse<TypeParam> const c = compact(b);
    EXPECT_EQ(c.bytes(), reachable_bytes(b));
    EXPECT_EQ(map_of(c), map_of(b));
    check_tree(c);
}

// Nodes that an edit has replaced for some of their parents only are not lost.
TYPED_TEST(hisparse_share_identical, is_not_compacted_while_most_can_be_reached) {
    hisparse<TypeParam> const a(host_memory(), periodic<TypeParam>(40),
                                {.node_dimension = 64, .share_identical = true});
    edits<TypeParam> changes;
    for (int k = 0; k < 200; ++k) changes.set(64 * (k / 40) + 1, 64 * (k % 40) + 1, TypeParam(k + 5));
    hisparse<TypeParam> const b = checked_edit(a, changes);
    EXPECT_GE(2 * reachable_bytes(b), b.bytes());
    EXPECT_EQ(b.content()->arenas.size(), 2);
    EXPECT_EQ(b.content()->reachable_bytes, reachable_bytes(b));
    EXPECT_GT(shared_bytes(a, b), 0);
}

// Also a host's that is not host_memory(), whatever the new nodes take, and where edits' arenas are merged.
TYPED_TEST(hisparse_sharing, leaves_the_memory_as_it_was) {
    auto const where = std::make_shared<forwarding_memory>();
    std::int64_t const size = 1 << 20;
    hisparse<TypeParam> a(where, coo<TypeParam>{size, size, {}, {}, {}}, {.node_dimension = 256});
    edits<TypeParam> many;
    for (std::int64_t k = 0; k < 800000; ++k) many.set(k, k * 7919 % size, 1);
    a = edit(a, many);
    ASSERT_GT(a.bytes(), std::int64_t{4} << 20);
    for (int k = 0; k < 40; ++k) a = edit(a, edits<TypeParam>().set(k, size - 1, 2));
    for (arena const& each : a.content()->arenas) EXPECT_EQ(each.memory->where(), where);
}

// Sums store all but sub-trees at places (i, j) and (j, i) of a node; compaction without the option keeps that.
TYPED_TEST(hisparse_share_identical, comes_back_with_compaction) {
    cpu executor(2);
    hisparse<TypeParam> const once(host_memory(), periodic<TypeParam>(70),
                                   {.node_dimension = 64, .share_identical = true});
    hisparse<TypeParam> const all(host_memory(), periodic<TypeParam>(70), {.node_dimension = 64});
    hisparse<TypeParam> const sum = add(executor, TypeParam(1), once, TypeParam(2), once).transposed().scaled(2);
    EXPECT_LT(reachable_bytes(sum), all.bytes());
    EXPECT_GT(reachable_bytes(sum), 2 * once.bytes());
    EXPECT_EQ(compact(sum).bytes(), reachable_bytes(sum));
    for (auto const& where : {host_memory(), std::shared_ptr<memory>(std::make_shared<distant_memory>())}) {
        hisparse<TypeParam> const a = compact(placed_in(where, sum), {.share_identical = true});
        EXPECT_EQ(a.bytes(), once.bytes());
        EXPECT_EQ(a.content()->reachable_bytes, once.bytes());
        EXPECT_EQ(a.space(), where->space());
        EXPECT_EQ(a.census().visits, sum.census().visits);
        EXPECT_EQ(map_of(a), map_of(sum));
        EXPECT_TRUE(a.is_transposed());
        EXPECT_EQ(a.scale(), 2);
    }
    EXPECT_EQ(shared_bytes(compact(once, {.share_identical = true}), once), 0);
}

}  // namespace
}  // namespace copse::tests
