// Nodes copied side by side into memory of their own, references among them with them.
#pragma once

#include <copse/formats/generators/random.hpp>
#include <copse/formats/leaves/values_once.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/runtime/buffer.hpp>
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
    bool share_identical = false;  // store sub-trees that are equal byte by byte once
    bool values_once = false;      // store values that repeat once

    bool changes_nodes() const { return share_identical || values_once; }
};
/// What a conversion leaves to a copy of what it made.
inline copy_options copies_after(hisparse_options const& options) {
    return {options.share_identical, options.values == stored_values::once};
}

/// Nodes to copy, none twice and none transposed: one list for the leaves, one for the inner nodes of each level.
struct node_lists {
    std::vector<child_reference> of_level[level_count];  // 0: leaves, wide ones too
    std::int64_t bytes = 0;

    void add(child_reference node, node_extent extent) {
        of_level[node.is_leaf() ? 0 : node.level()].push_back(node);
        bytes += extent.bytes;
    }
};

/// Source: address(node) and extent(node) of the nodes that are copied, on the host.
template <class Source>
class node_copier {
  public:
    /// arena: the number of the memory that the copies are in.
    node_copier(Source const& source, node_geometry geometry, int arena, copy_options options)
        : source_(source), geometry_(geometry), arena_(arena), options_(options) {}

    /// Leaves first, then level by level: children are there before their parents. At most once.
    void copy(node_lists const& nodes) {
        memory_ = buffer<std::byte>(host_memory(), nodes.bytes);
        for (auto const& level : nodes.of_level)
            for (child_reference node : level) copy(node);
    }
    /// The node itself where it was not copied.
    child_reference copy_of(child_reference node) const {
        auto const copied = copies_.find(stored_key(node));
        return copied == copies_.end() ? node : copied->second.transposed_if(node.transposed());
    }
    std::int64_t used_bytes() const { return used_; }

    /// What was copied; the copier is done with.
    buffer<std::byte> take() {
        if (used_ == memory_.size()) return std::move(memory_);
        return {host_memory(), std::span<std::byte const>(memory_.data(), static_cast<std::size_t>(used_))};
    }

  private:
    void copy(child_reference node) {
        std::byte* const memory = memory_.data() + used_;
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
        child_reference const copied = options_.share_identical ? first_like(fresh, bytes) : fresh;
        if (copied == fresh) used_ += bytes;
        copies_.emplace(stored_key(node), copied);
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

    Source const& source_;
    node_geometry geometry_;
    int arena_;
    copy_options options_;
    buffer<std::byte> memory_;
    std::int64_t used_ = 0;
    std::unordered_map<std::uint64_t, child_reference> copies_;  // by stored_key()
    std::unordered_multimap<std::uint64_t, child_reference> stored_;
};

}  // namespace copse::detail
