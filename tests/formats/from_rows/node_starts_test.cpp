// The skeleton of a tree by one scan over its pieces, against nodes found level by level.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <copse/formats/from_rows/node_starts.hpp>
#include <cstdint>
#include <formats/steps/steps_on.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

/// Steps whose groups have several lanes: threads that wait for each other.
struct steps_by_lanes : host_steps {
    struct group {
        int own_rank;
        int lanes;
        std::barrier<>* together;
        std::byte* own_memory;

        int rank() const { return own_rank; }
        int size() const { return lanes; }
        void sync() const { together->arrive_and_wait(); }
        template <class T>
        T* memory() const {
            return reinterpret_cast<T*>(own_memory);
        }
    };
    int lanes;

    explicit steps_by_lanes(int count) : lanes(count) {}

    template <class F>
    void for_each_by_group(std::int64_t count, std::size_t memory_bytes, F const& f) const {
        std::vector<std::byte> memory(memory_bytes);
        std::barrier<> together(lanes);
        std::vector<std::thread> threads;
        for (int lane = 0; lane < lanes; ++lane)
            threads.emplace_back([&, lane] {
                for (std::int64_t i = count - 1; i >= 0; --i) {
                    f(i, group{lane, lanes, &together, memory.data()});
                    together.arrive_and_wait();
                }
            });
        for (std::thread& t : threads) t.join();
    }
};

/// What the scan finds.
struct found_nodes {
    std::vector<std::uint32_t> begin;  // of each level, and the end
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint32_t> first, parents, leaf_of;
};

template <class Steps>
found_nodes by_scan(Steps const& steps, detail::tree_key key, std::vector<std::uint64_t> const& keys) {
    int const levels = key.root_level();
    detail::node_starts const starts{key, keys.data(), std::ssize(keys)};
    std::vector<std::int64_t> before(static_cast<std::size_t>(starts.index(levels, 0)) + 1, -1);
    steps.for_each_by_group(starts.stretches(), starts.group_bytes, detail::count_starts{starts, before.data()});
    steps.sum_before(before.data(), std::ssize(before));
    std::vector<std::int64_t> begins(static_cast<std::size_t>(levels) + 1, -1);
    steps.for_each(levels + 1, detail::tell_levels{starts, before.data(), begins.data()});
    auto const nodes = static_cast<std::size_t>(begins.back()) + 1;
    found_nodes found{{begins.begin(), begins.end()},
                      std::vector<std::uint64_t>(nodes, 77),
                      std::vector<std::uint32_t>(nodes + 1, 77),
                      std::vector<std::uint32_t>(nodes, 77),
                      std::vector<std::uint32_t>(keys.size(), 77)};
    found.begin.push_back(static_cast<std::uint32_t>(nodes));
    detail::tree_skeleton tree{};
    tree.key = key;
    std::copy(found.begin.begin(), found.begin.end(), tree.begin);
    tree.numbers = found.numbers.data();
    tree.first = found.first.data();
    tree.parents = found.parents.data();
    tree.leaf_of = found.leaf_of.data();
    steps.for_each_by_group(starts.stretches(), starts.group_bytes, detail::form_nodes{starts, before.data(), tree});
    return found;
}

/// A level's nodes are the numbers of the level below without their last bits, each once.
found_nodes level_by_level(detail::tree_key key, std::vector<std::uint64_t> const& keys) {
    found_nodes found;
    std::vector<std::uint64_t> below = keys;
    std::uint32_t below_begin = 0;
    for (int level = 0; level <= key.root_level(); ++level) {
        auto const begin = static_cast<std::uint32_t>(found.numbers.size());
        found.begin.push_back(begin);
        std::vector<std::uint32_t> nodes_of_below;
        for (std::size_t i = 0; i < below.size(); ++i) {
            std::uint64_t const number = below[i] >> key.level_bits();
            if (i == 0 || number != found.numbers.back()) {
                found.numbers.push_back(number);
                found.first.push_back(below_begin + static_cast<std::uint32_t>(i));
            }
            nodes_of_below.push_back(static_cast<std::uint32_t>(found.numbers.size()) - 1);
        }
        auto& of_below = level == 0 ? found.leaf_of : found.parents;
        of_below.insert(of_below.end(), nodes_of_below.begin(), nodes_of_below.end());
        below.assign(found.numbers.begin() + begin, found.numbers.end());
        below_begin = begin;
    }
    found.begin.push_back(static_cast<std::uint32_t>(found.numbers.size()));
    found.first.push_back(below_begin);
    found.parents.push_back(77);  // the root has none
    if (key.root_level() == 0) found.first.back() = 0;
    return found;
}

