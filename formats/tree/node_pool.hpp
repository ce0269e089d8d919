// Memory for nodes, of which tasks take pieces while they make a tree. For sums the host reserves what always suffices;
// for trees that tasks of users make (tree_writer.hpp) the bound is the user's.
#pragma once

#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Memory that has as much as the tasks of a run can ever need.
struct node_pool {
    std::byte* memory;
    std::uint64_t* used;  // bytes

    /// Offset of `wanted` bytes, rounded up to a multiple of 16; the same in all lanes. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE std::uint64_t reserve(Worker& w, std::int64_t wanted) const {
        std::uint64_t offset = 0;
        if (w.rank() == 0) offset = w.fetch_add(used, static_cast<std::uint64_t>(align_node(wanted)));
        return w.shuffle(offset, 0);
    }
};

/// The same with an end. Where it has no room left, `used` counts on: the host learns what was asked for.
struct bounded_pool : node_pool {
    static constexpr std::uint64_t no_room = ~std::uint64_t{0};

    std::uint64_t bytes;

    /// The offset, or no_room. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE std::uint64_t reserve(Worker& w, std::int64_t wanted) const {
        std::uint64_t const offset = node_pool::reserve(w, wanted);
        return offset + static_cast<std::uint64_t>(align_node(wanted)) <= bytes ? offset : no_room;
    }
};

/// What a thread of a CPU has of a pool at a time: leaves that one thread makes one after the other lie one after the
/// other. Where two threads' leaves alternate, products by two threads take half as long again.
struct pool_chunk {
    static constexpr std::int64_t size = std::int64_t{1} << 17;
    static constexpr std::int64_t largest_piece = size / 4;  // what is larger is taken from the pool alone

    std::uint64_t next = 0;
    std::uint64_t end = 0;
    std::uint64_t lost = 0;  // bytes at the ends of chunks before

    /// As bounded_pool::reserve().
    template <class Worker>
    std::uint64_t reserve(Worker& w, bounded_pool const& pool, std::int64_t wanted) {
        auto const bytes = static_cast<std::uint64_t>(align_node(wanted));
        if (end - next < bytes) {
            if (bytes > largest_piece) return pool.reserve(w, wanted);
            std::uint64_t const more = pool.reserve(w, size);
            if (more == bounded_pool::no_room) return more;
            if (more != end) {
                lost += end - next;
                next = more;
            }
            end = more + size;
        }
        next += bytes;
        return next - bytes;
    }
};

}  // namespace copse::detail
