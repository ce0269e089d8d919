// Which kinds of nodes meet in which case of add_pairs.hpp: all that can, at levels 0 to 2; and their sums. Inner nodes
// at levels above, and at d = 128 and 256, are in node_kinds_suite.hpp.
#include <algebra/sums/add_pairs.hpp>
#include <algorithm>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace copse::tests {
namespace {

using enum node_kind;

/// Nodes that stand at the same place. A wide node at level 0 is the block of a wide leaf that meets a leaf.
struct meeting {
    int level;
    node_kind a;
    node_kind b;
    friend auto operator<=>(meeting const&, meeting const&) = default;
};

/// Of the tree of one operand: what stands in each block of d^level rows and columns, by level, row and column.
using places = std::map<std::tuple<int, std::uint32_t, std::uint32_t>, node_kind>;

void collect(hisparse<double> const& a, node n, places& found) {
    auto const tree = a.tree();
    found[{n.reference.level(), n.row, n.column}] = n.reference.kind();
    if (n.reference.kind() == wide) {
        auto const leaf = tree.wide_leaf<double>(n);
        auto const block = [](std::uint16_t i) { return static_cast<std::uint32_t>(i / 64 * 64); };
        for (int i = 0; i < leaf.count; ++i)
            found[{0, n.row + block(leaf.rows[i]), n.column + block(leaf.columns[i])}] = wide;
    } else if (!n.reference.is_leaf()) {
        for (int i = 0; i < tree.child_count(n); ++i)
            if (node const child = tree.child(n, i)) collect(a, child, found);
    }
}

std::set<meeting> meetings_of(pair_case const& p) {
    places of_a, of_b;
    for (auto [entries, found] : {std::pair{&p.a, &of_a}, {&p.b, &of_b}}) {
        hisparse<double> const a(host_memory(), *entries, {.node_dimension = 64});
        collect(a, a.root(), *found);
    }
    std::set<meeting> met;
    for (auto const& [place, kind] : of_a)
        if (auto const other = of_b.find(place); other != of_b.end())
            met.insert({std::get<0>(place), kind, other->second});
    return met;
}

struct expected_meeting {
    meeting what;
    char const* where;
};

// Level 0: leaves, blocks of wide leaves. Level 1: wide leaves and nodes above leaves. Level 2: nodes above these.
expected_meeting const all_meetings[] = {
    {{0, sparse, sparse}, "sparse leaf + sparse leaf"},
    {{0, sparse, dense}, "sparse leaf + dense leaf"},
    {{0, sparse, diagonal}, "sparse leaf + diagonal leaf"},
    {{0, dense, sparse}, "dense leaf + sparse leaf"},
    {{0, dense, dense}, "dense leaf + dense leaf"},
    {{0, dense, diagonal}, "dense leaf + diagonal leaf"},
    {{0, diagonal, sparse}, "diagonal leaf + sparse leaf"},
    {{0, diagonal, dense}, "diagonal leaf + dense leaf"},
    {{0, diagonal, diagonal}, "diagonal leaf + diagonal leaf"},
    {{0, wide, wide}, "wide leaf + wide leaf"},
    {{0, wide, sparse}, "wide leaf + sparse node"},
    {{0, wide, dense}, "wide leaf + sparse node"},
    {{0, wide, diagonal}, "wide leaf + sparse node"},
    {{0, sparse, wide}, "sparse node + wide leaf"},
    {{0, dense, wide}, "sparse node + wide leaf"},
    {{0, diagonal, wide}, "sparse node + wide leaf"},
    {{1, wide, wide}, "wide leaf + wide leaf"},
    {{1, wide, sparse}, "wide leaf + sparse node"},
    {{1, wide, dense}, "wide leaf + dense node"},
    {{1, sparse, wide}, "sparse node + wide leaf"},
    {{1, sparse, sparse}, "sparse node + sparse node"},
    {{1, sparse, dense}, "sparse node + dense node"},
    {{1, dense, wide}, "dense node + wide leaf"},
    {{1, dense, sparse}, "dense node + sparse node"},
    {{1, dense, dense}, "dense node + dense node"},
    {{2, sparse, sparse}, "sparse upper node + sparse upper node"},
    {{2, sparse, dense}, "sparse upper node + dense upper node"},
    {{2, dense, sparse}, "dense upper node + sparse upper node"},
    {{2, dense, dense}, "dense upper node + dense upper node"},
};

TEST(add_kinds, meet_where_the_list_says) {
    std::map<std::string, std::set<meeting>> met;
    for (pair_case const& p : all_pairs()) met[p.name] = meetings_of(p);
    for (auto const& [what, where] : all_meetings)
        EXPECT_TRUE(met[where].contains(what)) << where << ": level " << what.level << ", kinds "
                                               << static_cast<int>(what.a) << " and " << static_cast<int>(what.b);
}

TEST(add_kinds, the_list_has_all_pairs) {
    std::set<meeting> listed;
    for (auto const& m : all_meetings) listed.insert(m.what);
    std::vector<node_kind> const leaves{sparse, dense, diagonal, wide}, above{sparse, dense, wide},
        upper{sparse, dense};
    std::size_t possible = 0;
    for (auto const& [level, kinds] : {std::pair{0, leaves}, {1, above}, {2, upper}})
        for (node_kind a : kinds)
            for (node_kind b : kinds) {
                ++possible;
                EXPECT_TRUE(listed.contains({level, a, b})) << level;
            }
    EXPECT_EQ(listed.size(), possible);
}

TEST(add_kinds, add_up) {
    cpu executor(1);
    check_pairs(executor, all_pairs());
    check_pairs<float>(executor, all_pairs());
}

TEST(add_kinds, factors_that_are_not_finite_meet_entries_only) {
    cpu executor(2);
    std::vector<pair_case> pairs = all_pairs();
    std::erase_if(pairs, [](pair_case const& p) { return p.a.row_count > 5000; });
    check_factors_of_pairs<double>(executor, pairs);
    pairs = pairs_of_leaves();
    std::rotate(pairs.begin(), pairs.begin() + 1, pairs.end());  // other factors for each
    check_factors_of_pairs<float>(executor, pairs);
}

TEST(add_kinds, factors_that_are_not_finite_meet_entries_only_in_lanes) {
    emulated lanes({.seed = 4});
    std::vector<pair_case> pairs = pairs_of_leaves();
    std::erase_if(pairs, [k = 0](pair_case const&) mutable { return k++ % 4 != 1; });
    check_factors_of_pairs<double>(lanes, pairs, 4);
}

TEST(add_kinds, leaves_add_up_however_they_are_stored) {
    cpu executor(1);
    for (pair_case const& p : pairs_of_leaves()) {
        check_pair_in_all_ways(executor, p);
        check_pair_in_all_ways<float>(executor, p);
    }
}

TEST(add_kinds, dense_leaves_add_up_in_lanes_however_they_are_stored) {
    emulated lanes({.mode = emulation::explore, .seed = 14});
    for (pair_case const& p : pairs_of_leaves()) {
        if (p.name.find("sparse") != std::string::npos || p.name.find("diagonal") != std::string::npos) continue;
        for (bool first : {false, true}) {  // the four ways, two in either type
            check_pair<double>(lanes, p, first, first);
            check_pair<float>(lanes, p, first, !first);
        }
    }
}

// What is no entry of a dense leaf is not multiplied: infinity times it would be NaN.
TEST(add_kinds, places_without_an_entry_add_nothing_to_a_full_leaf) {
    emulated lanes({.seed = 15});
    csr<double> const full = to_csr(matrix_where(64, 64, [](auto, auto) { return true; }));
    csr<double> const dense = to_csr(matrix_where(64, 64, [](auto i, auto) { return i % 6 != 5; }));
    hisparse<double> const a(host_memory(), full, {.node_dimension = 64}),
        b(host_memory(), dense, {.node_dimension = 64});
    csr<double> const c = to_csr(add(lanes, 1.0, a, std::numeric_limits<double>::infinity(), b));
    for (std::size_t row = 5; row < 64; row += 6)
        for (std::size_t k = 64 * row; k < 64 * (row + 1); ++k) EXPECT_EQ(c.values[k], full.values[k]) << k;
}

/// Pairs of nodes above the leaves that are few enough to be stored in all ways, or for each lane to be a fiber.
std::vector<pair_case> small_pairs_of_nodes() {
    std::vector<pair_case> pairs = pairs_above_leaves();
    for (pair_case const& p : pairs_of_upper_nodes()) pairs.push_back(p);
    std::erase_if(pairs, [](pair_case const& p) { return p.name.find("dense") != std::string::npos; });
    return pairs;
}

TEST(add_kinds, nodes_add_up_however_they_are_stored) {
    cpu executor(1);
    for (pair_case const& p : small_pairs_of_nodes()) check_pair_in_all_ways(executor, p);
    emulated lanes({.mode = emulation::explore, .seed = 10});
    for (pair_case const& p : small_pairs_of_nodes())
        for (bool first : {false, true}) {  // the four ways, two in either type
            check_pair<double>(lanes, p, first, !first);
            check_pair<float>(lanes, p, first, first);
        }
}

TEST(add_kinds, dense_nodes_add_up_however_they_are_stored) {
    cpu executor(1);
    for (pair_case const& p : all_pairs())
        if (p.name == "dense node + dense node" || p.name == "sparse node + dense node" ||
            p.name == "dense upper node + dense upper node")
            check_pair_in_all_ways(executor, p);
}

template <class Executor>
void check_dense_sums(Executor& executor) {
    for (pair_case const& p : pairs_with_dense_sums()) {
        SCOPED_TRACE(p.name);
        csr<double> const of_a = to_csr(p.a), of_b = to_csr(p.b);
        hisparse<double> const a(executor.memory(), of_a, {.node_dimension = 64}),
            b(executor.memory(), of_b, {.node_dimension = 64});
        ASSERT_EQ(a.root().reference.kind(), sparse);
        ASSERT_EQ(b.root().reference.kind(), sparse);
        hisparse<double> const sum = add(executor, 1.0, a, 2.0, b);
        EXPECT_EQ(sum.root().reference.kind(), dense);
        expect_sum<double>(sum, 1, of_a, 2, of_b, p.name);
    }
}

TEST(add_kinds, sparse_nodes_have_dense_sums) {
    cpu executor(1);
    check_dense_sums(executor);
    emulated lanes({.mode = emulation::explore, .seed = 11});
    check_dense_sums(lanes);
}

struct queued_pair {
    char const* a;
    char const* b;
    char const* queue;
};

/// What stands for each combination of kinds and sizes.
queued_pair const queued_pairs[] = {
    {"small list", "small list", "two small lists"},
    {"small list", "small runs", "two small leaves with streaks"},
    {"small runs", "small runs", "two small leaves with streaks"},
    {"small list", "list", "two lists"},
    {"list", "list", "two lists"},
    {"small runs", "list", "two leaves with streaks"},
    {"list", "runs", "two leaves with streaks"},
    {"small runs", "runs", "two leaves with streaks"},
    {"runs", "runs", "two leaves with streaks"},
    {"dense", "small list", "two leaves, one or both dense"},
    {"dense", "list", "two leaves, one or both dense"},
    {"dense", "runs", "two leaves, one or both dense"},
    {"dense", "dense", "two leaves, one or both dense"},
    {"sparse inner node", "sparse inner node", "two sparse inner nodes"},
    {"sparse inner node", "dense inner node", "two inner nodes, one or both dense"},
    {"dense inner node", "dense inner node", "two inner nodes, one or both dense"},
    {"sparse inner node", "wide leaf", "a wide leaf and blocks"},
    {"dense inner node", "wide leaf", "a wide leaf and blocks"},
    {"wide leaf", "wide leaf", "two wide leaves"},
};

coo<double> matrix_of(std::string const& node) {
    if (node == "small list") return matrix_where(64, 64, [](auto i, auto j) { return (7 * i + 13 * j) % 301 == 0; });
    if (node == "list") return matrix_where(64, 64, [](auto i, auto j) { return (7 * i + 13 * j) % 31 == 0; });
    if (node == "small runs") return matrix_where(64, 64, [](auto i, auto j) { return i == j && i < 20; });
    if (node == "runs") return matrix_where(64, 64, [](auto i, auto j) { return i == j || j == i + 9; });
    if (node == "dense") return matrix_where(64, 64, [](auto i, auto) { return i % 6 != 5; });
    if (node == "wide leaf") return blocks_of(2, 64, 1, 1, 4096);
    if (node == "dense inner node") return blocks_of(58, 64, 17, 3, 4096);
    return blocks_of(2, 64, 17, 3, 4096);
}

template <class T, class Executor>
void check_queues(Executor& executor) {
    for (auto const& [a, b, queue] : queued_pairs)
        for (bool turned : {false, true}) {
            SCOPED_TRACE(std::string(a) + " and " + b + (turned ? ", turned" : ""));
            hisparse<T> const of_a(executor.memory(), with_values_of<T>(matrix_of(a)), {.node_dimension = 64});
            hisparse<T> const of_b(executor.memory(), with_values_of<T>(matrix_of(b)), {.node_dimension = 64});
            run_report report;
            add(executor, T(1), turned ? of_b : of_a, T(1), turned ? of_a : of_b, {.report = &report});
            std::set<std::string> drawn_from;
            for (queue_report const& q : report.queues)
                if (q.items > 0) drawn_from.insert(q.name);
            EXPECT_TRUE(drawn_from.contains(queue)) << testing::PrintToString(drawn_from);
            if (!of_a.root().reference.is_leaf() || !of_b.root().reference.is_leaf()) continue;
            for (auto const& other : queued_pairs)
                EXPECT_EQ(drawn_from.contains(other.queue), other.queue == std::string(queue)) << other.queue;
        }
}

TEST(add_kinds, pairs_have_queues_by_kinds_and_sizes) {
    cpu on_cpu(1);
    check_queues<double>(on_cpu);
    emulated on_lanes({.seed = 13});
    check_queues<double>(on_lanes);
    check_queues<float>(on_lanes);
}

class add_kinds_explored : public testing::TestWithParam<controller> {};

TEST_P(add_kinds_explored, add_up) {
    emulated executor({.mode = emulation::explore, .seed = 8, .controller = GetParam()});
    check_pairs(executor, pairs_of_leaves());
    check_pairs<float>(executor, pairs_of_leaves());
}

/// Parts of wide leaves among the blocks of sparse and of dense nodes; two dense nodes have the next test.
TEST_P(add_kinds_explored, nodes_and_wide_leaves_add_up) {
    emulated executor({.mode = emulation::explore, .seed = 9, .controller = GetParam()});
    std::vector<pair_case> pairs = pairs_above_leaves();
    std::erase_if(pairs, [](pair_case const& p) { return p.name == "dense node + dense node"; });
    check_pairs(executor, pairs);
}

/// Thousands of pairs below.
TEST(add_kinds, dense_nodes_add_up_in_lanes) {
    emulated lanes({.mode = emulation::explore, .seed = 12});
    std::vector<pair_case> pairs = pairs_of_upper_nodes();
    for (pair_case const& p : pairs_above_leaves())
        if (p.name == "dense node + dense node") pairs.push_back(p);
    // Of upper nodes that are sparse there are less costly ones above.
    std::erase_if(pairs, [](pair_case const& p) { return p.name.ends_with("+ sparse upper node"); });
    ASSERT_EQ(pairs.size(), 3u);
    check_pairs(lanes, pairs);
}

INSTANTIATE_TEST_SUITE_P(controllers, add_kinds_explored,
                         testing::Values(controller::persistent, controller::device, controller::host));

}  // namespace
}  // namespace copse::tests
