// Work that can be cancelled while it runs: conversions, readers, sums, runs.
//
//   std::stop_source source;                               // another thread calls source.request_stop()
//   copse::cancellable const scope(source.get_token());
//   copse::hisparse<double> a(cpu, entries);               // throws copse::cancelled if a stop is requested meanwhile
#pragma once

#include <copse/runtime/error.hpp>
#include <stop_token>
#include <utility>

namespace copse {

/// While it lives, what the calling thread does in the library throws `cancelled` when a stop is requested, from any
/// thread: run() without a token of its own (run_options::cancelled_by), on every executor; parallel loops, and with
/// them conversions, readers, generators and the making of plans, which look at the token before each chunk of
/// indices. Products by plans and serial parts are not cancelled.
/// Arguments stay as they were and no result is made, but arrays of the caller that a call writes to, such as those of
/// to_csr(), may be written in part. The executor stays usable.
/// A scope of the thread, not a member of an executor: several threads may share an executor, and readers have none.
/// The innermost scope holds. Destroy it on the thread that made it.
class cancellable {
  public:
    explicit cancellable(std::stop_token stop)
        : stop_(std::move(stop)), before_(std::exchange(of_this_thread_, &stop_)) {}
    ~cancellable() { of_this_thread_ = before_; }
    cancellable(cancellable const&) = delete;
    cancellable& operator=(cancellable const&) = delete;

    /// The token of the innermost scope; one without a state where there is none.
    static std::stop_token of_this_thread() { return of_this_thread_ ? *of_this_thread_ : std::stop_token(); }

  private:
    static inline thread_local std::stop_token const* of_this_thread_ = nullptr;
    std::stop_token stop_;
    std::stop_token const* before_;
};

namespace detail {

/// Throws `cancelled` if a stop was requested.
inline void check_stop(std::stop_token const& stop) {
    if (stop.stop_requested()) throw cancelled();
}

}  // namespace detail
}  // namespace copse
