// Nodes that are each other's transpose, or the negative of it, found by hashes in which the order of entries does not
// matter, then compared. Values are negatives of each other if they differ in the sign bit alone: +0 and -0, too.
//
//   twin_hash    own: of the entries, or children, (row, column, ...); turned: of (column, row, ...);
//                negated: of (column, row, the negative of ...)
//   a is the transpose of b:                 a.own == b.turned, a.turned == b.own, and equal() says so
//   a is the negative of the transpose of b: a.own == b.negated, a.negated == b.own, and equal() says so
#pragma once

#include <algorithm>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_stretch.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace copse::detail {

/// How one node is made from another.
enum class twin : std::uint8_t { transpose, negative_transpose };

struct twin_hash {
    std::uint64_t own = 0;
    std::uint64_t turned = 0;
    std::uint64_t negated = 0;

    void add(std::uint64_t row, std::uint64_t column, std::uint64_t what, std::uint64_t what_turned,
             std::uint64_t what_negated) {
        std::uint64_t constexpr spread = 0x9e3779b97f4a7c15U;
        std::uint64_t const place = ((row << 16 | column) + 1) * spread, image = ((column << 16 | row) + 1) * spread;
        own += mix_bits(what ^ place);
        turned += mix_bits(what_turned ^ image);
        negated += mix_bits(what_negated ^ image);
    }
    std::uint64_t of(twin which) const { return which == twin::transpose ? turned : negated; }
};

/// The sign bit of a value with such bits.
template <class Word>
inline constexpr Word sign_of_word = Word{1} << (8 * sizeof(Word) - 1);

/// f(row, column, bits of the value) for the entries of a leaf at `memory`, as it is stored. Word: as large as a value.
template <class Word, class F>
void for_each_stored_entry(child_reference leaf, std::byte const* memory, int dimension_log2, F f) {
    leaf = leaf.as_stored();
    auto const entry = [&](int, int row, int column, Word value) { f(row, column, value); };
    with_kind(leaf.kind(), [&](auto owner) {
        auto const view = owner.template view<Word>(memory, leaf, dimension_log2);
        if constexpr (decltype(owner)::kind == wide_leaf::kind)
            visit_alone<visited::entries>(view, 0, view.count, entry);
        else
            visit_alone<visited::entries>(view, entry);
    });
}

template <class Word>
twin_hash hash_of_leaf(child_reference leaf, std::byte const* memory, int dimension_log2) {
    twin_hash hash;
    for_each_stored_entry<Word>(leaf, memory, dimension_log2, [&](int row, int column, Word value) {
        hash.add(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column), value, value,
                 value ^ sign_of_word<Word>);
    });
    return hash;
}

/// Compares nodes in one memory. Knows which of them are their own transpose, or the negative of it: references to
/// these are never transposed, so that equal sub-trees have equal references.
class twin_comparison {
  public:
    twin_comparison() = default;
    /// value_bytes: 4 or 8.
    twin_comparison(node_reader const& tree, std::int64_t value_bytes)
        : tree_(tree), log2_(tree.dimension_log2()), value_bytes_(value_bytes) {}

    void add_own_twin(child_reference node, twin which) { own_twins_.emplace(node.offset(), which); }
    /// The same content; not transposed, if that can be said without.
    child_reference without_needless_turn(child_reference node) const {
        if (!node.transposed()) return node;
        auto const own = own_twins_.find(node.offset());
        if (own == own_twins_.end()) return node;
        return node.transposed_if(true).negative_if(own->second == twin::negative_transpose);
    }
    /// What `which` makes of the node.
    child_reference turned(child_reference node, twin which) const {
        return without_needless_turn(node.transposed_if(true).negative_if(which == twin::negative_transpose));
    }

    twin_hash hash_of_inner(child_reference inner) const {
        twin_hash hash;
        for_each_child(inner, [&](std::uint64_t row, std::uint64_t column, child_reference child) {
            hash.add(row, column, id_of(child), id_of(turned(child, twin::transpose)),
                     id_of(turned(child, twin::negative_transpose)));
        });
        return hash;
    }

