// The options of a run: how many items its queues hold, who may cancel it, and where it is traced.
#pragma once

#include <copse/runtime/cancellable.hpp>
#include <copse/runtime/trace.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <typeindex>
#include <utility>

namespace copse {
namespace detail {

/// Bytes in an executor's memory that are copied to the host at the end of a run.
struct copy_with_report {
    void const* there = nullptr;
    void* here = nullptr;
    std::size_t bytes = 0;
};

}  // namespace detail

struct queue_capacity {
    std::int64_t items = std::int64_t{1} << 18;
    std::int64_t spill = 0;
    std::int64_t ranges = 256;
};

/// Queues hold 2^18 items, and take 256 ranges per run, unless told otherwise:
///     copse::run(cpu, copse::run_options().capacity<visit>(1'000'000), seeds, visit{...});
class run_options {
  public:
    /// Lets Task's queue hold at least `items` + `spill` waiting items at once, and take `ranges` ranges in all.
    template <class Task>
    run_options& capacity(std::int64_t items, std::int64_t spill = 0, std::int64_t ranges = 256) {
        capacities_[typeid(Task)] = {items, spill, ranges};
        return *this;
    }
    template <class Task>
    queue_capacity of() const {
        return of(typeid(Task));
    }
    queue_capacity of(std::type_index task) const {
        auto const found = capacities_.find(task);
        return found == capacities_.end() ? queue_capacity{} : found->second;
    }
    /// Whether capacity<Task>() was called.
    template <class Task>
    bool names_capacity() const {
        return capacities_.contains(typeid(Task));
    }

    /// Cancels the run when a stop is requested, from any thread: std::stop_source source; ... source.request_stop().
    /// Task functions that have begun go on to their end; all other items are dropped, and run() throws `cancelled`.
    /// A run that has ended by then is not changed. What tasks wrote until then stays.
    run_options& cancelled_by(std::stop_token stop) {
        stop_ = std::move(stop);
        return *this;
    }
    /// The token that was given, or else that of the calling thread (copse::cancellable).
    std::stop_token stop() const { return stop_.stop_possible() ? stop_ : cancellable::of_this_thread(); }

    /// Traces the run (trace.hpp). `to` must live until the run has ended. A run that ends in an error is traced too,
    /// unless CUDA failed.
    run_options& traced_by(trace& to) {
        trace_ = &to;
        return *this;
    }
    /// The trace that was named, or else that of the calling thread (copse::tracing); null if there is none.
    trace* traced() const { return trace_ ? trace_ : tracing::of_this_thread(); }

  private:
    friend void copies_with_report(run_options& options, detail::copy_with_report const& what) { options.copy_ = what; }
    friend detail::copy_with_report const& copy_of(run_options const& options) { return options.copy_; }

    std::map<std::type_index, queue_capacity> capacities_;
    std::stop_token stop_;
    trace* trace_ = nullptr;
    detail::copy_with_report copy_;
};

}  // namespace copse
