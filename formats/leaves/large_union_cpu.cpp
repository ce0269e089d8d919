// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <copse/formats/leaves/diagonal_streaks.hpp>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/formats/leaves/large_union_cpu.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/formats/leaves/decode_entries-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

constexpr int chunk = 256;  // entries that are decoded at a time

/// A set of positions: bits, and how many are set before each word. It knows one address, for loops over entries need
/// all registers: with addresses of their own for words and counts, sums take up to 1.4 times as long.
template <auto Words, auto Before>
struct counted_bits {
    large_union_memory* memory;

    HWY_INLINE std::uint64_t* words() const { return memory->*Words; }
    HWY_INLINE std::uint16_t* before() const { return memory->*Before; }
    HWY_INLINE bool contains(unsigned p) const { return (words()[p / 64] >> (p % 64) & 1) != 0; }
    HWY_INLINE int index_of(unsigned p) const {
        return before()[p / 64] + bit_count(words()[p / 64] & ((std::uint64_t{1} << (p % 64)) - 1));
    }
};
using other_places = counted_bits<&large_union_memory::others, &large_union_memory::others_before>;
using streak_places = counted_bits<&large_union_memory::in_streaks, &large_union_memory::in_streaks_before>;
HWY_INLINE int word_count(leaf_order order) {
    return 1 << (2 * order.dimension_log2 - 6);
}

/// f(first, positions, count) for the single entries of a source, chunk by chunk.
template <class F>
HWY_INLINE void for_each_chunk(leaf_pattern const& source, leaf_order order, F f) {
    HWY_ALIGN std::uint16_t positions[chunk];
    for (int first = 0; first < source.count; first += chunk) {
        int const count = source.count - first < chunk ? source.count - first : chunk;
        decode(source, first, count, order, positions);
        f(first, positions, count);
    }
}

void insert(leaf_pattern const& source, leaf_order order, std::uint64_t* words) {
    for_each_chunk(source, order, [&](int, std::uint16_t const* positions, int count) HWY_ATTR {
        auto const add = [&](int i) HWY_ATTR {
            unsigned const p = positions[i];
            words[p / 64] |= std::uint64_t{1} << (p % 64);
        };
        // Neighbours are often in one word, and would wait for each other: four places take turns.
        int const quarter = count / 4;
        for (int i = 0; i < quarter; ++i) {
            add(i);
            add(i + quarter);
            add(i + 2 * quarter);
            add(i + 3 * quarter);
        }
        for (int i = 4 * quarter; i < count; ++i) add(i);
    });
    for (int k = 0; k < source.streaks.count; ++k) {
        int p = order.position(source.streaks.row(k), source.streaks.column(k));
        for (int left = source.streaks.length(k); left > 0;) {
            int const here = left < 64 - p % 64 ? left : 64 - p % 64;
            words[p / 64] |= (~std::uint64_t{0} >> (64 - here)) << (p % 64);
            p += here;
            left -= here;
        }
    }
}

/// The number of entries, and those before each word.
int count_entries(large_union_state& state, std::span<leaf_pattern const> sources) {
    other_places const all{state.memory};
    int const words = word_count(state.order);
    std::memset(all.words(), 0, static_cast<std::size_t>(words) * 8);
    for (leaf_pattern const& source : sources) insert(source, state.order, all.words());
    int before = 0;
#pragma GCC unroll 8
    for (int i = 0; i < words; ++i) {
        all.before()[i] = static_cast<std::uint16_t>(before);
        before += bit_count(all.words()[i]);
    }
    all.before()[words] = static_cast<std::uint16_t>(before);
    return state.shape.entries = before;
}

/// All bits where a diagonal begins.
template <int Words>
HWY_INLINE hn::Vec<position_tag> at_diagonals() {
    position_tag const tag;
    if constexpr (Words == 1) return hn::Set(tag, 0xffff);
    if constexpr (Words == 2) return hn::BitCast(tag, hn::Set(hn::RepartitionToWide<position_tag>(), 0xffff));
    return hn::BitCast(tag, hn::Set(hn::ScalableTag<std::uint64_t>(), 0xffff));
}

/// f(diagonal), ascending, for diagonals with entries enough for a streak.
template <int Words, class F>
HWY_INLINE void for_each_long_diagonal(other_places set, F f) {
    position_tag const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const few = hn::Set(tag, shortest_streak - 1);
    for (int i = 0; i < 64 * Words * Words; i += lanes) {
        auto const count = hn::Sub(hn::LoadU(tag, set.before() + i + Words), hn::LoadU(tag, set.before() + i));
        std::uint64_t found = 0;  // bit k: word i + k begins one
        hn::StoreMaskBits(tag, hn::Gt(hn::And(count, at_diagonals<Words>()), few),
                          reinterpret_cast<std::uint8_t*>(&found));
        for (; found != 0; found &= found - 1) f((i + lowest_bit(found)) / Words);
    }
}