    /// Whether `a` is what `which` makes of `b`, both as they are stored; they may be the same node.
    bool equal(child_reference a, child_reference b, twin which) {
        if (a.kind() != b.kind() || a.level() != b.level() || a.entries() != b.entries() ||
            a.values_once() != b.values_once())
            return false;
        a = a.as_stored();
        b = b.as_stored();
        if (!a.is_leaf()) return equal_inner(a, b, which);
        return value_bytes_ == 8 ? equal_leaves<std::uint64_t>(a, b, which) : equal_leaves<std::uint32_t>(a, b, which);
    }

  private:
    template <class F>
    void for_each_child(child_reference inner, F f) const {
        node const whole{inner, 0, 0};
        int const shift = log2_ * inner.level();
        for (int i = 0; i < tree_.child_count(whole); ++i)
            if (node const child = tree_.child(whole, i)) f(child.row >> shift, child.column >> shift, child.reference);
    }
    static std::uint64_t id_of(child_reference child) {
        return child.offset() << 2 | (child.transposed() ? 2 : 0) | (child.negative() ? 1 : 0);
    }

    bool equal_inner(child_reference a, child_reference b, twin which) const {
        std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> of_a, of_b;
        for_each_child(a, [&](std::uint32_t row, std::uint32_t column, child_reference child) {
            of_a.emplace_back(row, column, id_of(child));
        });
        for_each_child(b, [&](std::uint32_t row, std::uint32_t column, child_reference child) {
            of_b.emplace_back(column, row, id_of(turned(child, which)));
        });
        std::sort(of_a.begin(), of_a.end());
        std::sort(of_b.begin(), of_b.end());
        return of_a == of_b;
    }

    template <class Word>
    static constexpr Word changed_bits(twin which) {
        return which == twin::negative_transpose ? sign_of_word<Word> : 0;
    }
    template <class Word>
    bool equal_leaves(child_reference a, child_reference b, twin which) {
        if (a.is_wide_leaf()) return equal_wide<Word>(a, b, which);
        std::size_t const places = std::size_t{1} << (2 * log2_);
        values_.resize(places);
        marks_.resize(places);
        ++mark_;
        std::int64_t left = 0;
        for_each_stored_entry<Word>(b, tree_.address(b), log2_, [&](int row, int column, Word value) {
            auto const place = static_cast<std::size_t>(column << log2_ | row);
            values_[place] = value ^ changed_bits<Word>(which);
            marks_[place] = mark_;
            ++left;
        });
        for_each_stored_entry<Word>(a, tree_.address(a), log2_, [&](int row, int column, Word value) {
            auto const place = static_cast<std::size_t>(row << log2_ | column);
            if (marks_[place] == mark_ && values_[place] == value) --left;
        });
        return left == 0;
    }
    template <class Word>
    bool equal_wide(child_reference a, child_reference b, twin which) const {
        std::vector<std::tuple<int, int, Word>> of_a, of_b;
        for_each_stored_entry<Word>(a, tree_.address(a), log2_,
                                    [&](int row, int column, Word value) { of_a.emplace_back(row, column, value); });
        for_each_stored_entry<Word>(b, tree_.address(b), log2_, [&](int row, int column, Word value) {
            of_b.emplace_back(column, row, value ^ changed_bits<Word>(which));
        });
        std::sort(of_a.begin(), of_a.end());
        std::sort(of_b.begin(), of_b.end());
        return of_a == of_b;
    }

    node_reader tree_;
    int log2_ = 0;
    std::int64_t value_bytes_ = 0;
    std::unordered_map<std::uint64_t, twin> own_twins_;  // by offset: nodes that this makes of themselves
    // Of one leaf's places: their values, where the mark is the latest.
    std::vector<std::uint64_t> values_;
    std::vector<std::uint32_t> marks_;
    std::uint32_t mark_ = 0;
};

}  // namespace copse::detail
