// Two trees walked together by a task of a user's: each place once, with the values of both.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse::tests {

/// What f saw in a place.
struct noted_pair {
    std::int64_t row;
    std::int64_t column;
    double a;
    double b;
    int in_a;
    int in_b;
    friend bool operator==(noted_pair const&, noted_pair const&) = default;
};

template <pairs Which, int Width>
struct note_pairs {
    using item = node_pair;
    static constexpr int width = Width;
    static constexpr char const* name = "note pairs";
    tree_pair<double> trees;
    noted_pair* notes;
    std::int64_t room;
    std::int64_t* count;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node_pair const& pair, Worker& w) const {
        if (!trees.is_leaf(pair)) return push_child_pairs<Which, note_pairs>(w, trees, pair);
        auto const note = [&](noted_pair const& seen) {
            std::int64_t const place = w.fetch_add(count, 1);
            if (place < room) notes[place] = seen;
        };
        if constexpr (Which == pairs::both)
            for_each_pair<Which>(w, trees, pair, [&](std::int64_t row, std::int64_t column, double a, double b) {
                note({row, column, a, b, 1, 1});
            });
        else
            for_each_pair<Which>(w, trees, pair,
                                 [&](std::int64_t row, std::int64_t column, maybe<double> a, maybe<double> b) {
                                     note({row, column, a.value_or(0), b.value_or(0), a.present, b.present});
                                 });
    }
};

/// The same from the entries, on the host.
inline std::vector<noted_pair> expected_pairs(pairs which, hisparse<double> const& a, hisparse<double> const& b) {
    coo<double> const of_a = to_coo(a), of_b = to_coo(b);  // row by row
    auto const place = [](coo<double> const& m, std::size_t k) {
        return k < m.values.size() ? std::int64_t{m.rows[k]} << 32 | m.columns[k] : INT64_MAX;
    };
    std::vector<noted_pair> expected;
    for (std::size_t i = 0, j = 0; i < of_a.values.size() || j < of_b.values.size();) {
        std::int64_t const next = std::min(place(of_a, i), place(of_b, j));
        noted_pair pair{next >> 32, next & 0xffffffff, 0, 0, place(of_a, i) == next, place(of_b, j) == next};
        if (pair.in_a) pair.a = of_a.values[i++];
        if (pair.in_b) pair.b = of_b.values[j++];
        if (which == pairs::either || (pair.in_a && pair.in_b)) expected.push_back(pair);
    }
    return expected;
}

template <pairs Which, int Width, class Executor>
void check_pairs_of(Executor& executor, hisparse<double> const& a, hisparse<double> const& b) {
    std::int64_t const room = a.entry_count() + b.entry_count();
    buffer<noted_pair> const notes(executor, room);
    buffer<std::int64_t> const count(executor, std::vector<std::int64_t>{0});
    using task = note_pairs<Which, Width>;
    auto const report = run(executor, seed_roots<Which, task>(a, b), task{{a, b}, notes.data(), room, count.data()});
    auto const expected = expected_pairs(Which, a, b);
    ASSERT_EQ(count.to_host().front(), static_cast<std::int64_t>(expected.size()));
    std::vector<noted_pair> found(expected.size());
    notes.read(0, std::span<noted_pair>(found));
    std::sort(found.begin(), found.end(), [](noted_pair const& x, noted_pair const& y) {
        return (x.row << 32 | x.column) < (y.row << 32 | y.column);
    });
    EXPECT_EQ(found, expected);
    EXPECT_LE(report.queues[0].items, report.queues[0].capacity);
}

/// op(A) and op(B): either of them stored as its transpose, and with a scale; one way of three, by `turn`. The host
/// converts them: lanes take long for that.
template <class Executor>
void check_pairs(Executor& executor, coo<double> const& entries_a, coo<double> const& entries_b, int turn) {
    auto const& where = executor.memory();
    hisparse<double> const a(where, entries_a, {.node_dimension = 64}), b(where, entries_b, {.node_dimension = 64});
    auto const turned = [&](coo<double> m) {
        std::swap(m.rows, m.columns);
        std::swap(m.row_count, m.column_count);
        return transposed(hisparse<double>(where, m, {.node_dimension = 64}));
    };
    if (turn % 3 == 0) {
        check_pairs_of<pairs::both, 32>(executor, a, scaled(b, -2));
        check_pairs_of<pairs::either, 32>(executor, scaled(a, 4), b);
    } else if (turn % 3 == 1) {
        check_pairs_of<pairs::both, 128>(executor, turned(entries_a), b);
        check_pairs_of<pairs::either, 128>(executor, b, turned(entries_a));
    } else {
        check_pairs_of<pairs::both, 8>(executor, scaled(turned(entries_b), 0.5), a);
        check_pairs_of<pairs::either, 8>(executor, turned(entries_a), scaled(turned(entries_b), -1));
    }
}

}  // namespace copse::tests
