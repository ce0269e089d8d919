#include "cli/interruption.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <copse/formats/matrix_market.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/text.hpp"

namespace copse::cli {
namespace {

struct named_signal {
    int number;
    char const* name;
};

constexpr std::array ending{named_signal{SIGHUP, "SIGHUP"},   named_signal{SIGINT, "SIGINT"},
                            named_signal{SIGQUIT, "SIGQUIT"}, named_signal{SIGTERM, "SIGTERM"},
                            named_signal{SIGXCPU, "SIGXCPU"}, named_signal{SIGALRM, "SIGALRM"},
                            named_signal{SIGUSR1, "SIGUSR1"}, named_signal{SIGUSR2, "SIGUSR2"}};

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
    for (auto const& s : ending)
        if (s.number == number) name = s.name;
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

void answer_signals(std::string const& what) {
    command_text = ": " + measure::one_line(what);
    for (int const number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
    struct sigaction action {};
    action.sa_handler = answer;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (auto const& s : ending) ::sigaddset(&action.sa_mask, s.number);
    for (auto const& s : ending)
        if (!is_ignored(s.number)) ::sigaction(s.number, &action, nullptr);
}

void announce_output(std::string const& path) {
    auto const file = "'" + measure::one_line(path) + "'";
    std::error_code ignored;
    auto const status = std::filesystem::status(path, ignored);
    bool const is_direct = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    state = "";
    before_text = is_direct ? "; a part may have been written to " + file : "; nothing was written to " + file;
    after_text = "; " + file + " is complete";
    state = before_text.c_str();
}

void output_is_complete() noexcept {
    state = after_text.c_str();
}

}  // namespace copse::cli
