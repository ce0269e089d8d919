// The rule of `auto`, at its borders.
#include <gtest/gtest.h>

#include <copse/formats/suitable_format.hpp>
#include <string>

namespace copse::tests {
namespace {

/// A profile on which each line of the rule can be tried: `mean` entries in each of 1,000 rows.
matrix_profile rows_of(double mean, double places = 2, double diagonals = 0, double per_block = 50) {
    matrix_profile p;
    p.row_count = p.column_count = 1000;
    p.entry_count = static_cast<std::int64_t>(1000 * mean);
    p.rows.mean = p.columns.mean = mean;
    p.row_places = places;
    p.column_places = p.sorted_row_places = p.sorted_column_places = 9;
    p.diagonal_fraction = diagonals;
    p.entries_per_block = per_block;
    return p;
}

std::string choice(matrix_profile const& p, format_use use) {
    auto const made = suitable_format(p, use);
    EXPECT_FALSE(made.reason.empty());
    return std::string(name_of(made.format));
}

/// A cache that holds so many times what a product with this matrix reads and writes.
format_use in_cache_of(double times, matrix_profile const& p, format_use use = {}) {
    use.cache_bytes = static_cast<std::int64_t>(times * static_cast<double>(p.product_bytes()));
    return use;
}

TEST(suitable_format, hisparse_where_blocks_are_dense_or_rows_empty) {
    for (bool const plan : {false, true})
        for (bool const transposed : {false, true}) {
            EXPECT_EQ(choice(rows_of(30, 1, 1, 8192), {.plan = plan, .transposed = transposed}), "hisparse");
            auto few = rows_of(0.062);
            EXPECT_EQ(choice(few, {.plan = plan}), "csr5");
            few.entry_count = 61;
            EXPECT_EQ(choice(few, {.plan = plan}), "hisparse");
        }
    EXPECT_EQ(choice(matrix_profile(), {}), "sellp");
}

TEST(suitable_format, sellp_where_it_pads_little) {
    auto const p = rows_of(10, 1.25, 1);
    EXPECT_EQ(choice(p, in_cache_of(10, p)), "sellp");
    EXPECT_EQ(choice(p, in_cache_of(0.1, p)), "sellp");
    EXPECT_EQ(choice(p, in_cache_of(0.1, p, {.plan = false})), "sellp");
    auto const more = rows_of(10, 1.26, 1);
    EXPECT_NE(choice(more, in_cache_of(10, more)), "sellp");
}

TEST(suitable_format, hisparse_along_diagonals_beyond_the_cache) {
    auto const p = rows_of(16, 1, 0.8);
    EXPECT_EQ(choice(p, in_cache_of(1.9, p)), "hisparse");
    EXPECT_EQ(choice(p, in_cache_of(2.1, p)), "sellp");
    EXPECT_EQ(choice(p, in_cache_of(1.9, p, {.plan = false})), "sellp");
    auto const shorter = rows_of(15.9, 1, 0.8), broken = rows_of(16, 1, 0.79);
    EXPECT_EQ(choice(shorter, in_cache_of(1.9, shorter)), "sellp");
    EXPECT_EQ(choice(broken, in_cache_of(1.9, broken)), "sellp");
}

TEST(suitable_format, hisparse_where_values_repeat) {
    auto p = rows_of(5, 1.25, 1);
    p.constant_fraction = 0.6;
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "hisparse");
    EXPECT_EQ(choice(p, in_cache_of(2.6, p, {.plan = false})), "sellp");
    EXPECT_EQ(choice(p, in_cache_of(2.7, p)), "sellp");
    auto long_rows = rows_of(16, 1, 1);
    long_rows.constant_fraction = 0.9;
    EXPECT_EQ(choice(long_rows, in_cache_of(2.6, long_rows, {.plan = false})), "hisparse");
    EXPECT_EQ(choice(long_rows, in_cache_of(2.7, long_rows, {.plan = false})), "sellp");
    p.constant_fraction = 0.98;
    EXPECT_EQ(choice(p, in_cache_of(2.7, p)), "hisparse");
    p.constant_fraction = 0.59;
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "sellp");
}

TEST(suitable_format, sorted_rows_for_plans) {
    auto p = rows_of(20, 1.26, 0.1);
    p.sorted_row_places = 1.3;
    EXPECT_EQ(choice(p, in_cache_of(2.7, p)), "sellp-sorted");
    EXPECT_EQ(choice(p, in_cache_of(2.7, p, {.formats_of_plans = false})), "csr5");
    EXPECT_EQ(choice(p, in_cache_of(2.7, p, {.plan = false})), "csr5");
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "sellp-sorted");
    p.row_places = 1.16;
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "sellp-sorted");
    EXPECT_EQ(choice(p, in_cache_of(2.6, p, {.formats_of_plans = false})), "sellp");
    EXPECT_EQ(choice(p, in_cache_of(2.7, p)), "sellp");
    p.row_places = 1.15;
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "sellp");
    p.row_places = 2;
    p.sorted_row_places = 1.31;
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "cmrs");
    p.value_bytes = sizeof(float);
    p.sorted_row_places = 1.6;
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "sellp-sorted");
    p.sorted_row_places = 1.61;
    EXPECT_EQ(choice(p, in_cache_of(8.1, p)), "csr5");
    p.sorted_column_places = 1;
    EXPECT_EQ(choice(p, in_cache_of(2.7, p, {.transposed = true})), "sellp-sorted");
    EXPECT_EQ(choice(p, {.transposed = true, .many_lanes = true}), "sellp");
}

