// The unions of formats/leaves/leaf_union_cpu.hpp on every instruction set that the machine has: each leaf must have
// the bytes that large_union, the plain way, gives it.
#include <gtest/gtest.h>

#include <algebra/instruction_sets.hpp>
#include <algorithm>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <formats/leaves/union_sources.hpp>
#include <memory>
#include <string>

namespace copse::detail {
namespace {

template <class T>
void expect_union(std::vector<stored_source<T> const*> const& sources, leaf_order order) {
    std::vector<leaf_pattern> patterns;
    std::vector<leaf_values<T>> values;
    for (auto const* s : sources) {
        patterns.push_back(s->pattern);
        values.push_back(s->pattern_values);
    }
    leaf_shape shape;
    std::vector<std::byte> const expected = plain_leaf(sources, order, shape);
    auto const check = [&](auto leaf) {
        leaf_shape const found = leaf.shape(patterns, sizeof(T));
        ASSERT_EQ(found.kind, shape.kind);
        ASSERT_EQ(found.entries, shape.entries);
        ASSERT_EQ(found.streaks, shape.streaks);
        ASSERT_EQ(found.in_streaks, shape.in_streaks);
        std::vector<std::byte> node(expected.size(), std::byte{0xcd});
        leaf.template write<T>(patterns, values, node.data());
        EXPECT_TRUE(node == expected);
    };
    auto const large = std::make_unique<large_union_memory>();
    check(large_union_cpu(*large, order));
}

/// A leaf as conversions and edits make it.
template <class T>
void expect_assembled(stored_source<T> source, leaf_order order) {
    source.factor = T(1);
    std::reverse(source.positions.begin(), source.positions.end());
    std::reverse(source.values.begin(), source.values.end());
    auto const workspace = std::make_unique<leaf_workspace>();
    leaf_entries<T> const entries{source.positions, source.values};
    leaf_shape shape;
    std::vector<std::byte> const expected = plain_leaf<T>({&source}, order, shape);
    EXPECT_EQ(find_leaf_shape(*workspace, order, source.positions, sizeof(T)).kind, shape.kind);
    std::vector<std::byte> node(expected.size(), std::byte{0xcd});
    EXPECT_TRUE(assemble_leaf(*workspace, order, entries, [&](leaf_shape const&) { return node.data(); }));
    EXPECT_TRUE(node == expected);
    EXPECT_FALSE(assemble_leaf(*workspace, order, entries, [](leaf_shape const&) -> std::byte* { return nullptr; }));
}

template <class T>
void expect_unions(int count, int log2) {
    leaf_order const order{log2};
    std::mt19937 random(static_cast<unsigned>(count * 10 + log2));
    for (int way = 0; way < 3; ++way)
        for (int form = 0; form < 4; ++form) {
            stored_source<T> a = random_source<T>(random, order, count, way);
            stored_source<T> b = random_source<T>(random, order, count / 2, (way + form) % 3);
            for (std::size_t i = 0; i < a.positions.size(); i += 3) b.positions.push_back(a.positions[i]);
            std::sort(b.positions.begin(), b.positions.end());
            b.positions.erase(std::unique(b.positions.begin(), b.positions.end()), b.positions.end());
            b.values.resize(b.positions.size(), T(0.5));
            store(a, order, form);
            store(b, order, (form + way) % 4);
            SCOPED_TRACE("d " + std::to_string(1 << log2) + ", " + std::to_string(count) + " entries, way " +
                         std::to_string(way) + ", form " + std::to_string(form));
            expect_union<T>({&a}, order);
            expect_assembled(a, order);
            expect_union<T>({&a, &b}, order);
        }
}

// In either type by turns, which the next instruction set has the other way round.
TEST(union_cpu, has_the_bytes_of_large_union_on_every_instruction_set) {
    int set = 0;
    tests::on_every_instruction_set([&] {
        int turn = set++;
        for (int log2 : {6, 7, 8}) {
            for (int count : {1, 7, 20, 64, 150, 2000})
                turn++ % 2 == 0 ? expect_unions<double>(count, log2) : expect_unions<float>(count, log2);
            ++turn;
        }
    });
}

}  // namespace
}  // namespace copse::detail
