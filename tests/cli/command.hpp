// Runs build/copse, or what COPSE_COMMAND names, as a person does, and keeps what it prints.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace copse_test {

struct outcome {
    int status = 0;  // exit status; 128 + n where signal n ended it
    std::string out;
    std::string err;
};

/// A test with a folder of its own, in which the command runs.
class command_test : public testing::Test {
  protected:
    command_test();
    ~command_test() override;

    /// copse with these arguments. No GPU is visible to it, so that every machine gives the same outcome.
    outcome run(std::vector<std::string> const& arguments) const;
    /// The same with the GPUs that this process sees.
    outcome run_with_gpus(std::vector<std::string> const& arguments) const;
    /// A program with these arguments, without a GPU.
    outcome run_program(std::string const& program, std::vector<std::string> const& arguments) const;

    /// Writes a file into the folder.
    void write(std::string const& name, std::string const& text) const;
    std::string read(std::string const& name) const;
    bool exists(std::string const& name) const;
    /// Names of all that is in the folder, sorted.
    std::vector<std::string> files() const;

    std::filesystem::path const folder_;

  private:
    outcome run_in(std::string const& environment, std::string const& program,
                   std::vector<std::string> const& arguments) const;
};

/// One line of standard error that starts with "copse: error: " and holds `text`; nothing on standard output; status 1.
void expect_error(outcome const& o, std::string const& text);

}  // namespace copse_test
