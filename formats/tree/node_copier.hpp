// Nodes copied side by side into memory of their own, references among them with them.
#pragma once

#include <algorithm>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/leaves/values_once.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/transposed_twins.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace copse::detail {

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
