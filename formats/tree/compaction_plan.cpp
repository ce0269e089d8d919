#include <algorithm>
#include <array>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/compaction_plan.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace copse::detail {
namespace {

constexpr std::int64_t most_piece_bytes = 1 << 15;  // a wide leaf takes up to 12 MiB

class compaction_planner {
  public:
    compaction_planner(hisparse_content const& content, std::int64_t value_bytes)
        : content_(content), geometry_{content.dimension_log2, value_bytes}, inner_(content, value_bytes) {
        for (arena const& a : content.arenas) arenas_[static_cast<std::size_t>(a.number)] = a.memory->data();
    }

    compaction_plan plan() {
        list_nodes();
        compaction_plan result{{}, new_arena_number({}), 0, {}, {}};
        place_leaves(result);
        std::int64_t const inner_begin = result.bytes;
        for (auto const& level : inner_of_level_)
            for (child_reference node : level) place(node, extent_of(node, nullptr, geometry_).bytes, result);
        check_arena_bytes("hisparse", "the nodes of the matrix take", result.bytes);
        result.inner_nodes.resize(static_cast<std::size_t>(result.bytes - inner_begin));
        for (auto const& level : inner_of_level_)
            for (child_reference node : level) write_inner(node, inner_begin, result);
        result.root = copy_of(content_.root);
        return result;
    }

    std::int64_t bytes() {
        list_nodes();
        std::int64_t sum = 0;
        for (auto const& level : inner_of_level_)
            for (child_reference node : level) sum += extent_of(node, nullptr, geometry_).bytes;
        for_each_leaf([&](child_reference, std::int64_t bytes) { sum += bytes; });
        return sum;
    }

  private:
    /// Level by level, each once.
    void list_nodes() {
        std::vector<child_reference> nodes;
        auto const list = [&](child_reference node) {
            if (node && copies_.try_emplace(stored_key(node)).second) nodes.push_back(node.as_stored());
        };
        list(content_.root);
        while (!nodes.empty()) {
            std::vector<child_reference> const here = std::exchange(nodes, {});
            std::vector<child_reference> inner;
            for (child_reference node : here) (node.is_leaf() ? leaves_ : inner).push_back(node);
            inner_.fetch(inner);
            for (child_reference node : inner) {
                inner_of_level_[node.level()].push_back(node);
                for (child_reference child : child_slots(node, inner_memory(node), geometry_.dimension_log2))
                    list(child);
            }
        }
    }

    void place_leaves(compaction_plan& plan) {
        for_each_leaf([&](child_reference leaf, std::int64_t bytes) {
            for (std::int64_t done = 0; done < bytes; done += most_piece_bytes)
                plan.leaves.push_back({value_place(leaf.arena(), leaf.offset() + static_cast<std::uint64_t>(done)),
                                       static_cast<std::uint64_t>(plan.bytes + done),
                                       std::min(most_piece_bytes, bytes - done) / 16});
            place(leaf, bytes, plan);
        });
    }
    /// f(leaf, its bytes)
    template <class F>
    void for_each_leaf(F f) const {
        std::vector<std::byte> const heads = fetch_heads();
        std::byte const* head = heads.data();
        for (child_reference leaf : leaves_) {
            std::byte const* memory = stored(leaf);
            if (content_.space != memory_space::host && has_head(leaf)) memory = std::exchange(head, head + head_bytes);
            f(leaf, extent_of(leaf, memory, geometry_).bytes);
        }
    }
    std::vector<std::byte> fetch_heads() const {
        if (content_.space == memory_space::host) return {};
        std::vector<memory_extent> pieces;
        for (child_reference leaf : leaves_)
            if (has_head(leaf)) pieces.push_back({stored(leaf), head_bytes});
        std::vector<std::byte> heads(pieces.size() * head_bytes);
        if (!pieces.empty()) memory_of(content_)->gather_to_host(heads.data(), pieces);
        return heads;
    }

    void place(child_reference node, std::int64_t bytes, compaction_plan& plan) {
        copies_[stored_key(node)] = node.placed(plan.arena, static_cast<std::uint64_t>(plan.bytes));
        plan.bytes += bytes;
    }
    child_reference copy_of(child_reference node) const { return copies_.at(stored_key(node)).seen_through(node); }
    void write_inner(child_reference node, std::int64_t inner_begin, compaction_plan& plan) const {
        auto const place = static_cast<std::int64_t>(copy_of(node).offset()) - inner_begin;
        std::byte* const memory = plan.inner_nodes.data() + place;
        std::memcpy(memory, inner_memory(node), static_cast<std::size_t>(extent_of(node, nullptr, geometry_).bytes));
        auto* const references = reinterpret_cast<child_reference*>(memory);
        std::size_t const slots = child_slots(node, memory, geometry_.dimension_log2).size();
        for (std::size_t i = 0; i < slots; ++i)
            if (references[i]) references[i] = copy_of(references[i]);
    }
    std::byte const* inner_memory(child_reference node) const {
        fetched_node const fetched = inner_.fetched(node);
        return fetched.tree.address(fetched.place.reference);
    }
    std::byte const* stored(child_reference node) const {
        return arenas_[static_cast<std::size_t>(node.arena())] + node.offset();
    }

    hisparse_content const& content_;
    node_geometry geometry_;
    node_fetcher inner_;
    std::array<std::byte const*, most_arenas> arenas_{};
    std::vector<child_reference> leaves_;
    std::vector<child_reference> inner_of_level_[level_count];
    std::unordered_map<std::uint64_t, child_reference> copies_;  // by stored_key(); null until it has a place
};

}  // namespace

compaction_plan plan_compaction(hisparse_content const& content, std::int64_t value_bytes) {
    return compaction_planner(content, value_bytes).plan();
}

std::int64_t compacted_bytes(hisparse_content const& content, std::int64_t value_bytes) {
    return compaction_planner(content, value_bytes).bytes();
}

}  // namespace copse::detail
