// How many bytes a matrix takes in each format, and what HiSparse is meant to take.
//
//   goal            applies to                                                     bytes per entry
//   full leaves     float, 100 entries or more per leaf                            at most 6.3
//   stencil         the generators poisson2d, poisson3d, stencil27, epidemiology   at most 4.3; double: 8.2
//   csr             8 entries or more per row                                      less than CSR's
//   hyper-sparse    more than half of the entries in wide leaves                   at most 1.05 times CSR's
//
// CSR is the smaller of the two: offsets of 4 bytes, as far as they reach. A leaf is a block of d x d with entries, a
// wide leaf as many as it stands for.
#pragma once

#include <copse/formats/csr.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/description.hpp"

namespace copse::bench {

struct size_goal {
    std::string name;
    double limit = 0;           // bytes per entry
    bool is_open = false;       // less than the limit; else at most
    std::vector<int> met_with;  // node dimensions

    bool is_met_with(int node_dimension) const;
};

struct matrix_sizes {
    matrix_description found;
    std::int64_t csr_bytes_in_memory = 0;  // as `csr` holds them: offsets of 8 bytes
    std::vector<size_goal> goals;          // those that apply to the tree with found.node_dimension

    double entries_per_row() const;
    /// Of a format in `found`.
    double bytes_per_entry(std::string const& format, int node_dimension = 0) const;
    double entries_per_block(int node_dimension) const;
};

/// Throws what the conversion throws.
template <class T>
matrix_sizes measure_sizes(std::string const& matrix, csr<T> const& a, int node_dimension);

}  // namespace copse::bench
