// Named ranges for Nsight: what the host is doing, on the timeline. Nothing in a library built without a CUDA toolkit.
//
//   copse::nvtx_range const range("spmv");
#pragma once

namespace copse {

/// From construction to destruction, on the calling thread, in the domain "copse". Ranges nest.
class nvtx_range {
  public:
    explicit nvtx_range(char const* name) noexcept;
    ~nvtx_range();
    nvtx_range(nvtx_range const&) = delete;
    nvtx_range& operator=(nvtx_range const&) = delete;
};

}  // namespace copse
