#include <fcntl.h>
#include <unistd.h>
#include <copse/runtime/memory/memory_groups.hpp>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace copse::detail {
namespace {

/// A path that is put together without an allocation; empty where it would be too long.
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

/// The number that the text begins with; SIZE_MAX where there is none ("max").
std::size_t number_at(std::string_view text) noexcept {
    std::size_t number = SIZE_MAX;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// The number behind the name, in lines of both; 0 where there is none.
std::size_t number_of(std::string_view name, std::string_view lines) noexcept {
    for (std::size_t at = 0; (at = lines.find(name, at)) != lines.npos; at += name.size()) {
        bool const begins = at == 0 || lines[at - 1] == '\n';
        auto const behind = lines.substr(at + name.size());
        if (begins && behind.starts_with(' ')) return number_at(behind.substr(1));
    }
    return 0;
}

/// What the files of a version are called.
struct version {
    char const *folder, *limit, *usage, *inactive, *active;
};
constexpr version one{"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                      "total_active_file"};
constexpr version two{"", "memory.max", "memory.current", "inactive_file", "active_file"};

std::size_t left_of_group(version const& v, char const* mounted, std::string_view group) noexcept {
    auto const text = [&](char const* name) {
        return file_text(path_text({mounted, v.folder, group, "/", name}).get());
    };
    auto const limit = number_at(text(v.limit).view());
    auto const usage = number_at(text(v.usage).view());
    if (limit == SIZE_MAX || usage == SIZE_MAX) return SIZE_MAX;
    auto const statistics = text("memory.stat");
    auto const files = number_of(v.inactive, statistics.view()) + number_of(v.active, statistics.view());
    auto const in_use = usage - std::min(files, usage);
    return limit - std::min(in_use, limit);
}

/// Of the group and of all above it. In a container the path may be the host's: then the container's own is the top.
std::size_t left_of_groups(version const& v, char const* mounted, std::string_view group) noexcept {
    std::size_t least = SIZE_MAX;
    while (group.ends_with('/')) group.remove_suffix(1);
    for (;; group = group.substr(0, group.rfind('/'))) {
        least = std::min(least, left_of_group(v, mounted, group));
        if (group.rfind('/') == group.npos) return least;
    }
}

}  // namespace

std::size_t left_of_memory_groups(char const* groups, char const* mounted) noexcept {
    std::size_t least = SIZE_MAX;
    file_text const file(groups);
    auto lines = file.view();
    while (!lines.empty()) {
        auto const line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        // number:controllers:path
        auto const first = line.find(':'), second = line.find(':', first + 1);
        if (second == line.npos) continue;
        auto const controllers = line.substr(first + 1, second - first - 1);
        auto const path = line.substr(second + 1);
        if (controllers.empty()) least = std::min(least, left_of_groups(two, mounted, path));
        if (controllers.find("memory") != controllers.npos) least = std::min(least, left_of_groups(one, mounted, path));
    }
    return least;
}

}  // namespace copse::detail
