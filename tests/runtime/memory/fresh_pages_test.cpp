#include <copse/runtime/memory/fresh_pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <copse/runtime/memory/chunk_cache.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace copse::tests {
namespace {

constexpr std::size_t page = detail::chunk_cache::large_page;

/// Memory of the test's own, fresh from the system.
class fresh_memory {
  public:
    explicit fresh_memory(std::size_t bytes)
        : p_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), bytes_(bytes) {
        if (p_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~fresh_memory() { munmap(p_, bytes_); }
    fresh_memory(fresh_memory const&) = delete;
    fresh_memory& operator=(fresh_memory const&) = delete;

    /// The first whole large page.
    std::byte* first_page() const {
        auto const begin = reinterpret_cast<std::uintptr_t>(p_);
        return static_cast<std::byte*>(p_) + ((begin + page - 1) / page * page - begin);
    }

  private:
    void* p_;
    std::size_t bytes_;
};

std::size_t pages_present(std::byte* p, std::size_t bytes) {
    std::vector<unsigned char> present(bytes / 4096);
    if (mincore(p, bytes, present.data()) != 0) throw std::bad_alloc();
    return static_cast<std::size_t>(std::count_if(present.begin(), present.end(), [](auto b) { return (b & 1) != 0; }));
}

#ifdef MADV_POPULATE_WRITE
TEST(fresh_pages, are_there_once_touched) {
    fresh_memory const memory(6 * page);
    std::byte* const p = memory.first_page();
    if (madvise(p + 4 * page, 4096, MADV_POPULATE_WRITE) != 0) GTEST_SKIP() << "the system has no MADV_POPULATE_WRITE";
    ASSERT_EQ(pages_present(p, 4 * page), 0u);
    p[page + 7] = std::byte{42};
    detail::touch_pages(p + 100, 4 * page - 100);  // the first large page is not whole
    EXPECT_EQ(pages_present(p, page), 0u);
    EXPECT_EQ(pages_present(p + page, 3 * page), 3 * page / 4096);
    EXPECT_EQ(p[page + 7], std::byte{42});
}
#endif

TEST(fresh_pages, are_left_alone_in_small_pieces) {
    fresh_memory const memory(4 * page);
    std::byte* const p = memory.first_page();
    detail::touch_pages(p + 1, 2 * page - 2);
    detail::touch_pages(p + 10, 100);
    detail::touch_pages(p, 0);
    detail::touch_pages(nullptr, 0);
    EXPECT_EQ(pages_present(p, 2 * page), 0u);
}

TEST(fresh_pages, reserve_room_beside_what_is_there) {
    std::vector<double> v{1, 2, 3};
    detail::reserve_touched(v, 3 * page / sizeof(double));
    EXPECT_GE(v.capacity(), 3 * page / sizeof(double));
    EXPECT_EQ(v, (std::vector<double>{1, 2, 3}));
    detail::reserve_touched(v, 1);
    EXPECT_EQ(v, (std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace copse::tests
