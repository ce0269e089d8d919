// The matrices that are measured when none are named.
#pragma once

#include <string>
#include <vector>

namespace copse::bench {

/// For products: one matrix of each kind, of 4 to 5 10^7 entries (permutations have one per row), so that it takes more
/// than any cache in every format: 400 MB and more in double, with its vectors. 24 GiB hold any of them in all formats
/// of all libraries.
inline std::vector<std::string> const default_suite{
    "stencil27:124",         // 51 million entries, 26 per row: long runs along diagonals
    "elasticity:60",         // 51 million, dense 3 x 3 blocks
    "poisson3d:190",         // 48 million, 7 per row
    "rmat:21,24",            // 48 million, power law
    "circuit:8000000",       // 40 million, few per row, some rows and columns with a fifth of all
    "lp:200000,12000000",    // 42 million, wide
    "epidemiology:5000",     // 50 million, 4 per row
    "dense:7000",            // 49 million, nothing sparse
    "permutation:16000000",  // one per row and column: vectors are most of the traffic
    "poisson2d:3200",        // 51 million, 5 per row
    "trefethen:1300000",     // 50 million, on diagonals that are far apart
    "qcd:18",                // 49 million, 39 per row, irregular
    "banded:800000,30",      // 49 million in a full band
    "uniform:3000000,16",    // 48 million, no structure at all
    "dense_row:10000000,4",  // 50 million, a fifth of them in one row
};

/// For products with several columns: matrices of 4 to 8 10^6 entries. With 32 columns X and Y take up to 512 MB, so
/// that the matrix is small beside them.
inline std::vector<std::string> const columns_suite{
    "stencil27:64",       // 7 million entries, 26 per row: long runs along diagonals
    "poisson3d:100",      // 7 million, 7 per row
    "poisson2d:1000",     // 5 million, 5 per row
    "elasticity:32",      // 7 million, dense 3 x 3 blocks
    "rmat:18,16",         // 4 million, power law
    "uniform:500000,16",  // 8 million, no structure at all
    "epidemiology:1500",  // 4 million, 4 per row
};

/// Small ones of a few kinds: seconds in all.
inline std::vector<std::string> const quick_suite{"stencil27:32", "rmat:14,16", "lp:2000,50000", "dense:400"};

/// For sizes, which do not depend on caches: the same kinds, of about 10^7 entries.
inline std::vector<std::string> const size_suite{
    "stencil27:96",         // 23 million entries, 26 per row: long runs along diagonals
    "poisson3d:120",        // 12 million, 7 per row
    "poisson2d:1500",       // 11 million, 5 per row
    "elasticity:48",        // 26 million, dense 3 x 3 blocks
    "epidemiology:1500",    // 4 million, 4 per row
    "trefethen:200000",     // 7 million, on diagonals that are far apart
    "qcd:12",               // 10 million, 39 per row, irregular
    "banded:200000,30",     // 12 million in a full band
    "dense:3000",           // 9 million, nothing sparse
    "rmat:19,16",           // 8 million, power law
    "uniform:500000,16",    // 8 million, no structure at all
    "circuit:1000000",      // few per row, some rows and columns with a fifth of all
    "lp:20000,1000000",     // wide
    "permutation:2000000",  // one per row and column: vectors are most of the traffic
};

/// For additions: about 10^7 entries each.
inline std::vector<std::string> const addition_suite{
    "poisson3d:120",      // 12 million entries
    "stencil27:72",       // 10 million
    "poisson2d:1500",     // 11 million
    "elasticity:48",      // 26 million
    "trefethen:300000",   // 10 million
    "qcd:12",             // 10 million
    "banded:200000,25",   // 10 million
    "rmat:19,20",         // 10 million
    "uniform:600000,16",  // 10 million
    "circuit:2000000",    // 10 million
    "lp:20000,2500000",   // 9 million, wide: without A + B^T
};

/// For additions: about 10^6 entries each, of a few kinds.
inline std::vector<std::string> const quick_addition_suite{"poisson3d:52", "stencil27:34", "poisson2d:450",
                                                           "rmat:16,16"};

/// For the sizes of flat formats: 5 10^6 to 10^7 entries each, of many kinds.
inline std::vector<std::string> const tuning_suite{
    "poisson3d:110",      // 9 million entries, 7 per row
    "stencil27:70",       // 9 million, 26 per row
    "elasticity:32",      // 7 million, dense 3 x 3 blocks
    "epidemiology:1800",  // 6 million, 4 per row
    "qcd:11",             // 7 million, 39 per row, irregular
    "banded:70000,45",    // 6 million, 91 per row
    "dense:2500",         // 6 million, 2500 per row
    "uniform:500000,16",  // 8 million, no structure at all
    "rmat:18,24",         // 6 million, power law
    "circuit:1200000",    // 6 million, few per row, some long rows
    "lp:20000,6000000",   // 6 million, wide
};

inline std::vector<std::string> const quick_tuning_suite{"poisson3d:30", "stencil27:16", "rmat:12,8"};

/// For the same on a GPU, in short: kinds that want different sizes. In every format more than its L2 holds.
inline std::vector<std::string> const gpu_tuning_suite{
    "poisson3d:100",      // 7 million entries, 7 per row
    "stencil27:64",       // 7 million, 26 per row
    "rmat:18,24",         // 6 million, power law
    "uniform:500000,16",  // 8 million, no structure at all
    "lp:20000,2000000",   // 7 million, wide
};

}  // namespace copse::bench
