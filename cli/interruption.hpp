// What becomes of a command that a signal ends: no unfinished file stays, and one line says what was interrupted.
//
//   copse: error: interrupted by SIGTERM: add a.mtx b.mtx -o c.mtx; nothing was written to 'c.mtx'
//
// The exit status is the signal's. SIGKILL cannot be caught: the unfinished file stays, under its own name.
#pragma once

#include <string>

namespace copse::cli {

/// From now on: signals that ask a process to end (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGUSR1,
/// SIGUSR2) are answered as above, unless they are ignored (nohup). A pipe that nobody reads and a file that may not
/// grow (SIGPIPE, SIGXFSZ) are errors of the writing. `what`: the command and its arguments.
void answer_signals(std::string const& what);

/// The command is to write this file, and has not yet. Ignored without answer_signals().
void announce_output(std::string const& path);
/// It has.
void output_is_complete() noexcept;

/// write(), which writes the file that was announced.
template <class Write>
void write_output(Write const& write) {
    write();
    output_is_complete();
}

}  // namespace copse::cli
