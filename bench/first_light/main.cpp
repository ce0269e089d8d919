// First light: what everything on a GPU hangs on, answered in under two minutes on a machine with nothing but a driver.
//
//   first_light                    every question, each in a process of its own under a time limit, so that one that
//                                  hangs or crashes hides none of the others
//   first_light --question NAME    one question, in this process
//   first_light --list             their names
//
// Answers are JSON objects on standard output, one per line. Exits with 1 when a question got none or a wrong one.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "questions.hpp"

namespace first_light {
namespace {

std::vector<question> all_questions() {
    auto const gpu = gpu_questions();
    auto const scheduler = scheduler_questions();
    std::vector<question> questions(gpu.begin(), gpu.end());
    questions.insert(questions.end(), scheduler.begin(), scheduler.end());
    return questions;
}

/// For text inside a JSON string.
std::string escaped(std::string const& text) {
    std::string result;
    for (char const c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return result;
}

void report_failure(char const* name, std::string const& what) {
    std::printf("{\"question\": \"%s\", \"failed\": \"%s\"}\n", name, escaped(what).c_str());
}

int answer(question const& q) {
    try {
        q.ask();
        return 0;
    } catch (std::exception const& e) {
        report_failure(q.name, e.what());
        return 1;
    }
}

/// Everything the process writes until it closes its end or the time is up; false in the latter case.
bool read_until(int pipe, std::chrono::steady_clock::time_point end, std::string& text) {
    char piece[4096];
    while (true) {
        auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd waiting{pipe, POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0) return false;
        ssize_t const count = read(pipe, piece, sizeof piece);
        if (count <= 0) return true;
        text.append(piece, static_cast<std::size_t>(count));
    }
}

std::string how_it_ended(int status) {
    return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                               : "ended with status " + std::to_string(WEXITSTATUS(status));
}

/// Asks in a process of its own. True if it answered and found nothing wrong.
bool ask_apart(question const& q) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return report_failure(q.name, "no pipe"), false;
    pid_t const child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "first_light", "--question", q.name, nullptr);
        _exit(127);
    }
    close(ends[1]);
    if (child < 0) return close(ends[0]), report_failure(q.name, "no process"), false;
    std::string text;
    bool const closed = read_until(ends[0], std::chrono::steady_clock::now() + std::chrono::seconds(q.seconds), text);
    close(ends[0]);
    if (!closed) kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    std::fputs(text.c_str(), stdout);
    bool const well = closed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!closed)
        report_failure(q.name, "no answer within " + std::to_string(q.seconds) + " s");
    else if (!well && text.empty())
        report_failure(q.name, how_it_ended(status));
    std::fflush(stdout);
    return well;
}

int ask_all() {
    int failures = 0;
    for (question const& q : all_questions()) failures += ask_apart(q) ? 0 : 1;
    return failures > 0 ? 1 : 0;
}

int run(int count, char** arguments) {
    if (count == 1) return ask_all();
    if (count == 2 && std::strcmp(arguments[1], "--list") == 0) {
        for (question const& q : all_questions()) std::printf("%s\n", q.name);
        return 0;
    }
    if (count == 3 && std::strcmp(arguments[1], "--question") == 0)
        for (question const& q : all_questions())
            if (std::strcmp(arguments[2], q.name) == 0) return answer(q);
    std::fprintf(stderr, "usage: first_light [--list | --question NAME]\n");
    return 2;
}

}  // namespace
}  // namespace first_light

int main(int count, char** arguments) {
    return first_light::run(count, arguments);
}
