// All leaves of a matrix, stored one way, and the orders in which they may lie.
#pragma once

#include <bench/leaves/runs.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse::bench::leaves {

/// All leaves of a matrix, stored one way, in some order.
template <class Format>
struct stored_leaves {
    struct place {
        std::int64_t row, column;
        std::size_t offset;
        int count;
    };
    std::vector<place> places;    // in the order of storage
    std::vector<std::size_t> of;  // by number in the list: which of them
    std::vector<std::byte> memory;
    std::int64_t bytes = 0;

    stored_leaves(leaf_list const& all, std::vector<std::size_t> const& order) : of(order.size()) {
        std::size_t end = 0;
        for (std::size_t number : order) {
            leaf const& l = all.leaves[number];
            of[number] = places.size();
            places.push_back({l.row_block * dimension, l.column_block * dimension, end, l.count});
            bytes += Format::bytes(all.of(l));
            end += static_cast<std::size_t>(room(all.of(l)));
        }
        memory.resize(end);
        for (std::size_t i = 0; i < order.size(); ++i)
            Format::write(all.of(all.leaves[order[i]]), memory.data() + places[i].offset);
    }
    std::byte const* at(std::size_t i) const { return memory.data() + places[i].offset; }

  private:
    static std::int64_t room(std::span<entry const> leaf) {
        if constexpr (requires { Format::room(leaf); }) return Format::room(leaf);
        return Format::bytes(leaf);
    }
};

inline std::uint64_t z_curve(leaf const& l) {
    std::uint64_t key = 0;
    for (int bit = 0; bit < 32; ++bit)
        key |= (static_cast<std::uint64_t>(l.column_block) >> bit & 1) << (2 * bit) |
               (static_cast<std::uint64_t>(l.row_block) >> bit & 1) << (2 * bit + 1);
    return key;
}

template <class Key>
std::vector<std::size_t> ordered(leaf_list const& all, Key key) {
    std::vector<std::size_t> order(all.leaves.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(all.leaves[a]) < key(all.leaves[b]); });
    return order;
}
inline auto parent_of(leaf const& l) {
    return std::pair{l.row_block >> dimension_log2, l.column_block >> dimension_log2};
}

}  // namespace copse::bench::leaves
