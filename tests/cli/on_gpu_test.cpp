// The command on a GPU. bench/gpu runs these too, on machines without the build.
#include "cli/on_suite.hpp"

namespace copse_test {
namespace {

TEST_P(on_test, memory_is_the_gpus_too) {
    for (auto const* format : {"hisparse", "csr5"}) {
        auto const product = record({"spmv", "poisson2d:60", "--format", format, "--memory"});
        EXPECT_LE(product.at("device_peak_bytes"), 64 << 20) << format;
        auto const conversion = record({"convert", "poisson2d:60", "--format", format, "--memory"});
        EXPECT_GE(conversion.at("device_peak_bytes"), conversion.at("bytes")) << format;
        EXPECT_GE(conversion.at("back_device_peak_bytes"), 12 * conversion.at("entries").get<int>()) << format;
        EXPECT_GT(conversion.at("plan_device_peak_bytes"), 0) << format;
        EXPECT_EQ(conversion.contains("values_device_peak_bytes"), std::string(format) == "hisparse");
    }
    auto const sum = record({"add", "poisson2d:60", "uniform:3600,3", "--memory"});
    EXPECT_GE(sum.at("device_peak_bytes"), sum.at("result_bytes"));
}

INSTANTIATE_TEST_SUITE_P(executors, on_test, testing::Values("gpu"), [](auto const& test) { return test.param; });

}  // namespace
}  // namespace copse_test