/// `count` pieces: some are in a leaf with their neighbours, some in the same node of a level above, few are far away.
std::vector<std::uint64_t> pieces(detail::tree_key key, std::size_t count, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    int const bits = key.node_bits(0);
    std::uint64_t const mask = (std::uint64_t{1} << bits) - 1;
    std::vector<std::uint64_t> leaves{0, mask};
    while (leaves.size() < count) {
        std::uint64_t const near = engine() & ((std::uint64_t{1} << (bits == 0 ? 0 : engine() % (bits + 1u))) - 1);
        leaves.push_back((leaves[engine() % leaves.size()] ^ near) & mask);
    }
    leaves.resize(count);
    std::sort(leaves.begin(), leaves.end());
    std::vector<std::uint64_t> keys;
    detail::piece_key const piece{key.dimension_log2()};
    for (std::uint64_t const leaf : leaves) keys.push_back(piece.of(leaf, static_cast<std::int64_t>(engine() % 64), 3));
    return keys;
}

void check(detail::tree_key key, std::vector<std::uint64_t> const& keys) {
    auto const compare = [&](found_nodes const& found) {
        found_nodes const expected = level_by_level(key, keys);
        EXPECT_EQ(found.begin, expected.begin);
        EXPECT_EQ(found.numbers, expected.numbers);
        EXPECT_EQ(found.first, expected.first);
        EXPECT_EQ(found.parents, expected.parents);
        EXPECT_EQ(found.leaf_of, expected.leaf_of);
    };
    SCOPED_TRACE(std::to_string(keys.size()) + " pieces, d " + std::to_string(1 << key.dimension_log2()) +
                 ", root at level " + std::to_string(key.root_level()));
    compare(by_scan(host_steps(), key, keys));
    compare(by_scan(steps_by_lanes(4), key, keys));
}

TEST(node_starts, are_those_of_a_search_level_by_level) {
    for (int log2 : {6, 7, 8})
        for (std::int64_t const rows :
             {std::int64_t{1} << 31, std::int64_t{300000}, std::int64_t{5000}, std::int64_t{40}})
            for (std::int64_t const columns : {rows, std::int64_t{1}, std::int64_t{1} << 20})
                for (std::size_t const count : {1, 2, 2048, 2049, 5000}) {
                    detail::tree_key const key(rows, columns, log2);
                    check(key, pieces(key, count, count));
                    if (HasFailure()) return;
                }
}

/// A stretch counts as many nodes as it has pieces, at five levels.
TEST(node_starts, may_begin_with_every_piece_at_every_level) {
    std::int64_t const n = std::int64_t{1} << 31;
    detail::tree_key const key(n, n, 6);
    ASSERT_EQ(key.root_level(), detail::level_counts::most_levels);
    int const below_top = key.level_bits() * (key.root_level() - 1);
    ASSERT_EQ(key.node_bits(key.root_level() - 1), 2);
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < 4; ++i) keys.push_back(detail::piece_key{6}.of(i << below_top, 1, 1));
    check(key, keys);
    keys.clear();
    for (std::uint64_t i = 0; i < 4096; ++i)  // at all levels but the highest
        keys.push_back(detail::piece_key{6}.of(i << (below_top - key.level_bits()), 1, 1));
    check(key, keys);
}

TEST(node_starts, have_groups_of_many_lanes) {
    detail::tree_key const key(300000, 300000, 6);
    std::vector<std::uint64_t> const keys = pieces(key, 3000, 5);
    EXPECT_EQ(by_scan(steps_by_lanes(64), key, keys).first, level_by_level(key, keys).first);
}

}  // namespace
}  // namespace copse::tests
