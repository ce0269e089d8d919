#include <algorithm>
#include <copse/formats/leaves/aligned_union_cpu.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <cstring>
#include <limits>

namespace copse::detail {
namespace {

bool same_bytes(void const* a, void const* b, int count) {
    // A call for each of a few bytes would take longer than the rest of a small leaf.
    if (count > 32) return std::memcmp(a, b, static_cast<std::size_t>(count)) == 0;
    auto const *const from_a = static_cast<std::uint8_t const*>(a), *const from_b = static_cast<std::uint8_t const*>(b);
    int differences = 0;
    for (int i = 0; i < count; ++i) differences |= from_a[i] ^ from_b[i];
    return differences == 0;
}

/// As they are stored: leaves that are both read in the order in which they lie.
bool have_equal_patterns(leaf_pattern const& a, leaf_pattern const& b) {
    int const streaks = a.streaks.count;
    return a.ascending && b.ascending && a.entries == b.entries && a.count == b.count && streaks == b.streaks.count &&
           a.stored == leaf_pattern::coordinates::bytes && b.stored == leaf_pattern::coordinates::bytes &&
           same_bytes(a.streaks.first_rows, b.streaks.first_rows, streaks) &&
           same_bytes(a.streaks.first_columns, b.streaks.first_columns, streaks) &&
           same_bytes(a.streaks.last, b.streaks.last, streaks) && same_bytes(a.rows, b.rows, a.count) &&
           same_bytes(a.columns, b.columns, a.count);
}

/// Values of one source, and the factor that they count with.
template <class T>
struct scaled_values {
    entry_values<T> values;
    T factor;
};

template <class T>
void add_values(int count, scaled_values<T> const& a, scaled_values<T> const& b, T* __restrict to) {
    T const f = a.factor, g = b.factor;
    T const* const __restrict from_a = a.values.data(), * const __restrict from_b = b.values.data();
    if (a.values.once() && b.values.once())
        std::fill_n(to, count, f * *from_a + g * *from_b);
    else if (a.values.once() || b.values.once())
        for (int i = 0; i < count; ++i) to[i] = f * a.values[i] + g * b.values[i];
    else
        for (int i = 0; i < count; ++i) to[i] = f * from_a[i] + g * from_b[i];
}
template <class T>
void scale_values(int count, scaled_values<T> const& from, T* __restrict to) {
    T const* const __restrict values = from.values.data();
    if (from.values.once())
        std::fill_n(to, count, from.factor * *values);
    else
        for (int i = 0; i < count; ++i) to[i] = from.factor * values[i];
}

template <class T>
scaled_values<T> streak_of(leaf_values<T> const& source, int first_value) {
    return {{source.streak_values.first + first_value, source.streak_values.stored}, source.factor};
}

template <class T>
void write_equal(leaf_pattern const& pattern, leaf_values<T> const& a, leaf_values<T> const& b,
                 leaf_writer<T> const& writer) {
    leaf_arrays<T> const to = writer.places();
    std::memcpy(to.rows, pattern.rows, static_cast<std::size_t>(pattern.count));
    std::memcpy(to.columns, pattern.columns, static_cast<std::size_t>(pattern.count));
    add_values<T>(pattern.count, {a.values, a.factor}, {b.values, b.factor}, to.values);
    streak_list const& streaks = pattern.streaks;
    int in_streaks = 0, first_a = 0, first_b = 0;
    bool const at_once = !a.streak_values.once() && !b.streak_values.once();
    for (int k = 0; k < streaks.count; ++k) {
        int const length = streaks.length(k);
        writer.begin_streak(k, writer.order().position(streaks.row(k), streaks.column(k)));
        writer.end_streak(k, streaks.row(k) + length - 1);
        if (!at_once) add_values(length, streak_of(a, first_a), streak_of(b, first_b), to.streak_values + in_streaks);
        in_streaks += length;
        first_a += a.streak_values.of_streak(length);
        first_b += b.streak_values.of_streak(length);
    }
    if (at_once) add_values(in_streaks, streak_of(a, 0), streak_of(b, 0), to.streak_values);
}

/// The interval of one source that the walk is at.
template <class T>
struct walked_intervals {
    aligned_union_memory::interval const* at;
    aligned_union_memory::interval const* end;
    leaf_values<T> const& values;

