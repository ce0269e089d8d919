// One measured product on a GPU: the record of `copse spmv`, and what the comparison adds to it.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu_comparison/session.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {

using gpu_record = race_record;

/// "A^T x", "A + B^T"
std::string operation_of(gpu_record const& r);

/// Sets the ratios of the records of one product of one matrix.
void compare_with_cusparse(std::vector<gpu_record>& records);

/// `copse spmv`'s object with what is above behind it, on one line.
std::string json_line(gpu_record const& record, gpu_session const& session);

/// The line for a matrix that there was no time for; `op` as in the lines of its products, sums or conversions.
std::string left_out_line(std::string const& bench, std::string const& op, std::string const& matrix,
                          std::string const& type);

}  // namespace copse::bench
