// Unions of leaves by intervals: the bytes that large_union, the plain way, gives them.
#include <gtest/gtest.h>

#include <copse/formats/leaves/interval_union.hpp>
#include <copse/formats/leaves/values_once.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <formats/leaves/union_sources.hpp>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace copse::detail {
namespace {

/// Entries (row + i, column + i), i < count.
struct piece {
    int row, column, count;
};
using pieces = std::vector<piece>;

/// A leaf as one operand of a union stores it, and its entries as the union sees them.
template <class T>
struct operand {
    stored_source<T> seen;
    std::vector<std::byte> memory;
    child_reference reference;

    diagonal_leaf_view<T> view(leaf_order order) const {
        node_reader const tree(0, memory.data(), nullptr, order.dimension_log2);
        node const leaf{reference, 0, 0};
        if (reference.kind() == node_kind::diagonal) return tree.diagonal_leaf<T>(leaf);
        return {tree.sparse_leaf<T>(leaf), {}, {}};
    }
};

struct storing {
    bool transposed = false;
    bool once = false;  // all values are equal, and stored once
};

/// Values of the k-th entry, first NaN, then -0, where `special`.
template <class T>
operand<T> operand_of(leaf_order order, pieces const& what, storing how, T factor, bool special) {
    std::map<int, T> seen, stored;
    int k = 0;
    for (piece const& p : what)
        for (int i = 0; i < p.count; ++i, ++k) {
            int const row = p.row + i, column = p.column + i;
            T value = how.once ? T(1.25) : static_cast<T>(3 + k % 50) / T(7);
            if (special && !how.once && k % 13 == 0) value = std::numeric_limits<T>::quiet_NaN();
            if (!how.once && k % 5 == 1) value = T(-0.0);
            seen[order.position(row, column)] = value;
            stored[how.transposed ? order.position(column, row) : order.position(row, column)] = value;
        }
    auto const fill = [](std::map<int, T> const& from, stored_source<T>& to) {
        for (auto const& [position, value] : from) {
            to.positions.push_back(static_cast<std::uint16_t>(position));
            to.values.push_back(value);
        }
    };
    operand<T> made;
    fill(seen, made.seen);
    made.seen.factor = factor;
    stored_source<T> as_stored;
    fill(stored, as_stored);
    leaf_shape shape;
    made.memory = plain_leaf<T>({&as_stored}, order, shape);
    made.reference = leaf_reference(0, 0, shape);
    if (how.once) {
        leaf_with_values_once<value_word<T>> const folded(made.reference, made.memory.data(), order.dimension_log2);
        if (folded.shape().values_once()) {
            std::vector<std::byte> memory(static_cast<std::size_t>(folded.bytes()));
            folded.write(memory.data());
            made.memory = memory;
            made.reference = leaf_reference(0, 0, folded.shape());
        }
    }
    made.reference = made.reference.transposed_if(how.transposed);
    return made;
}

/// What a union says of two leaves, and the leaf, if it has the expected shape.
struct findings {
    bool fits = false;
    leaf_shape shape;
};
template <class T, int Width>
struct unite_leaves {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = sizeof(interval_union::storage);
    leaf_order order;
    diagonal_leaf_view<T> a, b;
    T factor_a, factor_b;
    leaf_shape expected;
    std::byte* node;
    findings* found;

