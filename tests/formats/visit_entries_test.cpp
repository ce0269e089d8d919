// The entries of leaves as the lanes of a worker share them: each once, with its number, whatever kind of leaf has it.
#include <gtest/gtest.h>

#include <copse/formats/hisparse.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <formats/visit_entries_suite.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

/// visits[i]: how often entry i came; places[i]: where it is; values[i].
template <class T>
struct visited {
    std::vector<std::int64_t> visits;
    std::vector<std::int64_t> places;
    std::vector<T> values;
};

template <class T, int Width>
struct visit {
    using item = node;
    static constexpr int width = Width;
    detail::node_reader tree;
    int first;
    int count;  // < 0: all of the leaf
    std::int64_t* visits;
    std::int64_t* places;
    T* values;

    template <class Worker>
    void operator()(node leaf, Worker& w) const {
        auto const note = [&](int i, int row, int column, T value) {
            w.add(&visits[i], 1);
            places[i] = std::int64_t{row} << 32 | column;
            values[i] = value;
        };
        if (count < 0)
            detail::visit_entries<T>(w, tree, leaf, note);
        else
            detail::visit_operand<T>(w, tree, leaf, first, count, note);
    }
};

template <class T, int Width>
visited<T> visit_by_lanes(hisparse<T> const& a, int first, int count, std::size_t numbers) {
    emulated executor;
    std::vector<std::int64_t> const none(numbers, 0);
    buffer<std::int64_t> const visits(executor, none), places(executor, none);
    buffer<T> const values(executor, std::vector<T>(numbers, T(0)));
    using task = visit<T, Width>;
    run(executor, seed<task>(a.root()),
        task{reader_of(a.tree()), first, count, visits.data(), places.data(), values.data()});
    return {visits.to_host(), places.to_host(), values.to_host()};
}

template <class T>
void check_leaf(hisparse<T> const& a, node_kind kind, int first = 0, int count = -1) {
    ASSERT_EQ(a.root().reference.kind(), kind);
    // What one lane sees.
    std::size_t const numbers = 4096;  // no leaf here has more entries or places
    visited<T> expected{std::vector<std::int64_t>(numbers, 0), std::vector<std::int64_t>(numbers, 0),
                        std::vector<T>(numbers, T(0))};
    detail::serial_worker alone;
    auto const note = [&](int i, int row, int column, T value) {
        auto const k = static_cast<std::size_t>(i);
        ++expected.visits[k];
        expected.places[k] = std::int64_t{row} << 32 | column;
        expected.values[k] = value;
    };
    if (count < 0)
        detail::visit_entries<T>(alone, reader_of(a.tree()), a.root(), note);
    else
        detail::visit_operand<T>(alone, reader_of(a.tree()), a.root(), first, count, note);
    auto const compare = [&](visited<T> const& found, int width) {
        SCOPED_TRACE(width);
        EXPECT_EQ(found.visits, expected.visits);
        EXPECT_EQ(found.places, expected.places);
        EXPECT_EQ(found.values, expected.values);
    };
    compare(visit_by_lanes<T, 8>(a, first, count, numbers), 8);
    compare(visit_by_lanes<T, 32>(a, first, count, numbers), 32);
    compare(visit_by_lanes<T, 128>(a, first, count, numbers), 128);
}

/// Entries where `is_entry` says so, with values of their own; d = 64.
template <class T, class F>
hisparse<T> leaf_of(int size, F is_entry) {
    coo<T> entries;
    entries.row_count = entries.column_count = size;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            if (is_entry(row, column)) {
                entries.rows.push_back(row);
                entries.columns.push_back(column);
                entries.values.push_back(static_cast<T>(64 * row + column + 1));
            }
    return hisparse<T>(host_memory(), entries, {.node_dimension = 64});
}

template <class T>
class visit_entries : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(visit_entries, value_types);