/// Finds the streaks, and marks the diagonals that have any and the entries in them.
template <int Words>
streak_counts mark_streaks(large_union_state& state) {
    other_places const all{state.memory};
    streak_places const in_streaks{state.memory};
    streak_counts counts{};
    state.crowded_count = 0;
    for_each_long_diagonal<Words>(all, [&](int diagonal) HWY_ATTR {
        bit_row<Words> entries;
        for (int i = 0; i < Words; ++i) entries.words[i] = all.words()[diagonal * Words + i];
        streak_bits<Words> const found = find_streaks(links_of(entries, diagonal));
        if (!found.first.any()) return;
        for (int i = 0; i < Words; ++i) in_streaks.words()[diagonal * Words + i] = found.members.words[i];
        counts.streaks += found.first.count();
        counts.in_streaks += found.members.count();
        state.memory->crowded[state.crowded_count++] = static_cast<std::uint8_t>(diagonal);
    });
    return counts;
}

/// Takes the entries in streaks out of the others.
template <int Words>
void split_streaks(large_union_state const& state) {
    position_tag const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    other_places const others{state.memory};
    streak_places const in_streaks{state.memory};
    int const words = 64 * Words * Words;
    int before = 0;
    for (int k = 0; k < state.crowded_count; ++k) {
        int const first = state.memory->crowded[k] * Words;
        int const next = k + 1 < state.crowded_count ? state.memory->crowded[k + 1] * Words : words;
        for (int i = first; i < first + Words; ++i) {
            in_streaks.before()[i] = static_cast<std::uint16_t>(before);
            others.before()[i] = static_cast<std::uint16_t>(others.before()[i] - before);
            others.words()[i] &= ~in_streaks.words()[i];
            before += bit_count(in_streaks.words()[i]);
        }
        auto const less = hn::Set(tag, static_cast<std::uint16_t>(before));
        int i = first + Words;
        for (; i + lanes <= next; i += lanes)
            hn::StoreU(hn::Sub(hn::LoadU(tag, others.before() + i), less), tag, others.before() + i);
        for (; i < next; ++i) others.before()[i] = static_cast<std::uint16_t>(others.before()[i] - before);
    }
}

void find_shape(large_union_state& state, std::span<leaf_pattern const> sources, std::int64_t value_bytes) {
    int const entries = count_entries(state, sources);
    with_words(state.order.dimension_log2, [&]<int Words>() HWY_ATTR {
        streak_counts const streaks = mark_streaks<Words>(state);
        state.shape = smallest_leaf(entries, streaks.streaks, streaks.in_streaks,
                                    std::int64_t{1} << state.order.dimension_log2, value_bytes);
        if (state.shape.kind == diagonal_leaf::kind) split_streaks<Words>(state);
        return 0;
    });
}

template <class T>
void write_streaks(large_union_state const& state, leaf_writer<T> const& writer) {
    int streak = 0, ended = 0;
    int const log2 = state.order.dimension_log2;
    streak_places const in_streaks{state.memory};
    with_words(log2, [&]<int Words>() HWY_ATTR {
        for (int k = 0; k < state.crowded_count; ++k) {
            int const diagonal = state.memory->crowded[k];
            bit_row<Words> entries;
            for (int i = 0; i < Words; ++i) entries.words[i] = in_streaks.words()[diagonal * Words + i];
            bit_row<Words> links = links_of(entries, diagonal);
            (entries - links).for_each([&](int row) { writer.begin_streak(streak++, diagonal << log2 | row); });
            (entries - links.template later<1>()).for_each([&](int row) { writer.end_streak(ended++, row); });
        }
        return 0;
    });
}

/// to[i] = factor * from[i] or, where there are two sources, to[i] += factor * from[i].
template <bool Add, class T>
HWY_INLINE void scale_stretch(T factor, entry_values<T> const& values, int count, T* HWY_RESTRICT to) {
    hn::ScalableTag<T> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    T const* HWY_RESTRICT const from = values.data();
    bool const once = values.once();
    auto const same = hn::Set(tag, factor * from[0]);
    int i = 0;
    for (; i + lanes <= count; i += lanes) {
        auto const scaled = once ? same : hn::Mul(hn::Set(tag, factor), hn::LoadU(tag, from + i));
        hn::StoreU(Add ? hn::Add(hn::LoadU(tag, to + i), scaled) : scaled, tag, to + i);
    }
    for (; i < count; ++i) put<Add>(to[i], factor * values[i]);
}

/// Values, and positions, of which the coordinates are made in the end.
template <bool Add, class T>
struct list_target {
    other_places places;
    T* values;

    HWY_INLINE void entry(unsigned position, T value) const {
        int const i = places.index_of(position);
        places.memory->positions[i] = static_cast<std::uint16_t>(position);
        put<Add>(values[i], value);
    }
    HWY_INLINE void streak(unsigned position, T factor, entry_values<T> const& from, int count) const {
        int const first = places.index_of(position);
        std::uint16_t* const positions = places.memory->positions + first;
        for (int i = 0; i < count; ++i) positions[i] = static_cast<std::uint16_t>(position + i);
        scale_stretch<Add>(factor, from, count, values + first);
    }
};

