// Runs that go on where an earlier one ended.
#include "bench/matrices_left.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace copse::bench {
namespace {

TEST(matrices_left, are_those_that_the_file_has_no_lines_of) {
    auto const path = testing::TempDir() + "copse_matrices_left.jsonl";
    std::ofstream(path) << R"({"bench":"tuning","op":"tune","matrix":"dense:9","type":"double"})" << '\n'
                        << left_out_line("dense:8", "double") << R"({"matrix":"dense:7","type":"dou)";
    matrices_left left(path, 0);
    std::string why;
    auto const show = [&](char const* text) { why = text; };
    EXPECT_FALSE(left.take("dense:9", "double", show));
    EXPECT_EQ(why, "in the file");
    EXPECT_TRUE(left.take("dense:9", "float", show));
    EXPECT_TRUE(left.take("dense:8", "double", show));
    EXPECT_TRUE(left.take("dense:7", "double", show));
    EXPECT_EQ(left.left_out(), 0);
    EXPECT_TRUE(matrices_left(path + ".none", 0).take("dense:9", "double", show));
}

TEST(matrices_left, are_not_begun_when_the_time_is_over) {
    matrices_left left("", 1);
    std::string why;
    auto const show = [&](char const* text) { why = text; };
    EXPECT_TRUE(left.take("dense:9", "double", show));
    usleep(1'100'000);
    EXPECT_FALSE(left.take("dense:8", "double", show));
    EXPECT_EQ(why, "left out, because the time of --seconds is over");
    EXPECT_EQ(left.left_out(), 1);
}

}  // namespace
}  // namespace copse::bench
