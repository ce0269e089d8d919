// One matrix of the papers: products in CSR, CSR5, SELL-P and CMRS, and CSR5's as its paper sums, checked and timed in
// turn on each target; and what the papers' other tables and figures ask of CSR5 and CMRS.
#pragma once

#include <copse/formats/statistics.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/cmrs_model.hpp"
#include "bench/comparison.hpp"
#include "bench/paper_matrices.hpp"
#include "bench/harness/measurement.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench {

/// Names of formats in the records, beside csr, csr5, sellp and cmrs: CSR5's product by algorithms 8 and 6 of its
/// paper, and the same code with sums that carry flags.
inline constexpr char const* algorithm_6 = "csr5-algorithm-6";
inline constexpr char const* plain_flags = "csr5-plain-flags";

/// CSR5 §3.2, Figure 9: the product with other heights of tiles, each by turns with the rule's.
struct sigma_race {
    struct tried {
        int sigma = 0;
        double relative = 1;  // seconds, in units of those with the rule's sigma in the same turns
    };
    std::string on;
    int rule = 0;
    std::vector<tried> others;

    /// The rule's own where no other was faster.
    tried best() const;
    /// Of the speed with the best sigma, what the rule's has less: 0 .. 1.
    double loss() const { return 1 - best().relative; }
};

/// The strips of a matrix in CMRS on a target.
struct strips {
    std::string on;
    int height = 1;
    std::int64_t count = 0;
};

struct paper_result {
    paper_matrix what;
    std::string source;  // the file; empty: a stand-in
    row_statistics rows;
    std::vector<measure::measurement> records;  // of each target those of its race, plain CSR first
    std::vector<strips> of_cmrs;                // of each target
    std::vector<sigma_race> sigmas;             // CSR5's matrices only
    std::optional<double> algorithm_6_error;    // in units of the library's bound; the record's is in its own
    std::vector<std::string> notes;             // on formats that could not take part
};

struct paper_options {
    int threads = 1;
    int repeats = 9;
    int sigma_repeats = 5;  // 0: no races of heights
};

/// About what measuring the matrix takes, in bytes.
double bytes_needed(paper_matrix const& m, std::size_t value_bytes);

/// What the records call it: the file that is taken, or the name with "(stand-in)".
std::string shown_name(paper_matrix const& m, std::string const& folder);

/// `folder`: its <file>.mtx or <file>.mtx.gz is taken where it is there; may be empty. A competitor that was wrong has
/// is_right() false.
/// Throws what reading the file throws, and error when memory runs out.
template <class T>
paper_result measure_paper_matrix(paper_matrix const& m, std::string const& folder, paper_options const& options,
                                  std::vector<std::unique_ptr<measure::target>> const& targets, progress const& report);

/// CSR5 §5.6, Table 3: a solver with `products` products, which has its matrix in CSR. How many times faster with `m`
/// than with `csr`, both of one race:   products T_csr / (T_convert + products T_m)
double scenario_speedup(measure::measurement const& csr, measure::measurement const& m, int products);

/// A product in CMRS as the model takes it. lambda: 64 bytes, a line of its caches, on the cpu; 128 on a GPU.
cmrs_model model_of(measure::measurement const& m, strips const& s);
cmrs_traffic traffic_of(measure::measurement const& m, strips const& s);

}  // namespace copse::bench
