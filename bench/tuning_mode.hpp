// bench/run --tune
#pragma once

#include <string>
#include <vector>

namespace copse::bench {

struct tuning_arguments {
    std::vector<std::string> matrices;  // files or generators; none: a suite
    bool quick = false;
    bool gpu = false;  // on the GPU alone; quick is then a shorter suite of large matrices
    std::string json;
    std::string measured;  // a file of lines of earlier runs: their matrices are left out
    int seconds = 0;       // after which no matrix is begun; 0: none
    std::string type;  // double, float, both; empty: double
    int threads = 0;
    int repeats = 0;  // 0: 9, quick 3; on the GPU alone 21
};

/// Measures and prints. The exit status: 1 where a result was wrong or a matrix could not be had. Throws argument_error
/// for a file that cannot be written, and where the GPU alone is asked for and none can be used.
int run_tuning(tuning_arguments const& a);

}  // namespace copse::bench
