// Memory and output files are refused before work is spent on them.
#include "cli/load.hpp"

#include <gtest/gtest.h>

#include <copse/runtime/error.hpp>

namespace copse::measure {
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

TEST(load, output_that_can_be_written) {
    EXPECT_NO_THROW(check_output(testing::TempDir() + "copse_load_test.mtx"));
    EXPECT_NO_THROW(check_output("/dev/null"));
    EXPECT_THROW(check_output(testing::TempDir()), argument_error);
    EXPECT_THROW(check_output(testing::TempDir() + "no/such/folder"), argument_error);
}

}  // namespace
}  // namespace copse::measure
