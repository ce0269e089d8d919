// Tests on a GPU with each controller that the program is linked with: copse::copse has the host's and the persistent
// one, copse::device the one that launches kernels from the GPU. The tests are compiled once, for both programs.
#pragma once

#include <gtest/gtest.h>

#include <copse/runtime/gpu.hpp>
#include <string>
#include <vector>

namespace copse::tests {

class with_controller : public testing::TestWithParam<controller> {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }
};

/// Each program has its own: gpu/controllers_here.cpp, gpu/controllers_here_device.cpp.
std::vector<controller> controllers_here();

}  // namespace copse::tests
