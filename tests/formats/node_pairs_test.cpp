// Pairs of nodes of two trees, and pairs of entries (formats/node_pairs.hpp).
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/sums/add_pairs.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <formats/node_pairs_suite.hpp>
#include <map>
#include <runtime/message_of.hpp>
#include <set>
#include <string>

namespace copse::tests {
namespace {

TEST(node_pairs, have_each_place_once_on_a_cpu) {
    cpu executor(3);
    int turn = 0;
    for (auto const& pair : all_pairs()) {
        SCOPED_TRACE(pair.name);
        check_pairs(executor, pair.a, pair.b, turn++);
    }
}

/// Without B + A where there is A + B.
std::vector<pair_case> each_two_once(std::vector<pair_case> const& pairs) {
    std::vector<pair_case> kept;
    std::set<std::string> names;
    for (pair_case const& p : pairs) {
        std::size_t const middle = p.name.find(" + ");
        if (names.contains(p.name.substr(middle + 3) + " + " + p.name.substr(0, middle))) continue;
        names.insert(p.name);
        kept.push_back(p);
    }
    return kept;
}

TEST(node_pairs, have_each_place_once_in_lanes) {
    emulated executor({.seed = 5});
    int turn = 1;
    for (auto const& group : {each_two_once(pairs_of_leaves()), each_two_once(pairs_of_upper_nodes())})
        for (auto const& pair : group) {
            SCOPED_TRACE(pair.name);
            check_pairs(executor, pair.a, pair.b, turn++);
        }
}

/// Leaves of one kind that are stored the same way round: lists, streaks in the same places and in others, wide ones;
/// the same pattern, and entries that one of them has alone.
TEST(node_pairs, of_leaves_that_are_alike) {
    auto const pattern = [](node_kind kind, auto i, auto j) {
        return kind == node_kind::diagonal ? (i - j) % 9 == 0 || (i * 7 + j * 5) % 61 == 0 : (i * 13 + j * 7) % 23 == 0;
    };
    cpu threads(2);
    emulated lanes;
    auto const check = [&](coo<double> const& entries_a, coo<double> const& entries_b, node_kind kind) {
        auto const stored = [&](coo<double> m, bool turn) {
            if (turn) {
                std::swap(m.rows, m.columns);
                std::swap(m.row_count, m.column_count);
            }
            hisparse<double> const made(host_memory(), m, {.node_dimension = 64});
            EXPECT_EQ(made.root().reference.kind(), kind);
            return turn ? transposed(made) : made;
        };
        for (bool const turn : {false, true}) {
            auto const a = scaled(stored(entries_a, turn), 2), b = stored(entries_b, turn);
            check_pairs_of<pairs::both, 32>(threads, a, b);
            check_pairs_of<pairs::either, 32>(threads, b, a);
            check_pairs_of<pairs::both, 1>(lanes, b, a);
            check_pairs_of<pairs::either, 1>(lanes, a, b);
        }
    };
    for (node_kind const kind : {node_kind::diagonal, node_kind::sparse}) {
        SCOPED_TRACE(static_cast<int>(kind));
        auto const with = [&](auto also, auto without) {
            return matrix_where(64, 64,
                                [&](auto i, auto j) { return (pattern(kind, i, j) || also(i, j)) && !without(i, j); });
        };
        auto const never = [](auto, auto) { return false; };
        auto const whole = with(never, never);
        check(whole, whole, kind);
        auto const single = [](auto i, auto j) { return (i == 3 && j == 50) || (i == 60 && j == 2); };
        check(whole, with(single, never), kind);
        check(with(never, [](auto i, auto j) { return i == j && i > 20; }), whole, kind);
    }
    auto const full = matrix_where(64, 64, [](auto, auto) { return true; });
    check(full, full, node_kind::dense);
    auto const scattered = [](std::int64_t step, std::int64_t other) {
        return matrix_of_rows(4096, 4096, [=](auto i) {
            std::vector<std::int64_t> columns{(i * 1237 + 5) % 4096};
            if (i % step == other && i * 311 % 4096 != columns[0]) columns.push_back(i * 311 % 4096);
            return i % 3 == 0 ? columns : std::vector<std::int64_t>();
        });
    };
    check(scattered(3, 0), scattered(5, 1), node_kind::wide);
}

/// More entries than a core finds keys of at a time; the end of one list far before that of the other.
TEST(node_pairs, of_long_lists_are_merged_in_windows) {
    auto const wide = [](int step, int last) {
        return matrix_of_rows(4096, 4096, [=](auto i) {
            std::vector<std::int64_t> columns;
            if (i % step == 0 && i < last) columns.push_back(i * 1237 % 4096);
            return columns;
        });
    };
    cpu threads(2);
    for (auto const& [a, b] : {std::pair{2, 3}, {3, 2}, {5, 2}, {2, 2}})
        for (int const last : {600, 4096}) {
            hisparse<double> const of_a(host_memory(), wide(a, last), {.node_dimension = 64}),
                of_b(host_memory(), wide(b, 4096), {.node_dimension = 64});
            ASSERT_TRUE(of_a.root().reference.is_wide_leaf() && of_b.root().reference.is_wide_leaf());
            check_pairs_of<pairs::both, 32>(threads, of_a, of_b);
            check_pairs_of<pairs::either, 32>(threads, of_a, of_b);
            check_pairs_of<pairs::either, 32>(threads, of_b, of_a);
        }
}

/// Lists beside leaves with streaks, and either beside itself transposed: by a table of places, which is clean for the
/// next pair.
TEST(node_pairs, of_leaves_of_two_kinds) {
    auto const stored = [](auto pattern, node_kind kind) {
        hisparse<double> const made(host_memory(), matrix_where(64, 64, pattern), {.node_dimension = 64});
        EXPECT_EQ(made.root().reference.kind(), kind);
        return made;
    };
    auto const streaks = stored([](auto i, auto j) { return (i - j) % 9 == 0 || (i * 7 + j * 5) % 61 == 0; },
                                node_kind::diagonal),
               list = stored([](auto i, auto j) { return (i * 13 + j * 7) % 23 == 0; }, node_kind::sparse);
    cpu one(1);  // one table
    for (auto const& a : {streaks, list, transposed(list), scaled(transposed(streaks), -2)})
        for (auto const& b : {list, streaks, transposed(streaks), transposed(list)}) {
            check_pairs_of<pairs::both, 32>(one, a, b);
            check_pairs_of<pairs::either, 32>(one, a, b);
        }
}

/// For each pair of entries of A and B all pairs of B and A.
struct count_pairs_in_pairs {
    using item = node_pair;
    static constexpr int width = 32;
    tree_pair<double> trees, swapped;
    std::int64_t *outer, *inner;

