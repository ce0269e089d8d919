// The trace of a run: what each block or thread did and when, what was launched by whom, how full the queues were. On a
// GPU under the device controller it is the only view there is: profilers do not see kernels that a GPU launches.
//
//   copse::trace trace;
//   copse::run(gpu, copse::run_options().traced_by(trace), copse::seed<visit>(root), visit{...});
//   {
//       copse::tracing const here(trace);               // what this thread runs meanwhile: operations of the library
//       copse::spmv(gpu, 1.0, a, x, 0.0, y);
//   }
//   trace.write("out.json");                            // for ui.perfetto.dev, chrome://tracing, and copse trace
//
// A run without a trace pays one test for each batch of items, and no memory.
//
// What the emulated executor counts of accesses to memory (emulated_options::profile): how well the lanes of a warp
// load together, where they wait for one another, how many bytes each task moves.
//
//   copse::emulated gpu({.profile = true});
//   copse::run(gpu, seeds, my_task{...});
//   std::puts(to_text(gpu.profile()).c_str());
//
//   task      place        access   requests  idle lanes  bytes    sectors  at least  passes  at least
//   my_task   mine.h:12    load            8       0.0 %  2,048         64        64
//   my_task   mine.h:14    load            8       0.0 %  2,048        256        64
//
// A warp is 32 lanes of a block that lie side by side. What its lanes do at one line of code, between two collectives
// and for the n-th time, is one request: the n-th access of each lane. That is what a GPU does as long as the lanes go
// the same way; where they do not, the emulation pairs accesses that a GPU may make one after another.
//
// Counted are the worker's loads, stores and atomic operations, and the elements of scratch() (not what goes through
// data()). Not counted are plain reads and writes by pointers, fetch_stream(), which only announces loads, and the
// queues' own traffic. Caches are not modelled: a sector counts each time that a request touches it.
// Addresses are the host's: give a task memory of copse::buffer, which begins at a multiple of 256 bytes.
//
// The figures are uncalibrated: no counters of a GPU have been compared with them yet.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace copse {

struct trace_options {
    /// The most records that one run keeps. Later ones are counted and dropped. A record takes 48 bytes of the host's
    /// memory; on a GPU they come from the memory in which the executor keeps its queues.
    std::int64_t records = std::int64_t{1} << 18;
    /// The most samples of queues that one run keeps, beside the records; as large as these.
    std::int64_t samples = std::int64_t{1} << 16;
    /// The first 64 queues are sampled when a batch ends, unless they were sampled less than so long ago.
    std::int64_t sample_nanoseconds = 10'000;
};

enum class trace_kind : std::int32_t {
    batch,   // a block claimed items of a queue and ran the task function for each of them
    block,   // a block, from its first instruction to its last; cpu: a thread, during the run
    wait,    // a block or thread waited for somebody to push an item
    launch,  // somebody launched a kernel
    fill     // a sample: how many items waited in a queue
};

/// Times are nanoseconds since the run's begin.
struct trace_record {
    std::int64_t begin = 0;
    std::int64_t end = 0;    // launch, fill: begin
    std::int64_t count = 0;  // batch: items; launch: blocks; fill: items that wait
    trace_kind kind = trace_kind::batch;
    std::int32_t queue = -1;  // its index among the run's; -1: block, wait or launch that is for all queues
    std::int32_t launch = 0;  // the launch, or the one that the block is of; cpu: 0
    std::int32_t block = 0;   // number of the block in its launch (emulated: among all); cpu: the thread
    std::int32_t place = 0;   // cpu: the thread; gpu: the multiprocessor; emulated: 0. launch: the lane of the
                              // controller's warp that launched, -1: the host
};

