#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory/chunk_cache.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using detail::chunk_cache;

constexpr std::size_t mib = std::size_t{1} << 20;

/// Writes the block's first and last byte in each page of 4 KiB.
void write_to(void* block, std::size_t bytes) {
    auto* const p = static_cast<unsigned char*>(block);
    for (std::size_t i = 0; i < bytes; i += 4096) p[i] = p[std::min(i + 4095, bytes - 1)] = 7;
}

/// The pages of 4 KiB among these bytes that are in memory.
std::size_t resident_pages(void* p, std::size_t first, std::size_t bytes) {
    std::vector<unsigned char> pages(bytes / 4096);
    EXPECT_EQ(mincore(static_cast<std::byte*>(p) + first, bytes, pages.data()), 0);
    return static_cast<std::size_t>(std::count_if(pages.begin(), pages.end(), [](unsigned char c) { return c & 1; }));
}

/// Allocated and freed again, all at once in use: the blocks in this order.
std::vector<void*> keep(chunk_cache& cache, std::vector<std::size_t> const& sizes) {
    std::vector<void*> all;
    for (std::size_t bytes : sizes) all.push_back(cache.allocate(bytes));
    for (void* p : all) EXPECT_TRUE(cache.deallocate(p));
    return all;
}

TEST(chunk_cache, hands_out_what_was_freed_and_once) {
    chunk_cache cache;
    void* const p = cache.allocate(10 * mib);
    write_to(p, 10 * mib);
    EXPECT_EQ(cache.kept_bytes(), 0u);
    EXPECT_TRUE(cache.deallocate(p));
    EXPECT_EQ(cache.kept_bytes(), 10 * mib);
    void* const again = cache.allocate(10 * mib);
    EXPECT_EQ(again, p);
    EXPECT_EQ(cache.kept_bytes(), 0u);
    write_to(again, 10 * mib);
    void* const other = cache.allocate(10 * mib);
    EXPECT_NE(other, p);
    EXPECT_TRUE(cache.deallocate(other));
    EXPECT_TRUE(cache.deallocate(again));
}

TEST(chunk_cache, serves_down_to_four_fifths) {
    for (auto const& [bytes, serves] :
         {std::pair{22 * mib, false}, std::pair{20 * mib + 1, false}, std::pair{20 * mib, true},
          std::pair{14 * mib + 1, true}, std::pair{14 * mib, false}}) {
        chunk_cache cache;
        void* const spare = cache.allocate(30 * mib);  // so that nothing has to go
        EXPECT_TRUE(cache.deallocate(spare));
        cache.trim();
        void* const p = keep(cache, {20 * mib}).front();
        void* const q = cache.allocate(bytes);
        EXPECT_EQ(q == p, serves) << bytes;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % chunk_cache::large_page, 0u);
        write_to(q, bytes);
        EXPECT_TRUE(cache.deallocate(q));
    }
}

TEST(chunk_cache, takes_the_smallest_and_of_these_the_one_freed_last) {
    chunk_cache cache;
    auto const all = keep(cache, {24 * mib, 20 * mib, 20 * mib, 22 * mib});
    EXPECT_EQ(cache.allocate(20 * mib), all[2]);
    EXPECT_EQ(cache.allocate(20 * mib), all[1]);
    EXPECT_EQ(cache.allocate(20 * mib), all[3]);
    EXPECT_EQ(cache.allocate(20 * mib), all[0]);
    for (void* p : all) EXPECT_TRUE(cache.deallocate(p));
}

TEST(chunk_cache, has_no_more_than_was_in_use_at_once) {
    chunk_cache cache;
    auto const all = keep(cache, {8 * mib, 8 * mib, 8 * mib});
    EXPECT_EQ(cache.kept_bytes(), 24 * mib);
    void* const p = cache.allocate(12 * mib);  // 12 in use: 12 may be kept
    EXPECT_EQ(cache.kept_bytes(), 8 * mib);
    EXPECT_EQ(cache.allocate(8 * mib), all[2]);  // the oldest went
    EXPECT_TRUE(cache.deallocate(p));
    EXPECT_EQ(cache.kept_bytes(), 12 * mib);
    EXPECT_TRUE(cache.deallocate(all[2]));
    for (std::size_t bytes = 4; bytes <= 100; bytes += bytes / 2) {  // none serves the next
        EXPECT_TRUE(cache.deallocate(cache.allocate(bytes * mib)));
        EXPECT_LE(cache.kept_bytes(), std::max<std::size_t>(24, bytes + 2) * mib);
    }
}

TEST(chunk_cache, keeps_no_more_than_the_limit_and_nothing_after_trim) {
    chunk_cache cache;
    auto const all = keep(cache, {10 * mib, 12 * mib, 14 * mib});
    EXPECT_EQ(cache.limit(27 * mib), SIZE_MAX);
    EXPECT_EQ(cache.kept_bytes(), 26 * mib);  // without the oldest
    EXPECT_EQ(cache.limit(0), 27 * mib);
    EXPECT_EQ(cache.kept_bytes(), 0u);
    EXPECT_TRUE(cache.deallocate(cache.allocate(10 * mib)));
    EXPECT_EQ(cache.kept_bytes(), 0u);
    EXPECT_EQ(cache.limit(11 * mib), 0u);
    keep(cache, {10 * mib, 12 * mib});
    EXPECT_EQ(cache.kept_bytes(), 0u);  // the second alone is too large, the first is older
    keep(cache, {10 * mib});
    EXPECT_EQ(cache.kept_bytes(), 10 * mib);
    cache.trim();
    EXPECT_EQ(cache.kept_bytes(), 0u);
}

