// Edits of matrices in memory that the host cannot read: what they come to, how often the host waits for copies, and
// how much is copied.
#include <copse/formats/hisparse_edit.hpp>

#include <gtest/gtest.h>

#include <copse/formats/generators.hpp>
#include <copse/formats/tree/compaction_plan.hpp>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <memory>
#include <random>
#include <string>
#include <unordered_set>

namespace copse::tests {
namespace {

template <class T>
class hisparse_in_distant_memory : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(hisparse_in_distant_memory, value_types);

/// What the nodes of `a` that `b` has not may take.
template <class T>
std::int64_t most_bytes_without(hisparse<T> const& a, hisparse<T> const& b) {
    detail::host_tree const tree_a(*a.content(), sizeof(T)), tree_b(*b.content(), sizeof(T));
    std::unordered_set<std::uintptr_t> seen;
    auto const nothing = [](child_reference) {};
    detail::for_each_node(tree_b, b.content()->root, seen, nothing);
    std::int64_t bytes = 0;
    auto const count = [&](child_reference node) { bytes += detail::most_node_bytes(node, tree_a.geometry()); };
    detail::for_each_node(tree_a, a.content()->root, seen, count);
    return bytes;
}

TYPED_TEST(hisparse_in_distant_memory, is_edited_without_a_look_at_it) {
    auto const where = std::make_shared<distant_memory>();
    for (coo<double> const &entries :
         {four_leaves(), scattered(4000, 3900, 9000, 8), matrix_where(150, 150, [](auto, auto) { return true; }),
          matrix_where(130, 130, [](auto i, auto j) { return i == j || j == i + 2; })}) {
        coo<TypeParam> const small = with_small_values<TypeParam>(entries);
        hisparse<TypeParam> const a(where, small, {.node_dimension = 64, .share_identical = true});
        EXPECT_EQ(a.space(), memory_space::device);
        entry_map<TypeParam> expected = map_of(small);
        std::int64_t const copied_before = where->bytes_to_host();
        auto const changes = edits<TypeParam>().set(3, 5, 7).erase(0, 20).add(100, 101, 9);
        hisparse<TypeParam> const b = edit(a, changes);
        std::int64_t const copied = where->bytes_to_host() - copied_before;
        EXPECT_LE(copied, most_bytes_without(a, b));
        EXPECT_EQ(b.space(), memory_space::device);
        expect_entries(a, expected);
        apply_to(expected, changes);
        expect_entries(b, expected);
        EXPECT_EQ(shared_bytes(a, b) > 0, a.census().wide_leaves() == 0);
        hisparse<TypeParam> const c = compact(b);
        EXPECT_EQ(c.bytes(), reachable_bytes(b));
        EXPECT_EQ(detail::compacted_bytes(*b.content(), sizeof(TypeParam)), reachable_bytes(b));
        expect_entries(c, expected);
        EXPECT_EQ(map_of(edit(c, edits<TypeParam>().set(1, 1, 1).erase(1, 1).erase(100, 101))).contains({100, 101}),
                  false);
    }
    hisparse<TypeParam> const nothing(where, coo<TypeParam>{70, 70, {}, {}, {}}, {.node_dimension = 64});
    hisparse<TypeParam> const some = edit(nothing, edits<TypeParam>().set(69, 0, 3));
    EXPECT_EQ(some.space(), memory_space::device);
    EXPECT_EQ(map_of(some), (entry_map<TypeParam>{{{69, 0}, 3}}));
    EXPECT_EQ(edit(some, edits<TypeParam>().erase(69, 0)).bytes(), 0);
}

/// All over the matrix: more make an entry than erase one, so that nothing is compacted.
template <class T>
edits<T> scattered_edits(hisparse<T> const& a, std::size_t count) {
    coo<T> const entries = to_coo(a);
    std::mt19937_64 random(7);
    edits<T> changes;
    while (changes.size() < count) {
        std::size_t const k = random() % entries.values.size();
        std::int64_t const row = entries.rows[k], column = entries.columns[k];
        switch (changes.size() % 4) {
            case 0:
                changes.set(row, column, T(500));
                break;
            case 1:
                changes.erase(row, column);
                break;
            default:
                changes.set(row, (column + 1) % a.column_count(), T(300));
        }
    }
    return changes;
}

struct distant_case {
    std::string name;
    coo<double> entries;
    std::vector<path_node> path;  // to its first entry; d = 64
};

std::vector<distant_case> distant_cases() {
    using enum node_kind;
    auto const in_every_block = [](std::int64_t i) {
        return i / 64 < 58 && i % 64 < 17 ? every(i / 64, 64, 58 * 64) : std::vector<std::int64_t>();
    };
    return {
        {"one list", matrix_where(60, 50, [](auto i, auto j) { return i % 2 == 0 && j % 3 == 0; }), {{0, sparse}}},
        {"runs below a list", generate<double>("stencil27:12"), {{1, sparse}, {0, diagonal}}},
        {"full leaves", matrix_where(300, 300, [](auto, auto) { return true; }), {{1, sparse}, {0, dense}}},
        {"lists below an array", matrix_of_rows(4096, 4096, in_every_block), {{1, dense}, {0, sparse}}},
        {"one wide leaf", scattered(4000, 3900, 9000, 8), {{1, wide}}},
        {"wide leaves", scattered(300000, 300000, 100000, 9), {{3, sparse}, {2, dense}, {1, wide}}},
        {"four levels", scattered_lists(3000, 300000), {{3, sparse}, {2, sparse}, {1, sparse}, {0, sparse}}},
    };
}

/// Copies to the host that `changes` of it take.
template <class T>
std::int64_t copies_of_edit(distant_memory const& where, hisparse<T> const& a, edits<T> const& changes) {
    entry_map<T> expected = map_of(a);
    apply_to(expected, changes);
    std::int64_t const before = where.copies_to_host();
    hisparse<T> const b = edit(a, changes);
    std::int64_t const copies = where.copies_to_host() - before;
    EXPECT_EQ(b.content()->arenas.size(), a.content()->arenas.size() + 1) << "compacted";
    expect_entries(b, expected);
    return copies;
}

TYPED_TEST(hisparse_in_distant_memory, is_waited_for_once_for_each_level) {
    for (distant_case const& c : distant_cases()) {
        SCOPED_TRACE(c.name);
        auto const where = std::make_shared<distant_memory>();
        hisparse<TypeParam> const here = matrix_of<TypeParam>(c.entries);
        coo<TypeParam> const entries = to_coo(here);
        EXPECT_EQ(
            path_to(here, static_cast<std::uint32_t>(entries.rows[0]), static_cast<std::uint32_t>(entries.columns[0])),
            c.path);
        hisparse<TypeParam> const there = placed_in(where, here);
        for (hisparse<TypeParam> const& a : {there, there.transposed().scaled(2)}) {
            EXPECT_EQ(copies_of_edit(*where, a, scattered_edits(a, 1)), std::ssize(c.path));
            EXPECT_EQ(copies_of_edit(*where, a, scattered_edits(a, 1000)), std::ssize(c.path));
        }
    }
}

TYPED_TEST(hisparse_in_distant_memory, has_nodes_in_several_arenas) {
    auto const where = std::make_shared<distant_memory>();
    hisparse<TypeParam> a = placed_in(where, matrix_of<TypeParam>(scattered_lists(20000, 17000)));
    for (std::size_t round = 1; round <= 5; ++round) {
        auto const changes = scattered_edits(a, 30 * round);
        EXPECT_EQ(copies_of_edit(*where, a, changes), 3);
        a = edit(a, changes);
        EXPECT_EQ(a.content()->arenas.size(), round + 1);
    }
}

// Every entry of the mosaic is looked at, and stays what it is.
TYPED_TEST(hisparse_in_distant_memory, has_nodes_with_several_parents_once) {
    auto const where = std::make_shared<distant_memory>();
    hisparse<TypeParam> const part = matrix_of<TypeParam>(scattered(4096, 4096, 6000, 9));
    hisparse<TypeParam> const a = placed_in(where, mosaic(mosaic(part)));
    coo<TypeParam> const entries = to_coo(a);
    edits<TypeParam> changes;
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        changes.set(entries.rows[k], entries.columns[k], entries.values[k]);
    std::int64_t const bytes_before = where->bytes_to_host(), copies_before = where->copies_to_host();
    EXPECT_EQ(edit(a, changes).content(), a.content());
    EXPECT_EQ(where->copies_to_host() - copies_before, 3);
    EXPECT_EQ(where->bytes_to_host() - bytes_before, a.bytes());
}

TYPED_TEST(hisparse_in_distant_memory, is_not_read_where_there_is_nothing) {
    auto const where = std::make_shared<distant_memory>();
    hisparse<TypeParam> const nothing(where, coo<TypeParam>{90000, 90000, {}, {}, {}}, {.node_dimension = 64});
    edits<TypeParam> changes;
    for (int k = 0; k < 1000; ++k) changes.set(k * 89, k * 83 % 90000, TypeParam(k));
    hisparse<TypeParam> const some = edit(nothing, changes);
    EXPECT_EQ(where->copies_to_host(), 0);
    entry_map<TypeParam> expected;
    apply_to(expected, changes);
    EXPECT_EQ(map_of(some), expected);
}

}  // namespace
}  // namespace copse::tests
