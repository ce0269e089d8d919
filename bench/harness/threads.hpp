// How many CPU threads a command uses.
#pragma once

namespace copse::bench {

/// More than any machine has that this runs on; each costs a stack.
inline constexpr int most_threads = 1024;

/// The loops that follow on this thread, and OpenMP's, use `wanted` threads, 0: usable_processors(). The number that
/// this is.
int use_threads(int wanted);

}  // namespace copse::bench
