// The matrices of HiSparse's Figure 4, for stand-ins, and what its Tables 1 and 2 say of all of its matrices.
#pragma once

#include <string>
#include <vector>

#include "bench/paper_matrices.hpp"

namespace copse::bench {

/// In the order of the figure. It prints rounded numbers: dimensions and entries are those of the collection's
/// matrices, which agree with it (explicit zeros counted); means and longest rows are as it prints them, shortest
/// rows, which it does not print, are of one entry or none. `special` is the authors' own: all that is known of it is
/// what is printed.
std::vector<paper_matrix> const& hisparse_matrices();

/// One cell of a table: milliseconds over the paper's matrices, on a GeForce GTX 1080. A mean of 0: not there.
struct paper_time {
    double mean = 0;
    double deviation = 0;
};

/// One line of Table 1 or 2.
struct paper_line {
    std::string library;     // HiSparse, cuSPARSE, naive ...
    std::string type;        // float, double
    paper_time plain;        // A x, or A + B
    paper_time transposed;   // A^T x, or A^T + B^T with the transpositions
    paper_time turned = {};  // A^T + B^T of transposed operands that are there already
};

std::vector<paper_line> const& hisparse_table_1();
std::vector<paper_line> const& hisparse_table_2();

}  // namespace copse::bench
