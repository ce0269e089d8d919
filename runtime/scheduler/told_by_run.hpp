// What tasks tell the host: a structure in the executor's memory that runs write to. It comes to the host with a run's
// report, for which the host waits anyway.
//
//   counts here;
//   told_by_run<counts> const there(executor, here);                  // as `here` says
//   run(executor, there.with(options), seeds, task{there.data()});    // now `here` says what the tasks wrote
#pragma once

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/run_options.hpp>
#include <span>

namespace copse::detail {

template <class Told>
class told_by_run {
  public:
    /// here: must live until the last of the runs has ended.
    template <class Executor>
    told_by_run(Executor const& executor, Told& here)
        : there_(temporary_memory(executor), std::span<Told const>(&here, 1)), here_(here) {}

    Told* data() const { return there_.data(); }
    /// A run with these options sets `here` at its end, unless it throws.
    run_options& with(run_options& options) const {
        copies_with_report(options, {there_.data(), &here_, sizeof(Told)});
        return options;
    }
    /// For what was written behind the run.
    void read() const { there_.read(0, {&here_, 1}); }

  private:
    buffer<Told> there_;
    Told& here_;
};

}  // namespace copse::detail
