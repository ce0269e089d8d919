// Text that was compressed by gzip. What it is is told by its first bytes, whatever the file is called.
#pragma once

#include <copse/formats/files/text_file.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::detail {

inline bool is_gzip(std::string_view bytes) noexcept {
    return bytes.starts_with("\x1f\x8b");
}

/// The text in `bytes`, for which is_gzip() holds: of all members, one behind the other (as bgzip and cat make them).
/// Not more than the first `limit` bytes of it: what follows them is not looked at.
/// Throws format_error where the data are cut short or damaged, or where something else follows them. It names the line
/// of the text where they end.
text_file gunzip(std::string_view bytes, std::string const& name, std::size_t limit = SIZE_MAX);

}  // namespace copse::detail
