// What prune() must do on every executor.
#pragma once

#include <gtest/gtest.h>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>

#include <cstddef>
#include <cstdint>

namespace copse::tests {

/// Every third entry is zero, of either sign; long enough for several stretches of a list.
template <class T>
coo<T> with_zeros(std::int32_t rows, std::int32_t columns) {
    coo<T> a{rows, columns, {}, {}, {}};
    for (std::int32_t r = 0; r < rows; ++r)
        for (std::int32_t c = r % 7; c < columns; c += 7) {
            a.rows.push_back(r);
            a.columns.push_back(c);
            a.values.push_back((r + c) % 3 == 0 ? ((r & 1) != 0 ? T(-0.0) : T(0)) : T(1 + r % 5));
        }
    return a;
}

template <class T>
coo<T> entries_not_zero(coo<T> const& a) {
    coo<T> kept{a.row_count, a.column_count, {}, {}, {}};
    for (std::size_t i = 0; i < a.values.size(); ++i)
        if (a.values[i] != 0) {
            kept.rows.push_back(a.rows[i]);
            kept.columns.push_back(a.columns[i]);
            kept.values.push_back(a.values[i]);
        }
    return kept;
}

template <class T>
void expect_entries_of(hisparse<T> const& a, coo<T> const& expected) {
    coo<T> const found = to_coo(a);
    EXPECT_EQ(found.row_count, expected.row_count);
    EXPECT_EQ(found.column_count, expected.column_count);
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(a.entry_count(), expected.entry_count());
}

template <class T, class Executor>
void check_prune(Executor&& executor, std::int32_t rows, std::int32_t columns) {
    coo<T> const a = with_zeros<T>(rows, columns);
    hisparse<T> const stored(executor.memory(), a, {.node_dimension = 64});
    hisparse<T> const pruned = prune(executor, stored);
    expect_entries_of(pruned, entries_not_zero(a));
    EXPECT_EQ(pruned.node_dimension(), 64);
    expect_entries_of(stored, a);  // stays as it is
    // Transposed and scaled.
    auto const turned = prune(executor, stored.transposed().scaled(T(2)));
    expect_entries_of(turned.transposed().scaled(T(0.5)), entries_not_zero(a));
    EXPECT_TRUE(turned.is_transposed());
    EXPECT_EQ(turned.scale(), T(2));
    // Nothing to drop: nothing new.
    EXPECT_EQ(prune(executor, pruned).content(), pruned.content());
    // 10 x 10 blocks alike, of which each loses four of its 32 entries: they are stored once, and the root.
    coo<T> blocks{640, 640, {}, {}, {}};
    for (std::int32_t i = 0; i < 640; i += 8)
        for (std::int32_t j = i % 16; j < 640; j += 16) {
            blocks.rows.push_back(i);
            blocks.columns.push_back(j);
            blocks.values.push_back(T(i % 64 / 8));
        }
    hisparse<T> const periodic(executor.memory(), blocks, {.node_dimension = 64});
    hisparse<T> const once = prune(executor, periodic, {.share_identical = true});
    expect_entries_of(once, entries_not_zero(blocks));
    EXPECT_LT(8 * once.bytes(), prune(executor, periodic).bytes());
    // Nothing stays.
    EXPECT_EQ(prune(executor, stored.scaled(T(0))).entry_count(), 0);
    EXPECT_EQ(prune(executor, stored.scaled(T(0))).row_count(), rows);
}

}  // namespace copse::tests
