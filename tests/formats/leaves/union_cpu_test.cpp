// The unions of formats/leaves/leaf_union_cpu.hpp on every instruction set that the machine has: each leaf must have
// the bytes that large_union, the plain way, gives it.
#include <gtest/gtest.h>

#include <algebra/instruction_sets.hpp>
#include <algorithm>
#include <copse/formats/leaves/leaf_assembly.hpp>
#include <formats/leaves/union_sources.hpp>
#include <memory>
#include <string>

namespace copse::detail {
namespace {

/// Entries of a wide leaf that holds nothing else, with poison around them.
template <class T, class Union>
void expect_part(Union& leaf, std::span<leaf_pattern const> patterns, std::span<leaf_values<T> const> values,
                 std::vector<stored_source<T> const*> const& sources, leaf_order order) {
    serial_worker w;
    std::size_t const d = std::size_t{1} << order.dimension_log2;
    std::vector<std::uint64_t> memory(large_union::bytes(d) / 8);
    large_union plain(reinterpret_cast<std::byte*>(memory.data()), order);
    plain.clear(w);
    for (auto const* source : sources)
        for (int p : source->positions) plain.insert(w, p);
    int const entries = plain.shape(w, sizeof(T)).entries;
    ASSERT_EQ(leaf.count(patterns), entries);
    int const first = 3, total = entries + 7, row = 2 << order.dimension_log2, column = 1 << order.dimension_log2;
    std::vector<std::byte> node(wide_leaf::bytes(total, sizeof(T)));
    wide_leaf_writer<T>::prepare(node.data(), total);
    std::vector<std::byte> expected = node;
    leaf.template write_part<T>(patterns, values, {node.data(), first, row, column});
    wide_leaf_writer<T> const writer(expected.data());
    for (int i = 0; i < entries && sources.size() > 1; ++i) writer.set_value(first + i, T(-0.0));
    for (auto const* source : sources)
        for (std::size_t i = 0; i < source->positions.size(); ++i) {
            int const p = source->positions[i];
            writer.add(first + plain.index_of(p), row + order.row(p), column + order.column(p),
                       source->factor * source->values[i]);
        }
    EXPECT_TRUE(node == expected);
}

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
        expect_part<T>(leaf, patterns, values, sources, order);
    };
    auto const large = std::make_unique<large_union_memory>();
    check(large_union_cpu(*large, order));
}

/// write_wide_part() as a union has it.
template <class T>
struct assembled_part {
    leaf_workspace& workspace;
    leaf_order order;
    leaf_entries<T> entries;

    int count(std::span<leaf_pattern const>) const { return static_cast<int>(entries.positions.size()); }
    template <class>
    void write_part(std::span<leaf_pattern const>, std::span<leaf_values<T> const>, wide_part_place const& to) const {
        write_wide_part(workspace, order, entries, to);
    }
};

/// A leaf as conversions and edits make it, and as a part of a wide one.
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
    assembled_part<T> leaf{*workspace, order, entries};
    expect_part<T>(leaf, {}, {}, {&source}, order);
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
