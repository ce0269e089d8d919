// The unions of formats/leaves/leaf_union_cpu.hpp on every instruction set that the machine has: each leaf must have
// the bytes that large_union, the plain way, gives it.
#include <gtest/gtest.h>
#include <algebra/instruction_sets.hpp>
#include <algorithm>
#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <memory>
#include <random>
#include <vector>

namespace copse::detail {
namespace {

using coordinates = leaf_pattern::coordinates;

/// Entries of one source, and how it stores them.
template <class T>
struct stored_source {
    std::vector<std::uint16_t> positions;  // ascending
    std::vector<T> values;
    T factor = T(1);
    // Whatever `pattern` points to.
    std::vector<std::uint8_t> byte_rows, byte_columns;
    std::vector<std::uint16_t> word_rows, word_columns;
    std::vector<std::byte> leaf;
    leaf_pattern pattern;
    leaf_values<T> pattern_values{};
};

/// The leaf of these sources by large_union.
template <class T>
std::vector<std::byte> plain_leaf(std::vector<stored_source<T> const*> const& sources, leaf_order order,
                                  leaf_shape& shape) {
    serial_worker w;
    std::size_t const d = std::size_t{1} << order.dimension_log2;
    std::vector<std::uint64_t> memory(large_union::bytes(d) / 8);
    large_union leaf(reinterpret_cast<std::byte*>(memory.data()), order);
    leaf.clear(w);
    for (auto const* source : sources)
        for (int p : source->positions) leaf.insert(w, p);
    shape = leaf.shape(w, sizeof(T));
    std::vector<std::byte> node(leaf_bytes(shape, static_cast<std::int64_t>(d), sizeof(T)), std::byte{0xab});
    leaf_writer<T> const writer(node.data(), shape, order);
    writer.prepare(w);
    leaf.write_streaks(w, writer);
    if (sources.size() > 1) writer.fill(w, T(-0.0));
    for (auto const* source : sources)
        for (std::size_t i = 0; i < source->positions.size(); ++i) {
            T& value = leaf.place(w, writer, source->positions[i]);
            value =
                sources.size() > 1 ? value + source->factor * source->values[i] : source->factor * source->values[i];
        }
    return node;
}

/// The source in a form: bytes, words with digits of a higher level, positions, or as a diagonal leaf.
template <class T>
void store(stored_source<T>& s, leaf_order order, int form) {
    s.pattern = {};
    s.pattern_values = {s.values.data(), {}, s.factor};
    s.pattern.count = s.pattern.entries = static_cast<std::int32_t>(s.positions.size());
    for (int p : s.positions) {
        s.byte_rows.push_back(static_cast<std::uint8_t>(order.row(p)));
        s.byte_columns.push_back(static_cast<std::uint8_t>(order.column(p)));
        s.word_rows.push_back(static_cast<std::uint16_t>(order.row(p) | 3 << order.dimension_log2));
        s.word_columns.push_back(static_cast<std::uint16_t>(order.column(p) | 5 << order.dimension_log2));
    }
    if (form == 0) {
        s.pattern.rows = s.byte_rows.data();
        s.pattern.columns = s.byte_columns.data();
    } else if (form == 1) {
        s.pattern.rows = s.word_rows.data();
        s.pattern.columns = s.word_columns.data();
        s.pattern.stored = coordinates::words;
    } else if (form == 2) {
        s.pattern.rows = s.positions.data();
        s.pattern.stored = coordinates::positions;
    } else {
        leaf_shape shape;
        stored_source<T> unscaled = s;
        unscaled.factor = T(1);
        s.leaf = plain_leaf<T>({&unscaled}, order, shape);
        if (shape.kind != node_kind::diagonal) return store(s, order, 0);
        detail::node_reader const tree(0, s.leaf.data(), nullptr, order.dimension_log2);
        auto const view = tree.diagonal_leaf<T>({child_reference(0, 0, shape.entries, shape.kind, 0), 0, 0});
        s.pattern = {view.others.rows,  view.others.columns, view.streaks,
                     view.others.count, shape.entries,       coordinates::bytes};
        s.pattern_values = {view.others.values, view.streak_values, s.factor};
    }
}

/// About `count` entries: scattered, in streaks along diagonals, or both.
template <class T>
stored_source<T> random_source(std::mt19937& random, leaf_order order, int count, int way) {
    int const last = (1 << (2 * order.dimension_log2)) - 1;
    std::uniform_int_distribution<int> anywhere(0, last), length(1, 90);
    std::vector<std::uint16_t> positions;
    while (static_cast<int>(positions.size()) < count) {
        int const first = anywhere(random);
        int const here = way == 0 || (way == 2 && first % 2 == 0) ? 1 : length(random);
        for (int p = first; p < first + here && p <= last; ++p) positions.push_back(static_cast<std::uint16_t>(p));
    }
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    stored_source<T> s;
    s.positions = positions;
    std::uniform_int_distribution<int> value(-1000, 1000);
    for (std::size_t i = 0; i < positions.size(); ++i) s.values.push_back(static_cast<T>(value(random)) / 16);
    s.factor = T(1) + static_cast<T>(count % 3);
    return s;
}

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
    auto const small = std::make_unique<small_union_memory>();
    if (small_union_cpu::fits(patterns)) check(small_union_cpu(*small, order));
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
