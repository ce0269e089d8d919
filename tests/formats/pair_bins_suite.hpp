// Queues for pairs of nodes by kind and size (formats/node_bins.hpp), those of sums too: each pair has the one that it
// should have.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/sums/add_pairs.hpp>
#include <copse/algebra/sums/add_tasks.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/runtime/buffer.hpp>
#include <set>
#include <vector>

namespace copse::tests {

constexpr std::int64_t any_pair = 2 * any_size;

template <pairs Which, int Queue, class Takes>
struct counts_pairs;
template <pairs Which, template <class...> class List>
using pair_counters =
    List<counts_pairs<Which, 0, takes_inner_pairs_of<node_kind::sparse>>,
         counts_pairs<Which, 1, takes_inner_pairs_of<node_kind::sparse, node_kind::dense>>,
         counts_pairs<Which, 2, takes_inner_pairs>,
         counts_pairs<Which, 3, takes_leaf_pairs<0, any_pair, node_kind::wide>>,
         counts_pairs<Which, 4, takes_leaf_pairs<0, detail::small_leaf, node_kind::sparse>>,
         counts_pairs<Which, 5, takes_leaf_pairs<0, detail::small_leaf, node_kind::sparse, node_kind::diagonal>>,
         counts_pairs<Which, 6, takes_leaf_pairs<detail::small_leaf, any_pair, node_kind::sparse>>,
         counts_pairs<Which, 7, takes_leaf_pairs<detail::small_leaf, any_pair, node_kind::sparse, node_kind::diagonal>>,
         counts_pairs<Which, 8, takes_leaf_pairs<>>>;

/// Where two nodes belong, none of which is a block of a wide leaf.
COPSE_HOST_DEVICE inline int right_queue(child_reference a, child_reference b) {
    auto const some = [&](node_kind kind) { return a.kind() == kind || b.kind() == kind; };
    if (a.level() > 0)
        return a.is_wide_leaf() && b.is_wide_leaf() ? 3 : some(node_kind::wide) ? 2 : some(node_kind::dense) ? 1 : 0;
    if (some(node_kind::dense)) return 8;
    return (a.entries() + b.entries() <= detail::small_leaf ? 4 : 6) + (some(node_kind::diagonal) ? 1 : 0);
}
template <class... Tasks>
struct sum_queues {
    COPSE_HOST_DEVICE static int of(detail::sum_pair const& pair) {
        int const which = detail::queue_of_pair<Tasks...>(pair);
        return which == 9 ? which : (which + 4) % 9;  // none; sums ask for pairs of leaves first
    }
};

/// Two counters: pairs that have another queue, here or in sums, and nodes without a partner.
struct pair_figures {
    std::int64_t* other_queue;
    std::int64_t* alone;
};

template <class... Tasks>
struct pair_walk {
    template <pairs Which, class Worker>
    COPSE_HOST_DEVICE static void push(Worker& w, tree_pair<double> const& trees, node_pair const& pair) {
        push_child_pairs<Which, Tasks...>(w, trees, pair);
    }
    template <pairs Which, class Executor>
    static run_report walk(Executor& executor, hisparse<double> const& a, hisparse<double> const& b,
                           pair_figures const& figures) {
        return run(executor, seed_roots<Which, Tasks...>(a, b), Tasks{{}, {a, b}, figures}...);
    }
};

template <pairs Which, int Queue, class Takes>
struct counts_pairs : Takes {
    using item = node_pair;
    static constexpr int width = 4;
    tree_pair<double> trees;
    pair_figures figures;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node_pair const& pair, Worker& w) const {
        if (w.rank() == 0) {
            if (!pair.a || !pair.b)
                w.add(figures.alone, 1);
            else if (child_reference const a = pair.a.reference, b = pair.b.reference;
                     !a.is_block_of_wide() && !b.is_block_of_wide() &&
                     (right_queue(a, b) != Queue ||
                      detail::add_by_blocks::pairs<double, sum_queues>::of({a, b, nullptr}) != Queue))
                w.add(figures.other_queue, 1);
        }
        if (!trees.is_leaf(pair)) pair_counters<Which, pair_walk>::template push<Which>(w, trees, pair);
    }
};

struct counts_all_pairs {
    using item = node_pair;
    static constexpr int width = 4;
    tree_pair<double> trees;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node_pair const& pair, Worker& w) const {
        if (!trees.is_leaf(pair)) push_child_pairs<pairs::either, counts_all_pairs>(w, trees, pair);
    }
};

template <pairs Which, class Executor>
void check_queues(Executor& executor, hisparse<double> const& a, hisparse<double> const& b, std::set<int>& used) {
    buffer<std::int64_t> const counters(executor, std::vector<std::int64_t>{0, 0});
    pair_figures const figures{counters.data(), counters.data() + 1};
    run_report const report = pair_counters<Which, pair_walk>::template walk<Which>(executor, a, b, figures);
    std::int64_t const alone = counters.to_host()[1];
    EXPECT_EQ(counters.to_host()[0], 0);
    std::int64_t met = 0;
    for (std::size_t i = 0; i < report.queues.size(); ++i) {
        met += report.queues[i].items;
        EXPECT_LE(report.queues[i].items, report.queues[i].capacity) << i;
        if (report.queues[i].items > alone) used.insert(static_cast<int>(i));
    }
    auto const all = run(executor, seed_roots<pairs::either, counts_all_pairs>(a, b), counts_all_pairs{{a, b}});
    if (Which == pairs::either)
        EXPECT_EQ(met, all.queues[0].items);
    else
        EXPECT_EQ(alone, 0);
}

/// Returns the queues that had pairs of two nodes.
template <class Executor>
std::set<int> check_queues_of_all(Executor& executor, std::vector<pair_case> const& cases) {
    std::set<int> used;
    for (pair_case const& p : cases) {
        SCOPED_TRACE(p.name);
        hisparse<double> const a(executor.memory(), p.a, {.node_dimension = 64}),
            b(executor.memory(), p.b, {.node_dimension = 64});
        check_queues<pairs::both>(executor, a, b, used);
        check_queues<pairs::either>(executor, a, b, used);
        if (p.a.row_count == p.a.column_count) check_queues<pairs::either>(executor, a, transposed(b), used);
    }
    return used;
}

/// all_pairs(), and leaves with few entries, up to small_leaf together.
inline std::vector<pair_case> pairs_for_all_queues() {
    std::vector<pair_case> cases = all_pairs();
    auto const few = matrix_where(64, 64, [](auto i, auto j) { return i % 16 == 3 && j == 2 * i % 64; });
    auto const streak = matrix_where(64, 64, [](auto i, auto j) { return i == j && i < 20; });
    auto const half =
        matrix_where(64, 64, [](auto i, auto j) { return i % 2 == 0 && j == 5 * i % 64; });  // of small_leaf
    for (pair_case const& p : pairs_among({{"few", few}, {"streak", streak}, {"half", half}})) cases.push_back(p);
    return cases;
}

}  // namespace copse::tests
