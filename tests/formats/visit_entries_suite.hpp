// A task of a user's that reads the entries of a whole matrix by for_each_entry(): each entry once, where it is.
#pragma once

#include <gtest/gtest.h>

#include <copse/algebra/node_bins.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/seed.hpp>
#include <cstdint>
#include <vector>

namespace copse::tests {

/// Of entries whose values are 1, 2, ...: how often each came, and from where.
template <class T>
struct note_entries {
    using item = node;
    static constexpr int width = 32;
    tree_view tree;
    std::int64_t* visits;
    std::int64_t* places;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if (!tree.is_leaf(n)) return push_children<note_entries>(w, tree, n);
        for_each_entry<T>(w, tree, n, [&](std::int64_t row, std::int64_t column, T value) {
            auto const k = static_cast<std::int64_t>(value) - 1;
            w.add(&visits[k], 1);
            places[k] = row << 32 | column;
        });
    }
};

template <class T, class Executor>
void check_each_entry(Executor& executor, hisparse<T> const& a) {
    auto const count = static_cast<std::size_t>(a.entry_count());
    std::vector<std::int64_t> const zeros(count, 0);
    buffer<std::int64_t> const visits(executor, zeros), places(executor, zeros);
    run(executor, run_options().capacity<note_entries<T>>(a.census().nodes()), seed<note_entries<T>>(a.root()),
        note_entries<T>{a.tree(), visits.data(), places.data()});
    EXPECT_EQ(visits.to_host(), std::vector<std::int64_t>(count, 1));
    std::vector<std::int64_t> expected = zeros;
    auto const entries = to_coo(a);
    for (std::size_t k = 0; k < count; ++k)
        expected[static_cast<std::size_t>(entries.values[k]) - 1] =
            std::int64_t{entries.rows[k]} << 32 | entries.columns[k];
    EXPECT_EQ(places.to_host(), expected);
}

/// d = 64: a full leaf, two lists, runs; and below them a block of d * d x d * d that is a wide leaf. Values 1, 2, ...
template <class T>
coo<T> leaves_of_all_kinds() {
    coo<T> entries{4096 + 300, 4096, {}, {}, {}};
    auto const append = [&](int row, int column) {
        entries.rows.push_back(row);
        entries.columns.push_back(column);
        entries.values.push_back(static_cast<T>(entries.values.size() + 1));
    };
    for (int row = 0; row < 300; ++row)
        for (int column = 0; column < 300; ++column) {
            bool const full = row < 64 && column < 64, run = row >= 64 && (column - row) % 50 == 0;
            if (full || run || (row < 64 && column < 192 && (5 * row + 3 * column) % 7 == 0)) append(row, column);
        }
    for (int row = 4096; row < 4096 + 300; ++row) append(row, (row * 1237) % 4096);
    return entries;
}

template <class T, class Executor>
void check_tasks_see_each_entry(Executor& executor) {
    hisparse<T> const a(executor, leaves_of_all_kinds<T>(), {.node_dimension = 64});
    ASSERT_GT(a.census().leaves(node_kind::sparse), 0);
    ASSERT_GT(a.census().leaves(node_kind::diagonal), 0);
    ASSERT_GT(a.census().leaves(node_kind::dense), 0);
    ASSERT_GT(a.census().wide_leaves(), 0);
    check_each_entry(executor, a);
    check_each_entry(executor, transposed(a));
}

}  // namespace copse::tests
