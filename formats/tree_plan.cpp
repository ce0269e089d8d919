#include <algorithm>
#include <copse/formats/tree_plan.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/parallel_for.hpp>
#include <cstring>

namespace copse::detail {
namespace {

/// What forms a node together: nodes that stand in one block of the next level.
struct block_node {
    std::uint32_t row_block;
    std::uint32_t column_block;
    child_reference reference;
};

/// Indices of the leaves in the order of a traversal, row-major within every node.
std::vector<std::uint32_t> traversal_order(std::vector<planned_leaf> const& leaves, int root_level, int log2) {
    std::vector<std::uint32_t> order(leaves.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    // Sorted by row digits, then column digits. A stable sort by the column digits of a level, among leaves with equal
    // row digits of that level, moves these in front of the row digits below.
    for (int level = 1; level < root_level; ++level) {
        int const shift = level * log2;
        std::vector<std::size_t> groups{0};
        for (std::size_t i = 1; i < order.size(); ++i)
            if (leaves[order[i]].row_block >> shift != leaves[order[i - 1]].row_block >> shift) groups.push_back(i);
        groups.push_back(order.size());
        parallel_for(
            static_cast<std::int64_t>(groups.size()) - 1, 1, [] { return 0; },
            [&](int, std::int64_t g) {
                auto const begin = order.begin() + static_cast<std::ptrdiff_t>(groups[static_cast<std::size_t>(g)]);
                auto const end = order.begin() + static_cast<std::ptrdiff_t>(groups[static_cast<std::size_t>(g) + 1]);
                std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
                    return leaves[a].column_block >> shift < leaves[b].column_block >> shift;
                });
            });
    }
    return order;
}

class planner {
  public:
    planner(std::vector<planned_leaf>& leaves, int arena, int root_level, int log2, std::int64_t value_bytes)
        : leaves_(leaves), arena_(arena), root_level_(root_level), log2_(log2), value_bytes_(value_bytes) {}

    tree_plan plan() {
        std::vector<block_node> nodes = place_leaves();
        for (int level = 1; level <= root_level_; ++level) nodes = form_parents(nodes, level);
        plan_.root = nodes.front().reference;
        return std::move(plan_);
    }

  private:
    child_reference reserve(std::int64_t entries, node_kind kind, int level, std::int64_t bytes) {
        if (plan_.bytes + bytes > std::int64_t{1} << 36)
            throw shape_error("hisparse: the matrix takes more than 64 GiB; one arena holds no more");
        child_reference const reference(arena_, static_cast<std::uint64_t>(plan_.bytes), entries, kind, level);
        plan_.census.count(reference, entries);
        plan_.bytes += bytes;
        return reference;
    }

    /// Leaves, and wide leaves in place of level 1's nodes: in traversal order.
    std::vector<block_node> place_leaves() {
        std::vector<std::uint32_t> const order = traversal_order(leaves_, root_level_, log2_);
        std::vector<block_node> nodes;
        nodes.reserve(leaves_.size());
        auto const same_parent = [&](planned_leaf const& a, planned_leaf const& b) {
            return a.row_block >> log2_ == b.row_block >> log2_ && a.column_block >> log2_ == b.column_block >> log2_;
        };
        for (std::size_t i = 0; i < order.size();) {
            std::size_t last = i;
            std::int64_t entries = 0;
            for (; last < order.size() && same_parent(leaves_[order[i]], leaves_[order[last]]); ++last)
                entries += leaves_[order[last]].shape.entries;
            if (root_level_ > 0 && is_wide(entries, static_cast<std::int64_t>(last - i)))
                nodes.push_back(place_wide_leaf(order, i, last, entries));
            else
                for (std::size_t k = i; k < last; ++k) nodes.push_back(place_leaf(leaves_[order[k]]));
            i = last;
        }
        return nodes;
    }
    block_node place_leaf(planned_leaf& leaf) {
        leaf.reference = reserve(leaf.shape.entries, leaf.shape.kind, 0,
                                 leaf_bytes(leaf.shape, std::int64_t{1} << log2_, value_bytes_));
        return {leaf.row_block, leaf.column_block, leaf.reference};
    }
    block_node place_wide_leaf(std::vector<std::uint32_t> const& order, std::size_t begin, std::size_t end,
                               std::int64_t entries) {
        child_reference const reference = reserve(entries, node_kind::wide, 1, wide_leaf_bytes(entries, value_bytes_));
        plan_.wide_leaves.push_back({reference, entries});
        std::int32_t first = 0;
        for (std::size_t k = begin; k < end; ++k) {
            leaves_[order[k]].reference = reference;
            leaves_[order[k]].first = first;
            first += leaves_[order[k]].shape.entries;
        }
        return {leaves_[order[begin]].row_block, leaves_[order[begin]].column_block, reference};
    }

