// What the emulated executor counts of accesses to memory (emulated_options::profile): how well the lanes of a warp
// load together, where they wait for one another, how many bytes each task moves.
//
//   copse::emulated gpu({.profile = true});
//   copse::run(gpu, seeds, my_task{...});
//   std::puts(to_text(gpu.profile()).c_str());
//
//   task      place        access   requests  idle lanes  bytes    sectors  at least  passes  at least
//   my_task   mine.hpp:12  load            8       0.0 %  2,048         64        64
//   my_task   mine.hpp:14  load            8       0.0 %  2,048        256        64
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
#include <string>
#include <vector>

namespace copse {

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
