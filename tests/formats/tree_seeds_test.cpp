// Runs that begin at a root: nothing for a matrix without entries, and queues by the census (formats/tree_seeds.hpp).
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse::tests {
namespace {

/// Counts nodes.
struct count_nodes_of {
    using item = node;
    static constexpr int width = 4;
    tree_view<double> tree;
    std::int64_t* nodes;
    template <class Worker>
    void operator()(node n, Worker& w) const {
        if (w.rank() == 0) w.add(nodes, 1);
        if (!tree.is_leaf(n)) push_children<count_nodes_of>(w, tree, n);
    }
};
/// Leaves of one kind only: its queue has room for these.
struct count_streaks : takes_leaves<node_kind::diagonal> {
    using item = node;
    static constexpr int width = 4;
    std::int64_t* leaves;
    template <class Worker>
    void operator()(node, Worker& w) const {
        if (w.rank() == 0) w.add(leaves, 1);
    }
};
struct walk_down {
    using item = node;
    static constexpr int width = 4;
    tree_view<double> tree;
    template <class Worker>
    void operator()(node n, Worker& w) const {
        if (!tree.is_leaf(n)) push_children<count_streaks, walk_down>(w, tree, n);
    }
};
struct fill {
    using item = std::int64_t;
    static constexpr int width = 1;
    double* values;
    template <class Worker>
    void operator()(std::int64_t i, Worker&) const {
        values[i] = 7;
    }
};

hisparse<double> banded(std::int64_t n) {
    return {host_memory(),
            matrix_where(n, n, [](auto i, auto j) { return i == j || j == i + 100; }),
            {.node_dimension = 64}};
}

template <class Executor>
void check_seeds(Executor& executor) {
    auto const a = banded(700);
    std::int64_t nodes = 0, leaves = 0;
    auto report = run(executor, seed_root<count_nodes_of>(a), count_nodes_of{a.tree(), &nodes});
    EXPECT_EQ(nodes, a.census().nodes());
    EXPECT_GE(report.queues[0].capacity, nodes);
    EXPECT_LT(report.queues[0].capacity, 2 * nodes);  // the next power of two

    // Nothing without entries.
    nodes = 0;
    for (auto const& empty : {empty_matrix(0, 0), empty_matrix(5, 7)}) {
        hisparse<double> const none(host_memory(), empty);
        report = run(executor, seed_root<count_nodes_of>(none), count_nodes_of{none.tree(), &nodes});
        EXPECT_EQ(report.queues[0].items, 0);
    }
    EXPECT_EQ(nodes, 0);

    // Each queue has room for what its task takes.
    report = run(executor, seed_root<count_streaks, walk_down>(a), count_streaks{{}, &leaves}, walk_down{a.tree()});
    std::int64_t const streaks = a.census().leaves(node_kind::diagonal);
    EXPECT_EQ(leaves, streaks);
    ASSERT_GT(streaks, 0);
    EXPECT_LT(report.queues[0].capacity, 2 * streaks);
    EXPECT_GE(report.queues[1].capacity, a.census().nodes());

    // What the options name is kept, and other seeds may be beside.
    std::vector<double> values(10);
    std::int64_t more = 0;
    report = run(executor, run_options().capacity<count_nodes_of>(5000),
                 seed_range<fill>(0, 10) + seed_root<count_nodes_of>(a) + seed_range<fill>(0, 3),
                 count_nodes_of{a.tree(), &more}, fill{values.data()});
    EXPECT_EQ(report.queues[0].capacity, 8192);
    report = run(executor, run_options().capacity<count_nodes_of>(queue_capacity().items),  // the default, by name
                 seed_root<count_nodes_of>(a), count_nodes_of{a.tree(), &nodes});
    EXPECT_EQ(report.queues[0].capacity, queue_capacity().items);
    EXPECT_EQ(more, a.census().nodes());
    EXPECT_EQ(values, std::vector<double>(10, 7));

    // Two matrices in one run.
    auto const b = banded(300);
    nodes = 0;
    report = run(executor, seed_root<count_nodes_of>(a) + seed_root<walk_down>(b), count_nodes_of{a.tree(), &nodes},
                 walk_down{b.tree()}, count_streaks{{}, &leaves});
    EXPECT_EQ(nodes, a.census().nodes());
    EXPECT_GE(report.queues[1].capacity, a.census().nodes() + b.census().nodes());
}

TEST(tree_seeds, bring_the_root_and_the_capacities) {
    cpu threads(2);
    check_seeds(threads);
    emulated lanes;
    check_seeds(lanes);
}

}  // namespace
}  // namespace copse::tests
