// Whole files: one read into memory at once, and text that was compressed by gzip. Files that take their place only
// when they are complete are in runtime/files/replacing_file.hpp.
#pragma once

#include <copse/runtime/files/replacing_file.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace copse::detail {

/// The bytes of a file. Not a memory map: a map of a file that somebody shortens meanwhile ends the program.
struct text_file {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;

    std::string_view view() const noexcept { return {bytes.get(), size}; }
};

/// Reads a file, or a pipe to its end. Parallel (OpenMP) where the size is known beforehand.
/// Throws argument_error that names the path and the reason.
text_file read_text_file(std::string const& path);

/// What a text is compressed by is told by its first bytes, whatever the file is called.
inline bool is_gzip(std::string_view bytes) noexcept {
    return bytes.starts_with("\x1f\x8b");
}

/// The text in `bytes`, for which is_gzip() holds: of all members, one behind the other (as bgzip and cat make them).
/// Not more than the first `limit` bytes of it: what follows them is not looked at.
/// Throws format_error where the data are cut short or damaged, or where something else follows them. It names the line
/// of the text where they end.
text_file gunzip(std::string_view bytes, std::string const& name, std::size_t limit = SIZE_MAX);

}  // namespace copse::detail
