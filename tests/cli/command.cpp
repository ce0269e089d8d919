#include "cli/command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace copse_test {
namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
    std::string name = (fs::temp_directory_path() / "copse_cli_test.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw fs::filesystem_error("mkdtemp", name, std::error_code());
    return name;
}

std::string quoted(std::string const& word) {
    std::string result = "'";
    for (char const c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// The one of this build, unless the environment names another: the build may not be on this machine.
std::string command() {
    char const* const given = std::getenv("COPSE_COMMAND");
    return given ? given : COPSE_COMMAND;
}

std::string content(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

command_test::command_test() : folder_(new_folder()) {
    fs::create_directory(folder_ / "work");
}

command_test::~command_test() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

outcome command_test::run(std::vector<std::string> const& arguments) const {
    return run_program(command(), arguments);
}

outcome command_test::run_with_gpus(std::vector<std::string> const& arguments) const {
    return run_in("", command(), arguments);
}

outcome command_test::run_program(std::string const& program, std::vector<std::string> const& arguments) const {
    return run_in("CUDA_VISIBLE_DEVICES= ", program, arguments);
}

outcome command_test::run_in(std::string const& environment, std::string const& program,
                             std::vector<std::string> const& arguments) const {
    std::string line = "cd " + quoted((folder_ / "work").string()) + " && " + environment + quoted(program);
    for (auto const& argument : arguments) line += ' ' + quoted(argument);
    line += " >../out 2>../err </dev/null";
    int const code = std::system(line.c_str());
    int const status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
    return {status, content(folder_ / "out"), content(folder_ / "err")};
}

void command_test::write(std::string const& name, std::string const& text) const {
    std::ofstream(folder_ / "work" / name, std::ios::binary) << text;
}

std::string command_test::read(std::string const& name) const {
    return content(folder_ / "work" / name);
}

bool command_test::exists(std::string const& name) const {
    return fs::exists(folder_ / "work" / name);
}

std::vector<std::string> command_test::files() const {
    std::vector<std::string> names;
    for (auto const& entry : fs::directory_iterator(folder_ / "work"))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

void expect_error(outcome const& o, std::string const& text) {
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err.rfind("copse: error: ", 0), 0u) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_NE(o.err.find(text), std::string::npos) << "'" << text << "' is not in: " << o.err;
}

}  // namespace copse_test
