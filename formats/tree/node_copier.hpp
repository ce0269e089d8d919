// Nodes copied side by side into memory of their own, references among them with them. What is equal, or a twin, may be
// stored once.
//
// Twins are nodes that are each other's transpose, or the negative of it. They are found by hashes in which the order
// of entries does not matter, then compared. Values are negatives of each other if they differ in the sign bit alone:
// +0 and -0, too.
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
#include <copse/formats/leaves/values_once.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
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

/// What nodes are looked up by; bytes: a multiple of 8.
inline std::uint64_t hash_of_node(std::byte const* node, std::int64_t bytes) {
    std::uint64_t hash = static_cast<std::uint64_t>(bytes);
    for (std::int64_t i = 0; i < bytes; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, node + i, 8);
        hash = mix_bits(hash + word) + 0x9e3779b97f4a7c15U;
    }
    return hash;
}

struct copy_options {
    bool share_identical = false;   // store sub-trees that are equal byte by byte once
    bool values_once = false;       // store values that repeat once
    bool share_transposed = false;  // store sub-trees that are each other's transpose, or its negative, once

    bool changes_nodes() const { return share_identical || values_once || share_transposed; }
};
/// Nodes to copy, none twice, and as they are stored: one list for the leaves, one for the inner nodes of each level.
struct node_lists {
    std::vector<node> of_level[level_count];  // 0: leaves, wide ones too
    std::int64_t bytes = 0;

    /// Where it stands, or one of the places, matters to who looks for twins only.
    void add(child_reference reference, node_extent extent, std::uint32_t row = 0, std::uint32_t column = 0) {
        of_level[reference.is_leaf() ? 0 : reference.level()].push_back({reference, row, column});
        bytes += extent.bytes;
    }
};

/// Source: address(node) and extent(node) of the nodes that are copied, on the host.
template <class Source>
class node_copier {
  public:
    /// arena: the number of the memory that the copies are in. visits: of the nodes, as their census counts them.
    node_copier(Source const& source, node_geometry geometry, int arena, copy_options options, std::int64_t visits)
        : source_(source), geometry_(geometry), arena_(arena), options_(options) {
        copies_.reserve(static_cast<std::size_t>(std::min(visits, std::int64_t{1} << 20)));  // one node may have many
    }

    /// Whether a node is named for the first time.
    bool note(child_reference node) { return copies_.try_emplace(stored_key(node)).second; }
    /// The next place in the memory, of which somebody else copies the node. Before copy().
    child_reference place(child_reference node, std::int64_t bytes) {
        child_reference const placed = node.placed(arena_, static_cast<std::uint64_t>(used_));
        copies_[stored_key(node)] = placed;
        begin_ = used_ += bytes;
        return placed;
    }
    /// Leaves first, then level by level: children are there before their parents. At most once.
    void copy(node_lists const& nodes) {
        memory_ = buffer<std::byte>(host_memory(), nodes.bytes);
        twins_ = {node_reader(arena_, memory_.data(), nullptr, geometry_.dimension_log2), geometry_.value_bytes};
        auto const& leaves = nodes.of_level[0];
        std::vector<twin_hash> const hashes = options_.share_transposed ? hashes_of(leaves) : std::vector<twin_hash>();
        for (std::size_t i = 0; i < leaves.size(); ++i) copy(leaves[i], hashes.empty() ? nullptr : &hashes[i]);
        for (int level = 1; level < level_count; ++level)
            for (node const& n : nodes.of_level[level]) copy(n, nullptr);
    }
    /// The node itself where it was not copied.
    child_reference copy_of(child_reference node) const {
        auto const copied = copies_.find(stored_key(node));
        return copied == copies_.end() ? node : twins_.without_needless_turn(copied->second.seen_through(node));
    }
    /// Of placed nodes and copies.
    std::int64_t used_bytes() const { return used_; }

    /// What was copied; the copier is done with.
    buffer<std::byte> take() {
        std::int64_t const copied = used_ - begin_;
        if (copied == memory_.size()) return std::move(memory_);
        return {host_memory(), std::span<std::byte const>(memory_.data(), static_cast<std::size_t>(copied))};
    }

