// The file that a command writes, and what becomes of it if a signal ends the command: no unfinished file stays, and
// one line says what was interrupted.
//
//   copse: error: interrupted by SIGTERM: add a.mtx b.mtx -o c.mtx; nothing was written to 'c.mtx'
//
// The exit status is the signal's. SIGKILL cannot be caught: the unfinished file stays, under its own name.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace copse::cli {

/// From now on: signals that ask a process to end (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGUSR1,
/// SIGUSR2) are answered as above, unless they are ignored (nohup). A pipe that nobody reads and a file that may not
/// grow (SIGPIPE, SIGXFSZ) are errors of the writing. `what`: the command and its arguments.
void answer_signals(std::string const& what);

/// Throws argument_error if the file cannot be written, or if it is one of `inputs`.
void check_output(std::string const& path, std::vector<std::string> const& inputs = {});
/// Whether the two names are of one file, which need not be there.
bool is_same_file(std::string const& a, std::string const& b);

/// The command is to write this file, and has not yet. Throws argument_error if the file cannot be written, so that no
/// work is spent on its content, or if it is one of `inputs`.
void announce_output(std::string const& path, std::vector<std::string> const& inputs = {});

/// Calls write(), which writes the file that was announced.
void write_output(std::function<void()> const& write);

}  // namespace copse::cli
