// Where an executor keeps its data. An executor hands out one memory; buffers and matrices remember it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace copse {

enum class memory_space { host, device };

/// Bytes somewhere in a memory.
struct memory_piece {
    void const* data;
    std::size_t bytes;
};

/// Allocation and copies for one space. Implementations are thread-safe. Allocations are aligned to 256 bytes.
class memory {
  public:
    virtual ~memory() = default;
    virtual memory_space space() const noexcept = 0;
    /// Throws out_of_memory (host) or cuda_error (device). Zero bytes give nullptr. The content is undefined.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* p) noexcept = 0;
    /// deallocate() for memory that nobody uses any more: does not wait.
    virtual void deallocate_unused(void* p) noexcept { deallocate(p); }
    /// Keeps the first `kept` of the `bytes` bytes at p, with their content, and gives back the rest as far as the
    /// space can. Returns their address. Work that the executor was given before may still use p, nobody else may: a
    /// GPU waits for the executor's stream and for no other. Does not throw: if there is no memory to move the kept
    /// bytes to, p stays as it was.
    virtual void* shrink(void* p, std::size_t bytes, std::size_t kept);
    /// Both wait until the copy is done.
    virtual void copy_from_host(void* to, void const* from, std::size_t bytes) = 0;
    virtual void copy_to_host(void* to, void const* from, std::size_t bytes) = 0;
    /// Copies the pieces one after the other into host memory. Their addresses and sizes are multiples of 16. Waits
    /// until all are there: once for each copy, unless the space can do better. Throws out_of_memory or cuda_error.
    virtual void gather_to_host(void* to, std::span<memory_piece const> pieces);
};

/// Blocks of 4 MiB and more lie in large pages, and are kept when they are freed: the next allocation of about that
/// size finds pages that are there already, which the system would have to clear otherwise. Blocks in use and kept
/// blocks together never take more than the most that was in use at once. Of the kept bytes, up to a sixteenth of the
/// machine's memory stays the process's. The system may take the rest when it runs short; until then it counts as the
/// process's. Pages stay near the processor that wrote them first. Under the address sanitizer nothing is kept.
std::shared_ptr<memory> const& host_memory();

/// Gives what host_memory() keeps back to the system. Thread-safe, as the two below.
void trim_host_memory() noexcept;

/// From now on host_memory() keeps at most `bytes` bytes; 0: none. The oldest blocks go first. Returns the limit
/// before, SIZE_MAX at first: no limit of its own.
std::size_t limit_kept_host_memory(std::size_t bytes) noexcept;

/// Bytes that host_memory() keeps.
std::size_t kept_host_memory() noexcept;

/// Bytes that the system has left for any process, as far as it knows, but no more than this process may still map, or
/// its control groups may still take (a container's limit). SIZE_MAX if the system does not say.
std::size_t available_host_memory() noexcept;

namespace detail {

/// Where an operation on the executor keeps what it needs in between. Work that the executor was given before may still
/// use memory that is given back there. On a GPU nothing waits for that work; elsewhere it is done already.
template <class Executor>
std::shared_ptr<memory> const& temporary_memory(Executor const& executor) {
    if constexpr (requires { executor.temporary(); })
        return executor.temporary();
    else
        return executor.memory();
}

}  // namespace detail

}  // namespace copse