TEST(chunk_cache, knows_its_own) {
    chunk_cache cache;
    void* const p = cache.allocate(1);
    EXPECT_FALSE(cache.deallocate(static_cast<std::byte*>(p) + chunk_cache::large_page));
    EXPECT_FALSE(cache.deallocate(nullptr));
    EXPECT_TRUE(cache.deallocate(p));
    EXPECT_FALSE(cache.deallocate(p));
    EXPECT_EQ(cache.kept_bytes(), chunk_cache::smallest);
}

TEST(chunk_cache, gives_back_what_a_shrunk_block_does_not_need) {
    chunk_cache cache;
    void* const p = cache.allocate(16 * mib);
    write_to(p, 16 * mib);
    EXPECT_EQ(resident_pages(p, 0, 16 * mib), 16 * mib / 4096);
    EXPECT_TRUE(cache.deallocate(p));
    EXPECT_EQ(cache.allocate(13 * mib), p);
    write_to(p, 16 * mib);
    cache.shrink(p, 5 * mib);
    EXPECT_EQ(resident_pages(p, 0, 6 * mib), 6 * mib / 4096);
    EXPECT_EQ(resident_pages(p, 6 * mib, 10 * mib), 0u);  // behind the 13 that were asked for, too
    for (std::size_t i = 0; i < 5 * mib; i += 4096) ASSERT_EQ(static_cast<unsigned char*>(p)[i], 7) << i;
    EXPECT_TRUE(cache.deallocate(p));
    EXPECT_EQ(cache.kept_bytes(), 16 * mib);
    EXPECT_EQ(cache.allocate(16 * mib), p);
    write_to(p, 16 * mib);
    EXPECT_TRUE(cache.deallocate(p));
}

TEST(chunk_cache, serves_threads_at_once) {
    chunk_cache cache;
    constexpr int threads = 4;
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&cache, t] {
            for (int i = 0; i < 25; ++i) {
                std::size_t const bytes = (4 + 2 * static_cast<std::size_t>((i + t) % 5)) * mib;
                auto* const p = static_cast<int*>(cache.allocate(bytes));
                int* const last = p + bytes / sizeof(int) - 1;
                *p = *last = t;
                if (i % 7 == 0) cache.trim();
                EXPECT_EQ(*p, t);
                EXPECT_EQ(*last, t);
                EXPECT_TRUE(cache.deallocate(p));
                EXPECT_LE(cache.kept_bytes(), threads * 12 * mib);
            }
        });
}

/// Bytes of the process that are the system's to take; nothing where it does not say.
std::optional<std::size_t> lazily_freed_bytes() {
    std::ifstream file("/proc/self/smaps_rollup");
    std::string word;
    while (file >> word)
        if (word == "LazyFree:") {
            std::size_t kilobytes = 0;
            file >> kilobytes;
            return kilobytes * 1024;
        }
    return std::nullopt;
}

TEST(chunk_cache, keeps_pages_that_the_system_may_take) {
    chunk_cache cache(0);
    void* const p = cache.allocate(16 * mib);
    write_to(p, 16 * mib);
    auto const before = lazily_freed_bytes();
    if (!before) GTEST_SKIP() << "the system does not say which pages it may take";
    EXPECT_TRUE(cache.deallocate(p));
    EXPECT_GE(lazily_freed_bytes().value(), *before + 12 * mib);  // the last few pages wait in a list of the kernel's
}

TEST(chunk_cache, keeps_some_pages_for_itself) {
    chunk_cache cache(20 * mib);
    void* const first = cache.allocate(16 * mib);
    void* const second = cache.allocate(16 * mib);
    write_to(first, 16 * mib);
    write_to(second, 16 * mib);
    auto const before = lazily_freed_bytes();
    if (!before) GTEST_SKIP() << "the system does not say which pages it may take";
    EXPECT_TRUE(cache.deallocate(first));
    EXPECT_LE(lazily_freed_bytes().value(), *before + 4 * mib);
    EXPECT_TRUE(cache.deallocate(second));  // together they are more than 20 MiB
    EXPECT_GE(lazily_freed_bytes().value(), *before + 12 * mib);
}

// The sanitizers end a program that asks for too much.
#if !COPSE_ADDRESS_SANITIZER && !COPSE_THREAD_SANITIZER

TEST(chunk_cache, gives_back_all_before_it_says_that_there_is_no_memory) {
    chunk_cache cache;
    keep(cache, {10 * mib});
    EXPECT_THROW(cache.allocate(SIZE_MAX), out_of_memory);
    EXPECT_EQ(cache.kept_bytes(), 10 * mib);  // that is no question of what is kept
    EXPECT_THROW(cache.allocate(std::size_t{1} << 60), out_of_memory);
    EXPECT_EQ(cache.kept_bytes(), 0u);
    keep(cache, {10 * mib, 12 * mib});
    EXPECT_EQ(cache.kept_bytes(), 22 * mib);  // what was not to be had does not count as in use
    EXPECT_TRUE(cache.deallocate(cache.allocate(14 * mib)));
    EXPECT_EQ(cache.kept_bytes(), 14 * mib);
}

TEST(chunk_cache, has_memory_where_giving_back_is_enough) {
    chunk_cache cache;
    keep(cache, {128 * mib});
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    rlimit const tight{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + 16 * mib, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
    void* p = nullptr;
    try {
        p = cache.allocate(64 * mib);
    } catch (std::bad_alloc const&) {  // seen below
    }
    EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(cache.deallocate(p));
}

#endif

}  // namespace
}  // namespace copse::tests
