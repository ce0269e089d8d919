#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/memory/block_cache.hpp>
#include <cstdlib>
#include <memory>

namespace copse::detail {
namespace {

/// 0: more than there can be.
std::size_t whole_pages(std::size_t bytes) {
    constexpr std::size_t page = block_cache::large_page;
    return bytes > SIZE_MAX - page ? 0 : (bytes + page - 1) / page * page;
}

/// In large pages: a new matrix costs a page fault for every 2 MiB instead of every 4 KiB. Null where there is none.
void* new_block(std::size_t bytes) {
    void* const p = std::aligned_alloc(block_cache::large_page, bytes);
    if (p != nullptr) (void)madvise(p, bytes, MADV_HUGEPAGE);  // a wish: without it all works, more slowly
    return p;
}

}  // namespace

std::size_t block_cache::a_sixteenth_of_memory() noexcept {
    long const pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) / 16
                                       : 0;
}

void* block_cache::allocate(std::size_t bytes) {
    std::size_t const size = whole_pages(std::max(bytes, smallest));
    if (size == 0) throw out_of_memory(bytes, available_host_memory());
    void* const kept = take(size);
    return kept != nullptr ? kept : allocate_new(size);
}

/// The smallest that serves; of those that are alike the one freed last, whose pages are likeliest to be in a cache.
void* block_cache::take(std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    auto best = kept_.end();
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
        block const& b = it->second;
        if (b.bytes < bytes || b.bytes - bytes > bytes / 4) continue;
        if (best == kept_.end() || b.bytes < best->second.bytes ||
            (b.bytes == best->second.bytes && b.freed > best->second.freed))
            best = it;
    }
    if (best == kept_.end()) return nullptr;
    kept_bytes_ -= best->second.bytes;
    in_use_bytes_ += best->second.bytes;
    return in_use_.insert(kept_.extract(best)).position->first;
}

void* block_cache::allocate_new(std::size_t bytes) {
    std::unique_ptr<void, decltype(&std::free)> p(new_block(bytes), &std::free);
    if (p == nullptr) {
        trim();
        p.reset(new_block(bytes));
        if (p == nullptr) throw out_of_memory(bytes, available_host_memory());
    }
    blocks too_many;
    {
        std::lock_guard const lock(mutex_);
        in_use_.emplace(p.get(), block{bytes, 0});
        in_use_bytes_ += bytes;
        most_in_use_bytes_ = std::max(most_in_use_bytes_, in_use_bytes_);
        too_many = take_too_many();
    }
    give_back(too_many);
    return p.release();
}

bool block_cache::deallocate(void* p) noexcept {
    blocks too_many;
    {
        std::lock_guard const lock(mutex_);
        auto const it = in_use_.find(p);
        if (it == in_use_.end()) return false;
        it->second.freed = freed_++;
        in_use_bytes_ -= it->second.bytes;
        kept_bytes_ += it->second.bytes;
        // Then the kernel's to take when it runs short of memory, with swap or without; until it does, ours with its
        // pages. Not for all: what comes back from it is slower to write, be it there or not (stencil27:72, A + B by
        // turns with other libraries: 66 ms, and 53 where nothing is the kernel's).
        // With the lock held: before anybody else can have the block.
        if (limit_ > 0 && kept_bytes_ > ready_) (void)madvise(p, it->second.bytes, MADV_FREE);
        kept_.insert(in_use_.extract(it));
        too_many = take_too_many();
    }
    give_back(too_many);
    return true;
}

void block_cache::shrink(void* p, std::size_t bytes) noexcept {
    std::lock_guard const lock(mutex_);
    auto const it = in_use_.find(p);
    if (it == in_use_.end() || bytes > it->second.bytes) return;
    std::size_t const first = whole_pages(bytes);
    if (first < it->second.bytes)
        (void)madvise(static_cast<std::byte*>(p) + first, it->second.bytes - first, MADV_DONTNEED);
}

void block_cache::trim() noexcept {
    blocks all;
    {
        std::lock_guard const lock(mutex_);
        all.swap(kept_);
        kept_bytes_ = 0;
    }
    give_back(all);
}

std::size_t block_cache::limit(std::size_t bytes) noexcept {
    blocks too_many;
    std::size_t before;
    {
        std::lock_guard const lock(mutex_);
        before = limit_;
        limit_ = bytes;
        too_many = take_too_many();
    }
    give_back(too_many);
    return before;
}

std::size_t block_cache::kept_bytes() const {
    std::lock_guard const lock(mutex_);
    return kept_bytes_;
}

/// Takes the oldest out of what is kept while that is more than it may be. With the lock held; the system is given them
/// without it.
block_cache::blocks block_cache::take_too_many() noexcept {
    blocks out;
    while (kept_bytes_ > std::min(limit_, most_in_use_bytes_ - in_use_bytes_)) {
        auto const oldest = std::min_element(
            kept_.begin(), kept_.end(), [](auto const& x, auto const& y) { return x.second.freed < y.second.freed; });
        kept_bytes_ -= oldest->second.bytes;
        out.insert(kept_.extract(oldest));
    }
    return out;
}

void block_cache::give_back(blocks const& these) noexcept {
    for (auto const& [p, b] : these) std::free(p);
}

}  // namespace copse::detail
