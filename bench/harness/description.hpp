// What `copse info` says about a matrix: its shape, its rows, its bytes in each format, its tree.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/suitable_format.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/harness/flat_formats.hpp"

namespace copse::bench::measure {

/// Bytes of a matrix in one format.
struct format_size {
    std::string format;      // coo, hisparse, or one of flat_format_names
    int node_dimension = 0;  // of hisparse; 0 for others
    std::int64_t bytes = 0;
    double entries_per_block = 0;    // of hisparse: in blocks of d x d that have any
    std::int64_t wide_entries = 0;   // of hisparse: in wide leaves
    std::int64_t extra_bytes = 0;    // of csr5: beyond the bytes of csr
    std::int64_t padding_bytes = 0;  // of sellp: places without an entry
    bool refused = false;            // the padding would exceed the limit, or memory: `bytes` is not known
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

/// What auto takes for A x and for A^T x.
struct auto_formats {
    format_choice a_x, transposed_x;
};

struct matrix_description {
    std::string matrix;
    std::string type;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t entries = 0;
    row_statistics row_entries;
    auto_formats from_plan, one_by_one;  // on the cpu
    auto_formats from_plan_on_gpu, one_by_one_on_gpu;
    std::vector<format_size> formats;
    int node_dimension = 0;                 // of the tree
    std::vector<level_description> levels;  // the root's first
    std::string without_rows;               // why flat formats but csr are refused, where they all are
};

/// Converts `a` to HiSparse with each node dimension; the tree is that of `node_dimension`.
template <class T>
matrix_description describe(std::string const& matrix, csr<T> const& a, int node_dimension);
template <class T>
matrix_description describe(std::string const& matrix, coo<T> const& a, int node_dimension);

/// Adds those of flat_format_names that describe() does not know: each as it is on the cpu, with this machine's tiles
/// where `options` leave them open.
template <class T>
void add_flat_formats(matrix_description& d, csr<T> const& a, flat_options const& options = {});
/// The same where there is memory for row offsets; else `d` says that there is not.
template <class T>
void add_flat_formats(matrix_description& d, coo<T> const& a, flat_options const& options = {});

nlohmann::ordered_json to_json(matrix_description const& d);

/// For people, several lines.
std::string to_text(matrix_description const& d);

}  // namespace copse::bench::measure