struct traced_run {
    std::string executor;    // "cpu", "emulated", or "gpu" and the name of the device
    std::string controller;  // "device", "persistent", "host"; empty on the cpu
    /// "steady_clock" (cpu; emulated in stress mode), "points" (emulated in explore mode: a point is a microsecond), or
    /// "%globaltimer". All of a run's times are of this one clock.
    std::string clock;
    std::int64_t clock_step = 0;             // nanoseconds of which all of the run's times are multiples; 0: too few
    std::int64_t host_begin = 0;             // steady_clock's nanoseconds when the run began
    std::int64_t nanoseconds = 0;            // from begin to end, by `clock`
    std::int64_t dropped_records = 0;        // more than trace_options::records
    std::int64_t dropped_samples = 0;        // more than trace_options::samples
    std::vector<std::string> queues = {};    // names of the tasks
    std::vector<trace_record> records = {};  // by begin
};

/// Keeps the traces of runs until clear(). Several threads may use one trace, and runs of several executors at once.
/// Neither copies nor moves; it must live until the runs that it traces have ended.
class trace {
  public:
    /// Throws argument_error if a number of the options is negative, or if there are more than 2^31 records or samples.
    explicit trace(trace_options const& options = {});
    trace(trace const&) = delete;
    trace& operator=(trace const&) = delete;

    trace_options const& options() const { return options_; }

    /// What was traced until now, in the order in which the runs ended; those that ended in an error are there, too.
    std::vector<traced_run> runs() const;
    void clear();
    void add(traced_run run);

    /// Writes a file in Chrome's trace event format: a process for each run, a thread for each CPU thread, or for each
    /// block that has room on a multiprocessor. Runs lie on one time axis, by when they began. The file appears under
    /// its name when it is complete. Throws argument_error that names the file and the reason.
    void write(std::string const& path) const;

  private:
    trace_options options_;
    mutable std::mutex mutex_;
    std::vector<traced_run> runs_;
};

/// While it lives, runs that the calling thread starts are traced by `to`, unless their options name another trace. The
/// innermost one holds. Destroy it on the thread that made it.
class tracing {
  public:
    explicit tracing(trace& to);
    ~tracing();
    tracing(tracing const&) = delete;
    tracing& operator=(tracing const&) = delete;

    /// Null where there is none.
    static trace* of_this_thread();

  private:
    trace* before_;
};

/// scratch: reads and writes of elements of scratch memory; one that is read and written at once (+=) counts once.
enum class access_kind { load, store, atomic, scratch };

/// "load", "store", "atomic", "scratch".
char const* name_of(access_kind kind);

/// What the lanes of all warps did at one line of a task.
struct access_line {
    std::string task;
    std::string file;
    int line = 0;
    access_kind kind = access_kind::load;
    std::int64_t requests = 0;
    std::int64_t lane_accesses = 0;  // of single lanes: 32 in a request of a whole warp
    std::int64_t bytes = 0;          // that lanes asked for
    // Global memory: the sectors of 32 bytes that the lanes of a request touched, and how many the same bytes take side
    // by side.
    std::int64_t sectors = 0;
    std::int64_t least_sectors = 0;
    // Times that a request was served one after another: an atomic operation once for each lane that wants the same
    // address; scratch once for each word that is wanted of the same bank (32 banks of 4 bytes; elements of 8 bytes by
    // 16 lanes at a time, of 16 by 8). The least is what it takes without conflicts.
    std::int64_t passes = 0;
    std::int64_t least_passes = 0;

    std::int64_t idle_lanes() const { return 32 * requests - lane_accesses; }
};

/// The bytes of one task, and so of its queue.
struct access_total {
    std::string task;
    std::int64_t bytes = 0;        // that lanes asked for in global memory
    std::int64_t moved_bytes = 0;  // in whole sectors
};

struct access_profile {
    static constexpr bool is_calibrated = false;

    std::vector<access_line> lines;  // by task, and the ones with most bytes first

    /// In the order of `lines`.
    std::vector<access_total> totals() const;
};

/// Two tables for people, which begin with the word "uncalibrated".
std::string to_text(access_profile const& profile);

}  // namespace copse
