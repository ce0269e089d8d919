// What leaves of all kinds have in common: how their memory is rounded up, what is known of one before it is written,
// and where its values are once it is there.
#pragma once

#include <copse/formats/leaves/entry_values.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Entries of a list, or children of an inner node, with room for loads of four at once; lists of one and two have
/// none.
COPSE_HOST_DEVICE constexpr std::int64_t padded_entries(std::int64_t n) {
    return n < 3 ? n : (n + 3) / 4 * 4;
}
COPSE_HOST_DEVICE constexpr std::int64_t align_node(std::int64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

/// `p`, which points into nodes. An address that was loaded or chosen may be one of shared memory, as far as nvcc
/// knows: loads through it go the slower way, and wait for what is stored on chip.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* in_global_memory(T const* p) {
#if defined(__CUDA_ARCH__)
    __builtin_assume(__isGlobal(p));
#endif
    return p;
}

/// Where the bytes of a leaf are that a view is made of: where the tree has them, or a copy on chip.
enum class leaf_place { tree, on_chip };

template <leaf_place Place, class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* in_leaf(T const* p) {
    if constexpr (Place == leaf_place::tree)
        return in_global_memory(p);
    else
        return p;
}

/// What a leaf is to look like, as far as memory goes.
struct leaf_shape {
    node_kind kind = node_kind::sparse;
    std::int32_t entries = 0;
    std::int32_t streaks = 0;     // of a leaf with streaks
    std::int32_t in_streaks = 0;  // entries in them
    // Whether equal values are stored once: of the entries that are in no streak, and of each streak.
    stored_values others_values = stored_values::each;
    stored_values streak_values = stored_values::each;

    COPSE_HOST_DEVICE constexpr bool values_once() const {
        return others_values == stored_values::once || streak_values == stored_values::once;
    }
};

/// Of a leaf without streaks.
COPSE_HOST_DEVICE inline stored_values stored_as(child_reference leaf) {
    return leaf.values_once() ? stored_values::once : stored_values::each;
}
/// Values that a list of n entries, with `padded` places, has in memory.
COPSE_HOST_DEVICE constexpr std::int64_t values_in_list(std::int64_t padded, stored_values stored,
                                                        std::int64_t value_bytes) {
    return stored == stored_values::each ? padded : 16 / value_bytes;
}

/// What a leaf takes in memory, and where its values are, those included that are no entry's: padding_first and those
/// behind it up to padding_last, and those without a bit in `presence`, if that is not null.
struct stored_leaf {
    std::int64_t bytes;
    std::int64_t values_offset;
    std::int64_t values;
    std::int64_t padding_first, padding_last;
    std::uint32_t const* presence;
};

/// Where the entries of a leaf of d x d go that has a list, or streaks and a list.
template <class T>
struct leaf_arrays {
    T* values;  // of the list
    std::uint8_t* rows;
    std::uint8_t* columns;
    T* streak_values;
};

/// Bytes first .. last - 1 of a leaf. The lanes share them.
template <class Worker>
COPSE_HOST_DEVICE void clear_bytes(Worker& w, std::byte* memory, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first + w.rank(); i < last; i += w.size()) memory[i] = std::byte{0};
}

}  // namespace copse::detail
