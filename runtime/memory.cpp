#include <sys/mman.h>
#include <copse/runtime/memory.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace copse {
namespace {

// Large allocations in large pages: a new matrix costs a page fault for every 2 MiB instead of every 4 KiB.
constexpr std::size_t large_page = std::size_t{1} << 21;

class host_memory_type final : public memory {
  public:
    memory_space space() const noexcept override { return memory_space::host; }
    void* allocate(std::size_t bytes) override {
        if (bytes == 0) return nullptr;
        bool const large = bytes >= 2 * large_page;
        std::size_t const alignment = large ? large_page : 256;
        if (bytes > SIZE_MAX - alignment) throw std::bad_alloc();
        std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
        void* const p = std::aligned_alloc(alignment, rounded);
        if (p == nullptr) throw std::bad_alloc();
        if (large) (void)madvise(p, rounded, MADV_HUGEPAGE);  // a wish: without it all works, more slowly
        return p;
    }
    void deallocate(void* p) noexcept override { std::free(p); }
    void* shrink(void* p, std::size_t bytes, std::size_t kept) override {
        std::size_t const first = (kept + large_page - 1) / large_page * large_page;
        if (bytes >= 2 * large_page && first < bytes / large_page * large_page)
            (void)madvise(static_cast<std::byte*>(p) + first, bytes / large_page * large_page - first, MADV_DONTNEED);
        return p;
    }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override { copy_from_host(to, from, bytes); }
};

}  // namespace

void* memory::shrink(void* p, std::size_t, std::size_t) {
    return p;
}

std::shared_ptr<memory> const& host_memory() {
    static std::shared_ptr<memory> const instance = std::make_shared<host_memory_type>();
    return instance;
}

}  // namespace copse
