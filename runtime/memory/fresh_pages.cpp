#include <sys/mman.h>

#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/memory/chunk_cache.hpp>
#include <copse/runtime/memory/fresh_pages.hpp>
#include <cstdint>

namespace copse::detail {

void touch_pages(void* p, std::size_t bytes) {
    constexpr std::size_t page = chunk_cache::large_page;
    auto const begin = reinterpret_cast<std::uintptr_t>(p);
    std::uintptr_t const first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
    if (first >= last) return;
    auto* const pages = static_cast<std::byte*>(p) + (first - begin);
    (void)madvise(pages, last - first, MADV_HUGEPAGE);  // a wish: without it all works, more slowly
#ifdef MADV_POPULATE_WRITE
    parallel_for(static_cast<std::int64_t>((last - first) / page), 1, [&](std::int64_t i) {
        (void)madvise(pages + static_cast<std::size_t>(i) * page, page, MADV_POPULATE_WRITE);  // Linux 5.14
    });
#endif
}

}  // namespace copse::detail
