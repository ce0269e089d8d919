// Streams in the tests of what does not wait: one of one's own, a gate that holds one, a graph of what goes to one.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace copse::tests {

/// A stream that waits for nobody else's.
struct own_stream {
    cudaStream_t stream = nullptr;
    own_stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess); }
    ~own_stream() { cudaStreamDestroy(stream); }
    own_stream(own_stream const&) = delete;
    own_stream& operator=(own_stream const&) = delete;
};

/// Holds a stream until it is opened, which whoever leaves it does, or ten seconds have passed.
class gate {
  public:
    explicit gate(cudaStream_t stream) : stream_(stream) {
        EXPECT_EQ(cudaLaunchHostFunc(stream, hold, this), cudaSuccess);
    }
    ~gate() { open(); }
    gate(gate const&) = delete;
    gate& operator=(gate const&) = delete;

    bool waited_in_vain() const { return waited_in_vain_; }
    /// Waits for the stream.
    void open() {
        is_open_ = true;
        EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    }

  private:
    static void hold(void* p) {
        auto& self = *static_cast<gate*>(p);
        auto const start = std::chrono::steady_clock::now();
        while (!self.is_open_ && !self.waited_in_vain_)
            self.waited_in_vain_ = std::chrono::steady_clock::now() - start > std::chrono::seconds(10);
    }

    cudaStream_t stream_;
    std::atomic<bool> is_open_{false};
    std::atomic<bool> waited_in_vain_{false};
};

/// Whether work() comes back while the stream is held. Modules are loaded by the first call, so that one goes ahead.
/// Waits for the stream.
template <class Work>
bool returns_before_the_stream(cudaStream_t stream, Work const& work) {
    work();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    gate held(stream);
    for (int repeat = 0; repeat < 3; ++repeat) work();
    held.open();
    return !held.waited_in_vain();
}

/// What work() puts into the stream, which does not run then.
class captured {
  public:
    template <class Work>
    captured(cudaStream_t stream, Work const& work, cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal)
        : stream_(stream) {
        EXPECT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
        work();
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph_), cudaSuccess);
        EXPECT_EQ(cudaGraphInstantiate(&launchable_, graph_, 0), cudaSuccess);
    }
    ~captured() {
        cudaGraphExecDestroy(launchable_);
        cudaGraphDestroy(graph_);
    }
    captured(captured const&) = delete;
    captured& operator=(captured const&) = delete;

    void launch() const { EXPECT_EQ(cudaGraphLaunch(launchable_, stream_), cudaSuccess); }
    void wait() const { EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess); }

  private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t launchable_ = nullptr;
};

}  // namespace copse::tests
