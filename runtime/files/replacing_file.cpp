// A file that takes its place only when it is complete: see replacing_file.hpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <copse/runtime/error.hpp>
#include <copse/runtime/files/replacing_file.hpp>
#include <copse/runtime/write_file.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace copse {
namespace detail {

std::string reason_of(int code) {
    std::string const reason = std::generic_category().message(code);
    return code == EISDIR ? reason + "; name a file in it" : reason;
}

replacing_file::replacing_file(std::string const& path) : path_(path), target_(path) {
    std::error_code code;
    auto const status = std::filesystem::status(path, code);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file_ < 0) fail(errno);
        return;
    }
    if (std::filesystem::is_symlink(path, code)) {
        auto const behind = std::filesystem::weakly_canonical(path, code);
        if (!code) target_ = behind.string();
    }
    open_temporary();
}

/// In static memory, so that a handler reads no name that another thread gives back: `state` is its owner.
struct replacing_file::unfinished_file {
    enum : int { unused, being_named, open, being_removed };

    std::atomic<int> state{unused};
    char path[PATH_MAX];

    /// null where all are taken, or the path is too long to be opened.
    static unfinished_file* add(std::string const& path) noexcept {
        if (path.size() >= PATH_MAX) return nullptr;
        for (auto& file : all) {
            int expected = unused;
            if (!file.state.compare_exchange_strong(expected, being_named)) continue;
            std::memcpy(file.path, path.c_str(), path.size() + 1);
            file.state = open;
            return &file;
        }
        return nullptr;
    }

    static std::array<unfinished_file, 16> all;
};

std::array<replacing_file::unfinished_file, 16> replacing_file::unfinished_file::all;

static_assert(std::atomic<int>::is_always_lock_free);

void replacing_file::remove_all() noexcept {
    using file = unfinished_file;
    for (auto& f : file::all) {
        int expected = file::open;
        if (f.state.compare_exchange_strong(expected, file::being_removed)) ::unlink(f.path);
    }
}

/// One that is being removed stays with who removes it.
void replacing_file::forget(unfinished_file* file) noexcept {
    int expected = unfinished_file::open;
    if (file != nullptr) file->state.compare_exchange_strong(expected, unfinished_file::unused);
}

/// The name says whose it is, should the process be killed before it can remove the file. It is noted before the file
/// is there: a file of that name that is there already was left by a process that had this one's number.
void replacing_file::open_temporary() {
    static std::atomic<std::int64_t> number{0};
    do {
        forget(unfinished_);
        temporary_ = fmt::format("{}.{}-{}.part", target_, ::getpid(), number.fetch_add(1, std::memory_order_relaxed));
        unfinished_ = unfinished_file::add(temporary_);
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (file_ < 0 && errno == EEXIST);
    if (file_ < 0) {
        forget(unfinished_);
        fail(errno);
    }
    struct stat status {};
    if (::stat(target_.c_str(), &status) == 0) ::fchmod(file_, status.st_mode & 07777);
}

replacing_file::~replacing_file() {
    if (file_ >= 0) ::close(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    forget(unfinished_);
}

void replacing_file::fail(int code) const {
    throw argument_error(fmt::format("cannot write '{}': {}", path_, reason_of(code)));
}

void replacing_file::append(std::string_view text) {
    while (!text.empty()) {
        auto const written = ::write(file_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void replacing_file::commit() {
    auto const file = file_;
    file_ = -1;
    if (::close(file) != 0) fail(errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
}

}  // namespace detail

void write_file(std::string const& path, std::string_view text) {
    detail::replacing_file file(path);
    file.append(text);
    file.commit();
}

}  // namespace copse
