// The file of --json.
#pragma once

#include <copse/runtime/error.hpp>
#include <fstream>
#include <string>

#include "bench/harness/load.hpp"

namespace copse::bench {

/// Lines that are in the file as soon as they are added.
class json_file {
  public:
    /// An empty path: no file. Throws argument_error where it cannot be written.
    explicit json_file(std::string const& path) : path_(path) {
        if (path.empty()) return;
        measure::check_output(path);
        file_.open(path);
    }
    /// Throws error.
    void add(std::string const& line) {
        if (path_.empty()) return;
        file_ << line << std::flush;
        if (!file_) throw error("cannot write '" + path_ + "'");
    }

  private:
    std::string path_;
    std::ofstream file_;
};

}  // namespace copse::bench
