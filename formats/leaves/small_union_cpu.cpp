// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <copse/formats/leaves/diagonal_streaks.hpp>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/formats/leaves/small_union_cpu.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/formats/leaves/decode_entries-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// All entries of the sources, one after the other; returns their number.
int decode_sources(small_union_state const& state, std::span<leaf_pattern const> sources) {
    small_union_memory& m = *state.memory;
    int n = 0;
    for (leaf_pattern const& source : sources) {
        decode(source, 0, source.count, state.order, {m.positions + n, m.rows + n, m.columns + n});
        n += source.count;
        for (int k = 0; k < source.streaks.count; ++k) {
            int const row = source.streaks.row(k), column = source.streaks.column(k);
            int const position = state.order.position(row, column);
            for (int i = 0; i < source.streaks.length(k); ++i, ++n) {
                m.positions[n] = static_cast<std::uint16_t>(position + i);
                m.rows[n] = static_cast<std::uint16_t>(row + i);
                m.columns[n] = static_cast<std::uint16_t>(column + i);
            }
        }
    }
    return n;
}

/// Of n entries, those from `second` on belong to the second source. Keys compare as signed numbers. In `kept` an entry
/// that both sources have is smaller than nobody the second time. Returns how many those are.
int mark_shared(std::int16_t const* keys, int second, int n, std::int16_t* kept) {
    hn::ScalableTag<std::int16_t> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const begin = hn::Set(tag, static_cast<std::int16_t>(second));
    auto const end = hn::Set(tag, static_cast<std::int16_t>(n));
    std::size_t shared = 0;
    for (int v = 0; v < n; v += lanes) {
        auto const index = hn::Iota(tag, static_cast<std::int16_t>(v));
        auto const key = hn::LoadU(tag, keys + v);
        auto equal = hn::Zero(tag);
        for (int j = 0; j < second; ++j)
            equal = hn::Or(equal, hn::VecFromMask(tag, hn::Eq(hn::Set(tag, keys[j]), key)));
        auto const again = hn::AndNot(hn::Lt(index, begin), hn::And(hn::Lt(index, end), hn::MaskFromVec(equal)));
        shared += hn::CountTrue(tag, again);
        hn::StoreU(hn::IfThenElse(again, hn::Set(tag, 0x7fff), key), tag, kept + v);
    }
    return static_cast<int>(shared);
}

/// Entries of the union.
int compare_sources(small_union_state const& state, std::span<leaf_pattern const> sources) {
    small_union_memory& m = *state.memory;
    int const n = decode_sources(state, sources);
    for (int i = 0; i < n; ++i) m.keys[i] = m.kept[i] = static_cast<std::int16_t>(m.positions[i] - 0x8000);
    if (sources.size() == 1) return n;
    return n - mark_shared(m.keys, sources.front().entries, n, m.kept);
}

/// Where each entry goes: the number of smaller ones.
void rank(small_union_memory& m, int n) {
    hn::ScalableTag<std::int16_t> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    for (int v = 0; v < n; v += lanes) {
        auto const key = hn::LoadU(tag, m.keys + v);
        auto smaller = hn::Zero(tag);
        for (int j = 0; j < n; ++j)
            smaller = hn::Sub(smaller, hn::VecFromMask(tag, hn::Lt(hn::Set(tag, m.kept[j]), key)));
        hn::StoreU(smaller, tag, m.places + v);
    }
}

int total(std::span<leaf_pattern const> sources) {
    int n = 0;
    for (leaf_pattern const& source : sources) n += source.entries;
    return n;
}

int count_entries(small_union_state& state, std::span<leaf_pattern const> sources) {
    return state.shape.entries = compare_sources(state, sources);
}

/// Bit i: the i-th smallest position follows the one before it along a diagonal.
std::uint64_t find_links(small_union_memory const& m, leaf_order order, int entries) {
    position_tag const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const mask = hn::Set(tag, static_cast<std::uint16_t>(order.mask()));
    auto const zero = hn::Zero(tag), one = hn::Set(tag, 1);
    std::uint64_t links = 0;
    for (int i = 1; i < entries; i += lanes) {
        auto const position = hn::LoadU(tag, m.sorted + i), before = hn::LoadU(tag, m.sorted + i - 1);
        auto const column = hn::Add(position, hn::ShiftRightSame(position, order.dimension_log2));
        auto const begins = hn::Or(hn::Eq(hn::And(position, mask), zero), hn::Eq(hn::And(column, mask), zero));
        std::uint64_t bits = 0;
        hn::StoreMaskBits(tag, hn::AndNot(begins, hn::Eq(position, hn::Add(before, one))),
                          reinterpret_cast<std::uint8_t*>(&bits));
        links |= bits << i;
    }
    return entries < 64 ? links & ((std::uint64_t{1} << entries) - 1) : links;
}