TEST(suitable_format, uneven_rows) {
    auto const p = rows_of(20, 2, 0.1);
    EXPECT_EQ(choice(p, in_cache_of(2.7, p)), "csr5");
    EXPECT_EQ(choice(p, in_cache_of(2.6, p)), "cmrs");
    auto in_float = rows_of(23.9, 2, 0.1);
    in_float.value_bytes = sizeof(float);
    EXPECT_EQ(choice(in_float, in_cache_of(8.1, in_float)), "csr5");
    EXPECT_EQ(choice(in_float, in_cache_of(7.9, in_float)), "cmrs");
    in_float.rows.mean = 24;
    EXPECT_EQ(choice(in_float, in_cache_of(7.9, in_float)), "csr5");
    auto const long_rows = rows_of(40, 2, 0), diagonals = rows_of(12, 2, 0.2), short_rows = rows_of(11.9, 2, 0.2);
    EXPECT_EQ(choice(long_rows, in_cache_of(1, long_rows)), "csr");
    EXPECT_EQ(choice(diagonals, in_cache_of(1, diagonals)), "csr");
    EXPECT_EQ(choice(short_rows, in_cache_of(1, short_rows)), "cmrs");
    auto const scattered = rows_of(5.9, 2, 0, 1.9), gathered = rows_of(5.9, 2, 0, 2);
    EXPECT_EQ(choice(scattered, in_cache_of(1, scattered)), "csr5");
    EXPECT_EQ(choice(gathered, in_cache_of(1, gathered, {.plan = false})), "cmrs");
}

TEST(suitable_format, transposed_from_a_plan_is_by_the_rows_of_the_transpose) {
    auto p = rows_of(10, 1);
    EXPECT_EQ(choice(p, in_cache_of(10, p, {.transposed = true})), "csr5");
    p.column_places = 1;
    EXPECT_EQ(choice(p, in_cache_of(10, p, {.transposed = true})), "sellp");
}

TEST(suitable_format, transposed_without_a_plan) {
    auto const beyond = [](matrix_profile const& p) {
        return choice(p, in_cache_of(2.6, p, {.plan = false, .transposed = true}));
    };
    auto const small = [](matrix_profile const& p) {
        return choice(p, in_cache_of(2.7, p, {.plan = false, .transposed = true}));
    };
    EXPECT_EQ(beyond(rows_of(20, 2, 0.8)), "hisparse");
    EXPECT_EQ(beyond(rows_of(19, 2, 0.95)), "sellp");
    EXPECT_EQ(beyond(rows_of(2.9, 2, 0)), "sellp");
    EXPECT_EQ(beyond(rows_of(60, 2, 0.79)), "csr");
    EXPECT_EQ(beyond(rows_of(59, 2, 0.79)), "cmrs");
    auto scattered = rows_of(10, 2, 0, 9.9);
    EXPECT_EQ(beyond(scattered), "csr");
    scattered.rows.standard_deviation = 3.1;
    EXPECT_EQ(beyond(scattered), "cmrs");
    auto constant = rows_of(5, 1, 1);
    constant.constant_fraction = 0.9;
    EXPECT_EQ(beyond(constant), "hisparse");
    EXPECT_EQ(small(constant), "sellp");
}

TEST(suitable_format, with_many_lanes) {
    for (bool const plan : {false, true})
        for (bool const transposed : {false, true}) {
            format_use const use{.plan = plan, .transposed = transposed, .many_lanes = true};
            auto p = rows_of(27);
            p.rows.standard_deviation = p.columns.standard_deviation = 27;
            EXPECT_EQ(choice(p, use), "sellp");
            p.rows.standard_deviation = p.columns.standard_deviation = 27.1;
            EXPECT_EQ(choice(p, use), "csr5");
        }
}

TEST(suitable_format, names) {
    EXPECT_EQ(name_of(matrix_format::hisparse), "hisparse");
    EXPECT_EQ(name_of(matrix_format::sellp_trimmed), "sellp-trimmed");
    for (auto const name : matrix_format_names) EXPECT_EQ(name_of(*matrix_format_named(name)), name);
    EXPECT_FALSE(matrix_format_named("ell"));
}

}  // namespace
}  // namespace copse::tests
