// bench/run --sizes
#pragma once

#include <string>
#include <vector>

namespace copse::bench {

struct size_arguments {
    std::vector<std::string> matrices;
    std::string json;
    std::string type;  // double, float; else both
    int threads = 0;
    int node_dimension = 128;
};

/// Prints the table. The exit status: 1 where a matrix could not be had. Throws argument_error for a file that cannot
/// be written.
int run_sizes(size_arguments const& a);

}  // namespace copse::bench
