// Writing a whole file, such as a report.
#pragma once

#include <string>
#include <string_view>

namespace copse {

/// Writes `text` to a file that appears under its name when it is complete. A symbolic link is followed; a device or a
/// pipe is written directly. remove_unfinished_files() (formats/matrix_market.hpp) knows of it.
/// Throws argument_error that names the path and the reason.
void write_file(std::string const& path, std::string_view text);

}  // namespace copse
