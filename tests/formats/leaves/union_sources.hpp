// Sources of unions as leaves store them, and the leaf that large_union, the plain way, makes of them.
#pragma once

#include <algorithm>
#include <copse/formats/leaves/leaf_union.hpp>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace copse::detail {

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
        s.pattern.stored = leaf_pattern::coordinates::words;
    } else if (form == 2) {
        s.pattern.rows = s.positions.data();
        s.pattern.stored = leaf_pattern::coordinates::positions;
    } else {
        leaf_shape shape;
        stored_source<T> unscaled = s;
        unscaled.factor = T(1);
        s.leaf = plain_leaf<T>({&unscaled}, order, shape);
        if (shape.kind != node_kind::diagonal) return store(s, order, 0);
        detail::node_reader const tree(0, s.leaf.data(), nullptr, order.dimension_log2);
        auto const view = tree.diagonal_leaf<T>({child_reference(0, 0, shape.entries, shape.kind, 0), 0, 0});
        s.pattern = {view.others.rows,
                     view.others.columns,
                     view.streaks,
                     view.others.count,
                     shape.entries,
                     leaf_pattern::coordinates::bytes,
                     true};
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

}  // namespace copse::detail
