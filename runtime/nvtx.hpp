// Named ranges for Nsight: its timeline shows what the host is doing. Without a CUDA toolkit they do nothing.
//
//   copse::nvtx_range const range("spmv");
#pragma once

namespace copse {

/// A range from construction to destruction, on the calling thread, in the domain "copse". Ranges nest.
class nvtx_range {
  public:
    explicit nvtx_range(char const* name) noexcept;
    ~nvtx_range();
    nvtx_range(nvtx_range const&) = delete;
    nvtx_range& operator=(nvtx_range const&) = delete;
};

}  // namespace copse
