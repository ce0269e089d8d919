// Memory of the gpu executor: what is freed is there for the next, and is given back when that is asked for.
#include <gtest/gtest.h>

#include <algebra/stream_tools.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

class memory_of_gpu : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }
    /// On the device, whoever has the rest.
    static std::int64_t free_bytes() {
        std::size_t free = 0, all = 0;
        COPSE_CUDA_TRY(cudaMemGetInfo(&free, &all));
        return static_cast<std::int64_t>(free);
    }

    static constexpr std::int64_t large = std::int64_t{256} << 20;
};

TEST_F(memory_of_gpu, follows_the_callers_stream_and_leaves_it) {
    own_stream const own;
    std::vector<int> const values{1, 2, 3};
    {
        gpu executor({.stream = own.stream});
        EXPECT_EQ(executor.stream(), own.stream);
        buffer<int> const there(executor, values);
        // A copy waits for what the caller sent to the stream.
        EXPECT_EQ(cudaMemsetAsync(there.data(), 0, sizeof(int), own.stream), cudaSuccess);
        EXPECT_EQ(there.to_host(), (std::vector<int>{0, 2, 3}));
    }
    EXPECT_EQ(cudaStreamQuery(own.stream), cudaSuccess);  // it is still there
}

/// Pieces of `lengths`, in turn, from places all over a large array.
void check_gathering(std::size_t count, std::vector<std::size_t> const& lengths) {
    gpu const executor;
    std::vector<std::uint64_t> numbers(std::size_t{1} << 23), expected;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 0x9e3779b97f4a7c15U;
    buffer<std::uint64_t> const there(executor, numbers);
    std::vector<memory_extent> pieces;
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t const length = lengths[k % lengths.size()];
        std::size_t const first = k * 7919 * 2 % (numbers.size() - length);
        pieces.push_back({there.data() + first, length * sizeof(std::uint64_t)});
        expected.insert(expected.end(), numbers.data() + first, numbers.data() + first + length);
    }
    std::vector<std::uint64_t> gathered(expected.size());
    executor.memory()->gather_to_host(gathered.data(), pieces);
    EXPECT_EQ(gathered, expected);
}

TEST_F(memory_of_gpu, gathers_pieces_for_the_host) {
    check_gathering(0, {2});
    check_gathering(1, {2});
    check_gathering(3, {0});
    check_gathering(5, {6, 0, 2});
    check_gathering(1000, {2, 40, 512, 16384});
    check_gathering(20000, {300, 298});
    // Beyond what is staged at once: together, and one piece by itself.
    check_gathering(3, {std::size_t{1} << 22});
    check_gathering(5, {(std::size_t{1} << 22) + 2, 2});
}

TEST_F(memory_of_gpu, keeps_what_is_freed_until_it_is_asked_for_it) {
    gpu executor;
    std::int64_t const before = free_bytes();
    { buffer<std::byte> const b(executor, large); }
    EXPECT_LE(free_bytes(), before - large);
    for (int i = 0; i < 10; ++i) buffer<std::byte> const again(executor, large);
    EXPECT_GT(free_bytes(), before - 2 * large);  // the same block each time
    executor.release_workspace();
    EXPECT_GT(free_bytes(), before - large / 2);
}

TEST_F(memory_of_gpu, is_counted_where_most_was_in_use) {
    gpu executor;
    std::int64_t const before = executor.restart_peak();
    { buffer<std::byte> const b(executor, large), temporary(executor.temporary(), large); }
    EXPECT_GE(executor.peak_bytes(), before + 2 * large);
    EXPECT_LT(executor.peak_bytes(), before + 3 * large);
    EXPECT_LT(executor.restart_peak(), before + large);
    EXPECT_LT(executor.peak_bytes(), before + large);
}

TEST_F(memory_of_gpu, gives_everything_back_with_the_last_buffer) {
    std::int64_t const before = free_bytes();
    {
        buffer<std::byte> kept;
        {
            gpu const executor;
            kept = buffer<std::byte>(executor, large);
            buffer<std::byte> const other(executor, large);
        }
        EXPECT_LE(free_bytes(), before - large);
    }
    EXPECT_GT(free_bytes(), before - large / 2);
}

TEST_F(memory_of_gpu, that_one_executor_keeps_is_there_for_another) {
    gpu const first, second;
    std::int64_t const most = free_bytes() / 10 * 8;
    { buffer<std::byte> const b(first, most); }
    EXPECT_LE(free_bytes(), most);
    EXPECT_NO_THROW(buffer<std::byte>(second, most));
}

TEST_F(memory_of_gpu, that_one_executor_keeps_is_there_for_another_without_a_wait) {
    gpu const first, second;
    auto const most = static_cast<std::size_t>(free_bytes() / 10 * 8);
    { buffer<std::byte> const b(first, static_cast<std::int64_t>(most)); }
    own_stream const held, own;
    gate closed(held.stream);
    { detail::stream_chunk const block(*state_of(second).memory, own.stream, most); }
    EXPECT_FALSE(closed.waited_in_vain());
    closed.open();
}

