// Runs that end before all of their matrices are measured, and go on later.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "bench/json_lines.hpp"

namespace copse::bench {

/// What a run has yet to measure: what a file of earlier lines does not have, as long as there is time.
class matrices_left {
  public:
    /// `measured`: a file of JSON lines with "matrix" and "type"; empty or not there: none. Lines with "left_out" are
    /// passed over, and what is no JSON object. `seconds`: from now on; 0: for ever.
    matrices_left(std::string const& measured, int seconds);

    /// Whether to measure it now. If not, standard error has been told why; if time is over, so has `lines`:
    /// {matrix, type, "left_out": true}.
    bool take(std::string const& matrix, std::string const& type, json_lines& lines) const;

  private:
    std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
    std::chrono::seconds limit_;
    std::set<std::string> measured_;
};

}  // namespace copse::bench
