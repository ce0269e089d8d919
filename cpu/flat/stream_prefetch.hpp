// Fetching the two streams of a flat format, columns and values, into the second cache before their turn, in step with
// the arithmetic: the hardware's own prefetching starts anew in every page.
#pragma once

#include <cstdint>

namespace copse::detail {

/// The lines of an array, each once.
class line_prefetcher {
  public:
    explicit line_prefetcher(void const* first) : next_(reinterpret_cast<std::uintptr_t>(first)) {}
    /// Up to `end`, which may lie behind the array.
    void up_to(std::uintptr_t end) {
        for (; next_ < end; next_ += 64) __builtin_prefetch(reinterpret_cast<void const*>(next_), 0, 2);
    }

  private:
    std::uintptr_t next_;
};

/// Entries from columns and values on.
template <class T>
class entry_prefetcher {
  public:
    /// columns: of 4 bytes.
    entry_prefetcher(void const* columns, T const* values) : columns_(columns), values_(values) {}
    /// Before these are used.
    void before(void const* columns, T const* values) {
        values_.up_to(reinterpret_cast<std::uintptr_t>(values) + entries_ahead * sizeof(T));
        columns_.up_to(reinterpret_cast<std::uintptr_t>(columns) + entries_ahead * sizeof(std::int32_t));
    }

  private:
    /// 12 KiB of both.
    static constexpr std::uintptr_t entries_ahead = 12288 / (sizeof(T) + sizeof(std::int32_t));
    line_prefetcher columns_, values_;
};

/// In its place where entries are in the cache.
struct prefetches_nothing {
    void before(void const*, void const*) const {}
};

}  // namespace copse::detail
