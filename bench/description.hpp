// What a matrix takes in CSR, in a list of coordinates and in HiSparse, and the nodes of its tree.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/statistics.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace copse::bench {

/// Bytes of a matrix in one format.
struct format_size {
    std::string format;      // coo, csr, hisparse
    int node_dimension = 0;  // of hisparse; 0 for others
    std::int64_t bytes = 0;
    double entries_per_block = 0;   // of hisparse: in blocks of d x d that have any
    std::int64_t wide_entries = 0;  // of hisparse: in wide leaves
};

/// The nodes of one level and kind.
struct level_description {
    int level = 0;  // 0 for leaves, but wide ones; a node covers d^(level+1) rows and columns
    std::string kind;
    std::int64_t nodes = 0;
    std::int64_t entries = 0;  // matrix entries in leaves, children in inner nodes
    std::int64_t bytes = 0;

    bool holds_entries() const { return level == 0 || kind == "wide"; }
};

struct matrix_description {
    std::string matrix;
    std::string type;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t entries = 0;
    row_statistics row_entries;
    std::vector<format_size> formats;
    int node_dimension = 0;                 // of the tree
    std::vector<level_description> levels;  // the root's first
};

/// Converts `a` to HiSparse with each node dimension; the tree is that of `node_dimension`.
template <class T>
matrix_description describe(std::string const& matrix, csr<T> const& a, int node_dimension);

/// "formats", and the levels of the "tree".
nlohmann::ordered_json to_json(matrix_description const& d);

}  // namespace copse::bench
