// A task of a user's that reads the entries of a whole matrix by for_each_entry(): each entry once, where it is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <vector>

namespace copse::tests {

/// Of entries whose values are 1, 2, ...: how often each came, and from where.
template <class T>
struct note_entries {
    using item = node;
    static constexpr int width = 32;
    tree_view<T> tree;
    std::int64_t* visits;
    std::int64_t* places;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if (!tree.is_leaf(n)) return push_children<note_entries>(w, tree, n);
        for_each_entry(w, tree, n, [&](std::int64_t row, std::int64_t column, T value) {
            auto const k = static_cast<std::int64_t>(value) - 1;
            w.add(&visits[k], 1);
            places[k] = row << 32 | column;
        });
    }
};

/// The same by a function that is collective, block by block; and the place of each entry in its leaf.
template <class T, int Width>
struct note_together {
    using item = node;
    static constexpr int width = Width;
    tree_view<T> tree;
    std::int64_t* visits;
    std::int64_t* places;
    std::int64_t* in_leaf;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if (!tree.is_leaf(n)) return push_children<note_together>(w, tree, n);
        auto const leaf = static_cast<std::int64_t>(n.reference.offset());
        for_each_block(w, tree, n, [&](node block) {
            auto const rows = tree.rows_of(block), columns = tree.columns_of(block);
            for_each_entry_together(w, tree, block, [&](tree_entry<T> const& e) {
                w.sync();
                int const lanes = w.reduce(e ? 1 : 0, [](int x, int y) { return x + y; });
                if (!e) return;
                auto const k = static_cast<std::int64_t>(2 * e.value) - 1;
                bool const within = e.row >= rows.first && e.row < rows.first + rows.count &&
                                    e.column >= columns.first && e.column < columns.first + columns.count;
                w.add(&visits[k], lanes > 0 && within ? 1 : -1);
                places[k] = e.row << 32 | e.column;
                w.add(&in_leaf[k], leaf << 20 | e.place);
            });
        });
        for_each_entry(w, tree, n, [&](std::int64_t, std::int64_t, T value, std::int32_t place) {
            w.add(&in_leaf[static_cast<std::int64_t>(2 * value) - 1], -(leaf << 20 | place));
        });
    }
};

/// a: with values 1, 2, ..., halved by its scale.
template <class T, int Width, class Executor>
void check_together(Executor& executor, hisparse<T> const& a, std::vector<std::int64_t> const& expected_places) {
    SCOPED_TRACE(Width);
    std::vector<std::int64_t> const zeros(expected_places.size(), 0);
    buffer<std::int64_t> const visits(executor, zeros), places(executor, zeros), in_leaf(executor, zeros);
    using task = note_together<T, Width>;
    run(executor, seed_root<task>(a), task{a.tree(), visits.data(), places.data(), in_leaf.data()});
    EXPECT_EQ(visits.to_host(), std::vector<std::int64_t>(zeros.size(), 1));
    EXPECT_EQ(places.to_host(), expected_places);
    EXPECT_EQ(in_leaf.to_host(), zeros) << "both ways have the same place for an entry";
}

/// The same by runs.
template <class T>
struct note_runs {
    using item = node;
    static constexpr int width = 32;
    tree_view<T> tree;
    std::int64_t* visits;
    std::int64_t* places;
    std::int64_t* longest;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if (!tree.is_leaf(n)) return push_children<note_runs>(w, tree, n);
        std::int64_t most = 0;
        for_each_block(w, tree, n, [&](node block) {
            for_each_stretch(w, tree, block, [&](entry_stretch<T> const& some) {
                most = some.count > most ? some.count : most;
                for (int i = 0; i < some.count; ++i) {
                    auto const k = static_cast<std::int64_t>(2 * some.value(i)) - 1;
                    w.add(&visits[k], 1);
                    places[k] = (some.row + i * some.row_step) << 32 | (some.column + i * some.column_step);
                }
            });
        });
        most = w.reduce(most, [](std::int64_t x, std::int64_t y) { return x > y ? x : y; });
        if (w.rank() == 0 && most > 1) w.add(longest, most);
    }
};
template <class T, class Executor>
void check_runs(Executor& executor, hisparse<T> const& a, std::vector<std::int64_t> const& expected_places) {
    std::vector<std::int64_t> const zeros(expected_places.size(), 0);
    buffer<std::int64_t> const visits(executor, zeros), places(executor, zeros),
        longest(executor, std::vector<std::int64_t>{0});
    run(executor, seed_root<note_runs<T>>(a), note_runs<T>{a.tree(), visits.data(), places.data(), longest.data()});
    EXPECT_EQ(visits.to_host(), std::vector<std::int64_t>(zeros.size(), 1));
    EXPECT_EQ(places.to_host(), expected_places);
    EXPECT_GT(longest.to_host().front(), 64) << "runs of a full leaf, and streaks beside";
}

