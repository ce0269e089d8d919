// Named ranges for Nsight Systems: its timeline shows what the host is doing (docs/profiling.md).
//
//   copse::nvtx_range const range(copse::nvtx_room::algebra, "copse spmv", a.entry_count());
//
// Ranges are in the domain "copse". The category is the room that the work belongs to, the payload a number that says
// how much of it there is. Without a tool that asks for ranges, and in a library that was built without the header of
// NVTX (it comes with a CUDA toolkit, which is not needed otherwise), they do nothing.
#pragma once

#include <cstdint>

namespace copse {

/// The categories, by number.
enum class nvtx_room : std::uint32_t { runtime = 1, formats, algebra };

/// A range from construction to destruction, on the calling thread. Ranges nest.
class nvtx_range {
  public:
    /// `name` is copied by the tool.
    nvtx_range(nvtx_room room, char const* name) noexcept;
    /// count: the payload: entries, items, seeds.
    nvtx_range(nvtx_room room, char const* name, std::int64_t count) noexcept;
    ~nvtx_range();
    nvtx_range(nvtx_range const&) = delete;
    nvtx_range& operator=(nvtx_range const&) = delete;

    /// Whether a tool takes ranges. It does from the process's first range on, or never.
    static bool is_seen() noexcept;
};

}  // namespace copse
