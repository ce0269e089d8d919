// Reading the files of this process's control groups, which containers and batch systems limit. Nothing here allocates.
//
//   /proc/self/cgroup        folder of the group                    version
//   0::/a/b                  /sys/fs/cgroup[/unified]/a/b           2: no controllers in the line
//   4:cpu,cpuacct:/a/b       /sys/fs/cgroup/cpu,cpuacct/a/b         1: a mount for a list of controllers, or for each
//
// In a container the path may be the host's, of which only the last group is mounted, as the root: then that is read.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace copse::detail {

/// A path that is put together; empty where it would be too long.
class path_text {
  public:
    explicit path_text(std::initializer_list<std::string_view> parts) noexcept {
        char* end = text_;
        for (auto const part : parts) {
            if (part.size() >= static_cast<std::size_t>(text_ + sizeof text_ - end)) {
                end = text_;
                break;
            }
            end = std::copy(part.begin(), part.end(), end);
        }
        *end = '\0';
    }
    char const* get() const noexcept { return text_; }

  private:
    char text_[PATH_MAX];
};

/// The first bytes of a file; empty where there is none.
class file_text {
  public:
    explicit file_text(char const* path) noexcept {
        int const file = ::open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        auto const got = ::read(file, text_, sizeof text_);
        ::close(file);
        size_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    std::string_view view() const noexcept { return {text_, size_}; }

  private:
    char text_[4096];
    std::size_t size_ = 0;
};

/// The number that the text begins with; SIZE_MAX where there is none ("max", "-1").
inline std::size_t number_at(std::string_view text) noexcept {
    std::size_t number = SIZE_MAX;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// Calls f(controllers, path) for each line of a text like /proc/self/cgroup.
template <class F>
void for_each_control_group(std::string_view lines, F const& f) {
    while (!lines.empty()) {
        auto const line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        auto const first = line.find(':'), second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos) continue;
        f(line.substr(first + 1, second - first - 1), line.substr(second + 1));
    }
}

/// The least of f(group) for the group at `path` and all groups around it: "/a/b", "/a", "".
template <class F>
auto least_of_groups(std::string_view path, F const& f) {
    while (path.ends_with('/')) path.remove_suffix(1);
    auto least = f(path);
    while (!path.empty()) {
        path = path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'));
        least = std::min(least, f(path));
    }
    return least;
}

}  // namespace copse::detail