void find_shape(small_union_state& state, std::span<leaf_pattern const> sources, std::int64_t value_bytes) {
    small_union_memory& m = *state.memory;
    int const entries = compare_sources(state, sources), n = total(sources);
    rank(m, n);
    std::uint64_t links = 0;
    if (entries >= shortest_streak) {
        for (int i = 0; i < n; ++i) m.sorted[m.places[i]] = m.positions[i];
        links = find_links(m, state.order, entries);
    }
    streak_bits<1> const streaks = find_streaks(bit_row<1>{{links}});
    state.in_streaks = streaks.members.words[0];
    state.first = streaks.first.words[0];
    state.last = streaks.last.words[0];
    state.shape = smallest_leaf(entries, bit_count(state.first), bit_count(state.in_streaks),
                                std::int64_t{1} << state.order.dimension_log2, value_bytes);
}

/// f(i, value) for all entries of the sources, numbered as they were decoded.
template <class T, class F>
HWY_INLINE void for_each_value(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values, F f) {
    int n = 0;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        for (int i = 0; i < sources[s].count; ++i) f(n++, values[s].factor * values[s].values[i]);
        for (leaf_streak<T> const streak : streak_range<T>(sources[s].streaks, values[s].streak_values))
            for (int i = 0; i < streak.count; ++i) f(n++, values[s].factor * streak.values[i]);
    }
}

template <class T>
void write_streaks(small_union_state const& state, leaf_writer<T> const& writer) {
    std::uint16_t const* const sorted = state.memory->sorted;
    int streak = 0;
    bit_row<1>{{state.first}}.for_each([&](int i) { writer.begin_streak(streak++, sorted[i]); });
    streak = 0;
    bit_row<1>{{state.last}}.for_each([&](int i) { writer.end_streak(streak++, state.order.row(sorted[i])); });
}

template <bool Add, class T>
void write_entries(small_union_state const& state, std::span<leaf_pattern const> sources,
                   std::span<leaf_values<T> const> values, leaf_writer<T> const& writer) {
    small_union_memory const& m = *state.memory;
    if (!writer.is_list() && !writer.has_streaks())
        return for_each_value(sources, values, [&](int n, T value) HWY_ATTR {
            serial_worker w;
            put<Add>(writer.placed(w, m.positions[n], [&] { return m.places[n]; }), value);
        });
    std::uint64_t const in_streaks = writer.has_streaks() ? state.in_streaks : 0;
    leaf_arrays<T> const to = writer.places();
    for_each_value(sources, values, [&](int n, T value) HWY_ATTR {
        int i = m.places[n];
        if (in_streaks != 0) {
            int const before = bit_count(in_streaks & ((std::uint64_t{1} << i) - 1));
            if ((in_streaks >> i & 1) != 0) return put<Add>(to.streak_values[before], value);
            i -= before;
        }
        to.rows[i] = static_cast<std::uint8_t>(m.rows[n]);
        to.columns[i] = static_cast<std::uint8_t>(m.columns[n]);
        put<Add>(to.values[i], value);
    });
}

template <bool Add, class T>
void write_wide_entries(small_union_state const& state, std::span<leaf_pattern const> sources,
                        std::span<leaf_values<T> const> values, wide_part_place const& to) {
    small_union_memory const& m = *state.memory;
    wide_leaf_writer<T> const writer(to.leaf);
    for_each_value(sources, values, [&](int n, T value) HWY_ATTR {
        std::int64_t const i = to.first + m.places[n];
        writer.rows()[i] = static_cast<std::uint16_t>(to.row + m.rows[n]);
        writer.columns()[i] = static_cast<std::uint16_t>(to.column + m.columns[n]);
        put<Add>(writer.values()[i], value);
    });
}

template <class T>
void write_part(small_union_state const& state, std::span<leaf_pattern const> sources,
                std::span<leaf_values<T> const> values, wide_part_place const& to) {
    rank(*state.memory, total(sources));
    if (sources.size() == 1) return write_wide_entries<false>(state, sources, values, to);
    wide_leaf_writer<T> const writer(to.leaf);
    for (int i = 0; i < state.shape.entries; ++i) writer.set_value(to.first + i, T(-0.0));
    write_wide_entries<true>(state, sources, values, to);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace copse::detail {
using union_state = small_union_state;
}
#include <copse/formats/leaves/union_cpu-inl.hpp>
