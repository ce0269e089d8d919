// Races on a GPU: each call has a time limit, and a call that leaves the GPU unusable ends the program.
#pragma once

#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <optional>
#include <string>
#include <utility>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/harness/race.hpp"

namespace copse::bench {

/// After a call that left the GPU unusable for this process. The message begins with whose call it was.
class gpu_lost : public error {
  public:
    using error::error;
};

/// Throws gpu_lost with the message when the GPU cannot be used any more.
void throw_if_lost(std::string const& message);

/// An entrant that has half a second of timed runs, or five of them, waits for the others. The race throws gpu_lost. A
/// call that hangs for 30 s ends the program, naming the entrant in brackets (watchdog.hpp).
race_options on_gpu(gpu& executor, std::string const& program, int repeats);

/// By the record's clock: `wall` around a call that waits, `events` around an asynchronous one.
class gpu_entrant : public entrant {
  public:
    gpu_entrant(gpu_clock& clock, race_record r) : entrant(std::move(r)), clock_(clock) {}

    /// The work on the executor's stream; its report where there is one.
    virtual std::optional<run_report> call(int set) = 0;

    run_times run(int set) final {
        std::optional<run_report> report;
        auto const work = [&] { report = call(set); };
        auto times = record.clock == "wall" ? clock_.time_waiting(work) : clock_.time_queued(work);
        times.report = std::move(report);
        return times;
    }

  protected:
    gpu& executor() const noexcept { return clock_.executor(); }

  private:
    gpu_clock& clock_;
};

}  // namespace copse::bench
