// The bandwidths that products are held against, measured in the same run.
#pragma once

#include <optional>

#include "bench/triad.hpp"

namespace copse::bench {

/// GB/s of copies within the memory of the first GPU that can be used, bytes read and bytes written counted, median of
/// the repeats; none without such a GPU. Throws cuda_error.
std::optional<double> measure_gpu_copy(int repeats);

struct ceilings {
    triad_result triad;              // for products on the cpu
    std::optional<double> gpu_copy;  // for those on the GPU; GB/s
};

}  // namespace copse::bench
