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
    /// The same of what nobody uses any more: nothing is waited for.
    virtual void deallocate_unused(void* p) noexcept { deallocate(p); }
    /// Gives back what is behind the first `kept` of the `bytes` bytes at p, as far as the space can; these keep their
    /// content, at the address returned. What the executor was told to do before may still use p, nobody else may: a GPU
    /// waits for the executor's stream, and for no other. Does not throw: where memory to move them to is missing, p
    /// stays as it was.
    virtual void* shrink(void* p, std::size_t bytes, std::size_t kept);
    /// Both wait until the copy is done.
    virtual void copy_from_host(void* to, void const* from, std::size_t bytes) = 0;
    virtual void copy_to_host(void* to, void const* from, std::size_t bytes) = 0;
    /// The pieces one after the other into host memory; their addresses and sizes are multiples of 16. Waits until all are
    /// there: for each copy, unless the space can do better. Throws out_of_memory or cuda_error.
    virtual void gather_to_host(void* to, std::span<memory_piece const> pieces);
};

/// What is large in it (4 MiB and more) is in large pages, and is kept when it is freed: the next allocation of about
/// that size finds pages that are there already, in place of such as the system has to clear. In use and kept together
/// never take more than what was in use at once at most. Of what is kept, a sixteenth of the machine's memory stays the
/// process's; what comes beyond that is the system's to take when it runs short, and counts as the process's until then.
/// Pages stay near the processor that wrote them first. Under the address sanitizer nothing is kept.
std::shared_ptr<memory> const& host_memory();

/// Gives what host_memory() keeps back to the system. Thread-safe, as the two below.
void trim_host_memory() noexcept;

/// host_memory() keeps at most so many bytes from now on, 0: none; the oldest go first. Returns the limit before:
/// SIZE_MAX at first, which is none of its own.
std::size_t limit_kept_host_memory(std::size_t bytes) noexcept;

/// Bytes that host_memory() keeps.
std::size_t kept_host_memory() noexcept;

/// Bytes that the system has left for whoever asks, as far as it knows, and no more than this process may still map, or
/// its control groups may still take (a container's limit); SIZE_MAX where it does not say.
std::size_t available_host_memory() noexcept;

namespace detail {

/// Where an operation on the executor keeps what it needs in between: what is given back there may still be used by work
/// that the executor was told to do before. On a GPU nothing waits for that; elsewhere such work is done already.
template <class Executor>
std::shared_ptr<memory> const& temporary_memory(Executor const& executor) {
    if constexpr (requires { executor.temporary(); })
        return executor.temporary();
    else
        return executor.memory();
}

}  // namespace detail

}  // namespace copse
