// What the programs behind the stages of bench/gpu have in common: options, the session, the file of records, and how
// they end.
//
//   progress, complaints   standard error
//   records                JSON lines, added to the file of --json; without it on standard output. With --resume what
//                          the file has already is not measured again. bench/report/gpu.py makes tables of them
#pragma once

#include <chrono>
#include <copse/runtime/gpu.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/gpu_comparison/cusparse_library.hpp"
#include "bench/gpu_comparison/record.hpp"
#include "bench/gpu_comparison/session.hpp"
#include "bench/harness/race.hpp"

namespace CLI {
class App;  // its header takes seconds to compile
}

namespace copse::bench {

struct program_arguments {
    std::vector<std::string> matrices;
    bool quick = false;
    bool papers = false;
    bool no_cusparse = false;
    bool resume = false;
    std::string json;
    std::string bench;  // another name in the records
    std::string type = "both";
    std::vector<std::string> controllers{"persistent", "host", "device"};
    std::vector<std::string> without;
    int threads = 0;
    int repeats = 21;
    int seconds = 1000000;
    int seed = -1;
    int most_sets = 32;
    int node_dimension = 128;
};

/// What hangs while a matrix is made ready, as --without names it: the matrix is then left out.
std::string work_on(std::string const& matrix, std::string const& type);

class gpu_program {
  public:
    /// `name`: of the program; `bench`: of its records unless --bench says otherwise. Opens the GPU and cuSPARSE,
    /// measures the copy bandwidth. Throws copse::error.
    gpu_program(std::string name, std::string bench, program_arguments const& a);

    program_arguments const& arguments() const noexcept { return a_; }
    std::string const& name() const noexcept { return name_; }
    std::string const& bench() const noexcept { return bench_; }
    gpu& executor() noexcept { return executor_; }
    gpu_clock& clock() noexcept { return clock_; }
    cusparse_library const* cusparse() const noexcept { return cusparse_; }
    gpu_session const& session() const noexcept { return session_; }
    int threads() const noexcept { return threads_; }

    /// Whether --without names this competitor, or it failed too often: each time may take seconds.
    bool is_left_out(std::string const& competitor) const;
    /// Whether the file of --resume has it; the arguments are those of product_key.
    bool is_measured(std::string const& op, std::string const& matrix, std::string const& type, bool transpose,
                     bool transpose_b = false) const;
    /// The same of a conversion.
    bool is_converted(std::string const& matrix, std::string const& type, std::string const& format) const;

    /// Progress, on the line of the matrix.
    void show(std::string const& step) const;
    void complain(std::string const& message) const;
    /// Complains, and the program will not end with 0.
    void fail(std::string const& message);
    /// The records of all competitors in one product or sum: ratios to cuSPARSE, their lines into the file, at once,
    /// because what comes later may hang; then what failed. A wrong result is a failure. What cuSPARSE does not offer
    /// is none, and neither is a format that refuses a matrix. Throws error.
    void keep(std::vector<race_record> records);
    /// Their race, whose records are kept. Throws gpu_lost.
    void race(std::vector<std::unique_ptr<entrant>> const& entrants);
    void write(std::string const& lines) const;

    /// measure(name, type) for each of them, by turns in double and float as --type says; what it throws fails one
    /// matrix. No new matrix is begun when the time of --seconds, from the program's start on, is over: the file then
    /// has a left_out_line, with `op`, unless is_complete(name, type): nothing is missing in the file of --resume.
    /// Returns the program's exit status. Throws gpu_lost.
    int for_each_matrix(std::string const& op, std::vector<std::string> const& names,
                        std::function<void(std::string const&, std::string const&)> const& measure,
                        std::function<bool(std::string const&, std::string const&)> const& is_complete);

  private:
    void measure_one(std::string const& name, std::string const& type,
                     std::function<void(std::string const&, std::string const&)> const& measure);

    std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
    program_arguments a_;
    std::string name_, bench_;
    int threads_;
    gpu executor_;
    gpu_clock clock_;
    gpu_session session_;
    cusparse_library const* cusparse_ = nullptr;
    std::set<std::string> measured_;
    std::map<std::string, int> failures_of_;  // by competitor
    int failures_ = 0;
};

/// Parses the common options and those that add_options adds, calls run(), and makes one line and a status of what is
/// thrown: 4 for a lost GPU, as after a call that hangs.
int run_program(std::string const& name, std::string const& description, int argc, char** argv, program_arguments& a,
                std::function<int()> const& run, std::function<void(CLI::App&)> const& add_options = {});

}  // namespace copse::bench
