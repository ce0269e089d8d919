// The matrices that are compared with cuSPARSE when none are named.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::bench {

/// Of 1 to 120 million entries; the first ones tell most. For a GPU with 16 GB or more and a host with 64.
std::vector<std::string> const& gpu_suite();

/// Up to some 30 million entries; a few minutes in all, which go into generating and converting on the CPU.
std::vector<std::string> const& quick_gpu_suite();

/// For additions, and for conversions. Operands and sums are in memory at once: up to some 50 million entries.
std::vector<std::string> const& gpu_sum_suite();

/// Up to some 8 million entries.
std::vector<std::string> const& quick_gpu_sum_suite();

/// Whether products and sums of a matrix with so many entries are held to what kernels for that find on the GPU
/// (product_check.hpp, large_sum_check.hpp): from 2 million on. Of sums against the host's reference, with both
/// operands' sums in long double and every sum copied there, a million entries took 4.2 s on an H100's host with 16
/// threads, three sums and both types together: that of smaller ones takes 8 s at most, and rests on nothing that the
/// GPU does.
bool is_checked_on_gpu(std::int64_t entry_count);

/// Made on the GPU (row_formula.hpp): beyond 2^31 bytes in double, most in float too.
std::vector<std::string> const& large_suite();
std::vector<std::string> const& quick_large_suite();

/// For sums, made there too: A and B, each by rows and as a tree, and C as both are in 80 GB together. The first one's
/// tree is beyond 2^31 bytes in double.
std::vector<std::string> const& large_sum_suite();
std::vector<std::string> const& quick_large_sum_suite();

/// Matrices that the program for large ones takes one after the other, and what it does with each.
struct large_stretch {
    std::vector<std::string> names;
    bool products, sums;
};

/// In the order in which they come. Of matrices that were `named` both at once; of the suites the sums first, which are
/// fewer: there may be no time for what comes last.
std::vector<large_stretch> large_stretches(std::vector<std::string> const& named, bool quick);

}  // namespace copse::bench
