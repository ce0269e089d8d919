#include <algorithm>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/compaction_plan.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/node_copier.hpp>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace copse::detail {
namespace {

constexpr std::int64_t most_piece_bytes = 1 << 15;  // a wide leaf takes up to 12 MiB

/// The nodes of a content: inner ones are fetched, leaves stay where they are.
class nodes_to_compact : public node_fetcher {
  public:
    using node_fetcher::node_fetcher;

    void fetch(std::span<child_reference const> nodes) {
        std::vector<child_reference> inner;
        for (child_reference node : nodes)
            if (!node.is_leaf()) inner.push_back(node);
        node_fetcher::fetch(inner);
    }
    /// first_time: as for nodes_by_level().
    template <class FirstTime>
    void list(child_reference root, FirstTime first_time) {
        for (child_reference node : nodes_by_level(*this, root, first_time))
            if (node.is_leaf())
                leaves_.push_back(node);
            else
                inner_.add(node, extent(node));
    }
    node_lists const& inner() const { return inner_; }

    std::vector<child_reference> const& leaves() const { return leaves_; }
    /// Of each leaf.
    std::vector<std::int64_t> leaf_sizes() const {
        std::vector<std::byte> const heads = fetch_heads();
        std::byte const* head = heads.data();
        std::vector<std::int64_t> sizes;
        sizes.reserve(leaves_.size());
        for (child_reference leaf : leaves_) {
            std::byte const* memory = stored(leaf);
            if (!reads_in_place() && has_head(leaf)) memory = std::exchange(head, head + head_bytes);
            sizes.push_back(extent_of(leaf, memory, geometry()).bytes);
        }
        return sizes;
    }

  private:
    std::vector<std::byte> fetch_heads() const {
        if (reads_in_place()) return {};
        std::vector<memory_extent> pieces;
        for (child_reference leaf : leaves_)
            if (has_head(leaf)) pieces.push_back({stored(leaf), head_bytes});
        std::vector<std::byte> heads(pieces.size() * head_bytes);
        if (!pieces.empty()) where().gather_to_host(heads.data(), pieces);
        return heads;
    }

    std::vector<child_reference> leaves_;
    node_lists inner_;
};

}  // namespace

compaction_plan plan_compaction(hisparse_content const& content, std::int64_t value_bytes) {
    nodes_to_compact nodes(content, value_bytes);
    compaction_plan plan{{}, new_arena_number({}), 0, {}, {}};
    node_copier<nodes_to_compact> copier(nodes, nodes.geometry(), plan.arena, {}, content.census.nodes());
    nodes.list(content.root, [&](child_reference node) { return copier.note(node); });
    std::vector<std::int64_t> const sizes = nodes.leaf_sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        child_reference const leaf = nodes.leaves()[i];
        std::int64_t const bytes = sizes[i];
        std::uint64_t const to = copier.place(leaf, bytes).offset();
        for (std::int64_t done = 0; done < bytes; done += most_piece_bytes) {
            auto const k = static_cast<std::uint64_t>(done);
            plan.leaves.push_back(
                {value_place(leaf.arena(), leaf.offset() + k), to + k, std::min(most_piece_bytes, bytes - done) / 16});
        }
    }
    check_arena_bytes("hisparse", "the nodes of the matrix take", copier.used_bytes() + nodes.inner().bytes);
    copier.copy(nodes.inner());
    plan.root = copier.copy_of(content.root);
    plan.bytes = copier.used_bytes();
    plan.inner_nodes = copier.take();
    return plan;
}

std::int64_t compacted_bytes(hisparse_content const& content, std::int64_t value_bytes) {
    nodes_to_compact nodes(content, value_bytes);
    std::unordered_set<std::uint64_t> seen;
    nodes.list(content.root, [&](child_reference node) { return seen.insert(stored_key(node)).second; });
    std::vector<std::int64_t> const sizes = nodes.leaf_sizes();
    return std::accumulate(sizes.begin(), sizes.end(), nodes.inner().bytes);
}

}  // namespace copse::detail
