// The controllers as parameters of a test:
//
//   INSTANTIATE_TEST_SUITE_P(controllers, suite, every_controller(), controller_name);
#pragma once

#include <copse/runtime/gpu.hpp>
#include <gtest/gtest.h>
#include <string>

namespace copse::tests {

inline auto every_controller() {
    return testing::Values(controller::persistent, controller::device, controller::host);
}
inline std::string controller_name(testing::TestParamInfo<controller> const& info) {
    return info.param == controller::persistent ? "persistent" : info.param == controller::device ? "device" : "host";
}

}  // namespace copse::tests
