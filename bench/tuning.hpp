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
                              std::vector<std::unique_ptr<target>> const& targets, progress const& report);

}  // namespace copse::bench
