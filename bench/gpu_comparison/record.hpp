// The JSON lines of products and sums on a GPU: those of `copse spmv`, and what the comparison adds to them.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu_comparison/session.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {

/// Sets the ratios of the records of one product of one matrix.
void compare_with_cusparse(std::vector<race_record>& records);

/// `copse spmv`'s object with what is above behind it, on one line.
std::string json_line(race_record const& record, gpu_session const& session);

/// The line for a matrix that there was no time for; `op` as in the lines of its products, sums or conversions.
std::string left_out_line(std::string const& bench, std::string const& op, std::string const& matrix,
                          std::string const& type);

}  // namespace copse::bench
