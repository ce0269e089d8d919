#include <algorithm>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/inner_node_writer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <utility>

namespace copse::detail {
namespace {

/// What forms a node together: nodes that stand in one block of the next level.
struct block_node {
    std::uint32_t row_block;
    std::uint32_t column_block;
    child_reference reference;
};

class planner {
  public:
    planner(section_plan& sections, std::vector<block_row>& block_rows, int arena, int root_level, int log2,
            std::int64_t value_bytes, matrix_symmetry symmetry)
        : sections_(sections),
          block_rows_(block_rows),
          arena_(arena),
          root_level_(root_level),
          log2_(log2),
          value_bytes_(value_bytes),
          symmetry_(symmetry) {}

    tree_plan plan() {
        std::vector<block_node> nodes = place_leaves();
        for (int level = 1; level <= root_level_; ++level) nodes = form_parents(nodes, level);
        plan_.root = nodes.front().reference;
        return std::move(plan_);
    }

  private:
    bool is_half() const { return symmetry_ != matrix_symmetry::general; }
    /// on_diagonal: the node has no image.
    child_reference reserve(child_reference node, std::int64_t entries, std::int64_t bytes, bool on_diagonal) {
        check_arena_bytes("hisparse", "the matrix takes", plan_.bytes + bytes);
        plan_.census.count(node, entries);
        if (is_half() && !on_diagonal) plan_.census.count(node, entries);
        return node.placed(arena_, static_cast<std::uint64_t>(std::exchange(plan_.bytes, plan_.bytes + bytes)));
    }
    child_reference reserve_leaf(leaf_shape const& shape, bool on_diagonal) {
        return reserve(leaf_reference(arena_, 0, shape), shape.entries,
                       leaf_bytes(shape, std::int64_t{1} << log2_, value_bytes_), on_diagonal);
    }

    /// Leaves, and wide leaves in place of level 1's nodes: in traversal order.
    std::vector<block_node> place_leaves() {
        std::vector<block_node> nodes;
        for (std::uint32_t const number : sections_.order) {
            planned_block& block = sections_.blocks[number];
            if (block.wide) {
                block.reference = reserve_leaf(block.wide_shape(), block.row_block == block.column_block);
                nodes.push_back({block.row_block << log2_, block.column_block << log2_, block.reference});
                continue;
            }
            for (std::size_t k = block.first_section; k < block.last_section; ++k)
                place_section(sections_.places[k], nodes);
        }
        return nodes;
    }
    void place_section(section_number place, std::vector<block_node>& nodes) {
        block_row& band = block_rows_[place.band];
        planned_section const& section = band.sections[place.section];
        for (std::int32_t i = section.first; i < section.first + section.leaves; ++i) {
            planned_leaf& leaf = band.leaves[static_cast<std::size_t>(i)];
            leaf.reference = reserve_leaf(leaf.shape, band.row_block == leaf.column_block);
            nodes.push_back({band.row_block, leaf.column_block, leaf.reference});
        }
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
            bool const on_diagonal = place.row_block == place.column_block;
            if (is_half() && on_diagonal) add_images(formed.children, first);
            auto const n = static_cast<std::int64_t>(formed.children.size() - first);
            node_kind const kind = smallest_inner(n, d);
            child_reference const reference =
                reserve({arena_, 0, n, kind, level}, n, inner_bytes(kind, n, d), on_diagonal);
            formed.parents.push_back({reference, first});
            parents.push_back({place.row_block, place.column_block, reference});
        }
        return parents;
    }

    /// To the children of a node on the diagonal, from `first` on, which stay in row-major order.
    void add_images(std::vector<planned_node>& children, std::size_t first) const {
        bool const is_skew = symmetry_ == matrix_symmetry::skew;
        for (std::size_t i = first, last = children.size(); i < last; ++i)
            if (planned_node const child = children[i]; child.row != child.column)
                children.push_back({child.reference.transposed_if(true).negative_if(is_skew), child.column, child.row});
        std::sort(children.begin() + static_cast<std::ptrdiff_t>(first), children.end(),
                  [](planned_node const& a, planned_node const& b) {
                      return std::pair(a.row, a.column) < std::pair(b.row, b.column);
                  });
    }

    section_plan& sections_;
    std::vector<block_row>& block_rows_;
    int arena_;
    int root_level_;
    int log2_;
    std::int64_t value_bytes_;
    matrix_symmetry symmetry_;
    tree_plan plan_;
};

}  // namespace

int root_level(std::int64_t row_count, std::int64_t column_count, int dimension_log2) {
    int level = 0;
    while (std::max(row_count, column_count) > std::int64_t{1} << (dimension_log2 * (level + 1))) ++level;
    return level;
}

tree_plan plan_tree(section_plan& sections, std::vector<block_row>& block_rows, int arena, int root_level,
                    int dimension_log2, std::int64_t value_bytes, matrix_symmetry symmetry) {
    return planner(sections, block_rows, arena, root_level, dimension_log2, value_bytes, symmetry).plan();
}

void write_inner_node(std::byte* arena, child_reference node, planned_node const* children, int log2) {
    serial_worker w;
    inner_node_writer const writer(arena, node, log2);
    writer.prepare(w);
    for (int i = 0; i < node.entries(); ++i)
        writer.place(i, children[i].row << log2 | children[i].column) = children[i].reference;
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
