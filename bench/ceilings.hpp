// The bandwidths that products are held against, measured in the same run: a STREAM triad of our own on the CPU, copies
// within its memory on a GPU.
//
//   a[i] <- b[i] + s c[i]      three arrays, each well beyond the last-level cache
#pragma once

#include <cstddef>
#include <optional>

namespace copse::bench {

struct triad_result {
    double gbytes_per_second = 0;  // of the best repeat, 24 bytes per i: as STREAM counts
    double median_gbytes_per_second = 0;
    std::size_t array_bytes = 0;
    int threads = 1;
};

/// Of an array: four times the last-level cache as far as it is known, and 128 MB at least; a tenth of the memory at
/// most.
std::size_t default_triad_bytes();

/// Counts what the formula reads and writes. Stores of the compiler's choice also fetch the lines that they write
/// (write-allocate), 8 bytes per i that are not counted: a product, which mostly reads, may pass this ceiling by up to
/// a third. bytes: of each array, 8 at least. Throws std::bad_alloc.
triad_result measure_triad(int threads, int repeats, std::size_t bytes);

struct ceilings {
    triad_result triad;              // for products on the cpu
    std::optional<double> gpu_copy;  // for those on the GPU: GB/s; none without a GPU that can be used
};

/// Both, medians of the repeats. Progress goes to standard error. Throws cuda_error, std::bad_alloc.
ceilings measure_ceilings(int threads, int repeats, std::size_t triad_bytes);

}  // namespace copse::bench
