// Memory that is missing is said; rows that have entries are numbered.
#include "cli/load.hpp"

#include <gtest/gtest.h>

#include <copse/cpu/reference.hpp>
#include <copse/runtime/error.hpp>
#include <limits>

namespace copse::cli {
namespace {

std::string message_of(double bytes, void (*work)()) {
    try {
        within_memory("counting", bytes, work);
    } catch (copse::error const& e) {
        return e.what();
    }
    return "";
}

TEST(load, memory_that_is_not_there) {
    auto const message = message_of(2e18, [] { ADD_FAILURE() << "the work was begun"; });
    EXPECT_NE(message.find("not enough memory for counting, which takes 2.00 EB or more"), std::string::npos)
        << message;
}

TEST(load, memory_that_runs_out) {
    auto const work = [] { throw std::bad_alloc(); };
    EXPECT_EQ(message_of(1000, work), "out of memory while counting, which takes 1.00 kB or more");
    EXPECT_EQ(message_of(0, work), "out of memory while counting");
    EXPECT_EQ(message_of(0, [] { throw out_of_memory(3'000'000, 2'000); }),
              "out of memory while counting: 3.00 MB were asked for, 2.00 kB are available");
    EXPECT_EQ(message_of(0, [] { throw out_of_memory(1, SIZE_MAX); }), "out of memory while counting");
}

TEST(load, memory_that_is_there) {
    EXPECT_EQ(within_memory("counting", 1, [] { return 7; }), 7);
}

TEST(row_numbers, rows_that_occur) {
    coo<double> const a{1000, 9, {700, 3, 700, 3}, {1, 4, 0, 4}, {1, 2, 3, 4}};
    coo<double> const b{1000, 9, {500}, {8}, {5}};
    row_numbers rows;
    rows.add(a);
    rows.add(b);
    EXPECT_EQ(rows.numbers, (std::vector<std::int32_t>{3, 500, 700}));
    auto const packed = rows.compress(a);
    EXPECT_EQ(packed.row_count, 3);
    EXPECT_EQ(packed.row_offsets, (std::vector<std::int64_t>{0, 1, 1, 3}));
    EXPECT_EQ(packed.column_indices, (std::vector<std::int32_t>{4, 0, 1}));
    EXPECT_EQ(packed.values, (std::vector<double>{6, 3, 1}));
    auto const entries = rows.expand(packed, 1000);
    EXPECT_EQ(entries.row_count, 1000);
    EXPECT_EQ(entries.rows, (std::vector<std::int32_t>{3, 700, 700}));
    EXPECT_EQ(entries.columns, (std::vector<std::int32_t>{4, 0, 1}));
}

TEST(row_numbers, a_row_that_was_not_added_makes_another_matrix) {
    coo<double> a{1000, 9, {3, 700}, {4, 1}, {2, 1}};
    row_numbers rows;
    rows.add(a);
    reference::sum<double> const expected{rows.compress(a), {0, 0}};
    EXPECT_EQ(reference::max_error(rows.compress(a), expected), 0);
    for (std::int32_t const row : {2, 4, 701}) {
        a.rows[1] = row;
        EXPECT_EQ(reference::max_error(rows.compress(a), expected), std::numeric_limits<double>::infinity());
    }
}

}  // namespace
}  // namespace copse::cli
