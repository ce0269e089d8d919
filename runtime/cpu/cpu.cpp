#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/trace_memory.hpp>
#include <string>
#include <thread>

namespace copse {

cpu::cpu(int threads, std::shared_ptr<copse::memory> memory) : memory_(memory ? std::move(memory) : host_memory()) {
    if (memory_->space() != memory_space::host)
        throw argument_error("cpu: memory is a device's; give memory that the host can read, such as host_memory()");
    if (threads < 0)
        throw argument_error("cpu: threads is " + std::to_string(threads) +
                             "; it must be 0 (one for each processor) or more");
    team_ = std::make_unique<detail::thread_team>(threads > 0 ? threads : usable_processors());
    if (team_->size() < threads)
        throw argument_error("cpu: threads is " + std::to_string(threads) + ", but the system starts only " +
                             std::to_string(team_->size()) + "; ask for fewer");
}

namespace detail {

namespace {

/// How a thread waits until other threads push items: wait() yields at first, and later sleeps briefly.
class idle_backoff {
  public:
    void wait() {
        if (++rounds_ < 64)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    void reset() { rounds_ = 0; }
    bool is_waiting() const { return rounds_ > 0; }

  private:
    int rounds_ = 0;
};

/// For the trace. count: of a batch, its items.
void trace_thread(cpu_thread const& thread, trace_kind kind, int queue, std::int64_t count, run_clock::time_point begin,
                  run_clock::time_point end) {
    if (thread.trace)
        write_record(*thread.trace, kind, queue, count, static_cast<std::uint64_t>(host_nanoseconds(begin)),
                     static_cast<std::uint64_t>(host_nanoseconds(end)), {0, thread.thread, thread.thread});
}

}  // namespace

void count_cpu_batch(cpu_thread const& thread, int task, queue_statistics& statistics, std::uint32_t items,
                     run_clock::time_point start) {
    auto const end = run_clock::now();
    cpu_machine::add_relaxed(&statistics.items, std::uint64_t{items});
    cpu_machine::add_relaxed(&statistics.batches, std::uint64_t{1});
    cpu_machine::add_relaxed(&statistics.nanoseconds, static_cast<std::uint64_t>((end - start).count()));
    trace_thread(thread, trace_kind::batch, task, items, start, end);
}

void cpu_work(cpu_thread& state, bool (*work)(cpu_thread& state, exception_slot& thrown), exception_slot& thrown) {
    idle_backoff idle;
    run_clock::time_point begin, wait_begin, wait_end;  // for the trace
    if (state.trace) begin = run_clock::now();
    auto const end_wait = [&] {
        if (state.trace && idle.is_waiting()) trace_thread(state, trace_kind::wait, -1, 0, wait_begin, wait_end);
        idle.reset();
    };
    while (!state.control->finished()) {
        if (work(state, thrown)) {
            end_wait();
            continue;
        }
        if (state.trace && !idle.is_waiting()) wait_begin = run_clock::now();
        idle.wait();
        if (state.trace) wait_end = run_clock::now();
    }
    end_wait();
    if (state.trace) trace_thread(state, trace_kind::block, -1, 0, begin, run_clock::now());
}

}  // namespace detail
}  // namespace copse
