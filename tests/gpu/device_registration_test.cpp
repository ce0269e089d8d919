// Code compiled without -rdc=true finds the device controller that another file registered for the same tasks.
#include <gtest/gtest.h>

#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/controller_registry.hpp>
#include <gpu/count_tree.hpp>
#include <gpu/count_tree_tasks.hpp>
#include <string>

namespace copse::tests {
namespace {

TEST(device_controller, is_registered_for_these_tasks_in_this_order) {
    EXPECT_TRUE(detail::device_target_linked);
    EXPECT_TRUE((has_device_controller<grow_tree, count_leaf>()));
    EXPECT_FALSE((has_device_controller<count_leaf, grow_tree>()));
    EXPECT_FALSE((has_device_controller<grow_tree>()));
}

TEST(device_controller, runs_an_operation_that_was_compiled_without_it) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    gpu executor({.controller = controller::device});
    EXPECT_EQ(count_tree(executor, 5, 6), 15625);
    executor.set_controller(controller::persistent);
    EXPECT_EQ(count_tree(executor, 5, 6), 15625);
}

}  // namespace
}  // namespace copse::tests
