// Runs that end before all of their matrices are measured, and go on later.
#pragma once

#include <chrono>
#include <set>
#include <string>

namespace copse::bench {

/// What a run has yet to measure: what a file of earlier lines does not have, as long as there is time.
class matrices_left {
  public:
    /// `measured`: a file of JSON lines with "matrix" and "type"; empty or not there: none. Lines with "left_out" are
    /// passed over, and what is no JSON object. `seconds`: from now on; 0: for ever.
    matrices_left(std::string const& measured, int seconds);

    /// Whether to measure it now. If not, show(why) has been called.
    template <class Show>
    bool take(std::string const& matrix, std::string const& type, Show const& show) {
        if (measured_.contains(key(matrix, type))) return show("in the file"), false;
        if (!is_over()) return true;
        ++left_out_;
        return show("left out, because the time of --seconds is over"), false;
    }
    /// Those for which the time was over.
    int left_out() const noexcept { return left_out_; }

  private:
    static std::string key(std::string const& matrix, std::string const& type) { return matrix + '\n' + type; }
    bool is_over() const;

    std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
    int seconds_;
    std::set<std::string> measured_;
    int left_out_ = 0;
};

/// For the file of --json: what there was no time for.
std::string left_out_line(std::string const& matrix, std::string const& type);

}  // namespace copse::bench
