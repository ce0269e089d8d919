// Sums whose nodes over leaves are wide leaves or not by the rule for conversions: of two wide leaves, of a wide leaf
// and a node over leaves, of two such nodes. d = 64, where not said.
#include <algebra/sums/add_suite.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/edits/edit_tools.hpp>
#include <functional>
#include <some_cases.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

/// Some of the positions in a block, of all that it can have in an order that meets all its diagonals.
struct positions {
    int first;
    int count;
};

/// Blocks first .. end - 1 (row-major, 64 in a row) of 4096 x 4096, from row and column `corner` on.
void put_blocks(coo<double>& m, int first, int end, std::function<positions(int)> const& of_block,
                std::int32_t corner = 0) {
    value_source value(static_cast<std::uint64_t>(first + end));
    for (int k = first; k < end; ++k)
        for (int i = 0; i < of_block(k).count; ++i) {
            int const position = (1237 * (of_block(k).first + i) + 611 * k) % 4096;
            m.rows.push_back(corner + k / 64 * 64 + position / 64);
            m.columns.push_back(corner + k % 64 * 64 + position % 64);
            m.values.push_back(value());
        }
}

struct rule_case {
    std::string name;
    coo<double> a;
    coo<double> b;
    bool wide;  // the sum at A's first block of level 1
};

rule_case case_of(std::string const& name, bool wide) {
    return {name, empty_matrix(4096, 4096), empty_matrix(4096, 4096), wide};
}

/// Two wide leaves of so many blocks, with 16 entries in each together, or with one more.
std::vector<rule_case> at_the_border(int blocks) {
    std::vector<rule_case> cases;
    for (int more : {0, 1}) {
        rule_case c =
            case_of(std::to_string(blocks) + " blocks, 16 entries in each and " + std::to_string(more), more == 0);
        auto const of_a = [](int k) { return positions{0, 3 + k % 11}; };
        put_blocks(c.a, 0, blocks, of_a);
        put_blocks(c.b, 0, blocks, [&](int k) {
            int const before = of_a(k).count, common = k % 3;
            return positions{before - common, 16 - before + common + (k == 1 ? more : 0)};
        });
        cases.push_back(c);
    }
    return cases;
}

/// Others than two wide leaves become one.
std::vector<rule_case> beside_leaves() {
    auto const one = [](int) { return positions{7, 1}; };
    auto const eight = [](int k) { return positions{5 * k % 90, 8}; };
    std::vector<rule_case> cases;
    auto const add_case = [&](std::string const& name, bool wide) -> rule_case& {
        return cases.emplace_back(case_of(name, wide));
    };
    rule_case* c = &add_case("two single entries", true);
    put_blocks(c->a, 3, 4, one);
    put_blocks(c->b, 70, 71, one);
    c = &add_case("an entry beside a wide leaf", true);
    put_blocks(c->a, 0, 200, eight);
    put_blocks(c->b, 90, 91, one);
    c = &add_case("a list and a wide leaf that does not have enough blocks", false);
    put_blocks(c->a, 9, 10, [](int) { return positions{0, 70}; });
    put_blocks(c->b, 10, 13, one);
    c = &add_case("a list that is not copied by one lane", true);
    put_blocks(c->a, 9, 10, [](int) { return positions{0, 70}; });
    put_blocks(c->b, 8, 14, one);
    c = &add_case("leaves in both, which have most of their entries in common", true);
    put_blocks(c->a, 0, 100, [](int) { return positions{0, 17}; });
    put_blocks(c->b, 0, 100, [](int) { return positions{0, 17}; });
    put_blocks(c->b, 100, 200, [](int) { return positions{0, 9}; });
    c = &add_case("nodes that may be a wide leaf together, but for a block of both", false);
    put_blocks(c->a, 0, 1, [](int) { return positions{0, 100}; });
    put_blocks(c->a, 1, 5, one);
    put_blocks(c->b, 0, 1, [](int) { return positions{100, 100}; });
    put_blocks(c->b, 5, 9, one);
    c = &add_case("runs and a wide leaf", true);
    for (int i = 0; i < 50; ++i) {
        c->a.rows.push_back(100 + i % 28);
        c->a.columns.push_back(200 + i % 28 + i / 28);
        c->a.values.push_back(i + 1);
    }
    put_blocks(c->b, 60, 80, eight);
    c = &add_case("a dense leaf and a wide leaf", true);
    put_blocks(c->a, 40, 41, [](int) { return positions{0, 3700}; });
    put_blocks(c->b, 0, 500, eight);
    c = &add_case("a wide leaf below another node", true);
    for (coo<double>* m : {&c->a, &c->b}) m->row_count = m->column_count = 9000;
    put_blocks(c->a, 0, 60, eight);
    put_blocks(c->b, 7, 8, one);
    put_blocks(
        c->a, 0, 30,
        [](int) {
            return positions{0, 20};
        },
        4096);  // A's alone
    put_blocks(
        c->b, 0, 2,
        [](int) {
            return positions{0, 20};
        },
        4096);
    return cases;
}

/// Two wide leaves that have every other entry of a run in each block, and in one block of a run around a corner of it.
rule_case runs_of_both() {
    rule_case c = case_of("two wide leaves with the entries of streaks in turn", false);
    for (int block = 0; block < 12; ++block)
        for (int i = 0; i < 20; ++i) {
            coo<double>& m = i % 2 == 0 ? c.a : c.b;
            m.rows.push_back(i + (block == 11 ? 44 : 0));
            m.columns.push_back(64 * block + (i + (block == 11 ? 50 : 3)) % 64);
            m.values.push_back(i + 1);
        }
    return c;
}

