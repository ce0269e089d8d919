// Matrices as the programs of this folder name them: files, generators, and stand-ins for those of HiSparse's paper;
// and which of them are compared with cuSPARSE when none are named.
#pragma once

#include <copse/formats/csr.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::bench {

/// "hisparse:FullChip": a stand-in (stand_in.hpp); everything else as load_matrix takes it. Throws
/// argument_error for a matrix that the paper does not have, and what load_matrix throws.
template <class T>
csr<T> load_for_gpu(std::string const& name);

/// All matrices of the paper's Figure 4; `few`: those with fewer than 30 million entries, 11 of the 14. Those with the
/// fewest entries first: the time may be over before the largest.
std::vector<std::string> hisparse_paper_suite(bool few);

/// Of 1 to 120 million entries; the first ones tell most. For a GPU with 16 GB or more and a host with 64.
inline std::vector<std::string> const gpu_suite{
    "stencil27:160",         // 109 million entries, 27 per row: long runs along diagonals
    "poisson3d:256",         // 117 million, 7 per row: vectors of 134 MB beyond the L2
    "rmat:22,16",            // 67 million before repeated ones are summed, power law
    "circuit:10000000",      // 50 million, some rows and columns with a fifth of all
    "lp:50000,10000000",     // 35 million, wide
    "epidemiology:5000",     // 50 million, 4 per row
    "elasticity:72",         // 88 million, dense 3 x 3 blocks
    "qcd:20",                // 75 million, 39 per row, irregular
    "uniform:4000000,16",    // 64 million, no structure at all
    "dense:10000",           // 100 million, nothing sparse
    "banded:2000000,20",     // 82 million in a full band
    "trefethen:2000000",     // 82 million, on diagonals that are far apart
    "permutation:50000000",  // one per row and column: vectors are most of the traffic
};

/// Up to some 30 million entries; a few minutes in all, which go into generating and converting on the CPU.
inline std::vector<std::string> const quick_gpu_suite{
    "stencil27:100",        // 26 million entries
    "rmat:20,16",           // 16 million
    "permutation:8000000",  // 8 million, one per row: vectors of 64 MB beyond the L2
    "stencil27:40",         // 1.6 million: fits the L2, so there are several sets of inputs; launches weigh
    "poisson3d:128",        // 15 million
    "circuit:3000000",      // 15 million
    "lp:20000,3000000",     // 10 million
    "epidemiology:2500",    // 12 million
    "uniform:1000000,16",   // 16 million
    "qcd:12",               // 10 million
    "dense:4000",           // 16 million
};

/// For additions, and for conversions. Operands and sums are in memory at once: up to some 50 million entries.
inline std::vector<std::string> const gpu_sum_suite{
    "stencil27:124",        // 51 million entries
    "rmat:21,16",           // 32 million before repeated ones are summed
    "poisson3d:190",        // 48 million
    "circuit:8000000",      // 40 million
    "uniform:2000000,16",   // 32 million
    "elasticity:48",        // 26 million
    "lp:50000,6000000",     // 21 million, wide: no A + B^T
    "qcd:14",               // 18 million
    "epidemiology:3000",    // 18 million
    "permutation:8000000",  // 8 million
    "dense:4000",           // 16 million
};

/// Up to some 8 million entries.
inline std::vector<std::string> const quick_gpu_sum_suite{
    "stencil27:64",        // 7 million entries
    "rmat:18,16",          // 4 million
    "poisson3d:96",        // 6 million
    "circuit:1000000",     // 5 million
    "uniform:500000,16",   // 8 million
    "elasticity:28",       // 5 million
    "lp:20000,1000000",    // 3 million, wide: no A + B^T
    "permutation:2000000"  // 2 million
};

/// Made on the GPU (row_formula.hpp): beyond 2^31 bytes in double, most in float too.
inline std::vector<std::string> const large_suite{
    "stencil27:256",        // 449 million entries, 5.4 GB in double
    "poisson3d:400",        // 447 million; vectors of 512 MB
    "uniform:16000000,24",  // 384 million
    "stencil27:432",        // 2167 million, more than 2^31: rows of 26.7 GB in double, the tree 17.8 GB
};

inline std::vector<std::string> const quick_large_suite{
    "poisson3d:320",        // 229 million entries, 2.9 GB in double; vectors of 262 MB
    "stencil27:192",        // 189 million, 2.3 GB
    "uniform:12000000,16",  // 192 million, 2.4 GB
};

/// For sums, made there too: A and B, each by rows and as a tree, and C as both are in 80 GB together. The first one's
/// tree is beyond 2^31 bytes in double.
inline std::vector<std::string> const large_sum_suite{
    "stencil27:256",        // 449 million entries; the tree 3.7 GB, of the sum 600 million and 4.9 GB
    "poisson3d:400",        // 447 million, of the sum 767 million
    "uniform:12000000,16",  // 192 million, of the sum twice as many
};

inline std::vector<std::string> const quick_large_sum_suite{"stencil27:256", "uniform:12000000,16"};

/// Whether products and sums of a matrix with so many entries are held to what kernels for that find on the GPU
/// (check_on_gpu(), large_sum_check()): from 2 million on. Of sums against the host's reference, with both
/// operands' sums in long double and every sum copied there, a million entries took 4.2 s on an H100's host with 16
/// threads, three sums and both types together: that of smaller ones takes 8 s at most, and rests on nothing that the
/// GPU does.
bool is_checked_on_gpu(std::int64_t entry_count);

/// Matrices that the program for large ones takes one after the other, and what it does with each.
struct large_stretch {
    std::vector<std::string> names;
    bool products, sums;
};

/// In the order in which they come. Of matrices that were `named` both at once; of the suites the sums first, which are
/// fewer: there may be no time for what comes last.
std::vector<large_stretch> large_stretches(std::vector<std::string> const& named, bool quick);

}  // namespace copse::bench
