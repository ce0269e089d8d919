#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/memory/memory_groups.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#if COPSE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#include <pthread.h>

#include <copse/runtime/memory/block_cache.hpp>
#endif

namespace copse {
namespace {

class copied_by_host : public memory {
  public:
    memory_space space() const noexcept override { return memory_space::host; }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override { copy_from_host(to, from, bytes); }
};

#if COPSE_ADDRESS_SANITIZER

/// Each allocation new and as large as was asked for, so that the sanitizer sees what goes past its end or comes after
/// it was freed.
class host_memory_type final : public copied_by_host {
  public:
    void* allocate(std::size_t bytes) override {
        void* p = nullptr;
        if (bytes > 0 && posix_memalign(&p, 256, bytes) != 0) throw out_of_memory(bytes, available_host_memory());
        return p;
    }
    void deallocate(void* p) noexcept override { std::free(p); }
    void* shrink(void* p, std::size_t bytes, std::size_t kept) override {
        if (kept < bytes) ASAN_POISON_MEMORY_REGION(static_cast<std::byte*>(p) + kept, bytes - kept);
        return p;
    }
};

#else

/// Never destroyed: buffers may live longer than anything static. A fork waits until nobody is changing it.
detail::block_cache& large_blocks() {
    static detail::block_cache& instance = *[] {
        pthread_atfork([] { large_blocks().mutex().lock(); }, [] { large_blocks().mutex().unlock(); },
                       [] { large_blocks().mutex().unlock(); });
        return new detail::block_cache;
    }();
    return instance;
}

bool may_be_large(void const* p) {
    return p != nullptr && reinterpret_cast<std::uintptr_t>(p) % detail::block_cache::large_page == 0;
}

class host_memory_type final : public copied_by_host {
  public:
    void* allocate(std::size_t bytes) override {
        if (bytes == 0) return nullptr;
        if (bytes >= detail::block_cache::smallest) return large_blocks().allocate(bytes);
        std::size_t const rounded = (bytes + 255) / 256 * 256;
        void* p = std::aligned_alloc(256, rounded);
        if (p == nullptr) {
            large_blocks().trim();
            p = std::aligned_alloc(256, rounded);
        }
        if (p == nullptr) throw out_of_memory(bytes, available_host_memory());
        return p;
    }
    void deallocate(void* p) noexcept override {
        if (!may_be_large(p) || !large_blocks().deallocate(p)) std::free(p);
    }
    void* shrink(void* p, std::size_t, std::size_t kept) override {
        if (may_be_large(p)) large_blocks().shrink(p, kept);
        return p;
    }
};

#endif

/// The number behind the name in text like /proc/meminfo; SIZE_MAX where there is none.
std::size_t kilobytes_of(std::string_view name, std::string_view text) {
    std::size_t kilobytes = SIZE_MAX;
    auto const place = text.find(name);
    if (place == text.npos) return kilobytes;
    auto const number = text.substr(std::min(text.find_first_not_of(" \t", place + name.size()), text.size()));
    std::from_chars(number.data(), number.data() + number.size(), kilobytes);
    return kilobytes;
}

// Without allocations: asked when there is no memory.

/// The bytes that stand behind the name in a file like /proc/meminfo; SIZE_MAX where it does not say.
std::size_t bytes_of(std::string_view name, char const* path) {
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return SIZE_MAX;
    char text[4096];
    ssize_t const read_bytes = read(file, text, sizeof text);
    close(file);
    if (read_bytes <= 0) return SIZE_MAX;
    std::size_t const kilobytes = kilobytes_of(name, {text, static_cast<std::size_t>(read_bytes)});
    return kilobytes == SIZE_MAX ? SIZE_MAX : kilobytes * 1024;
}

/// What this process may still map (ulimit -v); SIZE_MAX where it has no such limit.
std::size_t left_of_address_space() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    std::size_t const mapped = bytes_of("VmSize:", "/proc/self/status");
    return mapped == SIZE_MAX ? limit.rlim_cur : limit.rlim_cur - std::min<std::size_t>(mapped, limit.rlim_cur);
}

}  // namespace

std::size_t available_host_memory() noexcept {
    return std::min(
        {bytes_of("MemAvailable:", "/proc/meminfo"), left_of_address_space(), detail::left_of_memory_groups()});
}

void* memory::shrink(void* p, std::size_t, std::size_t) {
    return p;
}

void memory::gather_to_host(void* to, std::span<memory_piece const> pieces) {
    auto* next = static_cast<std::byte*>(to);
    for (memory_piece const& piece : pieces) {
        copy_to_host(next, piece.data, piece.bytes);
        next += piece.bytes;
    }
}

std::shared_ptr<memory> const& host_memory() {
    static std::shared_ptr<memory> const instance = std::make_shared<host_memory_type>();
    return instance;
}

namespace {

// When the library is loaded, and not by a thread while another one forks: the child would wait for that thread for
// ever.
[[maybe_unused]] bool const is_made = [] {
    host_memory();
#if !COPSE_ADDRESS_SANITIZER
    large_blocks();
#endif
    return true;
}();

}  // namespace

#if COPSE_ADDRESS_SANITIZER
void trim_host_memory() noexcept {}
std::size_t limit_kept_host_memory(std::size_t) noexcept {
    return 0;
}
std::size_t kept_host_memory() noexcept {
    return 0;
}
#else
void trim_host_memory() noexcept {
    large_blocks().trim();
}
std::size_t limit_kept_host_memory(std::size_t bytes) noexcept {
    return large_blocks().limit(bytes);
}
std::size_t kept_host_memory() noexcept {
    return large_blocks().kept_bytes();
}
#endif

}  // namespace copse
