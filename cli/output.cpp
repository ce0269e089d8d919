#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/text.hpp"

namespace copse::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<int, char const*>, 8> ending{{{SIGHUP, "SIGHUP"},
                                                             {SIGINT, "SIGINT"},
                                                             {SIGQUIT, "SIGQUIT"},
                                                             {SIGTERM, "SIGTERM"},
                                                             {SIGXCPU, "SIGXCPU"},
                                                             {SIGALRM, "SIGALRM"},
                                                             {SIGUSR1, "SIGUSR1"},
                                                             {SIGUSR2, "SIGUSR2"}}};

/// What the handler says; made beforehand, because a handler may not allocate. Kept until the process ends.
std::string command_text;
std::string before_text, after_text;
std::atomic<char const*> state = "";  // behind the command: of its output
std::atomic_flag is_answering;

void say(char const* text) noexcept {
    for (auto left = std::strlen(text); left > 0;) {
        auto const written = ::write(STDERR_FILENO, text, left);
        if (written <= 0) return;
        text += written;
        left -= static_cast<std::size_t>(written);
    }
}

/// Calls what is safe in a handler only. The other signals are blocked meanwhile; those that other threads get wait
/// there.
extern "C" void answer(int number) {
    while (is_answering.test_and_set()) ::pause();
    remove_unfinished_files();
    char const* name = "a signal";
    for (auto const& [signal, its_name] : ending)
        if (signal == number) name = its_name;
    for (auto const* text : {"copse: error: interrupted by ", name, command_text.c_str(), state.load(), "\n"})
        say(text);
    std::signal(number, SIG_DFL);
    ::raise(number);  // ends the process when this returns
}

bool is_ignored(int number) {
    struct sigaction before {};
    return ::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

void check_output(std::string const& path, std::vector<std::string> const& inputs) {
    auto const fail = [&](std::string const& reason) {
        throw argument_error(fmt::format("cannot write '{}': {}", path, reason));
    };
    std::error_code ignored;
    if (path.empty()) fail("a file name is needed");
    if (fs::is_directory(path, ignored)) fail("it is a directory");
    auto folder = fs::path(path).parent_path();
    if (folder.empty()) folder = ".";
    if (!fs::is_directory(folder, ignored)) fail(fmt::format("there is no directory '{}'", folder.string()));
    auto const written = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) ? fs::path(path) : folder;
    if (::access(written.c_str(), W_OK) != 0) fail(std::generic_category().message(errno));
    for (std::string const& input : inputs)
        if (fs::equivalent(path, input, ignored)) fail("it is the input; name another file");
}

bool is_same_file(std::string const& a, std::string const& b) {
    std::error_code ignored;
    return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

void answer_signals(std::string const& what) {
    command_text = ": " + one_line(what);
    for (int const number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
    struct sigaction action {};
    action.sa_handler = answer;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (auto const& s : ending) ::sigaddset(&action.sa_mask, s.first);
    for (auto const& s : ending)
        if (!is_ignored(s.first)) ::sigaction(s.first, &action, nullptr);
}

void announce_output(std::string const& path, std::vector<std::string> const& inputs) {
    check_output(path, inputs);
    auto const file = "'" + one_line(path) + "'";
    std::error_code ignored;
    auto const status = fs::status(path, ignored);
    bool const is_direct = fs::exists(status) && !fs::is_regular_file(status);
    state = "";
    before_text = is_direct ? "; a part may have been written to " + file : "; nothing was written to " + file;
    after_text = "; " + file + " is complete";
    state = before_text.c_str();
}

void write_output(std::function<void()> const& write) {
    write();
    state = after_text.c_str();
}

}  // namespace copse::cli
