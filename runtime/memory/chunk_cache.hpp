// Large blocks of host memory: those that are freed are kept for the next allocations.
//
// What the system hands out anew is empty, page by page: a fault for each and a pass over the memory to clear it. Of a
// sum A + B in a loop that was about a half of the time, though as much was freed just before
// (bench/results/additions.md).
//
//   in use   [ A ][ B ][ C     ]         sizes in whole large pages, at least two
//   kept     [ tables  ][ C, old ]       oldest first to go; beyond `ready` bytes the system may take pages of what
//                                        comes, whenever it runs short
//
// A kept block serves an allocation of its size or down to four fifths of that; blocks are neither split nor joined, so
// that a loop finds its own again. Blocks in use and kept take together no more than blocks in use once took at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace copse::detail {

/// Thread-safe. Sizes are those of address space: pages that were never written take no memory.
class chunk_cache {
  public:
    static constexpr std::size_t large_page = std::size_t{1} << 21;
    static constexpr std::size_t smallest = 2 * large_page;  // what is worth keeping

    /// ready: so much of what is kept stays as it is, a sixteenth of the machine's memory if nothing is said.
    explicit chunk_cache(std::size_t ready = a_sixteenth_of_memory()) : ready_(ready) {}
    chunk_cache(chunk_cache const&) = delete;
    /// Gives back what is kept. Nothing may be in use any more.
    ~chunk_cache() { trim(); }

    /// A block of at least `bytes`, aligned to a large page, content undefined. Where the system has none, all that is
    /// kept is given back and the system asked again; then out_of_memory.
    void* allocate(std::size_t bytes);
    /// Keeps the block at p, or gives it back. False: p is not a block in use, nothing was done.
    bool deallocate(void* p) noexcept;
    /// Gives back the pages behind the first `bytes` bytes of the block at p, which is as large as before for whom it
    /// serves next. Nothing where p is not a block in use.
    void shrink(void* p, std::size_t bytes) noexcept;

    /// Gives back all that is kept.
    void trim() noexcept;
    /// Keeps at most so many bytes from now on. Returns the limit before; at first there is none (SIZE_MAX).
    std::size_t limit(std::size_t bytes) noexcept;
    std::size_t kept_bytes() const;

    /// Around fork(): what the child gets is whole.
    std::mutex& mutex() noexcept { return mutex_; }

  private:
    struct block {
        std::size_t bytes;
        std::uint64_t freed;  // blocks freed before it
    };
    using blocks = std::map<void*, block>;  // elements go from one to the other: no allocation when a block is freed

    static std::size_t a_sixteenth_of_memory() noexcept;
    void* take(std::size_t bytes);
    void* allocate_new(std::size_t bytes);
    blocks take_too_many() noexcept;
    static void give_back(blocks const& these) noexcept;

    mutable std::mutex mutex_;
    blocks in_use_;
    blocks kept_;
    std::size_t in_use_bytes_ = 0;
    std::size_t most_in_use_bytes_ = 0;
    std::size_t kept_bytes_ = 0;
    std::size_t limit_ = SIZE_MAX;
    std::size_t const ready_;
    std::uint64_t freed_ = 0;
};

}  // namespace copse::detail
