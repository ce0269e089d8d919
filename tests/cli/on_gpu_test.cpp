// The command on a GPU. bench/gpu runs these too, on machines without the build.
#include "cli/on_suite.hpp"

namespace copse_test {
namespace {

TEST_P(on_test, memory_is_the_hosts_alone) {
    auto const expect = [&](std::vector<std::string> arguments, std::string const& stage) {
        arguments.insert(arguments.end(), {"--memory", "--on", GetParam()});
        expect_error(run_with_gpus(arguments), "`bench/gpu --stage " + stage + "`");
    };
    expect({"spmv", "poisson2d:3"}, "spmv");
    expect({"add", "poisson2d:3", "poisson2d:3"}, "addition");
    expect({"convert", "poisson2d:3", "--format", "csr5"}, "conversions");
}

INSTANTIATE_TEST_SUITE_P(executors, on_test, testing::Values("gpu"), [](auto const& test) { return test.param; });

}  // namespace
}  // namespace copse_test
