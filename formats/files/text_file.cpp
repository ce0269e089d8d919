// Whole files: see text_file.hpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <copse/formats/files/text_file.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace copse::detail {
namespace {

[[noreturn]] void throw_unreadable(std::string const& path, std::string const& reason) {
    throw argument_error(fmt::format("cannot read '{}': {}", path, reason));
}

/// Why a file does not open, and where a path that leads to none was looked up.
std::string reason_of_open(std::string const& path, int code) {
    if (code != ENOENT) return reason_of(code);
    std::error_code unknown;
    auto const folder = std::filesystem::current_path(unknown);
    bool const is_relative = !unknown && std::filesystem::path(path).is_relative();
    return reason_of(code) + (is_relative ? "; the path is relative to '" + folder.string() + "'" : "; check the path");
}

class descriptor {
  public:
    explicit descriptor(int value) noexcept : value_(value) {}
    ~descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    descriptor(descriptor const&) = delete;
    descriptor& operator=(descriptor const&) = delete;
    int get() const noexcept { return value_; }

  private:
    int value_;
};

/// Fills `size` bytes from `offset` of the file. Returns 0, the error code, or -1 when the file ends too early.
int read_block(int file, char* to, std::size_t size, std::size_t offset) noexcept {
    while (size > 0) {
        auto const got = ::pread(file, to, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return -1;
        to += got;
        offset += static_cast<std::size_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return 0;
}

/// In blocks, because copying out of the page cache and touching fresh memory is more work for one core than the
/// bandwidth of the machine asks for.
text_file read_sized(int file, std::size_t size, std::string const& path) {
    constexpr std::size_t block_bytes = std::size_t{1} << 23;
    text_file text{std::make_unique_for_overwrite<char[]>(size), size};
    auto const blocks = (size + block_bytes - 1) / block_bytes;
    std::atomic<int> failure{0};
    parallel_for(static_cast<std::int64_t>(blocks), 1, [&](std::int64_t i) {
        auto const offset = static_cast<std::size_t>(i) * block_bytes;
        auto const code = read_block(file, text.bytes.get() + offset, std::min(block_bytes, size - offset), offset);
        if (code != 0) failure.store(code, std::memory_order_relaxed);
    });
    if (failure > 0) throw_unreadable(path, reason_of(failure));
    if (failure < 0) throw_unreadable(path, "it became shorter while it was read");
    return text;
}

text_file read_stream(int file, std::string const& path) {
    std::size_t capacity = std::size_t{1} << 16;
    text_file text{std::make_unique_for_overwrite<char[]>(capacity), 0};
    for (;;) {
        auto const got = ::read(file, text.bytes.get() + text.size, capacity - text.size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw_unreadable(path, reason_of(errno));
        if (got == 0) return text;
        text.size += static_cast<std::size_t>(got);
        if (text.size < capacity) continue;
        capacity *= 2;
        auto larger = std::make_unique_for_overwrite<char[]>(capacity);
        std::memcpy(larger.get(), text.bytes.get(), text.size);
        text.bytes = std::move(larger);
    }
}

}  // namespace

text_file read_text_file(std::string const& path) {
    descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) throw_unreadable(path, reason_of_open(path, errno));
    // A file of the kernel's own says 0 bytes and has some.
    bool const is_sized = S_ISREG(status.st_mode) && status.st_size > 0;
    return is_sized ? read_sized(file.get(), static_cast<std::size_t>(status.st_size), path)
                    : read_stream(file.get(), path);
}

}  // namespace copse::detail
