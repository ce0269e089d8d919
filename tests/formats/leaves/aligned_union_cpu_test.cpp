// formats/leaves/aligned_union_cpu.hpp: each leaf must have the bytes that large_union, the plain way, gives it.
#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/leaves/aligned_union_cpu.hpp>
#include <formats/leaves/union_sources.hpp>
#include <memory>
#include <some_cases.hpp>
#include <string>

namespace copse::detail {
namespace {

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
    int const turns = tests::takes_all_cases ? 200 : 60;
    int taken = 0;
    for (int turn = 0; turn < turns; ++turn) {
        SCOPED_TRACE("d " + std::to_string(1 << log2) + ", turn " + std::to_string(turn));
        auto a = random_streaks<T>(random, order, 1 + turn % 12), b = random_streaks<T>(random, order, 1 + turn % 7);
        give_values(a, order, 3, turn % 4 == 1);
        give_values(b, order, 3, turn % 8 < 3);
        if (turn % 5 == 0) turn_streaks(a);
        if (turn % 3 == 0) turn_streaks(b);
        taken += expect_aligned(a, b, order) ? 1 : 0;
    }
    EXPECT_GT(taken, turns * 3 / 4);
}

TEST(aligned_union_cpu, streaks_alone_are_united_as_intervals) {
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

TEST(aligned_union_cpu, of_equal_patterns_values_are_added_where_they_lie) {
    for (int const log2 : {6, 7, 8}) {
        expect_equal_patterns<double>(log2);
        expect_equal_patterns<float>(log2);
    }
}

TEST(aligned_union_cpu, patterns_that_differ_in_one_byte_are_not_equal) {
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
    // Streaks at other rows or columns, or as long together. With the entry beside them they are no intervals.
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

TEST(aligned_union_cpu, more_streaks_than_there_is_room_for_are_no_intervals) {
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
