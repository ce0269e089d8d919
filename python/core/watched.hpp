// Long calls that Ctrl-C ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace copse::python {

/// Work with fewer entries takes some 20 ms at most, and is done by the calling thread.
inline constexpr std::int64_t least_watched_entries = std::int64_t{1} << 20;

void run_watched(std::int64_t entries, std::function<void()> const& f);

/// Returns f(). entries: how many f has to do; if many, f runs on a thread of its own. The calling thread, which
/// must not hold the GIL, then runs the signal handlers of Python every 20 ms. If one raises an exception, as Ctrl-C's
/// does, f is cancelled (copse/runtime/cancellable.hpp), and this throws that exception. A handler may call copse.
template <class F>
auto watched(std::int64_t entries, F const& f) {
    std::optional<std::invoke_result_t<F const&>> result;
    run_watched(entries, [&] { result.emplace(f()); });
    return *std::move(result);
}

}  // namespace copse::python
