// Files that appear under their name when they are complete.
#pragma once

#include <string>
#include <string_view>

namespace copse {

/// Writes the file `path`, all of it: to a temporary beside it, which is renamed when it is complete. Until then a file
/// of that name stays as it was. A symbolic link is followed; a device or a pipe is written directly.
/// remove_unfinished_files() (matrix_market.hpp) removes the temporary. Throws argument_error that names the path and
/// the reason; nothing stays then.
void replace_file(std::string const& path, std::string_view bytes);

}  // namespace copse