    /// The nodes at `level` over those below it. A wide leaf is one already.
    std::vector<block_node> form_parents(std::vector<block_node> const& nodes, int level) {
        planned_level& formed = plan_.levels.emplace_back();
        std::vector<block_node> parents;
        std::int64_t const d = std::int64_t{1} << log2_;
        auto const mask = static_cast<std::uint32_t>(d - 1);
        for (std::size_t i = 0; i < nodes.size();) {
            block_node const place{nodes[i].row_block >> log2_, nodes[i].column_block >> log2_, nodes[i].reference};
            if (place.reference.level() == level) {
                parents.push_back(place);
                ++i;
                continue;
            }
            std::size_t const first = formed.children.size();
            for (; i < nodes.size() && nodes[i].row_block >> log2_ == place.row_block &&
                   nodes[i].column_block >> log2_ == place.column_block;
                 ++i)
                formed.children.push_back({nodes[i].reference, static_cast<std::uint8_t>(nodes[i].row_block & mask),
                                           static_cast<std::uint8_t>(nodes[i].column_block & mask)});
            auto const n = static_cast<std::int64_t>(formed.children.size() - first);
            node_kind const kind = smallest_inner(n, d);
            child_reference const reference = reserve(
                n, kind, level,
                kind == node_kind::dense ? dense_inner_bytes(d) : sparse_node_bytes(n, sizeof(child_reference)));
            formed.parents.push_back({reference, first});
            parents.push_back({place.row_block, place.column_block, reference});
        }
        return parents;
    }

    std::vector<planned_leaf>& leaves_;
    int arena_;
    int root_level_;
    int log2_;
    std::int64_t value_bytes_;
    tree_plan plan_;
};

}  // namespace

int root_level(std::int64_t row_count, std::int64_t column_count, int dimension_log2) {
    int level = 0;
    while (std::max(row_count, column_count) > std::int64_t{1} << (dimension_log2 * (level + 1))) ++level;
    return level;
}

tree_plan plan_tree(std::vector<planned_leaf>& leaves, int arena, int root_level, int dimension_log2,
                    std::int64_t value_bytes) {
    return planner(leaves, arena, root_level, dimension_log2, value_bytes).plan();
}

void write_inner_node(std::byte* arena, child_reference node, planned_node const* children, int log2) {
    std::byte* const memory = arena + node.offset();
    auto* const references = reinterpret_cast<child_reference*>(memory);
    std::int64_t const n = node.entries();
    if (node.kind() == node_kind::dense) {
        std::memset(memory, 0, static_cast<std::size_t>(dense_inner_bytes(std::int64_t{1} << log2)));
        for (std::int64_t i = 0; i < n; ++i)
            references[children[i].row << log2 | children[i].column] = children[i].reference;
        return;
    }
    std::int64_t const p = padded_entries(n);
    std::memset(memory + n * 8, 0, static_cast<std::size_t>(sparse_node_bytes(n, sizeof(child_reference)) - n * 8));
    auto* const rows = reinterpret_cast<std::uint8_t*>(references + p);
    for (std::int64_t i = 0; i < n; ++i) {
        references[i] = children[i].reference;
        rows[i] = children[i].row;
        rows[p + i] = children[i].column;
    }
}

void write_inner_nodes(tree_plan const& plan, std::byte* arena, int dimension_log2) {
    for (planned_level const& level : plan.levels)
        parallel_for(
            static_cast<std::int64_t>(level.parents.size()), 64, [] { return 0; },
            [&](int, std::int64_t i) {
                planned_parent const& parent = level.parents[static_cast<std::size_t>(i)];
                write_inner_node(arena, parent.reference, &level.children[parent.first_child], dimension_log2);
            });
}

}  // namespace copse::detail
