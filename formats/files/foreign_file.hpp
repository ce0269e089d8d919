// Files that people hand in for Matrix Market files by mistake.
#pragma once

#include <string>
#include <string_view>

namespace copse::detail {

/// What a file that does not start with '%%MatrixMarket' is, as far as its first 64 KB tell, and what to do about it:
/// one line. `name` is the file's, for the commands in it.
std::string describe_foreign_file(std::string_view text, std::string const& name);

}  // namespace copse::detail
