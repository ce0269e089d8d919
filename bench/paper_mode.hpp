// bench/run --papers
#pragma once

#include <cstddef>
#include <string>

#include "bench/triad.hpp"

namespace copse::bench {

struct paper_arguments {
    std::string folder;  // of matrices' files; may be empty
    bool quick = false;
    std::string json;
    std::string measured;  // a file of lines of earlier runs: their matrices are left out
    int seconds = 0;       // after which no matrix is begun; 0: none
    std::string type;  // double, float, both; empty: double
    int threads = 0;
    int repeats = 0;  // 0: 9, quick 3
    std::size_t triad_bytes = default_triad_bytes();
};

/// Measures and prints. The exit status: 1 where a result was wrong or a file could not be read. Matrices that would
/// not fit the memory are left out, with a line on standard error. Throws argument_error for a folder that is not there
/// or a file that cannot be written.
int run_papers(paper_arguments const& a);

}  // namespace copse::bench
