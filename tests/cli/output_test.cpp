// What a signal leaves: no unfinished file, what was there before, and one line that says what was interrupted.
#include "cli/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <copse/formats/files/text_file.hpp>
#include <copse/runtime/error.hpp>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "cli/command.hpp"

namespace copse_test {
namespace {

class output_test : public command_test {
  protected:
    std::string path(std::string const& name) const { return (folder_ / "work" / name).string(); }

    /// A child that runs work() in the folder, with standard error in "err".
    template <class Work>
    pid_t start(Work const& work) const {
        pid_t const child = ::fork();
        if (child != 0) return child;
        int const err = ::open((folder_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (::chdir((folder_ / "work").c_str()) != 0 || ::dup2(err, STDERR_FILENO) < 0) ::_exit(99);
        work();
        ::_exit(98);
    }
    /// copse with these arguments, in such a child.
    pid_t start_command(std::vector<std::string> arguments) const {
        return start([&] {
            ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
            char const* const given = std::getenv("COPSE_COMMAND");
            arguments.insert(arguments.begin(), given ? given : COPSE_COMMAND);
            std::vector<char*> words;
            for (auto& argument : arguments) words.push_back(argument.data());
            words.push_back(nullptr);
            ::execv(words[0], words.data());
        });
    }
    /// The wait status of the child's end.
    static int end_of(pid_t child) {
        int status = -1;
        ::waitpid(child, &status, 0);
        return status;
    }
    std::string error_text() const {
        std::stringstream text;
        text << std::ifstream(folder_ / "err").rdbuf();
        return text.str();
    }
};

/// A file is half written when the signal comes.
TEST_F(output_test, removes_an_unfinished_file) {
    write("a.mtx", "old");
    for (auto const& [number, name] : {std::pair{SIGTERM, "SIGTERM"},
                                       {SIGINT, "SIGINT"},
                                       {SIGHUP, "SIGHUP"},
                                       {SIGXCPU, "SIGXCPU"},
                                       {SIGUSR1, "SIGUSR1"}}) {
        pid_t const child = start([&, number = number] {
            copse::cli::answer_signals("generate poisson2d:9 -o a.mtx");
            copse::cli::announce_output("a.mtx");
            copse::detail::replacing_file file("a.mtx"), other("b.mtx");
            file.append("half of the n");
            if (!exists("a.mtx." + std::to_string(::getpid()) + "-0.part")) ::_exit(97);
            ::kill(::getpid(), number);
            for (;;) ::pause();
        });
        int const status = end_of(child);
        ASSERT_TRUE(WIFSIGNALED(status)) << name << ": exit status " << WEXITSTATUS(status);
        EXPECT_EQ(WTERMSIG(status), number);
        EXPECT_EQ(files(), std::vector<std::string>{"a.mtx"}) << name;
        EXPECT_EQ(read("a.mtx"), "old");
        EXPECT_EQ(error_text(), std::string("copse: error: interrupted by ") + name +
                                    ": generate poisson2d:9 -o a.mtx; nothing was written to 'a.mtx'\n");
    }
}

TEST_F(output_test, says_that_a_file_is_complete) {
    pid_t const child = start([] {
        copse::cli::answer_signals("generate");
        copse::cli::announce_output("a.mtx");
        copse::cli::write_output([] {
            copse::detail::replacing_file file("a.mtx");
            file.append("new");
            file.commit();
        });
        ::kill(::getpid(), SIGTERM);
    });
    int const status = end_of(child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    EXPECT_EQ(read("a.mtx"), "new");
    EXPECT_EQ(error_text(), "copse: error: interrupted by SIGTERM: generate; 'a.mtx' is complete\n");
}

TEST_F(output_test, a_file_that_cannot_be_written_is_refused) {
    EXPECT_NO_THROW(copse::cli::announce_output(path("y.mtx")));
    EXPECT_NO_THROW(copse::cli::announce_output("/dev/null"));
    EXPECT_THROW(copse::cli::announce_output(folder_.string()), copse::argument_error);
    EXPECT_THROW(copse::cli::announce_output(path("no/such/folder")), copse::argument_error);
}

TEST_F(output_test, leaves_ignored_what_is_ignored) {
    pid_t const child = start([] {
        std::signal(SIGHUP, SIG_IGN);
        copse::cli::answer_signals("generate");
        ::kill(::getpid(), SIGHUP);
        ::_exit(7);
    });
    int const status = end_of(child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

/// The command waits for x, which is a pipe that nobody writes.
TEST_F(output_test, of_a_command_that_has_not_come_to_writing) {
    write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
    write("y.mtx", "old");
    ASSERT_EQ(::mkfifo(path("x.mtx").c_str(), 0600), 0);
    pid_t const child = start_command({"spmv", "a.mtx", "--x", "x.mtx", "-o", "y.mtx"});
    int const pipe = ::open(path("x.mtx").c_str(), O_WRONLY | O_CLOEXEC);  // waits until the command has opened it
    ::kill(child, SIGTERM);
    int const status = end_of(child);
    ::close(pipe);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    EXPECT_EQ(read("y.mtx"), "old");
    EXPECT_EQ(error_text(),
              "copse: error: interrupted by SIGTERM: spmv a.mtx --x x.mtx -o y.mtx; nothing was written to 'y.mtx'\n");
}

/// Where the command was faster than the signal, the next matrix is larger.
TEST_F(output_test, of_a_command_that_writes) {
    using namespace std::chrono_literals;
    for (std::string const matrix : {"poisson2d:300", "poisson2d:900", "poisson2d:2700"}) {
        for (auto const& name : files()) std::filesystem::remove(path(name));
        write("c.mtx", "old");
        pid_t const child = start_command({"generate", matrix, "-o", "c.mtx"});
        int status = -1;
        while (files().size() == 1 && ::waitpid(child, &status, WNOHANG) == 0) std::this_thread::sleep_for(200us);
        if (status == -1) {
            ::kill(child, SIGINT);
            status = end_of(child);
        }
        if (WIFEXITED(status)) continue;
        EXPECT_EQ(WTERMSIG(status), SIGINT);
        EXPECT_EQ(files(), std::vector<std::string>{"c.mtx"});
        if (error_text().find("is complete") != std::string::npos) continue;
        EXPECT_EQ(read("c.mtx"), "old");
        EXPECT_EQ(error_text(), "copse: error: interrupted by SIGINT: generate " + matrix +
                                    " -o c.mtx; nothing was written to 'c.mtx'\n");
        return;
    }
    FAIL() << "every matrix was written before the signal came";
}

TEST_F(output_test, a_file_that_may_not_grow_and_a_pipe_that_nobody_reads_are_errors) {
    write("c.mtx", "old");
    auto const o = run_program("/bin/sh", {"-c", "ulimit -f 1; exec " COPSE_COMMAND " generate poisson2d:30 -o c.mtx"});
    expect_error(o, "cannot write 'c.mtx': File too large");
    EXPECT_EQ(read("c.mtx"), "old");
    EXPECT_EQ(files(), std::vector<std::string>{"c.mtx"});
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    int const reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    pid_t const child = start_command({"generate", "poisson2d:300", "-o", "pipe"});  // more than a pipe holds
    char byte = 0;
    while (::read(reader, &byte, 1) != 1) std::this_thread::yield();
    ::close(reader);
    int const status = end_of(child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    EXPECT_EQ(error_text(), "copse: error: cannot write 'pipe': Broken pipe\n");
}

}  // namespace
}  // namespace copse_test
