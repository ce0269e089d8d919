// Values that repeat, stored once: where all of a leaf's entries have the same one, and where those of each streak do.
// Equal means equal bits: zeros of either sign differ, and NaNs with other bits.
//
//   leaf_with_values_once<std::uint64_t> const once(leaf, memory, dimension_log2);
//   if (once.takes_less()) once.write(to);     // once.bytes() bytes
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Word: an unsigned integer as large as a value.
template <class Word>
class leaf_with_values_once {
  public:
    /// memory: the leaf, with a value for each entry. Values are compared and written as they are stored.
    COPSE_HOST_DEVICE leaf_with_values_once(child_reference leaf, std::byte const* memory, int dimension_log2)
        : leaf_(leaf.as_stored()), memory_(memory), log2_(dimension_log2), each_(shape_of(leaf, memory)), once_(each_) {
        if (leaf.values_once()) return;
        with_view([&](auto const& view) { find(view); });
    }

    /// Whether it takes five eighths of the bytes or fewer. For less than that products do not get faster: where a
    /// leaf of nine takes a fifth less (elasticity:48), they are 5 % slower, because what is fetched ahead is counted
    /// by references.
    COPSE_HOST_DEVICE bool takes_less() const { return 8 * bytes() <= 5 * bytes_of(each_); }
    COPSE_HOST_DEVICE std::int64_t bytes() const { return bytes_of(once_); }
    COPSE_HOST_DEVICE leaf_shape const& shape() const { return once_; }

    /// The leaf to another place, or in its own. By one lane.
    COPSE_HOST_DEVICE void write(std::byte* to) const {
        auto const value_bytes = static_cast<std::int64_t>(sizeof(Word));
        stored_leaf const from = stored(each_), there = stored(once_);
        for (std::int64_t i = 0; i < from.values_offset; ++i) to[i] = memory_[i];
        with_view([&](auto const& view) { put(view, reinterpret_cast<Word*>(to + there.values_offset)); });
        std::int64_t const begin = there.values_offset + there.values * value_bytes,
                           behind = from.values_offset + from.values * value_bytes - begin;
        for (std::int64_t i = begin; i < there.bytes; ++i)
            to[i] = i + behind < from.bytes ? memory_[i + behind] : std::byte{0};
        if (once_.kind == diagonal_leaf::kind) diagonal_leaf::write_head(to, once_);
    }

  private:
    template <class F>
    COPSE_HOST_DEVICE void with_view(F f) const {
        with_kind(leaf_.kind(), [&](auto owner) { f(owner.template view<Word>(memory_, leaf_, log2_)); });
    }
    COPSE_HOST_DEVICE std::int64_t bytes_of(leaf_shape const& s) const {
        return leaf_bytes(s, std::int64_t{1} << log2_, sizeof(Word));
    }
    COPSE_HOST_DEVICE stored_leaf stored(leaf_shape const& s) const {
        return with_kind(s.kind,
                         [&](auto owner) { return owner.template stored<Word>(memory_, s, std::int64_t{1} << log2_); });
    }
    COPSE_HOST_DEVICE static stored_values once_if(bool equal) {
        return equal ? stored_values::once : stored_values::each;
    }
    COPSE_HOST_DEVICE static bool are_equal(Word const* values, int count) {
        int constexpr at_once = 16;  // without a branch
        for (int i = 0; i < count; i += at_once) {
            int const last = i + at_once < count ? i + at_once : count;
            Word differences = 0;
            for (int k = i; k < last; ++k) differences |= values[k] ^ values[0];
            if (differences != 0) return false;
        }
        return true;
    }

    template <class List>
    COPSE_HOST_DEVICE void find(List const& list) {
        once_.others_values = once_if(are_equal(list.values.data(), list.count));
    }
    COPSE_HOST_DEVICE void find(dense_leaf_view<Word> const& leaf) {
        Word const* first = nullptr;
        bool equal = true;
        for (int i = 0; equal && i < 1 << (2 * log2_); ++i) {
            if (!leaf.is_entry(i)) continue;
            if (first == nullptr) first = leaf.values.at(i);
            equal = leaf.values[i] == *first;
        }
        once_.others_values = once_if(equal);
    }
    COPSE_HOST_DEVICE void find(diagonal_leaf_view<Word> const& leaf) {
        bool const many = padded_entries(leaf.others.count) * static_cast<std::int64_t>(sizeof(Word)) > 16;
        if (many) find(leaf.others);
        bool equal = true;
        for (leaf_streak<Word> const streak : leaf.each_streak()) {
            equal = are_equal(streak.values.data(), streak.count);
            if (!equal) break;
        }
        once_.streak_values = once_if(equal);
    }

    COPSE_HOST_DEVICE static Word* put_same(Word value, Word* to) {
        for (std::size_t i = 0; i < 16 / sizeof(Word); ++i) *to++ = value;
        return to;
    }
    template <class List>
    COPSE_HOST_DEVICE void put(List const& list, Word* to) const {
        put_same(list.values[0], to);
    }
    COPSE_HOST_DEVICE void put(dense_leaf_view<Word> const& leaf, Word* to) const {
        int first = 0;
        while (!leaf.is_entry(first)) ++first;
        put_same(leaf.values[first], to);
    }
    COPSE_HOST_DEVICE void put(diagonal_leaf_view<Word> const& leaf, Word* to) const {
        if (once_.others_values == stored_values::once)
            to = put_same(leaf.others.values[0], to);
        else
            for (int i = 0; i < padded_entries(leaf.others.count); ++i) *to++ = leaf.others.values[i];
        for (leaf_streak<Word> const streak : leaf.each_streak())
            for (int i = 0; i < (once_.streak_values == stored_values::once ? 1 : streak.count); ++i)
                *to++ = streak.values[i];
    }

    child_reference leaf_;
    std::byte const* memory_;
    int log2_;
    leaf_shape each_;  // as it is
    leaf_shape once_;
};

}  // namespace copse::detail