TYPED_TEST(visit_entries, of_lists) {
    using T = TypeParam;
    // Lists of one and two are not padded; from 9, 33 and 129 on lanes have several.
    for (int count : {1, 2, 3, 8, 9, 10, 31, 33, 63, 129, 130, 255, 259}) {
        SCOPED_TRACE(count);
        auto const scattered = leaf_of<T>(64, [&](int row, int column) {
            return (13 * row + 7 * column) % 15 == 0 && 64 * row + column < 15 * count;
        });
        check_leaf(scattered, node_kind::sparse);
        check_leaf(transposed(scattered), node_kind::sparse);
    }
}

TYPED_TEST(visit_entries, of_full_leaves) {
    using T = TypeParam;
    auto const full = leaf_of<T>(64, [](int, int) { return true; });
    check_leaf(full, node_kind::dense);
    check_leaf(transposed(full), node_kind::dense);
}

template <class T>
struct visit_dense {
    using item = std::int64_t;
    static constexpr int width = 32;
    dense_leaf_view<T> leaf;
    T* values;  // by row and column; what is no entry stays what it is

    template <class Worker>
    void operator()(item, Worker& w) const {
        detail::visit_stretch<detail::visited::entries>(
            w, detail::stretch_of(leaf), leaf.dimension_log2, [&](int i, int row, int column, T value) {
                EXPECT_EQ(i, leaf.transposed ? 64 * column + row : 64 * row + column);
                values[64 * row + column] = value;
            });
    }
};

/// Which sums alone have: a conversion would make lists or runs of them.
TYPED_TEST(visit_entries, of_dense_leaves_that_are_not_full) {
    using T = TypeParam;
    for (bool transposed : {false, true}) {
        std::vector<T> values(4096), expected(4096, T(-1));
        std::vector<std::uint32_t> presence(128, 0);
        for (int i = 0; i < 4096; ++i) {
            auto const k = static_cast<std::size_t>(i);
            values[k] = static_cast<T>(i);
            if (i % 5 == 2 || i / 64 == 7) continue;
            presence[k / 32] |= 1u << (k % 32);
            expected[transposed ? k % 64 * 64 + k / 64 : k] = values[k];
        }
        emulated executor;
        buffer<T> const v(executor, values), to(executor, std::vector<T>(4096, T(-1)));
        buffer<std::uint32_t> const p(executor, presence);
        run(executor, seed<visit_dense<T>>(0), visit_dense<T>{{v.data(), p.data(), 6, transposed}, to.data()});
        EXPECT_EQ(to.to_host(), expected);
    }
}

TYPED_TEST(visit_entries, of_runs_and_what_is_beside_them) {
    using T = TypeParam;
    for (int others : {0, 1, 2, 3, 5, 40}) {
        SCOPED_TRACE(others);
        // Runs of many lengths, so that they begin anywhere in 16 bytes.
        auto const banded = leaf_of<T>(64, [&](int row, int column) {
            int const diagonal = column - row;
            if (diagonal % 8 == 0 && diagonal >= 0) return row % (diagonal + 7) != 1;
            return diagonal < 0 && (row + 3 * column) % 11 == 0 && 64 * row + column < 100 * others;
        });
        check_leaf(banded, node_kind::diagonal);
        check_leaf(transposed(banded), node_kind::diagonal);
    }
}

TYPED_TEST(visit_entries, of_blocks_of_wide_leaves) {
    using T = TypeParam;
    auto const scattered = leaf_of<T>(2048, [](int row, int column) { return (13 * row + 7 * column) % 9001 == 0; });
    for (auto const& a : {scattered, transposed(scattered)}) {
        check_leaf(a, node_kind::wide);
        for (int first : {0, 1, 2, 3, 6})
            for (int count : {1, 8, 9, 33, 130, 200}) check_leaf(a, node_kind::wide, first, count);
    }
}

TYPED_TEST(visit_entries, of_whole_matrices_in_tasks) {
    cpu threads;
    check_tasks_see_each_entry<TypeParam>(threads);
}

TYPED_TEST(visit_entries, of_whole_matrices_in_lanes) {
    emulated lanes;
    check_tasks_see_each_entry<TypeParam>(lanes, false);
}

}  // namespace
}  // namespace copse::tests
