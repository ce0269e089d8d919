// What paper_mode.cpp finds of one matrix of the papers, and its JSON objects.
#pragma once

#include <copse/formats/statistics.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/harness/measurement.hpp"
#include "bench/json_lines.hpp"
#include "bench/paper_matrices.hpp"

namespace copse::bench {

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
    std::vector<measurement> records;  // of each target those of its race, plain CSR first
    std::vector<strips> of_cmrs;       // of each target
    std::vector<sigma_race> sigmas;    // CSR5's matrices only
    std::vector<std::string> notes;    // on formats that could not take part
};

/// {"op":"paper-matrix", paper, id, name, matrix, type, entries, stand_in, row_entries}; {"op":"spmv"} as
/// record_object(); {"op":"scenario"} (CSR5 §5.6, Table 3) and {"op":"cmrs-model"} (Koza et al., §5, §6.4) for each
/// format and target, and {"op":"sigma"} for each target. Where a result was wrong, it has no scenario and no model.
std::vector<nlohmann::ordered_json> paper_objects(paper_result const& result, machine const& where,
                                                  ceilings const& measured);

}  // namespace copse::bench