TEST_F(memory_of_gpu, that_is_shrunk_or_temporary_makes_nobody_wait) {
    gpu executor;
    buffer<std::byte> shrinking(executor, large);
    own_stream const held;
    gate closed(held.stream);
    { buffer<std::byte> const temporary(executor.temporary(), large); }
    std::byte const* const before = shrinking.data();
    state_of(executor).memory->limit_unwanted_bytes(0);
    shrinking.shrink(large / 2);
    EXPECT_NE(shrinking.data(), before);
    EXPECT_FALSE(closed.waited_in_vain());
    closed.open();
}

TEST_F(memory_of_gpu, that_is_shrunk_stays_where_little_is_kept_so) {
    gpu executor;
    auto& memory = *state_of(executor).memory;
    memory.limit_unwanted_bytes(large);
    auto const moves = [&](buffer<std::byte>& b) {
        std::byte const* const before = b.data();
        b.shrink(b.size() / 4);
        return b.data() != before;
    };
    buffer<std::byte> first(executor, large), second(executor, large), third(executor, large);
    EXPECT_FALSE(moves(first));
    EXPECT_TRUE(moves(second)) << "both would keep three halves";
    first = {};
    EXPECT_FALSE(moves(third));
}

// What cannot be captured says so, and the capture goes on.
TEST_F(memory_of_gpu, is_not_waited_for_while_the_executors_stream_captures) {
    gpu executor;
    buffer<int> const numbers(executor, std::vector<int>{1, 2});
    buffer<int> freed(executor, 4096), shrunk(executor, 4096);
    captured const nothing(state_of(executor).stream(), [&] {
        EXPECT_THROW(executor.release_workspace(), cuda_error);
        EXPECT_THROW((void)numbers.to_host(), cuda_error);
        freed = {};
        shrunk.shrink(1);
    });
    EXPECT_EQ(numbers.to_host(), (std::vector<int>{1, 2}));
    EXPECT_NO_THROW(executor.release_workspace());
}

TEST_F(memory_of_gpu, whose_freeing_fails_leaves_no_error_for_the_next_launch) {
    gpu const executor;
    own_stream const own;
    int on_the_stack = 0;
    detail::gpu_memory::deallocate_on(own.stream, &on_the_stack);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

// So large that nothing is left of what another stream had for it.
TEST_F(memory_of_gpu, does_not_make_a_stream_wait_for_another) {
    gpu executor;
    auto const take = [&](own_stream const& on) {
        detail::stream_chunk const block(*state_of(executor).memory, on.stream, std::size_t{large});
        EXPECT_EQ(cudaMemsetAsync(block.data(), 1, std::size_t{large}, on.stream), cudaSuccess);
    };
    own_stream const held, own;
    take(held);
    EXPECT_EQ(cudaStreamSynchronize(held.stream), cudaSuccess);
    gate closed(held.stream);
    take(held);
    take(own);
    EXPECT_EQ(cudaStreamSynchronize(own.stream), cudaSuccess);
    take(held);
    {
        buffer<std::byte> const of_no_stream(executor, large);
        EXPECT_FALSE(closed.waited_in_vain());
        closed.open();  // the buffer waits for all streams when it goes
    }
}

// Of a product in a graph, for example.
TEST_F(memory_of_gpu, that_a_graph_keeps_goes_back_and_is_there_for_others) {
    gpu executor;
    own_stream const own;
    std::int64_t const before = free_bytes(), most = before / 10 * 8;
    captured const block(own.stream, [&] {
        detail::stream_chunk const in_between(*state_of(executor).memory, own.stream, static_cast<std::size_t>(most));
    });
    block.launch();
    block.wait();
    EXPECT_LE(free_bytes(), before - most);
    executor.release_workspace();
    EXPECT_GT(free_bytes(), before - most / 2);
    block.launch();
    block.wait();
    EXPECT_NO_THROW(buffer<std::byte>(executor, most));
}

// Whether the capture outlives that is CUDA's to say: nobody can wait for a device of which a stream is capturing.
TEST_F(memory_of_gpu, is_not_lost_where_it_is_freed_while_a_stream_captures) {
    gpu executor;
    own_stream const own;
    std::int64_t const before = free_bytes();
    buffer<std::byte> freed(executor, large);
    ASSERT_EQ(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    std::thread([&] {
        freed = {};
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    }).join();
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(own.stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    cudaGetLastError();
    for (int i = 0; i < 10; ++i) buffer<std::byte> const again(executor, large);
    EXPECT_GT(free_bytes(), before - 2 * large);  // the same block each time
    executor.release_workspace();
    EXPECT_GT(free_bytes(), before - large / 2);
}

}  // namespace
}  // namespace copse::tests