/// The same by rows of leaves.
template <class T, int Width>
struct note_rows {
    using item = node;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = row_scratch_bytes<T>;
    tree_view<T> tree;
    std::int64_t* visits;
    std::int64_t* places;
    std::int64_t* rows;  // how many

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if (!tree.is_leaf(n)) return push_children<note_rows>(w, tree, n);
        for_each_row_of(w, tree, n, [&](std::int64_t row, leaf_row<T> const& entries) {
            w.add(rows, std::int64_t{1});
            for (int i = 0; i < entries.count; ++i) {
                auto const k = static_cast<std::int64_t>(2 * entries.value(i)) - 1;
                w.add(&visits[k], 1);
                places[k] = row << 32 | entries.column(i);
            }
        });
    }
};
/// Rows of d = 64 columns with entries, as many as there are calls.
template <class T, int Width, class Executor>
void check_rows(Executor& executor, hisparse<T> const& a, std::vector<std::int64_t> const& expected_places) {
    SCOPED_TRACE(Width);
    std::vector<std::int64_t> const zeros(expected_places.size(), 0);
    buffer<std::int64_t> const visits(executor, zeros), places(executor, zeros),
        rows(executor, std::vector<std::int64_t>{0});
    using task = note_rows<T, Width>;
    run(executor, seed_root<task>(a), task{a.tree(), visits.data(), places.data(), rows.data()});
    EXPECT_EQ(visits.to_host(), std::vector<std::int64_t>(zeros.size(), 1));
    EXPECT_EQ(places.to_host(), expected_places);
    std::vector<std::int64_t> distinct;
    for (std::int64_t place : expected_places) distinct.push_back(place / 64);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    EXPECT_EQ(rows.to_host().front(), static_cast<std::int64_t>(distinct.size()));
}

/// Where each entry is in its leaf: no two entries of a leaf in one place, and the same in A and in A^T.
template <class T>
struct note_places {
    using item = node;
    static constexpr int width = 32;
    tree_view<T> tree;
    std::int64_t* places;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        if (!tree.is_leaf(n)) return push_children<note_places>(w, tree, n);
        for_each_entry(w, tree, n, [&](std::int64_t, std::int64_t, T value, std::int32_t place) {
            places[static_cast<std::int64_t>(value) - 1] =
                static_cast<std::int64_t>(n.reference.offset()) << 20 | place;
        });
    }
};
template <class T, class Executor>
std::vector<std::int64_t> places_in(Executor& executor, hisparse<T> const& a) {
    buffer<std::int64_t> const places(executor,
                                      std::vector<std::int64_t>(static_cast<std::size_t>(a.entry_count()), -1));
    run(executor, seed_root<note_places<T>>(a), note_places<T>{a.tree(), places.data()});
    return places.to_host();
}

template <class T, class Executor>
void check_each_entry(Executor& executor, hisparse<T> const& a) {
    auto const count = static_cast<std::size_t>(a.entry_count());
    std::vector<std::int64_t> const zeros(count, 0);
    buffer<std::int64_t> const visits(executor, zeros), places(executor, zeros);
    run(executor, seed_root<note_entries<T>>(a), note_entries<T>{a.tree(), visits.data(), places.data()});
    EXPECT_EQ(visits.to_host(), std::vector<std::int64_t>(count, 1));
    std::vector<std::int64_t> expected = zeros;
    auto const entries = to_coo(a);
    for (std::size_t k = 0; k < count; ++k)
        expected[static_cast<std::size_t>(entries.values[k]) - 1] =
            std::int64_t{entries.rows[k]} << 32 | entries.columns[k];
    EXPECT_EQ(places.to_host(), expected);
    // Workers of several blocks of lanes, which take long where lanes are emulated, for either with one of the types.
    constexpr bool wide_rows = sizeof(T) == 8;
    check_together<T, 8>(executor, scaled(a, T(0.5)), expected);
    check_together<T, wide_rows ? 32 : 128>(executor, scaled(a, T(0.5)), expected);
    check_runs(executor, scaled(a, T(0.5)), expected);
    check_rows<T, wide_rows ? 128 : 32>(executor, scaled(a, T(0.5)), expected);
    auto in_leaves = places_in(executor, a);
    EXPECT_EQ(places_in(executor, transposed(a)), in_leaves);
    std::sort(in_leaves.begin(), in_leaves.end());
    EXPECT_EQ(std::adjacent_find(in_leaves.begin(), in_leaves.end()), in_leaves.end());
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

/// Of A and A^T, or of one of them, which one by type.
template <class T, class Executor>
void check_tasks_see_each_entry(Executor& executor, bool both = true) {
    hisparse<T> const a(executor.memory(), leaves_of_all_kinds<T>(), {.node_dimension = 64});
    ASSERT_GT(a.census().leaves(node_kind::sparse), 0);
    ASSERT_GT(a.census().leaves(node_kind::diagonal), 0);
    ASSERT_GT(a.census().leaves(node_kind::dense), 0);
    ASSERT_GT(a.census().wide_leaves(), 0);
    if (both || sizeof(T) == 8) check_each_entry(executor, a);
    if (both || sizeof(T) == 4) check_each_entry(executor, transposed(a));
}

}  // namespace copse::tests
