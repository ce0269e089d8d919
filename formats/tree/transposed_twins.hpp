// Nodes that are each other's transpose, found by hashes in which the order of entries does not matter, then compared.
//
//   twin_hash    own: of the entries, or children, (row, column, ...); turned: of (column, row, ...)
//   a is the transpose of b:   a.own == b.turned, a.turned == b.own, and equal() says so
#pragma once

#include <algorithm>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_stretch.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace copse::detail {

struct twin_hash {
    std::uint64_t own = 0;
    std::uint64_t turned = 0;

    void add(std::uint64_t row, std::uint64_t column, std::uint64_t what, std::uint64_t what_turned) {
        std::uint64_t constexpr spread = 0x9e3779b97f4a7c15U;
        own += mix_bits(what ^ ((row << 16 | column) + 1) * spread);
        turned += mix_bits(what_turned ^ ((column << 16 | row) + 1) * spread);
    }
    bool operator==(twin_hash const&) const = default;
};

/// f(row, column, bits of the value) for the entries of a leaf at `memory`, not transposed. Word: as large as a value.
template <class Word, class F>
void for_each_stored_entry(child_reference leaf, std::byte const* memory, int dimension_log2, F f) {
    leaf = leaf.transposed_if(leaf.transposed());
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
        hash.add(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column), value, value);
    });
    return hash;
}

/// Compares nodes in one memory. Knows which of them are their own transpose: references to these are never transposed,
/// so that equal sub-trees have equal references.
class twin_comparison {
  public:
    twin_comparison() = default;
    /// value_bytes: 4 or 8.
    twin_comparison(node_reader const& tree, std::int64_t value_bytes)
        : tree_(tree), log2_(tree.dimension_log2()), value_bytes_(value_bytes) {}

    void add_own_transpose(child_reference node) { own_transposes_.insert(node.offset()); }
    child_reference without_needless_turn(child_reference node) const {
        bool const needless = node.transposed() && own_transposes_.contains(node.offset());
        return node.transposed_if(needless);
    }

    twin_hash hash_of_inner(child_reference inner) const {
        twin_hash hash;
        for_each_child(inner, [&](std::uint64_t row, std::uint64_t column, child_reference child) {
            hash.add(row, column, id_of(child), id_of(turned(child)));
        });
        return hash;
    }

    /// Whether `a` is the transpose of `b`; they may be the same node.
    bool equal(child_reference a, child_reference b) {
        if (a.kind() != b.kind() || a.level() != b.level() || a.entries() != b.entries() ||
            a.values_once() != b.values_once())
            return false;
        if (!a.is_leaf()) return equal_inner(a, b);
        return value_bytes_ == 8 ? equal_leaves<std::uint64_t>(a, b) : equal_leaves<std::uint32_t>(a, b);
    }

  private:
    template <class F>
    void for_each_child(child_reference inner, F f) const {
        node const whole{inner, 0, 0};
        int const shift = log2_ * inner.level();
        for (int i = 0; i < tree_.child_count(whole); ++i)
            if (node const child = tree_.child(whole, i)) f(child.row >> shift, child.column >> shift, child.reference);
    }
    child_reference turned(child_reference child) const { return without_needless_turn(child.transposed_if(true)); }
    static std::uint64_t id_of(child_reference child) { return child.offset() << 1 | (child.transposed() ? 1 : 0); }

    bool equal_inner(child_reference a, child_reference b) const {
        std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> of_a, of_b;
        for_each_child(a, [&](std::uint32_t row, std::uint32_t column, child_reference child) {
            of_a.emplace_back(row, column, id_of(child));
        });
        for_each_child(b, [&](std::uint32_t row, std::uint32_t column, child_reference child) {
            of_b.emplace_back(column, row, id_of(turned(child)));
        });
        std::sort(of_a.begin(), of_a.end());
        std::sort(of_b.begin(), of_b.end());
        return of_a == of_b;
    }

    template <class Word>
    bool equal_leaves(child_reference a, child_reference b) {
        if (a.is_wide_leaf()) return equal_wide<Word>(a, b);
        std::size_t const places = std::size_t{1} << (2 * log2_);
        values_.resize(places);
        marks_.resize(places);
        ++mark_;
        std::int64_t left = 0;
        for_each_stored_entry<Word>(b, tree_.address(b), log2_, [&](int row, int column, Word value) {
            auto const place = static_cast<std::size_t>(column << log2_ | row);
            values_[place] = value;
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
    bool equal_wide(child_reference a, child_reference b) const {
        std::vector<std::tuple<int, int, Word>> of_a, of_b;
        for_each_stored_entry<Word>(a, tree_.address(a), log2_,
                                    [&](int row, int column, Word value) { of_a.emplace_back(row, column, value); });
        for_each_stored_entry<Word>(b, tree_.address(b), log2_,
                                    [&](int row, int column, Word value) { of_b.emplace_back(column, row, value); });
        std::sort(of_a.begin(), of_a.end());
        std::sort(of_b.begin(), of_b.end());
        return of_a == of_b;
    }

    node_reader tree_;
    int log2_ = 0;
    std::int64_t value_bytes_ = 0;
    std::unordered_set<std::uint64_t> own_transposes_;  // by offset
    // Of one leaf's places: their values, where the mark is the latest.
    std::vector<std::uint64_t> values_;
    std::vector<std::uint32_t> marks_;
    std::uint32_t mark_ = 0;
};

}  // namespace copse::detail
