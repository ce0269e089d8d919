// What a file of records has already: programs with --resume do not measure it again. A line that is no JSON object is
// skipped: a program may have died while it wrote one.
#pragma once

#include <set>
#include <string>

namespace copse::bench {

/// `op`: spmv or add.
std::string product_key(std::string const& op, std::string const& matrix, std::string const& type, bool transpose,
                        bool transpose_b);
std::string conversion_key(std::string const& matrix, std::string const& type, std::string const& format);

/// product_key or conversion_key of each line of this bench, without lines of what there was no time for. If a matrix
/// is not square, it has no sum A + B^T, which counts as measured with its other sums. Empty without a file.
std::set<std::string> measured_products(std::string const& path, std::string const& bench);

/// How many of these lines are of what failed or was wrong: it is not measured again, and has not become right.
int failures_before(std::string const& path, std::string const& bench);

}  // namespace copse::bench
