// Where and with what a comparison on a GPU was made.
#pragma once

#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <string>

#include "bench/gpu_comparison/cusparse_library.hpp"

namespace copse::bench {

struct gpu_session {
    std::string date;    // UTC, ISO 8601
    std::string commit;  // as machine.hpp has it
    std::string gpu;
    int compute_capability = 0;  // 90 for 9.0
    int multiprocessors = 0;
    std::int64_t l2_bytes = 0;
    std::string driver;    // the newest CUDA version that it supports
    std::string runtime;   // the CUDA version of this program
    std::string cusparse;  // its version, or why it is not there
    double copy_gbytes_per_second = 0;
    std::int64_t seed = 0;  // of the vectors
};

/// Without what is measured or chosen: copy, seed, cusparse.
gpu_session describe_session(gpu const& executor);

/// "12.6.3"; throws cuda_error.
std::string cusparse_version(cusparse_library const& library);

}  // namespace copse::bench