    void operator()(item const& pair, auto& w) const {
        for_each_pair<pairs::both>(w, trees, pair, [&](auto&&...) {
            w.add(outer, std::int64_t{1});
            for_each_pair<pairs::both>(w, swapped, node_pair{pair.b, pair.a},
                                       [&](auto&&...) { w.add(inner, std::int64_t{1}); });
        });
    }
};
TEST(node_pairs, may_be_called_out_for_each_other) {
    auto const matrix = [](auto pattern) {
        return hisparse<double>(host_memory(), matrix_where(64, 64, pattern), {.node_dimension = 64});
    };
    auto const streaks = matrix([](auto i, auto j) { return (i - j) % 9 == 0; }),
               list = matrix([](auto i, auto j) { return (i * 13 + j * 7) % 23 == 0; });
    cpu one(1);
    std::int64_t counts[2] = {};
    run(one, seed_roots<pairs::both, count_pairs_in_pairs>(streaks, list),
        count_pairs_in_pairs{{streaks, list}, {list, streaks}, &counts[0], &counts[1]});
    EXPECT_GT(counts[0], 1);
    EXPECT_EQ(counts[1], counts[0] * counts[0]);
}

/// Which conversions do not make, as the others are smaller; edits may.
TEST(node_pairs, of_dense_leaves_with_holes) {
    std::vector<double> const values(64 * 64, 1);
    auto const presence = [](int step) {
        std::vector<std::uint32_t> bits(64 * 64 / 32, 0);
        for (int i = 0; i < 64 * 64; i += step) bits[static_cast<std::size_t>(i / 32)] |= 1u << (i % 32);
        return bits;
    };
    auto const in_a = presence(6), in_b = presence(10);
    dense_leaf_view<double> const a{values.data(), in_a.data(), 6, true}, b{values.data(), in_b.data(), 6, true};
    auto const merged = [&](auto both) {
        std::map<std::pair<int, int>, int> found;
        EXPECT_TRUE(detail::merge_leaves<both.value>(a, detail::entry_numbers(), b, detail::entry_numbers(),
                                                     leaf_order{6}, true,
                                                     [&](int row, int column, double const* x, double const* y) {
                                                         found[{row, column}] = (x ? 1 : 0) + (y ? 2 : 0);
                                                     }));
        return found;
    };
    std::map<std::pair<int, int>, int> one, both;
    for (int i = 0; i < 64 * 64; ++i)
        if (int const there = (i % 6 == 0 ? 1 : 0) + (i % 10 == 0 ? 2 : 0); there > 0) {
            one[{i % 64, i / 64}] = there;
            if (there == 3) both[{i % 64, i / 64}] = there;
        }
    EXPECT_EQ(merged(std::false_type()), one);
    EXPECT_EQ(merged(std::true_type()), both);
}

/// Wide leaves beside inner nodes, and beside nothing: with blocks that both have, and that one has.
TEST(node_pairs, take_wide_leaves_apart) {
    auto const in_blocks = [](std::int64_t i) {
        std::vector<std::int64_t> columns;
        if (i / 64 % 16 != 0) return columns;
        for (std::int64_t const first : {64, 22 * 64, 43 * 64})
            for (std::int64_t j = first; j < first + 64; ++j)
                if ((i + 2 * j) % 11 == 0) columns.push_back(j);
        return columns;
    };
    auto const blocks = matrix_of_rows(4096, 4096, in_blocks);
    auto const wide = matrix_of_rows(4096, 4096, [&](std::int64_t i) {
        auto columns = in_blocks(i);
        if (columns.empty() || i % 8 != 3) columns = {(i * 1237 + 5) % 4096, 0};
        columns.resize(i % 3 == 0 || i % 8 == 3 ? 1 : 0);
        return columns;
    });
    hisparse<double> const a(host_memory(), wide, {.node_dimension = 64}),
        b(host_memory(), blocks, {.node_dimension = 64});
    ASSERT_TRUE(a.root().reference.is_wide_leaf());
    ASSERT_FALSE(b.root().reference.is_leaf());
    cpu threads(2);
    emulated lanes;
    for (int turn = 0; turn < 3; ++turn) {
        check_pairs(threads, wide, blocks, turn);
        check_pairs(lanes, wide, blocks, turn);
    }
}

TEST(node_pairs, of_a_matrix_without_entries) {
    auto const some = matrix_where(200, 100, [](auto i, auto j) { return (i + j) % 9 == 0; });
    cpu threads(2);
    emulated lanes;
    for (auto const& [a, b] : {std::pair{some, empty_matrix(200, 100)},
                               {empty_matrix(200, 100), some},
                               {empty_matrix(200, 100), empty_matrix(200, 100)},
                               {empty_matrix(0, 0), empty_matrix(0, 0)}}) {
        check_pairs(threads, a, b, 0);
        check_pairs(lanes, a, b, 1);
    }
}

TEST(node_pairs, want_matrices_of_one_shape_and_dimension) {
    hisparse<double> const a(host_memory(), empty_matrix(3, 4)), b(host_memory(), empty_matrix(4, 3)),
        c(host_memory(), empty_matrix(3, 4), {.node_dimension = 64});
    using task = note_pairs<pairs::both, 32>;
    EXPECT_EQ(message_of<shape_error>([&] { seed_roots<pairs::both, task>(a, b); }),
              "tree_pair: A is 3 x 4, B is 4 x 3; they must have the same shape: take the transpose of one");
    EXPECT_EQ(message_of<argument_error>([&] { tree_pair<double>(a, c); }),
              "tree_pair: A has nodes of 128 rows, B of 64; convert both with the same node_dimension");
    EXPECT_NO_THROW((seed_roots<pairs::both, task>(a, transposed(b))));
}

struct read_as_leaves {
    using item = node_pair;
    static constexpr int width = 4;
    tree_pair<double> trees;
    template <class Worker>
    void operator()(node_pair const& pair, Worker& w) const {
        for_each_pair<pairs::both>(w, trees, pair, [](std::int64_t, std::int64_t, double, double) {});
    }
};
struct read_as_inner_nodes {
    using item = node_pair;
    static constexpr int width = 4;
    tree_pair<double> trees;
    template <class Worker>
    void operator()(node_pair const& pair, Worker& w) const {
        push_child_pairs<pairs::both, read_as_inner_nodes>(w, trees, pair);
    }
};

template <class Executor>
void check_refusals(Executor& executor) {
    auto const is_refused = [&]<class Task>(Task task, hisparse<double> const& a, char const* with) {
        try {
            run(executor, seed_roots<pairs::both, Task>(a, a), task);
            ADD_FAILURE() << "no error that says: " << with;
        } catch (argument_error const& e) {
            EXPECT_NE(std::string(e.what()).find(with), std::string::npos) << e.what();
        }
    };
    auto const matrix = [](std::int64_t n) {
        return hisparse<double>(host_memory(), matrix_where(n, n, [](auto i, auto j) { return i == j; }),
                                {.node_dimension = 64});
    };
    auto const large = matrix(130), small = matrix(60);
    is_refused(read_as_leaves{{large, large}}, large,
               "for_each_pair() wants a node that is: pair of leaves; it was given an inner node at row 0, column 0");
    is_refused(read_as_inner_nodes{{small, small}}, small,
               "push_child_pairs() wants a node that is: pair with an inner");
}
TEST(node_pairs, of_the_wrong_kind_are_refused) {
    cpu threads(2);
    check_refusals(threads);
    emulated lanes;
    check_refusals(lanes);
}

}  // namespace
}  // namespace copse::tests
