// The matrices of the papers on the flat formats: what their tables say of them.
//
//   CSR5    Liu & Vinter, Table 2: regular (r1 .. r14) and irregular ones (i1 .. i10)
//   SELL-P  Anzt, Tomov, Dongarra, Table I
//   CMRS    Koza et al.: it has no table of matrices; those that its text gives figures for
//
// CSR5's table rounds: dimensions and entries are those of the collection's matrices, which agree with it. Lengths of
// rows are as it prints them. SELL-P's table has means only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::bench {

/// How a stand-in is made (stand_in.hpp).
enum class pattern { dense, blocks, local, scattered, skewed, long_rows, generated };

/// "blocks near the diagonal"
std::string name_of(pattern which);

enum class paper { csr5, sellp, cmrs, hisparse };

/// Entries of a row, as a table states them. maximum == 0: it states none.
struct stated_rows {
    std::int64_t minimum = 0;
    double mean = 0;
    std::int64_t maximum = 0;

    bool is_stated() const { return maximum > 0; }
};

struct paper_matrix {
    paper where;
    std::string id;    // in the table; may be empty
    std::string name;  // as the table prints it
    std::string file;  // the matrix itself is <file>.mtx or <file>.mtx.gz; empty: there is none
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t entries = 0;
    stated_rows lengths;
    pattern kind = pattern::blocks;
    std::string generator = {};  // of pattern::generated

    double mean() const { return static_cast<double>(entries) / static_cast<double>(rows); }
};

/// Of the papers on the flat formats, in their order and that of their tables.
std::vector<paper_matrix> const& paper_matrices();

/// The three with the fewest entries of each paper, of those with fewer than 5 million, in the same order.
std::vector<paper_matrix> few_paper_matrices();

/// Of HiSparse's Figure 4, in its order, for stand-ins. It prints rounded numbers: dimensions and entries are those of
/// the collection's matrices, which agree with it (explicit zeros counted); means and longest rows are as it prints
/// them, shortest rows, which it does not print, are of one entry or none. `special` is the authors' own: all that is
/// known of it is what is printed.
std::vector<paper_matrix> const& hisparse_matrices();

}  // namespace copse::bench
