// The unions of formats/leaves/leaf_union_cpu.hpp on every instruction set that the machine has: each leaf must have
// the bytes that large_union, the plain way, gives it.
#include <gtest/gtest.h>
#include <algebra/instruction_sets.hpp>
#include <algorithm>
#include <copse/formats/leaves/aligned_union_cpu.hpp>
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
    std::vector<T> once;
    std::vector<std::uint8_t> turned[3];
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
        s.pattern.ascending = true;
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
        s.pattern = {view.others.rows, view.others.columns, view.streaks, view.others.count,
                     shape.entries,    coordinates::bytes,  true};
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

/// Whether aligned_union_cpu takes the two; if so the leaf must have the bytes of large_union's.
template <class T>
bool expect_aligned(stored_source<T> const& a, stored_source<T> const& b, leaf_order order) {
    leaf_pattern const patterns[] = {a.pattern, b.pattern};
    leaf_values<T> const values[] = {a.pattern_values, b.pattern_values};
    bool const once[] = {a.pattern_values.streak_values.once(), b.pattern_values.streak_values.once()};
    auto const memory = std::make_unique<aligned_union_memory>();
    aligned_union_cpu leaf(*memory, order);
    if (!leaf.takes(patterns, once)) return false;
    leaf_shape shape;
    std::vector<std::byte> const expected = plain_leaf<T>({&a, &b}, order, shape);
    EXPECT_EQ(leaf.shape().kind, shape.kind);
    EXPECT_EQ(leaf.shape().entries, shape.entries);
    EXPECT_EQ(leaf.shape().streaks, shape.streaks);
    EXPECT_EQ(leaf.shape().in_streaks, shape.in_streaks);
    std::vector<std::byte> node(expected.size(), std::byte{0xcd});
    leaf.write<T>(patterns, values, node.data());
    EXPECT_TRUE(node == expected);
    return true;
}

/// Streaks of 6 entries and more on `diagonals` diagonals, up to three on one; those at its cut and its ends, too.
template <class T>
stored_source<T> random_streaks(std::mt19937& random, leaf_order order, int diagonals) {
    int const d = order.mask() + 1;
    auto const up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    std::vector<bool> present(static_cast<std::size_t>(d) * static_cast<std::size_t>(d));
    for (int k = 0; k < diagonals; ++k) {
        int const diagonal = k % 3 == 0 ? k / 3 : up_to(d - 1), cut = d - diagonal;
        for (int part = 0; part < 3; ++part) {
            bool const before = cut >= 6 && (d - cut < 6 || up_to(1) == 0);
            int const first = before ? 0 : cut, end = before ? std::min(cut, d) : d;
            if (end - first < 6) continue;
            int const begin = up_to(2) == 0 ? first : first + up_to(end - first - 6);
            int const stop = up_to(2) == 0 ? end : begin + 6 + up_to(end - begin - 6);
            for (int row = begin; row < stop; ++row) present[static_cast<std::size_t>(diagonal * d + row)] = true;
        }
    }
    stored_source<T> s;
    for (std::size_t p = 0; p < present.size(); ++p)
        if (present[p]) s.positions.push_back(static_cast<std::uint16_t>(p));
    s.factor = T(1) + static_cast<T>(up_to(2)) / 2;
    return s;
}

/// A value for each entry, or one for each diagonal, which the streaks on it store once; without streaks, one for all.
template <class T>
void give_values(stored_source<T>& s, leaf_order order, int form, bool once) {
    s.values.clear();
    for (std::size_t i = 0; i < s.positions.size(); ++i)
        s.values.push_back(once ? T(1 + (s.positions[i] >> order.dimension_log2)) / 4 : T(3 + i % 50) / 8);
    store(s, order, form);
    if (!once) return;
    if (s.pattern.streaks.count == 0) {
        std::fill(s.values.begin(), s.values.end(), T(0.625));
        s.pattern_values.values = {s.values.data(), stored_values::once};
    }
    for (int k = 0; k < s.pattern.streaks.count; ++k)
        s.once.push_back(T(1 + ((s.pattern.streaks.column(k) - s.pattern.streaks.row(k)) & order.mask())) / 4);
    s.pattern_values.streak_values = {s.once.data(), stored_values::once};
}

/// The streaks from the last to the first, as a transposed leaf may have them.
template <class T>
void turn_streaks(stored_source<T>& s) {
    streak_list& streaks = s.pattern.streaks;
    std::vector<T> values;
    for (auto const [row, column, count, from] : streak_range<T>(streaks, s.pattern_values.streak_values))
        values.insert(values.begin(), from.data(), from.data() + s.pattern_values.streak_values.of_streak(count));
    s.once = values;
    s.pattern_values.streak_values.first = s.once.data();
    std::uint8_t const** const lists[] = {&streaks.first_rows, &streaks.first_columns, &streaks.last};
    for (int k = 0; k < 3; ++k) {
        s.turned[k].assign(*lists[k], *lists[k] + streaks.count);
        std::reverse(s.turned[k].begin(), s.turned[k].end());
        *lists[k] = s.turned[k].data();
    }
    s.pattern.ascending = false;
}

