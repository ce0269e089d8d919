// Ends the program when a call does not come back: a hanging kernel would hide everything that was to follow.
#pragma once

#include <string>

namespace copse::bench {

/// While one lives, the process has `seconds` to destroy it. After that it ends with status 4 and the line
/// "PROGRAM: no answer from WHAT" on standard error. One at a time in a process, because it uses SIGALRM: throws
/// std::logic_error for one within another.
class watchdog {
  public:
    static constexpr int exit_status = 4;
    watchdog(std::string const& program, std::string const& what, unsigned seconds);
    ~watchdog();
    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;
};

}  // namespace copse::bench
