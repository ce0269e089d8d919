// Memory in which an executor keeps its data. An executor has one memory; buffers and matrices keep a pointer to it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace copse {

enum class memory_space { host, device };

/// Bytes somewhere in a memory.
struct memory_extent {
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
    /// deallocate() without waiting: no thread and no stream may be using the memory at p any more.
    virtual void deallocate_unused(void* p) noexcept { deallocate(p); }
    /// Keeps the first `kept` of the `bytes` bytes at p, with their content, and gives back the rest if the space is
    /// able to. Returns the address of the kept bytes. Work that the executor was given before may still use p; other
    /// work may not: on a GPU this waits for the executor's stream and for no other. Does not throw: if there is no
    /// memory to move the kept bytes to, p stays as it was.
    virtual void* shrink(void* p, std::size_t bytes, std::size_t kept);
    /// Both wait until the copy is done.
    virtual void copy_from_host(void* to, void const* from, std::size_t bytes) = 0;
    virtual void copy_to_host(void* to, void const* from, std::size_t bytes) = 0;
    /// As copy_from_host(), for memory that only the executor's own work reads until the executor's stream has been
    /// waited for. `from` may change when this returns. On a GPU a small copy may still be on its way then, in the
    /// stream's order.
    virtual void send_from_host(void* to, void const* from, std::size_t bytes) { copy_from_host(to, from, bytes); }
    /// Copies the pieces one after the other into host memory. Addresses and sizes of pieces are multiples of 16 bytes.
    /// Waits until all pieces are copied: once for each piece, unless the space overrides this with fewer waits.
    /// Throws out_of_memory or cuda_error.
    virtual void gather_to_host(void* to, std::span<memory_extent const> pieces);
};

/// The memory of the host. Allocations of 4 MiB and more lie in large pages. When such memory is freed it is kept: the
/// next allocation of about that size reuses its pages, which the system need not clear anew. Memory in use and kept
/// memory together never take more than the most that was in use at once. Of the kept bytes, up to a sixteenth of the
/// machine's memory stays with the process. The system may take the rest when it runs short; until then it, too, counts
/// as the process's. Pages stay near the processor that wrote them first. Under the address sanitizer nothing is kept.
std::shared_ptr<memory> const& host_memory();

/// Gives the memory that host_memory() keeps back to the system. This and the next two functions are thread-safe.
void trim_host_memory() noexcept;

/// From now on host_memory() keeps at most `bytes` bytes; 0: none. The oldest allocations go first. Returns the
/// previous limit. At first it is SIZE_MAX: no limit but the ones above.
std::size_t limit_kept_host_memory(std::size_t bytes) noexcept;

/// Returns the bytes that host_memory() keeps.
std::size_t kept_host_memory() noexcept;

/// Returns the least of three numbers of bytes: what the system has left for any process, what this process may still
/// map, and what its control groups (a container's limit) may still take. SIZE_MAX if the system does not say.
std::size_t available_host_memory() noexcept;

namespace detail {

/// The memory for temporary arrays of an operation on the executor. Work that the executor was given before may still
/// use an array that is freed there. On a GPU freeing does not wait for that work; elsewhere the work is done already.
template <class Executor>
std::shared_ptr<memory> const& temporary_memory(Executor const& executor) {
    if constexpr (requires { executor.temporary(); })
        return executor.temporary();
    else
        return executor.memory();
}

}  // namespace detail

}  // namespace copse
