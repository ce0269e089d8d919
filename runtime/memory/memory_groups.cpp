#include <copse/runtime/memory/memory_groups.hpp>

#include <algorithm>
#include <copse/runtime/memory/control_groups.hpp>
#include <cstdint>
#include <string_view>

namespace copse::detail {
namespace {

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

}  // namespace

std::size_t left_of_memory_groups(char const* groups, char const* mounted) noexcept {
    std::size_t least = SIZE_MAX;
    file_text const file(groups);
    for_each_control_group(file.view(), [&](std::string_view controllers, std::string_view path) {
        auto const left_of = [&](version const& v) {
            return least_of_groups(path, [&](std::string_view group) { return left_of_group(v, mounted, group); });
        };
        if (controllers.empty()) least = std::min(least, left_of(two));
        if (controllers.find("memory") != controllers.npos) least = std::min(least, left_of(one));
    });
    return least;
}

}  // namespace copse::detail
