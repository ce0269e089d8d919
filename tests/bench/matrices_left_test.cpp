// Runs that go on where an earlier one ended.
#include "bench/matrices_left.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace copse::bench {
namespace {

std::string content(std::string const& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(matrices_left, are_those_that_the_file_has_no_lines_of) {
    auto const path = testing::TempDir() + "copse_matrices_measured.jsonl";
    std::ofstream(path) << R"({"op":"run","mode":"tune"})" << '\n'
                        << R"({"bench":"tuning","op":"tune","matrix":"dense:9","type":"double"})" << '\n'
                        << R"({"matrix":"dense:8","type":"double","left_out":true})" << '\n'
                        << R"({"matrix":"dense:7","type":"dou)";
    json_lines lines("");
    matrices_left const left(path, 0);
    EXPECT_FALSE(left.take("dense:9", "double", lines));
    EXPECT_TRUE(left.take("dense:9", "float", lines));
    EXPECT_TRUE(left.take("dense:8", "double", lines));
    EXPECT_TRUE(left.take("dense:7", "double", lines));
    EXPECT_TRUE(matrices_left(path + ".none", 0).take("dense:9", "double", lines));
}

TEST(matrices_left, are_not_begun_when_the_time_is_over) {
    auto const path = testing::TempDir() + "copse_matrices_left.jsonl";
    json_lines lines(path);
    matrices_left const left("", 1);
    EXPECT_TRUE(left.take("dense:9", "double", lines));
    usleep(1'100'000);
    EXPECT_FALSE(left.take("dense:8", "double", lines));
    EXPECT_EQ(content(path), "{\"matrix\":\"dense:8\",\"type\":\"double\",\"left_out\":true}\n");
}

}  // namespace
}  // namespace copse::bench
