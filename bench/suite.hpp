// The matrices that are measured when none are named.
#pragma once

#include <string>
#include <vector>

namespace copse::bench {

/// One matrix of each kind, beyond the caches where the kind allows it; 24 GiB hold any of them with all its formats.
std::vector<std::string> const& default_suite();

/// Small ones of a few kinds: seconds in all.
std::vector<std::string> const& quick_suite();

/// For additions: about 10^7 entries each.
std::vector<std::string> const& addition_suite();

/// For additions: about 10^6 entries each, of a few kinds.
std::vector<std::string> const& quick_addition_suite();

/// `named`, with the .mtx files of a folder, sorted by name, in place of the folder. Throws argument_error for one that
/// has none or cannot be read.
std::vector<std::string> with_files_of_folders(std::vector<std::string> const& named);

}  // namespace copse::bench
