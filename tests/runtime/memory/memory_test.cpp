#include <copse/runtime/memory.hpp>

#include <gtest/gtest.h>

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#if COPSE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#elif !COPSE_THREAD_SANITIZER
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stop_token>
#include <thread>
#endif

namespace copse::tests {
namespace {

TEST(host_memory, is_aligned_and_may_be_empty) {
    EXPECT_EQ(host_memory()->space(), memory_space::host);
    EXPECT_EQ(host_memory()->allocate(0), nullptr);
    host_memory()->deallocate(nullptr);
    for (std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
        void* const p = host_memory()->allocate(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
        host_memory()->deallocate(p);
    }
}

TEST(host_memory, gathers_pieces_one_after_the_other) {
    std::vector<std::uint32_t> numbers(64), gathered(24), expected;
    std::iota(numbers.begin(), numbers.end(), 0u);
    std::vector<memory_extent> pieces;
    for (auto [first, count] : {std::pair<std::size_t, std::size_t>{40, 12}, {0, 4}, {20, 0}, {44, 8}}) {
        pieces.push_back({numbers.data() + first, 4 * count});
        expected.insert(expected.end(), numbers.data() + first, numbers.data() + first + count);
    }
    host_memory()->gather_to_host(gathered.data(), pieces);
    EXPECT_EQ(gathered, expected);
    host_memory()->gather_to_host(nullptr, {});
}

TEST(host_memory, that_is_left_is_known) {
    std::size_t const bytes = available_host_memory();
    EXPECT_GT(bytes, std::size_t{1} << 20);
    EXPECT_LT(bytes, std::size_t{1} << 50);
}

TEST(out_of_memory, says_what_was_asked_for_and_what_there_is) {
    EXPECT_STREQ(out_of_memory(SIZE_MAX, SIZE_MAX - 1).what(),
                 "out of memory: 18446744073709551615 bytes were asked for, 18446744073709551614 are available");
    EXPECT_STREQ(out_of_memory(5, SIZE_MAX).what(), "out of memory: 5 bytes were asked for");
}

#if !COPSE_ADDRESS_SANITIZER && !COPSE_THREAD_SANITIZER  // which end a program that asks for too much

/// In a child, which the limit ends with. What is mapped counts, whether it is used or not.
bool heeds_a_limit_of_address_space() {
    // The heap may give a little back in between.
    constexpr std::size_t room = 256 << 20, little = 1 << 20;
    pid_t const child = fork();
    if (child == 0) {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        std::size_t const limit = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room;
        rlimit const address_space{limit, limit};
        bool right = setrlimit(RLIMIT_AS, &address_space) == 0;
        right = right && available_host_memory() <= room + little && available_host_memory() > room / 2;
        right = right && mmap(nullptr, room / 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
        _exit(right && available_host_memory() <= room / 2 + little ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(host_memory, that_is_left_is_no_more_than_the_process_may_map) {
    EXPECT_TRUE(heeds_a_limit_of_address_space());
}

TEST(out_of_memory, is_thrown_by_buffers) {
    for (std::int64_t size : {std::int64_t{1} << 46, std::int64_t{1} << 58}) try {
            buffer<std::byte> const b(host_memory(), size);
            FAIL() << size;
        } catch (out_of_memory const& e) {
            EXPECT_GE(e.asked(), static_cast<std::size_t>(size));
            EXPECT_EQ(std::string(e.what()).find("out of memory: "), 0u) << e.what();
        }
}

#endif

#if COPSE_ADDRESS_SANITIZER

TEST(host_memory, ends_for_the_address_sanitizer_where_it_was_asked_to) {
    for (std::int64_t size : {1, 13, 255, 4096, 5000000}) {
        buffer<std::byte> b(host_memory(), size);
        EXPECT_FALSE(__asan_address_is_poisoned(b.data() + size - 1)) << size;
        EXPECT_TRUE(__asan_address_is_poisoned(b.data() + size)) << size;
    }
}

TEST(host_memory, ends_for_the_address_sanitizer_where_it_was_shrunk_to) {
    for (std::int64_t size : {1, 13, 255, 4096, 5000000})
        for (std::int64_t kept : {size / 2, size - 1, size}) {
            buffer<std::byte> b(host_memory(), size);
            b.shrink(kept);
            if (kept > 0) {
                EXPECT_FALSE(__asan_address_is_poisoned(b.data() + kept - 1)) << size << ", " << kept;
            }
            EXPECT_TRUE(__asan_address_is_poisoned(b.data() + kept)) << size << ", " << kept;
        }
}

TEST(host_memory, keeps_nothing_under_the_address_sanitizer) {
    host_memory()->deallocate(host_memory()->allocate(10 << 20));
    EXPECT_EQ(kept_host_memory(), 0u);
    EXPECT_EQ(limit_kept_host_memory(SIZE_MAX), 0u);
    trim_host_memory();
}

#else

constexpr std::int64_t large = 10 << 20;

TEST(host_memory, keeps_large_blocks_until_told_otherwise) {
    trim_host_memory();
    EXPECT_EQ(kept_host_memory(), 0u);
    std::byte* first = nullptr;
    {
        buffer<std::byte> b(host_memory(), large);
        first = b.data();
        b.shrink(100);
        EXPECT_EQ(kept_host_memory(), 0u);
    }
    EXPECT_EQ(kept_host_memory(), std::size_t{large});
    EXPECT_EQ(buffer<std::byte>(host_memory(), large).data(), first);
    trim_host_memory();
    EXPECT_EQ(kept_host_memory(), 0u);
}

TEST(host_memory, keeps_nothing_that_is_small) {
    trim_host_memory();
    { buffer<std::byte> const b(host_memory(), (4 << 20) - 1); }
    EXPECT_EQ(kept_host_memory(), 0u);
}

TEST(host_memory, keeps_as_much_as_it_may) {
    std::size_t const before = limit_kept_host_memory(0);
    EXPECT_EQ(kept_host_memory(), 0u);
    { buffer<std::byte> const b(host_memory(), large); }
    EXPECT_EQ(kept_host_memory(), 0u);
    EXPECT_EQ(limit_kept_host_memory(before), 0u);
    { buffer<std::byte> const b(host_memory(), large); }
    EXPECT_EQ(kept_host_memory(), std::size_t{large});
}

#if !COPSE_THREAD_SANITIZER

/// True: a child of fork() could allocate. False: it waited for five seconds in vain.
bool child_allocates() {
    pid_t const child = fork();
    if (child == 0) {
        alarm(5);
        void* const p = host_memory()->allocate(large);
        host_memory()->deallocate(p);
        _exit(0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(host_memory, is_whole_after_a_fork) {
    std::jthread const busy([](std::stop_token const& stop) {
        while (!stop.stop_requested()) host_memory()->deallocate(host_memory()->allocate(large));
    });
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(child_allocates()) << i;
}

#endif
#endif

}  // namespace
}  // namespace copse::tests
