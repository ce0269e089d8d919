// Whether threads can be started, before somebody asks for them who ends the process if they cannot.
#pragma once

namespace copse::detail {

/// How many of `wanted` more threads the system starts at once, each with the default stack: starts them, and ends them
/// again. Limits: RLIMIT_NPROC, a control group's pids.max, RLIMIT_AS. What others start or end later is not known.
int count_startable_threads(int wanted);

}  // namespace copse::detail
