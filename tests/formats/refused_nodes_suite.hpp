// Tasks that ask a node for what it is not, and write where they must not: run() throws the same argument_error from
// each executor; from a GPU in a checked build (refused_nodes_gpu_test.cu).
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <string>

namespace copse::tests {

/// What a lane reads where it goes on; a member of tasks.
struct read_values {
    double* sum;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, double value) const {
        w.add(sum, value);
    }
};

// f(w, tree, n, read): asks n for something, and reads what it gets.
struct asks_for_sparse_leaf {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        auto const leaf = tree.sparse_leaf(n);
        for (int i = w.rank(); i < leaf.count; i += w.size()) read(w, leaf.values[i] + leaf.rows[i] + leaf.columns[i]);
    }
};
struct asks_for_dense_leaf {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        auto const leaf = tree.dense_leaf(n);
        int const positions = tree.dimension() * tree.dimension();
        for (int i = w.rank(); i < positions; i += w.size()) read(w, leaf.values[i] + (leaf.is_entry(i) ? 1 : 0));
    }
};
struct asks_for_diagonal_leaf {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        for (leaf_streak<double> const streak : tree.diagonal_leaf(n).each_streak()) read(w, streak.values[0]);
    }
};
struct asks_for_wide_leaf {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        auto const leaf = tree.wide_leaf(n);
        for (int i = w.rank(); i < leaf.count; i += w.size()) read(w, leaf.values[i]);
    }
};
struct asks_for_child_count {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        for (int i = w.rank(); i < tree.child_count(n); i += w.size()) read(w, tree.child(n, i) ? 1 : 0);
    }
};
struct asks_for_child {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        if (node const child = tree.child(n, 0)) read(w, child.row);
    }
};
struct asks_for_each_entry {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        for_each_entry(w, tree, n, [&](std::int64_t, std::int64_t, double value) { read(w, value); });
    }
};
struct asks_for_each_entry_together {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        for_each_entry_together(w, tree, n, [&](tree_entry<double> const& e) {
            if (e) read(w, e.value);
        });
    }
};
struct asks_for_each_stretch {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        for_each_stretch(w, tree, n, [&](entry_stretch<double> const& some) { read(w, some.value(0)); });
    }
};
struct asks_for_each_block {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        for_each_block(w, tree, n, [&](node block) { read(w, block.row); });
    }
};
struct asks_for_each_pair {
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<double> const& tree, node n, read_values read) const {
        tree_pair<double> trees;
        trees.a = trees.b = tree;
        for_each_pair<pairs::both>(w, trees, {n, n}, [&](auto, auto, double a, double b) { read(w, a + b); });
    }
};

/// F asks the root, or one of the leaves below it.
template <class F>
struct asks_a_node {
    using item = node;
    static constexpr int width = 32;
    tree_view<double> tree;
    bool of_leaf;
    read_values read;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if (of_leaf && !tree.is_leaf(n)) {
            if (w.rank() == 0) w.template push<asks_a_node>(tree.child(n, 1));
        } else {
            F()(w, tree, n, read);
        }
    }
};
struct writes_outside {
    using item = node_source<node>;
    static constexpr int width = 64;
    static constexpr std::size_t scratch_bytes = tree_writer<double>::leaf_scratch_bytes;
    tree_writer<double> out;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        out.write_leaf(w, i.to, [&](auto put) {
            if (w.rank() == 0) put(1000, 3, 1.0);
        });
    }
};

template <class Work>
void expect_refusal(std::string const& with, Work work) {
    SCOPED_TRACE(with);
    try {
        work();
        ADD_FAILURE() << "no error";
    } catch (argument_error const& e) {
        EXPECT_NE(std::string(e.what()).find(with), std::string::npos) << e.what();
    }
}

/// `executor` can be used after each.
template <class Executor>
void check_refused_nodes(Executor& executor) {
    hisparse<double> const a(executor.memory(), matrix_where(200, 200, [](auto i, auto j) { return i == j; }),
                             {.node_dimension = 64});
    buffer<double> const sum(executor, std::vector<double>{0});
    auto const refuses = [&]<class F>(node n, bool of_leaf, std::string const& with, F) {
        expect_refusal(with, [&] {
            run(executor, seed<asks_a_node<F>>(n), asks_a_node<F>{a.tree(), of_leaf, {sum.data()}});
        });
    };
    auto const of_root = [&](std::string const& with, auto f) { refuses(a.root(), false, with, f); };
    auto const of_leaf = [&](std::string const& with, auto f) { refuses(a.root(), true, with, f); };
    of_leaf(
        "tree_view: sparse_leaf() wants a node that is: sparse leaf; it was given a diagonal leaf at row 64, "
        "column 64; ask is_leaf() and reference.kind() first, or read leaves by for_each_entry()",
        asks_for_sparse_leaf());
    of_leaf("dense_leaf() wants a node that is: dense leaf; it was given a diagonal leaf", asks_for_dense_leaf());
    of_leaf("wide_leaf() wants a node that is: wide leaf; it was given a diagonal leaf", asks_for_wide_leaf());
    of_root("diagonal_leaf() wants a node that is: diagonal leaf; it was given an inner node at row 0",
            asks_for_diagonal_leaf());
    of_leaf("child_count() wants a node that is: inner node; it was given a diagonal leaf", asks_for_child_count());
    of_leaf("child() wants a node that is: inner node; it was given a diagonal leaf", asks_for_child());
    of_root("for_each_entry() wants a node that is: leaf; it was given an inner node", asks_for_each_entry());
    refuses(node{}, false, "for_each_entry() wants a node that is: leaf; it was given no node", asks_for_each_entry());
    of_root("for_each_entry_together() wants a node that is: leaf; it was given an inner node",
            asks_for_each_entry_together());
    of_root("for_each_stretch() wants a node that is: leaf; it was given an inner node", asks_for_each_stretch());
    of_root("for_each_block() wants a node that is: leaf; it was given an inner node", asks_for_each_block());
    of_root("for_each_pair() wants a node that is: pair of leaves; it was given an inner node", asks_for_each_pair());
    expect_refusal(
        "tree_writer: the entry in row 1000, column 3 is outside of the matrix, or of the node at row 0, column 0",
        [&] {
            tree_building<double> made(executor, "test", 60, 60, 64, {1, 0, 1});
            run(executor, made.seed<writes_outside>(node{}), writes_outside{made.writer()});
        });
}

}  // namespace copse::tests
