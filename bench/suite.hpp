// The matrices that are measured when none are named.
#pragma once

#include <string>
#include <vector>

namespace copse::bench {

/// For products: one matrix of each kind, of 4 to 5 10^7 entries (permutations have one per row), so that it takes more
/// than any cache in every format: 400 MB and more in double, with its vectors. 24 GiB hold any of them in all formats
/// of all libraries.
std::vector<std::string> const& default_suite();

/// For sizes, which do not depend on caches: the same kinds, of about 10^7 entries.
std::vector<std::string> const& size_suite();

/// Small ones of a few kinds: seconds in all.
std::vector<std::string> const& quick_suite();

/// For additions: about 10^7 entries each.
std::vector<std::string> const& addition_suite();

/// For additions: about 10^6 entries each, of a few kinds.
std::vector<std::string> const& quick_addition_suite();

/// For the sizes of flat formats: 5 10^6 to 10^7 entries each, of many kinds.
std::vector<std::string> const& tuning_suite();
std::vector<std::string> const& quick_tuning_suite();

/// For the same on a GPU, in short: kinds that want different sizes. In every format more than its L2 holds.
std::vector<std::string> const& gpu_tuning_suite();

/// `named`, with the .mtx and .mtx.gz files of a folder, sorted by name, in place of the folder. Throws argument_error
/// for one that has none or cannot be read.
std::vector<std::string> with_files_of_folders(std::vector<std::string> const& named);

}  // namespace copse::bench