    bool covers(int position) const { return at != end && at->begin <= position; }
    /// Where it covers or does not cover what follows `position`, up to the next change.
    int next_change(int position) const {
        if (at == end) return std::numeric_limits<int>::max();
        return covers(position) ? at->end : at->begin;
    }
    scaled_values<T> from(int position) const {
        bool const once = values.streak_values.once();
        return streak_of(values, at->first_value + (once ? 0 : position - at->begin));
    }
    void leave(int position) {
        if (at != end && at->end == position) ++at;
    }
};

template <class T>
void write_streaks(std::span<aligned_union_memory::interval const> merged, walked_intervals<T> a, walked_intervals<T> b,
                   leaf_writer<T> const& writer) {
    leaf_order const order = writer.order();
    T* to = writer.places().streak_values;
    for (std::size_t k = 0; k < merged.size(); ++k) {
        auto const [begin, end, first_value] = merged[k];
        writer.begin_streak(static_cast<int>(k), begin);
        writer.end_streak(static_cast<int>(k), order.row(end - 1));
        for (int position = begin; position < end;) {
            int const change = std::min({end, a.next_change(position), b.next_change(position)});
            int const count = change - position;
            if (!b.covers(position))
                scale_values(count, a.from(position), to);
            else if (!a.covers(position))
                scale_values(count, b.from(position), to);
            else
                add_values(count, a.from(position), b.from(position), to);
            to += count;
            position = change;
            a.leave(position);
            b.leave(position);
        }
    }
}

}  // namespace

void aligned_union_cpu::list_intervals(int side, leaf_pattern const& source, bool once) {
    streak_list const& streaks = source.streaks;
    auto* const list = memory_->of[side];
    int value = 0;
    for (int k = 0; k < streaks.count; ++k) {
        int const begin = order_.position(streaks.row(k), streaks.column(k)), length = streaks.length(k);
        list[k] = {begin, begin + length, value};
        value += once ? 1 : length;
    }
    if (!source.ascending)
        std::sort(list, list + streaks.count, [](auto const& a, auto const& b) { return a.begin < b.begin; });
}

void aligned_union_cpu::merge(int a_count, int b_count) {
    auto const *a = memory_->of[0], *b = memory_->of[1];
    auto const *const a_end = a + a_count, *const b_end = b + b_count;
    int streaks = 0, entries = 0;
    aligned_union_memory::interval* last = nullptr;
    while (a != a_end || b != b_end) {
        auto const& next = b == b_end || (a != a_end && a->begin <= b->begin) ? *a++ : *b++;
        if (last != nullptr &&
            (next.begin < last->end || (next.begin == last->end && !order_.begins_diagonal(next.begin)))) {
            if (next.end <= last->end) continue;
            entries += next.end - last->end;
            last->end = next.end;
        } else {
            last = &memory_->merged[streaks++];
            *last = next;
            entries += next.end - next.begin;
        }
    }
    shape_ = diagonal_leaf::shape(entries, streaks, entries);
}

bool aligned_union_cpu::takes(std::span<leaf_pattern const> sources, std::span<bool const> streak_values_once) {
    leaf_pattern const &a = sources[0], &b = sources[1];
    equal_ = have_equal_patterns(a, b);
    if (equal_) {
        shape_ = a.streaks.count > 0 ? diagonal_leaf::shape(a.entries, a.streaks.count, a.entries - a.count)
                                     : leaf_shape{sparse_leaf::kind, a.entries};
        return true;
    }
    if (a.count > 0 || b.count > 0 || a.streaks.count + b.streaks.count > aligned_union_memory::most_streaks)
        return false;
    list_intervals(0, a, streak_values_once[0]);
    list_intervals(1, b, streak_values_once[1]);
    merge(a.streaks.count, b.streaks.count);
    return true;
}

template <class T>
void aligned_union_cpu::write(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values,
                              std::byte* node) const {
    serial_worker w;
    leaf_writer<T> const writer(node, shape_, order_);
    writer.prepare(w);
    if (equal_) return write_equal(sources[0], values[0], values[1], writer);
    auto const walked = [&](int side) -> walked_intervals<T> {
        auto const* const list = memory_->of[side];
        return {list, list + sources[static_cast<std::size_t>(side)].streaks.count,
                values[static_cast<std::size_t>(side)]};
    };
    write_streaks<T>({memory_->merged, static_cast<std::size_t>(shape_.streaks)}, walked(0), walked(1), writer);
}

template void aligned_union_cpu::write(std::span<leaf_pattern const>, std::span<leaf_values<float> const>,
                                       std::byte*) const;
template void aligned_union_cpu::write(std::span<leaf_pattern const>, std::span<leaf_values<double> const>,
                                       std::byte*) const;

}  // namespace copse::detail