/// More leaves than a sparse node has.
rule_case dense_node() {
    rule_case c = case_of("a dense node and a wide leaf", true);
    put_blocks(c.a, 0, 3300, [](int) { return positions{0, 17}; });
    put_blocks(c.b, 2000, 4096, [](int) { return positions{5, 2}; });
    return c;
}

/// C = A + 2 B has the nodes of its conversion.
template <class T, class Executor>
void check_case(Executor& executor, rule_case const& c, bool transpose_a, bool transpose_b) {
    SCOPED_TRACE(c.name + (transpose_a ? ", A^T" : "") + (transpose_b ? ", B^T" : ""));
    csr<T> const a = to_csr(with_values_of<T>(c.a)), b = to_csr(with_values_of<T>(c.b));
    auto const& where = executor.memory();
    hisparse<T> const sum =
        add(executor, T(1), stored_as(where, a, transpose_a, 64), T(2), stored_as(where, b, transpose_b, 64));
    expect_sum<T>(sum, 1, a, 2, b, c.name);
    expect_nodes_of_conversion(executor, sum);
    check_tree(sum);
    EXPECT_EQ(sum.content()->reachable_bytes, reachable_bytes(sum));
    EXPECT_EQ(sum.census().wide_leaves() > 0, c.wide);
    if (sum.content()->arenas.size() == 1) {  // without what was there before it became a wide leaf
        EXPECT_EQ(sum.bytes(), reachable_bytes(sum));
    }
}

template <class Executor>
void check_in_all_ways(Executor& executor, std::vector<rule_case> const& cases) {
    for (rule_case const& c : some_of(cases))
        for (int way = 0; way < 4; ++way) {
            check_case<double>(executor, c, way % 2 == 1, way / 2 == 1);
            if (testing::Test::HasFailure()) return;
        }
    for (rule_case const& c : some_of(cases)) check_case<float>(executor, c, false, true);
}

TEST(add_wide, follows_the_rule_of_conversions) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        for (int blocks : {2, 30, 300}) check_in_all_ways(executor, at_the_border(blocks));
        check_in_all_ways(executor, beside_leaves());
        check_in_all_ways(executor, {runs_of_both()});
    }
}

TEST(add_wide, follows_the_rule_where_all_blocks_have_entries) {
    cpu executor(2);
    for (rule_case const& c : at_the_border(4096)) check_case<double>(executor, c, false, true);
    check_case<double>(executor, dense_node(), true, false);
    check_case<float>(executor, dense_node(), false, true);
}

TEST(add_wide, follows_the_rule_in_a_dense_node_of_lanes) {
    emulated lanes({.mode = emulation::explore, .seed = 32, .step_limit = 100'000'000});
    check_case<double>(lanes, dense_node(), true, false);
}

class add_wide_rule_explored : public testing::TestWithParam<controller> {
  protected:
    emulated lanes{{.mode = emulation::explore, .seed = 31, .controller = GetParam(), .blocks = 4}};
};

TEST_P(add_wide_rule_explored, holds_for_two_wide_leaves) {
    for (int blocks : {2, 30, 300}) check_in_all_ways(lanes, at_the_border(blocks));
}

// Whose table is made of stretches of entries.
TEST_P(add_wide_rule_explored, holds_for_wide_leaves_with_many_entries) {
    for (rule_case const& c : some_of(at_the_border(2200)))
        check_case<double>(lanes, c, GetParam() == controller::host, true);
}

TEST_P(add_wide_rule_explored, holds_beside_leaves) {
    check_in_all_ways(lanes, beside_leaves());
}

TEST_P(add_wide_rule_explored, holds_while_a_matrix_is_assembled) {
    check_assembled<double>(lanes, 8, 12, 64);
    check_assembled<float>(lanes, 7, 20, 128);
}

INSTANTIATE_TEST_SUITE_P(controllers, add_wide_rule_explored,
                         testing::Values(controller::persistent, controller::device, controller::host));

TEST(add_wide, follows_the_rule_while_a_matrix_is_assembled) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_assembled<double>(executor, 17, 20, 64);  // two levels of nodes
        check_assembled<float>(executor, 12, 30, 128);
        check_assembled<float>(executor, 12, 40, 256);
    }
}

/// d = 256: two wide leaves with more entries than one can have, and so many in common that they are one.
template <class Executor>
void check_most_entries(Executor& executor) {
    coo<double> const entries = matrix_of_rows(
        65536, 65536, [](auto i) { return i % 256 < 9 ? every(i % 256, 256, 65536) : std::vector<std::int64_t>(); });
    hisparse<double> const a(executor.memory(), entries, {.node_dimension = 256});
    ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
    ASSERT_GT(2 * a.entry_count(), child_reference::most_wide_entries);
    hisparse<double> const same = add(executor, 1.0, a, 2.0, a);
    EXPECT_EQ(same.root().reference.kind(), node_kind::wide);
    coo<double> const tripled = to_coo(scaled(a, 3.0)), found = to_coo(same);
    EXPECT_EQ(found.rows, tripled.rows);
    EXPECT_EQ(found.columns, tripled.columns);
    EXPECT_EQ(found.values, tripled.values);
}

TEST(add_wide, unites_as_many_entries_as_there_can_be) {
    cpu executor(2);
    check_most_entries(executor);
}

TEST(add_wide, unites_as_many_entries_in_lanes) {
    emulated lanes({.mode = emulation::explore, .seed = 13});
    check_most_entries(lanes);
}

}  // namespace
}  // namespace copse::tests
