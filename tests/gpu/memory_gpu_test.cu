// Memory of the gpu executor: what is freed is there for the next, and is given back when that is asked for.
#include <gtest/gtest.h>

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cuda_try.cuh>
#include <copse/runtime/gpu.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

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

}  // namespace
}  // namespace copse::tests
