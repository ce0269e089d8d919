// Replaying a plan on a stream of one's own: epilogues, and capture into a CUDA graph.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <cmath>
#include <copse/algebra/replay_gpu.cuh>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_state.cuh>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

class replay_on_gpu : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }

    /// Rows that several parts share, and others.
    coo<double> const matrix_ =
        matrix_where(300, 2000, [](auto i, auto j) { return (i > 40 && i < 90) || (i + 3 * j) % 41 == 0; });
    std::vector<double> const x_ = std::vector<double>(2000, 0.5);
};

struct square {
    COPSE_HOST_DEVICE double operator()(std::int64_t, double y_i) const { return y_i * y_i; }
};

TEST_F(replay_on_gpu, sums_what_the_epilogue_returns) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    buffer<double> const x(executor, x_), y(executor, 300);
    auto const pieces = detail::piece_count(plan);
    double first = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
        buffer<double> const sums(executor, std::vector<double>(static_cast<std::size_t>(pieces), NAN));
        replay_on_stream<double, double>(executor.state().stream(), 1.0, plan, x, 0.0, y, square{}, sums.data());
        double total = 0, exact = 0;
        for (double sum : sums.to_host()) total += sum;
        for (double y_i : y.to_host()) exact += y_i * y_i;
        EXPECT_NEAR(total, exact, 1e-12 * exact);
        if (repeat == 0) first = total;
        ASSERT_EQ(total, first);
    }
}

TEST_F(replay_on_gpu, is_captured_into_a_graph) {
    gpu executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, matrix_));
    buffer<double> const x(executor, x_), y(executor, std::vector<double>(300, 0.0)), once(executor, 300);
    spmv(executor, 1, plan, x, 0, once);
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t launchable = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    replay_on_stream<double, double>(stream, 1.0, plan, x, 1.0, y);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&launchable, graph, 0), cudaSuccess);
    for (int repeat = 0; repeat < 3; ++repeat) ASSERT_EQ(cudaGraphLaunch(launchable, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::vector<double> const three_times = y.to_host(), expected = once.to_host();
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(three_times[i], 3 * expected[i], 1e-14 * std::abs(expected[i])) << i;
    cudaGraphExecDestroy(launchable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace copse::tests
