// The sizes that the flat formats leave open, tried on one matrix: CSR5's heights of tiles, SELL-P's slices (b rows, t
// threads for each), CMRS's heights of strips; and on a GPU the ways to replay HiSparse's plans. All of a format take
// turns with the executor's own choice. On a GPU all are plans, and CUDA events time them.
#pragma once

#include <copse/formats/csr5.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/comparison.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench {

/// A format with one of its sizes: A x.
struct tried_size {
    std::string size;         // "sigma 16", "b 32, t 1", "height 8", "rows joined"
    bool is_default = false;  // what the executor chooses
    double seconds = 0;       // 0: it took no part (too much padding)
    double bytes = 0;         // of the matrix in the format
};

struct tuning_race {
    std::string format;
    std::string matrix;
    std::string type;
    std::string on;
    std::int64_t rows = 0;
    std::int64_t entries = 0;
    std::vector<tried_size> sizes;  // in the same order for all matrices
    double default_again = 0;       // seconds of a second matrix like the default's: what differs is noise

    /// Null where the default took no part.
    tried_size const* of_default() const;
};

struct tuning_options {
    int repeats = 9;
    bool quick = false;  // half of the sizes
};

/// A race for each format and each target, without those of a GPU's controllers but one. Throws what the reader and
/// the conversions throw, and error where a result is wrong.
template <class T>
std::vector<tuning_race> tune(std::string const& matrix, tuning_options const& options,
                              std::vector<std::unique_ptr<measure::target>> const& targets, progress const& report);

/// What a size was over several matrices.
struct size_summary {
    std::string size;
    double relative = 1;  // geometric mean of seconds in units of the default's, over the matrices where both took part
    int matrices = 0;
    int near_best = 0;  // matrices where it took at most 1.1 times as long as the fastest size
};

/// Of the races of one format, type and target: a summary for each size.
std::vector<size_summary> summarize(std::vector<tuning_race> const& races);

/// The <r, s, t, u> of CSR5 §3.2 with the least geometric mean of times over the races of one type and target: of r, s
/// and u among the heights tried and t among 32, 64 .. 1024 entries in a row. Where the rule gives a height between
/// those tried, the nearest counts. The first of equals; the paper's rule without races.
struct fitted_rule {
    csr5_sigma_rule rule;
    double relative = 1;  // in units of the default's
};
fitted_rule fit_sigma_rule(std::vector<tuning_race> const& races);

/// The default's second matrix in units of its first: geometric mean; 1 where it took no part.
double noise_of(std::vector<tuning_race> const& races);

}  // namespace copse::bench
