// Where an executor keeps its data. An executor hands out one memory; buffers and matrices remember it.
#pragma once

#include <cstddef>
#include <memory>

namespace copse {

enum class memory_space { host, device };

/// Allocation and copies for one space. Implementations are thread-safe. Allocations are aligned to 256 bytes.
class memory {
  public:
    virtual ~memory() = default;
    virtual memory_space space() const noexcept = 0;
    /// Throws std::bad_alloc (host) or cuda_error (device). Zero bytes give nullptr. The content is undefined.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* p) noexcept = 0;
    /// Gives back what is behind the first `kept` of the `bytes` bytes at p, as far as the space can; these keep their
    /// content, at the address returned. Throws as allocate() does, p then stays as it was.
    virtual void* shrink(void* p, std::size_t bytes, std::size_t kept);
    /// Both wait until the copy is done.
    virtual void copy_from_host(void* to, void const* from, std::size_t bytes) = 0;
    virtual void copy_to_host(void* to, void const* from, std::size_t bytes) = 0;
};

std::shared_ptr<memory> const& host_memory();

}  // namespace copse