template <bool Add, class T>
struct run_target {
    list_target<Add, T> others;
    T* streak_values;

    HWY_INLINE streak_places in_streaks() const { return {others.places.memory}; }
    HWY_INLINE void entry(unsigned position, T value) const {
        if (others.places.contains(position))
            others.entry(position, value);
        else
            put<Add>(streak_values[in_streaks().index_of(position)], value);
    }
    HWY_INLINE void streak(unsigned position, T factor, entry_values<T> const& from, int count) const {
        scale_stretch<Add>(factor, from, count, streak_values + in_streaks().index_of(position));
    }
};

template <bool Add, class T>
struct placed_target {
    other_places places;
    leaf_writer<T> const& writer;

    HWY_INLINE void entry(unsigned position, T value) const {
        serial_worker w;
        put<Add>(writer.placed(w, static_cast<int>(position), [&] { return places.index_of(position); }), value);
    }
    HWY_INLINE void streak(unsigned position, T factor, entry_values<T> const& from, int count) const {
        for (int i = 0; i < count; ++i) entry(position + static_cast<unsigned>(i), factor * from[i]);
    }
};

/// A function of its own, which has all registers.
template <class T, class Target>
HWY_NOINLINE void put_entries(std::uint16_t const* positions, int count, entry_values<T> from, T factor,
                              Target target) {
    for (int i = 0; i < count; ++i) target.entry(positions[i], factor * from[i]);
}

/// All entries of the sources into their places.
template <class T, class Target>
void put_all(leaf_order order, std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values,
             Target target) {
    for (std::size_t s = 0; s < sources.size(); ++s) {
        leaf_pattern const& source = sources[s];
        T const factor = values[s].factor;
        for_each_chunk(source, order, [&](int first, std::uint16_t const* positions, int count) HWY_ATTR {
            put_entries(positions, count, values[s].values.from(first), factor, target);
        });
        for (auto const [row, column, count, from] : streak_range<T>(source.streaks, values[s].streak_values))
            target.streak(static_cast<unsigned>(order.position(row, column)), factor, from, count);
    }
}

template <bool Add, class T>
void write_entries(large_union_state const& state, std::span<leaf_pattern const> sources,
                   std::span<leaf_values<T> const> values, leaf_writer<T> const& writer) {
    leaf_arrays<T> const to = writer.places();
    list_target<Add, T> const list{{state.memory}, to.values};
    if (writer.is_list())
        put_all(state.order, sources, values, list);
    else if (writer.has_streaks())
        put_all(state.order, sources, values, run_target<Add, T>{list, to.streak_values});
    else
        return put_all(state.order, sources, values, placed_target<Add, T>{{state.memory}, writer});
    int const others = state.shape.entries - state.shape.in_streaks;
    encode(state.memory->positions, others, state.order, to.rows, to.columns);
}

template <class T>
void write_leaf(large_union_state const& state, std::span<leaf_pattern const> sources,
                std::span<leaf_values<T> const> values, std::byte* node) {
    serial_worker w;
    leaf_writer<T> const writer(node, state.shape, state.order);
    writer.prepare(w);
    if (writer.has_streaks()) write_streaks(state, writer);
    if (sources.size() == 1) return write_entries<false>(state, sources, values, writer);
    writer.fill(w, T(-0.0));  // -0 + v is v for every v: no source needs to know which entries the other has
    write_entries<true>(state, sources, values, writer);
}

template <class T>
using sources_values = std::span<leaf_values<T> const>;

void write_leaf_float(large_union_state const& state, std::span<leaf_pattern const> sources,
                      sources_values<float> values, std::byte* node) {
    write_leaf(state, sources, values, node);
}
void write_leaf_double(large_union_state const& state, std::span<leaf_pattern const> sources,
                       sources_values<double> values, std::byte* node) {
    write_leaf(state, sources, values, node);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(find_shape);
HWY_EXPORT(write_leaf_float);
HWY_EXPORT(write_leaf_double);

}  // namespace

leaf_shape large_union_cpu::shape(std::span<leaf_pattern const> sources, std::int64_t value_bytes) {
    HWY_DYNAMIC_DISPATCH(find_shape)(state_, sources, value_bytes);
    return state_.shape;
}

template <>
void large_union_cpu::write(std::span<leaf_pattern const> sources, std::span<leaf_values<float> const> values,
                            std::byte* node) const {
    HWY_DYNAMIC_DISPATCH(write_leaf_float)(state_, sources, values, node);
}
template <>
void large_union_cpu::write(std::span<leaf_pattern const> sources, std::span<leaf_values<double> const> values,
                            std::byte* node) const {
    HWY_DYNAMIC_DISPATCH(write_leaf_double)(state_, sources, values, node);
}

}  // namespace copse::detail
#endif  // HWY_ONCE
