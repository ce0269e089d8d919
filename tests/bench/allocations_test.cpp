// What a program has on the GPU, counted.
#include "bench/gpu_comparison/allocations.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace copse::bench {
namespace {

TEST(allocation_counter, knows_the_most_that_was_there_at_once) {
    allocation_counter counter;
    int const places[3] = {};
    counter.add(&places[0], 100);
    counter.add(&places[1], 50);
    counter.remove(&places[0]);
    counter.add(&places[2], 70);
    EXPECT_EQ(counter.bytes(), 120);
    EXPECT_EQ(counter.peak_bytes(), 150);
    counter.forget_peak();
    EXPECT_EQ(counter.peak_bytes(), 120);
    counter.remove(&places[1]);
    counter.remove(&places[1]);  // not there any more
    counter.add(nullptr, 8);     // nor is what was not given
    EXPECT_EQ(counter.bytes(), 70);
    EXPECT_EQ(counter.peak_bytes(), 120);
}

TEST(allocation_counter, peak_of_some_work_leaves_out_what_was_there) {
    int const places[2] = {};
    device_allocations().add(&places[0], 1000);
    auto const peak = peak_bytes_of([&] {
        device_allocations().add(&places[1], 10);
        device_allocations().remove(&places[1]);
    });
    device_allocations().remove(&places[0]);
    EXPECT_EQ(peak, 10);
}

/// The linker has put our functions in front of CUDA's.
TEST(allocation_counter, sees_the_calls_of_this_program) {
    void* p = nullptr;
    auto const before = device_allocations().bytes();
    bool const is_there = cudaMalloc(&p, 4096) == cudaSuccess;
    EXPECT_EQ(device_allocations().bytes() - before, is_there ? 4096 : 0);
    int place = 0;
    device_allocations().add(&place, 77);
    cudaFree(&place);  // fails, and is counted before
    EXPECT_EQ(device_allocations().bytes() - before, is_there ? 4096 : 0);
    if (is_there) cudaFree(p);
    cudaGetLastError();
    EXPECT_EQ(device_allocations().bytes(), before);
}

}  // namespace
}  // namespace copse::bench
