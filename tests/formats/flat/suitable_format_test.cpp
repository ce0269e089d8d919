// The rule of `auto`, at its borders.
#include <gtest/gtest.h>

#include <copse/formats/suitable_format.hpp>
#include <string>

namespace {

std::string choice(double mean, double deviation, copse::format_use use) {
    copse::row_statistics rows;
    rows.mean = mean;
    rows.standard_deviation = deviation;
    auto const made = copse::suitable_format(rows, use);
    EXPECT_FALSE(made.reason.empty());
    return std::string(name_of(made.format));
}

TEST(suitable_format, from_a_plan) {
    copse::format_use const use{.plan = true};
    EXPECT_EQ(choice(5.9, 5.9, use), "sellp");
    EXPECT_EQ(choice(6, 0, use), "hisparse");
    EXPECT_EQ(choice(6, 100, use), "hisparse");
    EXPECT_EQ(choice(5, 5.1, use), "csr5");
    EXPECT_EQ(choice(0, 0, use), "sellp");  // without entries all are alike
}

TEST(suitable_format, without_a_plan) {
    EXPECT_EQ(choice(27, 27, {.plan = false}), "sellp");
    EXPECT_EQ(choice(27, 27.1, {.plan = false}), "csr5");
    EXPECT_EQ(choice(3, 3.1, {.plan = false}), "csr5");
}

TEST(suitable_format, transposed_without_a_plan) {
    EXPECT_EQ(choice(20, 5, {.plan = false, .transposed = true}), "hisparse");
    EXPECT_EQ(choice(20, 5.1, {.plan = false, .transposed = true}), "csr");
    EXPECT_EQ(choice(7.9, 0, {.plan = false, .transposed = true}), "sellp");
    EXPECT_EQ(choice(8, 0, {.plan = false, .transposed = true}), "hisparse");
    EXPECT_EQ(choice(1, 0.3, {.plan = false, .transposed = true}), "csr");
}

TEST(suitable_format, with_many_lanes) {
    for (bool plan : {false, true})
        for (bool transposed : {false, true}) {
            copse::format_use const use{.plan = plan, .transposed = transposed, .many_lanes = true};
            EXPECT_EQ(choice(27, 27, use), "sellp");
            EXPECT_EQ(choice(27, 27.1, use), "csr5");
            EXPECT_EQ(choice(3, 3.1, use), "csr5");
        }
}

TEST(suitable_format, names) {
    EXPECT_EQ(name_of(copse::matrix_format::hisparse), "hisparse");
    EXPECT_EQ(name_of(copse::matrix_format::cmrs), "cmrs");
}

}  // namespace
