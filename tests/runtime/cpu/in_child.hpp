// What a child by fork() finds.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <copse/runtime/config.hpp>
#include <exception>
#include <string>

namespace copse::tests {

// In a child of a process with several threads the thread sanitizer ends the process where a thread is started.
#if COPSE_THREAD_SANITIZER
#define COPSE_SKIP_WITHOUT_FORK() GTEST_SKIP() << "the thread sanitizer starts no threads after a fork"
#else
#define COPSE_SKIP_WITHOUT_FORK() static_cast<void>(0)
#endif

/// The text that f() returns in a child; what it throws; which signal ended the child, SIGALRM (14) after 20 seconds.
template <class F>
std::string in_child(F f) {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    pid_t const child = fork();
    if (child == 0) {
        alarm(20);
        std::string text;
        try {
            text = f();
        } catch (std::exception const& e) {
            text = std::string("thrown: ") + e.what();
        }
        bool const is_written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    char piece[256];
    for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<std::size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? text : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace copse::tests
