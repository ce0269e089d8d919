// A program that does not link copse::device: the device controller says so, the others work.
#include <gtest/gtest.h>

#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/controller_registry.hpp>
#include <gpu/count_tree.hpp>
#include <gpu/count_tree_tasks.hpp>
#include <string>

namespace copse::tests {
namespace {

TEST(device_controller, is_not_in_this_program) {
    EXPECT_FALSE(detail::device_target_linked);
    EXPECT_FALSE((has_device_controller<grow_tree, count_leaf>()));
}

TEST(device_controller, says_what_to_link) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    gpu executor({.controller = controller::device});
    try {
        count_tree(executor, 2, 2);
        FAIL() << "nothing was thrown";
    } catch (cuda_error const& e) {
        EXPECT_NE(std::string(e.what()).find("link copse::device"), std::string::npos) << e.what();
    }
    executor.set_controller(controller::host);
    EXPECT_EQ(count_tree(executor, 2, 2), 4);
}

TEST(gpu, options_out_of_range_are_refused) {
    EXPECT_THROW(gpu({.device = -1}), argument_error);
    EXPECT_THROW(gpu({.stall_seconds = 0}), argument_error);
    EXPECT_THROW(gpu({.stall_seconds = -1}), argument_error);
}

}  // namespace
}  // namespace copse::tests
