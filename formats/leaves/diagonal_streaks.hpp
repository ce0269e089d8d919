// Streaks: entries that follow one another along a diagonal, found in bits.
//
// A link is an entry that continues the one before it. A streak of n entries has n - 1 links in a row, so streaks of at
// least shortest_streak entries are where at least shortest_streak - 1 links are set side by side: a few shifts for 64
// positions.
#pragma once

#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/position_set.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstdint>

namespace copse::detail {

/// Fewer would save bytes too (from 2 entries on), but a streak costs a product about what six single entries do.
inline constexpr int shortest_streak = 6;

/// 64 * Words bits; bit i is a position, or the i-th entry of a leaf.
template <int Words>
struct bit_row {
    std::uint64_t words[Words];

    COPSE_HOST_DEVICE COPSE_INLINE bool any() const {
        std::uint64_t all = 0;
        for (int i = 0; i < Words; ++i) all |= words[i];
        return all != 0;
    }
    COPSE_HOST_DEVICE int count() const {
        int sum = 0;
        for (int i = 0; i < Words; ++i) sum += bit_count(words[i]);
        return sum;
    }
    /// Bit i of the result is bit i + By; 0 < By < 64.
    template <int By>
    COPSE_HOST_DEVICE COPSE_INLINE bit_row later() const {
        bit_row r;
        for (int i = 0; i < Words; ++i) r.words[i] = words[i] >> By | (i + 1 < Words ? words[i + 1] << (64 - By) : 0);
        return r;
    }
    /// Bit i of the result is bit i - By.
    template <int By>
    COPSE_HOST_DEVICE COPSE_INLINE bit_row earlier() const {
        bit_row r;
        for (int i = 0; i < Words; ++i) r.words[i] = words[i] << By | (i > 0 ? words[i - 1] >> (64 - By) : 0);
        return r;
    }
    COPSE_HOST_DEVICE friend COPSE_INLINE bit_row operator&(bit_row a, bit_row const& b) {
        for (int i = 0; i < Words; ++i) a.words[i] &= b.words[i];
        return a;
    }
    COPSE_HOST_DEVICE friend COPSE_INLINE bit_row operator|(bit_row a, bit_row const& b) {
        for (int i = 0; i < Words; ++i) a.words[i] |= b.words[i];
        return a;
    }
    /// Bits of a that b does not have.
    COPSE_HOST_DEVICE friend COPSE_INLINE bit_row operator-(bit_row a, bit_row const& b) {
        for (int i = 0; i < Words; ++i) a.words[i] &= ~b.words[i];
        return a;
    }
    /// f(i) for every bit, ascending.
    template <class F>
    COPSE_HOST_DEVICE void for_each(F f) const {
        for (int i = 0; i < Words; ++i)
            for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1) f(64 * i + lowest_bit(rest));
    }
};

/// The streaks among entries with these links: every entry in one, the first and the last of each.
template <int Words>
struct streak_bits {
    bit_row<Words> members, first, last;
};

template <int Words>
COPSE_HOST_DEVICE COPSE_INLINE streak_bits<Words> find_streaks(bit_row<Words> const& links) {
    static_assert(shortest_streak == 6);
    if (!links.any()) return {};
    bit_row<Words> const two = links & links.template later<1>();
    bit_row<Words> const five = two & two.template later<2>() & links.template later<4>();
    if (!five.any()) return {};
    bit_row<Words> const pairs = five | five.template earlier<1>();
    bit_row<Words> const kept =
        pairs | pairs.template earlier<2>() | five.template earlier<4>();  // links of long streaks
    bit_row<Words> const members = kept | kept.template later<1>();
    return {members, members - kept, members - kept.template later<1>()};
}

/// Entries on one diagonal number (leaf_order) of a node of 64 * Words rows that continue the one before them.
template <int Words>
COPSE_HOST_DEVICE COPSE_INLINE bit_row<Words> links_of(bit_row<Words> const& entries, int diagonal) {
    bit_row<Words> links = entries & entries.template earlier<1>();
    int const cut = (64 * Words - diagonal) % (64 * Words);  // where column 0 is: another diagonal begins
    for (int i = 0; i < Words; ++i)
        if (cut / 64 == i) links.words[i] &= ~(std::uint64_t{1} << (cut % 64));
    return links;
}

/// The streaks on that diagonal.
template <int Words>
COPSE_HOST_DEVICE COPSE_INLINE streak_bits<Words> find_streaks(position_set const& all, int diagonal) {
    bit_row<Words> entries;
    for (int i = 0; i < Words; ++i) entries.words[i] = all.word(diagonal * Words + i);
    if (!entries.any()) return {};
    return find_streaks(links_of(entries, diagonal));
}

/// Calls f(std::integral_constant<int, Words>) for a node of d = 64 * Words rows.
template <class F>
COPSE_HOST_DEVICE auto with_words(int dimension_log2, F f) {
    switch (dimension_log2) {
        case 6:
            return f.template operator()<1>();
        case 7:
            return f.template operator()<2>();
        default:
            return f.template operator()<4>();
    }
}

/// What the lanes know of a leaf's streaks.
struct streak_counts {
    int streaks;
    int in_streaks;
    int streaks_before;  // this lane's diagonals
};

/// Collective. `members` becomes the set of entries in streaks, if there are any; it need not be clear.
template <class Worker>
COPSE_HOST_DEVICE streak_counts find_all_streaks(Worker& w, position_set const& all, position_set const& members,
                                                 int dimension_log2) {
    int const d = 1 << dimension_log2;
    int const portion = (d + w.size() - 1) / w.size();
    int mine = 0;
    with_words(dimension_log2, [&]<int Words>() {
        for (int diagonal = w.rank() * portion; diagonal < d && diagonal < (w.rank() + 1) * portion; ++diagonal) {
            streak_bits<Words> const found = find_streaks<Words>(all, diagonal);
            for (int i = 0; i < Words; ++i) members.set_word(diagonal * Words + i, found.members.words[i]);
            if (found.first.any()) mine += found.first.count();
        }
        return 0;
    });
    int const through = w.inclusive_scan(mine, [](int a, int b) { return a + b; });
    int const streaks = w.shuffle(through, w.size() - 1);
    w.sync();
    return {streaks, streaks == 0 ? 0 : members.count(w), through - mine};
}

}  // namespace copse::detail
