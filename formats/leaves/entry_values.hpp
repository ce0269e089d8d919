// Values of entries that stand side by side in a leaf: one for each entry, or one for all of them.
//
//   each    | v0 | v1 | v2 | ...                    entry i has values[i]
//   once    | v | v |   16 bytes of the same value  every entry has v. A load of 16 bytes gets the values of as many
//                                                   entries either way, from at(i) on: loops need no branch.
//
// Values of streaks are not repeated: a load of 16 bytes would read those of other streaks (diagonal_leaf.hpp).
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>
#include <type_traits>

namespace copse {

/// Which values a leaf stores.
enum class stored_values : std::uint8_t { each, once };

/// An unsigned integer as large as a value, for its bits.
template <class T>
using value_word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
class entry_values {
  public:
    entry_values() = default;
    COPSE_HOST_DEVICE COPSE_INLINE entry_values(T const* first, stored_values stored = stored_values::each)
        : first_(first), mask_(stored == stored_values::once ? 0 : -1) {}

    /// Where the value of entry i is.
    COPSE_HOST_DEVICE COPSE_INLINE T const* at(int i) const { return first_ + (i & mask_); }
    COPSE_HOST_DEVICE COPSE_INLINE T const& operator[](int i) const { return *at(i); }
    /// Those of the entries from i on.
    COPSE_HOST_DEVICE COPSE_INLINE entry_values from(int i) const {
        entry_values rest = *this;
        rest.first_ = at(i);
        return rest;
    }
    COPSE_HOST_DEVICE COPSE_INLINE bool once() const { return mask_ == 0; }
    COPSE_HOST_DEVICE COPSE_INLINE T const* data() const { return first_; }

  private:
    T const* first_ = nullptr;
    std::int32_t mask_ = -1;
};

}  // namespace copse