template <class T>
void expect_aligned_streaks(int log2) {
    leaf_order const order{log2};
    std::mt19937 random(static_cast<unsigned>(log2));
    int taken = 0;
    for (int turn = 0; turn < 200; ++turn) {
        SCOPED_TRACE("d " + std::to_string(1 << log2) + ", turn " + std::to_string(turn));
        auto a = random_streaks<T>(random, order, 1 + turn % 12), b = random_streaks<T>(random, order, 1 + turn % 7);
        give_values(a, order, 3, turn % 4 == 1);
        give_values(b, order, 3, turn % 8 < 3);
        if (turn % 5 == 0) turn_streaks(a);
        if (turn % 3 == 0) turn_streaks(b);
        taken += expect_aligned(a, b, order) ? 1 : 0;
    }
    EXPECT_GT(taken, 150);
}

TEST(union_cpu, streaks_alone_are_united_as_intervals) {
    for (int const log2 : {6, 7, 8}) {
        expect_aligned_streaks<double>(log2);
        expect_aligned_streaks<float>(log2);
    }
}

template <class T>
void expect_equal_patterns(int log2) {
    leaf_order const order{log2};
    std::mt19937 random(static_cast<unsigned>(7 + log2));
    for (int const count : {1, 2, 3, 30, 33, 200, 900})
        for (int way = 0; way < 3; ++way)
            for (int form : {0, 3}) {
                SCOPED_TRACE("d " + std::to_string(1 << log2) + ", " + std::to_string(count) + " entries, way " +
                             std::to_string(way) + ", form " + std::to_string(form));
                auto const drawn = random_source<T>(random, order, count, way);
                stored_source<T> a, b;
                a.positions = b.positions = drawn.positions;
                a.factor = T(0.75);
                give_values(a, order, 3, count % 2 == 0);
                give_values(b, order, form, count % 3 == 0);
                leaf_shape shape;
                plain_leaf<T>({&a}, order, shape);
                if (shape.kind == node_kind::dense) continue;
                bool const both_forms = shape.kind == node_kind::sparse || form == 3;
                EXPECT_EQ(expect_aligned(a, b, order), both_forms);
                if (both_forms && a.pattern.count > 0) {
                    a.pattern.ascending = false;
                    EXPECT_FALSE(expect_aligned(a, b, order)) << "not known to be in order";
                }
            }
}

TEST(union_cpu, of_equal_patterns_values_are_added_where_they_lie) {
    for (int const log2 : {6, 7, 8}) {
        expect_equal_patterns<double>(log2);
        expect_equal_patterns<float>(log2);
    }
}

TEST(union_cpu, patterns_that_differ_in_one_byte_are_not_equal) {
    leaf_order const order{7};
    for (int const count : {5, 40}) {  // compared byte by byte, and by memcmp
        stored_source<double> a;
        for (int i = 0; i < count; ++i) a.positions.push_back(static_cast<std::uint16_t>(order.position(i, 3 * i)));
        std::sort(a.positions.begin(), a.positions.end());
        give_values(a, order, 0, false);
        EXPECT_TRUE(expect_aligned(a, a, order));
        for (bool const row : {true, false}) {
            auto b = a;
            (row ? b.byte_rows : b.byte_columns)[2] ^= 1;
            b.pattern.rows = b.byte_rows.data();
            b.pattern.columns = b.byte_columns.data();
            EXPECT_FALSE(expect_aligned(a, b, order)) << "a row or a column";
        }
    }
    // Streaks at other rows, at other columns, or as long together; an entry beside them, so that they are no intervals.
    auto const with_streaks = [&](int row, int column, int shorter) {
        stored_source<double> s;
        for (int i = 0; i < 20 - shorter; ++i) s.positions.push_back(static_cast<std::uint16_t>(order.position(i, i)));
        for (int i = 0; i < 20 + shorter; ++i)
            s.positions.push_back(static_cast<std::uint16_t>(order.position(row + i, column + i)));
        s.positions.push_back(static_cast<std::uint16_t>(order.position(100, 0)));
        std::sort(s.positions.begin(), s.positions.end());
        give_values(s, order, 3, false);
        EXPECT_EQ(s.pattern.streaks.count, 2);
        return s;
    };
    auto const a = with_streaks(30, 40, 0);
    EXPECT_TRUE(expect_aligned(a, with_streaks(30, 40, 0), order));
    EXPECT_FALSE(expect_aligned(a, with_streaks(31, 40, 0), order));
    EXPECT_FALSE(expect_aligned(a, with_streaks(30, 41, 0), order));
    EXPECT_FALSE(expect_aligned(a, with_streaks(30, 40, 1), order));
}

TEST(union_cpu, more_streaks_than_there_is_room_for_are_no_intervals) {
    leaf_order const order{8};
    stored_source<double> a, b;
    for (int diagonal = 0; diagonal < 256; diagonal += 8)
        for (int row = 0; row + 6 < 256 - diagonal; row += 7)
            for (int i = 0; i < 6; ++i) {
                a.positions.push_back(static_cast<std::uint16_t>(256 * diagonal + row + i));
                b.positions.push_back(static_cast<std::uint16_t>(256 * (diagonal + 1) + row + i));
            }
    give_values(a, order, 3, false);
    give_values(b, order, 3, false);
    ASSERT_GT(a.pattern.streaks.count + b.pattern.streaks.count, aligned_union_memory::most_streaks);
    EXPECT_FALSE(expect_aligned(a, b, order));
}

}  // namespace
}  // namespace copse::detail