    template <class Worker>
    void operator()(item, Worker& w) const {
        bool const fits = interval_union::fits(w, a, b);
        if (w.rank() == 0) found->fits = fits;
        if (!fits) return;
        auto& memory = *reinterpret_cast<interval_union::storage*>(w.template scratch<std::byte>(scratch_bytes).data());
        interval_union leaf(memory, order);
        leaf_shape const shape = leaf.shape(w, a, b);
        if (w.rank() == 0) found->shape = shape;
        if (shape.kind != node_kind::diagonal || shape.entries != expected.entries ||
            shape.streaks != expected.streaks || shape.in_streaks != expected.in_streaks)
            return;
        leaf_writer<T> const writer(node, shape, order);
        writer.prepare(w);
        leaf.write_streaks(w, writer);
        leaf.write_values(w, writer, a, factor_a, b, factor_b);
    }
};

template <class T, int Width>
void expect_union(leaf_order order, operand<T> const& a, operand<T> const& b) {
    leaf_shape shape;
    std::vector<std::byte> const expected = plain_leaf<T>({&a.seen, &b.seen}, order, shape);
    std::vector<std::byte> node(expected.size(), std::byte{0xcd});
    findings found;
    using task = unite_leaves<T, Width>;
    emulated lanes({.seed = static_cast<std::uint64_t>(Width)});
    run(lanes, seed<task>(0),
        task{order, a.view(order), b.view(order), a.seen.factor, b.seen.factor, shape, node.data(), &found});
    ASSERT_EQ(found.fits, interval_count(a.view(order)) + interval_count(b.view(order)) <= Width);
    if (!found.fits) return;
    EXPECT_EQ(found.shape.kind, shape.kind);
    EXPECT_EQ(found.shape.entries, shape.entries);
    if (shape.kind != node_kind::diagonal) return;
    EXPECT_EQ(found.shape.streaks, shape.streaks);
    EXPECT_EQ(found.shape.in_streaks, shape.in_streaks);
    EXPECT_TRUE(node == expected);
}

/// Either stored either way, values stored once or not.
template <class T>
void expect_unions(std::string const& name, leaf_order order, pieces const& a, pieces const& b) {
    for (int way = 0; way < 8; ++way) {
        storing const of_a{(way & 1) != 0, (way & 4) != 0}, of_b{(way & 2) != 0, way == 6};
        SCOPED_TRACE(name + ", d " + std::to_string(1 << order.dimension_log2) + ", way " + std::to_string(way) +
                     (sizeof(T) == 4 ? ", float" : ", double"));
        auto const first = operand_of<T>(order, a, of_a, T(2), true);
        auto const second = operand_of<T>(order, b, of_b, T(-0.75), false);
        expect_union<T, 64>(order, first, second);
        expect_union<T, 32>(order, second, first);
    }
}

struct union_case {
    char const* name;
    pieces a, b;
};
/// c: the last column.
std::vector<union_case> cases_of(int d) {
    int const c = d - 1;
    return {{"apart", {{0, 0, 20}}, {{30, 30, 20}}},
            {"one ends where the other begins", {{3, 5, 20}}, {{23, 25, 20}}},
            {"an entry between", {{3, 5, 20}}, {{24, 26, 20}}},
            {"overlap", {{3, 5, 20}}, {{13, 15, 20}}},
            {"within", {{3, 5, 40}}, {{13, 15, 7}}},
            {"several within, and one beyond", {{3, 5, 40}}, {{2, 4, 7}, {13, 15, 6}, {21, 23, 6}, {40, 42, 9}}},
            {"the same", {{0, 0, d}}, {{0, 0, d}}},
            {"the same begin", {{3, 5, 9}}, {{3, 5, 30}}},
            {"the same end", {{3, 5, 30}}, {{13, 15, 20}}},
            {"up to the last row, and the next diagonal's first", {{c - 9, c - 9, 10}}, {{0, 1, 10}}},
            {"up to the last column, and the column before it", {{0, 20, d - 20}}, {{d - 20, 0, 20}}},
            {"across a border, with entries there", {{0, 20, d - 20}, {d - 19, 1, 3}}, {{d - 20, 0, 1}, {c, 19, 1}}},
            {"corners", {{0, 0, 8}, {0, c, 1}}, {{c, 0, 1}, {c, c, 1}, {20, 20, 8}}},
            {"an entry joins two streaks", {{3, 5, 8}, {12, 14, 8}}, {{11, 13, 1}}},
            {"entries become a streak", {{3, 5, 3}, {20, 9, 10}}, {{6, 8, 3}}},
            {"five do not", {{3, 5, 3}, {20, 9, 10}}, {{6, 8, 2}}},
            {"entries by turns", {{0, 9, 1}, {2, 11, 1}, {4, 13, 1}, {20, 0, 9}}, {{1, 10, 1}, {3, 12, 1}, {5, 14, 1}}},
            {"a list that has what a streak has", {{3, 5, 20}}, {{4, 6, 1}, {9, 11, 1}, {22, 24, 1}}},
            {"entries before and behind", {{10, 10, 20}}, {{9, 9, 1}, {30, 30, 1}, {32, 32, 1}, {7, 7, 1}}},
            {"no streaks", {{3, 5, 2}, {9, 20, 2}}, {{3, 5, 1}, {30, 9, 4}}},
            {"a list in the end", {{0, 0, 6}, {9, 1, 1}, {11, 1, 1}}, {{20, 2, 1}, {40, 8, 2}, {13, 30, 2}}},
            {"full diagonals",
             {{0, 0, d}, {0, 1, c}, {1, 0, c}, {0, c, 1}, {c, 0, 1}},
             {{0, 2, d - 2}, {1, 0, c}, {0, 0, d}}}};
}

TEST(interval_union, has_the_bytes_of_large_union) {
    for (int log2 : {6, 7, 8})
        for (union_case const& c : cases_of(1 << log2)) {
            log2 == 7 ? expect_unions<float>(c.name, {log2}, c.a, c.b)
                      : expect_unions<double>(c.name, {log2}, c.a, c.b);
        }
}

/// As many intervals as there are lanes, more, and fewer; pieces may meet in one operand.
TEST(interval_union, of_random_leaves) {
    std::mt19937 random(5);
    auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int log2 : {6, 7, 8})
        for (int count : {1, 4, 11, 16, 28, 36}) {
            int const d = 1 << log2;
            auto const some = [&] {
                pieces all;
                for (int k = 0; k < count; ++k) {
                    int const row = below(d), column = (row + below(12)) % d, most = d - (row > column ? row : column);
                    all.push_back({row, column, 1 + below(below(2) == 0 ? 2 : most)});
                    if (all.back().count > most) all.back().count = most;
                }
                return all;
            };
            pieces const a = some(), b = some();
            log2 == 8 ? expect_unions<float>(std::to_string(count), {log2}, a, b)
                      : expect_unions<double>(std::to_string(count), {log2}, a, b);
        }
}

}  // namespace
}  // namespace copse::detail