  private:
    std::vector<twin_hash> hashes_of(std::vector<node> const& leaves) const {
        std::vector<twin_hash> hashes(leaves.size());
        parallel_for(std::ssize(leaves), 256, [&](std::int64_t k) {
            auto const i = static_cast<std::size_t>(k);
            child_reference const leaf = leaves[i].reference;
            std::byte const* const memory = source_.address(leaf);
            int const log2 = geometry_.dimension_log2;
            hashes[i] = geometry_.value_bytes == 8 ? hash_of_leaf<std::uint64_t>(leaf, memory, log2)
                                                   : hash_of_leaf<std::uint32_t>(leaf, memory, log2);
        });
        return hashes;
    }
    /// leaf_hash: of a leaf, where one may stand for another's transpose or its negative.
    void copy(node const& n, twin_hash const* leaf_hash) {
        child_reference const node = n.reference;
        std::byte* const memory = memory_.data() + (used_ - begin_);
        child_reference fresh = node.placed(arena_, static_cast<std::uint64_t>(used_));
        std::int64_t bytes = 0;
        if (options_.values_once && node.is_leaf())
            bytes = geometry_.value_bytes == 8 ? fold<std::uint64_t>(fresh, node, memory)
                                               : fold<std::uint32_t>(fresh, node, memory);
        if (bytes == 0) {
            bytes = source_.extent(node).bytes;
            std::memcpy(memory, source_.address(node), static_cast<std::size_t>(bytes));
        }
        if (!node.is_leaf()) redirect(node, memory);
        child_reference copied = options_.share_identical ? first_like(fresh, bytes) : fresh;
        if (copied == fresh && options_.share_transposed)
            copied = first_twin({fresh, n.row, n.column}, leaf_hash ? *leaf_hash : twins_.hash_of_inner(fresh));
        if (copied == fresh)
            used_ += bytes;
        else if (options_.share_identical)
            forget(fresh, bytes);
        copies_[stored_key(node)] = copied;
    }
    /// A leaf with values that repeat stored once, if that takes less. Returns its bytes, or 0.
    template <class Word>
    std::int64_t fold(child_reference& fresh, child_reference node, std::byte* memory) const {
        leaf_with_values_once<Word> const leaf(node, source_.address(node), geometry_.dimension_log2);
        if (!leaf.takes_less()) return 0;
        leaf.write(memory);
        fresh = leaf_reference(arena_, fresh.offset(), leaf.shape());
        return leaf.bytes();
    }
    /// An inner node's references to those of the copies.
    void redirect(child_reference node, std::byte* memory) const {
        std::size_t const slots = child_slots(node, memory, geometry_.dimension_log2).size();
        auto* const references = reinterpret_cast<child_reference*>(memory);
        for (std::size_t i = 0; i < slots; ++i)
            if (references[i]) references[i] = copy_of(references[i]);
    }
    /// The node that was stored first among those equal to `fresh`, which may be itself.
    child_reference first_like(child_reference fresh, std::int64_t bytes) {
        std::byte const* const memory = memory_.data() + fresh.offset();
        std::uint64_t const hash = hash_of_node(memory, bytes);
        auto const [begin, end] = stored_.equal_range(hash);
        for (auto i = begin; i != end; ++i) {
            child_reference const other = i->second;
            // A node's size follows from its reference and its first bytes: equal ones are equally long.
            if (other.kind() == fresh.kind() && other.level() == fresh.level() && other.entries() == fresh.entries() &&
                other.values_once() == fresh.values_once() &&
                std::memcmp(memory_.data() + other.offset(), memory, static_cast<std::size_t>(bytes)) == 0)
                return other;
        }
        stored_.emplace(hash, fresh);
        return fresh;
    }

    /// first_like() has noted a node that is not stored after all.
    void forget(child_reference fresh, std::int64_t bytes) {
        auto const [begin, end] = stored_.equal_range(hash_of_node(memory_.data() + fresh.offset(), bytes));
        for (auto i = begin; i != end; ++i)
            if (i->second == fresh) {
                stored_.erase(i);
                return;
            }
    }
    /// The node, or a reference to its transpose or the negative of its transpose that is stored already: its mirror
    /// image, or, where identical nodes are shared, the first node that was stored. (Where values repeat, many nodes
    /// are a node's transpose; plans need the mirror image.)
    child_reference first_twin(node const& fresh, twin_hash const& hash) {
        child_reference const reference = fresh.reference;
        bool const anywhere = options_.share_identical;
        for (twin const which : {twin::transpose, twin::negative_transpose}) {
            auto const [begin, end] =
                candidates_.equal_range(anywhere ? hash.of(which) : key_at(hash.of(which), fresh.column, fresh.row));
            for (auto i = begin; i != end; ++i)
                if (twins_.equal(reference, i->second, which)) return twins_.turned(i->second, which);
        }
        candidates_.emplace(anywhere ? hash.own : key_at(hash.own, fresh.row, fresh.column), reference);
        for (twin const which : {twin::transpose, twin::negative_transpose})
            if (hash.own == hash.of(which) && twins_.equal(reference, reference, which))
                twins_.add_own_twin(reference, which);
        return reference;
    }
    static std::uint64_t key_at(std::uint64_t hash, std::uint32_t row, std::uint32_t column) {
        return mix_bits(hash + mix_bits(std::uint64_t{row} << 32 | column));
    }

    Source const& source_;
    node_geometry geometry_;
    int arena_;
    copy_options options_;
    buffer<std::byte> memory_;
    std::int64_t begin_ = 0;  // bytes of what is placed
    std::int64_t used_ = 0;
    std::unordered_map<std::uint64_t, child_reference> copies_;  // by stored_key(); null: named, but not copied
    std::unordered_multimap<std::uint64_t, child_reference> stored_;
    std::unordered_multimap<std::uint64_t, child_reference> candidates_;  // by hash, and by place
    twin_comparison twins_;
};

}  // namespace copse::detail
