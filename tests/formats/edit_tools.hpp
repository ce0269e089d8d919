// What the tests of edits and sharing have in common: a map as oracle, and a check of everything a tree promises.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/hisparse_sharing.hpp>
#include <copse/formats/leaf_assembly.hpp>
#include <copse/formats/leaf_edit.hpp>
#include <copse/formats/node_access.hpp>
#include <copse/formats/tree_plan.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace copse::tests {

/// Sorted and contiguous: most are filled in order, and compared.
template <class T>
using entry_map = boost::container::flat_map<std::pair<std::int64_t, std::int64_t>, T>;

template <class T>
entry_map<T> map_of(coo<T> const& a) {
    using position = typename entry_map<T>::key_type;
    std::vector<std::pair<position, T>> entries;
    for (std::size_t k = 0; k < a.values.size(); ++k) entries.push_back({{a.rows[k], a.columns[k]}, a.values[k]});
    auto const before = [](auto const& left, auto const& right) { return left.first < right.first; };
    if (!std::is_sorted(entries.begin(), entries.end(), before))
        std::stable_sort(entries.begin(), entries.end(), before);
    entry_map<T> map;
    for (auto const& [where, value] : entries) map.try_emplace(map.cend(), where, T(0))->second += value;
    return map;
}

/// The entries that a matrix reads as, each position once.
template <class T>
entry_map<T> map_of(hisparse<T> const& a) {
    coo<T> const entries = to_coo(a);
    entry_map<T> const map = map_of(entries);
    EXPECT_EQ(static_cast<std::int64_t>(map.size()), entries.entry_count()) << "a position occurs twice";
    return map;
}

template <class T>
void apply_to(entry_map<T>& map, edits<T> const& changes) {
    for (edit_entry<T> const& e : changes.entries()) {
        if (e.kind == edit_kind::erase)
            map.erase({e.row, e.column});
        else if (e.kind == edit_kind::set || !map.contains({e.row, e.column}))
            map[{e.row, e.column}] = e.value;
        else
            map[{e.row, e.column}] += e.value;
    }
}

/// Entries with whole numbers, small enough for every sum and product with a power of two to be exact.
template <class T>
coo<T> with_small_values(coo<double> const& a) {
    coo<T> result{a.row_count, a.column_count, a.rows, a.columns, {}};
    for (std::size_t k = 0; k < a.values.size(); ++k) result.values.push_back(static_cast<T>(1 + k % 97));
    return result;
}

template <class T>
hisparse<T> matrix_of(coo<double> const& a, int node_dimension = 64) {
    return hisparse<T>(host_memory(), with_small_values<T>(a), {.node_dimension = node_dimension});
}

/// A level-0 leaf has the kind and size that the rule gives its entries; a coordinate list ascends.
template <class T>
void check_leaf(hisparse<T> const& a, node leaf, detail::node_extent extent) {
    detail::block_order const order{a.tree().order()};
    auto const entries = detail::sorted_entries<T>({a.tree(), {leaf.reference, 0, 0}, extent}, order);
    EXPECT_EQ(static_cast<std::int64_t>(entries.size()), extent.entries);
    if (leaf.reference.level() == 0) {
        std::vector<std::uint16_t> positions;
        for (auto const& e : entries) positions.push_back(order.position(e.key));
        auto workspace = std::make_unique<detail::leaf_workspace>();
        detail::leaf_shape const smallest = detail::find_leaf_shape(*workspace, order.leaf, positions, sizeof(T));
        EXPECT_EQ(leaf.reference.kind(), smallest.kind);
        EXPECT_EQ(extent.bytes, detail::leaf_bytes(smallest, a.node_dimension(), sizeof(T)));
    }
    if (leaf.reference.transposed() || (leaf.reference.kind() != node_kind::sparse && !(leaf.reference.level() == 1)))
        return;
    std::size_t i = 0;
    detail::serial_worker w;
    detail::visit_entries<T>(w, a.tree(), {leaf.reference, 0, 0}, [&](int, int row, int column, T) {
        EXPECT_EQ(order.key(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)), entries[i++].key);
    });
}

/// Everything a tree in host memory promises: kinds of nodes, order, no empty node, census, entry count. The root is at
/// the level that the dimensions ask for.
template <class T>
void check_tree(hisparse<T> const& a) {
    hisparse_content const& content = *a.content();
    node_census walked;
    std::int64_t entries = 0;
    auto const check_node = [&](auto const& self, node n) -> void {
        detail::node_extent const extent =
            detail::extent_of(n.reference, a.tree().address(n.reference), {content.dimension_log2, sizeof(T)});
        walked.count(n.reference, extent.entries);
        if (n.reference.is_leaf()) {
            entries += extent.entries;
            return check_leaf(a, n, extent);
        }
        EXPECT_EQ(n.reference.kind(), detail::smallest_inner(extent.entries, a.node_dimension()));
        std::int64_t children = 0;
        for (int i = 0; i < a.tree().child_count(n); ++i) {
            node const child = a.tree().child(n, i);
            if (!child) continue;
            ++children;
            EXPECT_EQ(child.reference.level(), n.reference.level() - 1);
            self(self, child);
        }
        EXPECT_EQ(children, extent.entries);
    };
    if (content.root) {
        EXPECT_EQ(content.root.level(),
                  detail::root_level(content.row_count, content.column_count, content.dimension_log2));
        check_node(check_node, a.root());
    }
    EXPECT_EQ(walked.visits, a.census().visits);
    EXPECT_EQ(walked.entries, a.census().entries);
    EXPECT_EQ(entries, a.entry_count());
}

/// Edits and checks against the map; gives back the new matrix.
template <class T>
hisparse<T> checked_edit(hisparse<T> const& a, edits<T> const& changes) {
    entry_map<T> const before = map_of(a);
    entry_map<T> expected = before;
    apply_to(expected, changes);
    hisparse<T> const b = edit(a, changes);
    EXPECT_EQ(map_of(b), expected);
    EXPECT_EQ(map_of(a), before) << "the old matrix changed";
    EXPECT_EQ(b.row_count(), a.row_count());
    EXPECT_EQ(b.column_count(), a.column_count());
    EXPECT_EQ(b.is_transposed(), a.is_transposed());
    EXPECT_EQ(b.scale(), a.scale());
    check_tree(b);
    return b;
}

/// Level and kind of every node from the root to position (row, column).
struct path_node {
    int level;
    node_kind kind;
    friend bool operator==(path_node const&, path_node const&) = default;
};
template <class T>
std::vector<path_node> path_to(hisparse<T> const& a, std::uint32_t row, std::uint32_t column) {
    std::vector<path_node> path;
    node n = a.root();
    while (n) {
        path.push_back({n.reference.level(), n.reference.kind()});
        if (n.reference.is_leaf()) break;
        node next{};
        for (int i = 0; i < a.tree().child_count(n); ++i) {
            node const child = a.tree().child(n, i);
            if (!child) continue;
            std::uint32_t const width = 1u << (a.tree().dimension_log2() * n.reference.level());
            if (row - child.row < width && column - child.column < width) next = child;
        }
        n = next;
    }
    return path;
}

///      [ A    A^T ]   A and A^T are references to one node, A^T with the transposed bit: as additions of transposed
///      [ A^T  A   ]   matrices leave them. Each takes a block as large as A's root.
template <class T>
hisparse<T> mosaic(hisparse<T> const& a) {
    hisparse_content const& part = *a.content();
    auto content = std::make_shared<hisparse_content>();
    content->row_count = content->column_count = std::int64_t{2} << part.dimension_log2 * (part.root.level() + 1);
    content->entry_count = 4 * part.entry_count;
    content->dimension_log2 = part.dimension_log2;
    for (std::size_t level = 0; level < level_count; ++level)
        for (std::size_t kind = 0; kind < node_kind_count; ++kind) {
            for (std::size_t size = 0; size < size_class_count; ++size)
                content->census.visits[level][kind][size] = 4 * part.census.visits[level][kind][size];
            content->census.entries[level][kind] = 4 * part.census.entries[level][kind];
        }
    content->arenas = part.arenas;
    int const number = detail::new_arena_number(part.arenas);
    std::int64_t const bytes = detail::sparse_node_bytes(4, sizeof(child_reference));
    content->root = child_reference(number, 0, 4, node_kind::sparse, part.root.level() + 1);
    content->census.count(content->root, 4);
    content->reachable_bytes = part.reachable_bytes + bytes;
    child_reference const flipped = part.root.transposed_if(true);
    detail::planned_node const children[] = {{part.root, 0, 0}, {flipped, 0, 1}, {flipped, 1, 0}, {part.root, 1, 1}};
    auto memory = std::make_shared<buffer<std::byte>>(host_memory(), bytes);
    detail::write_inner_node(memory->data(), content->root, children, part.dimension_log2);
    content->arenas.push_back({number, memory});
    detail::make_arena_table(*content, host_memory());
    return hisparse<T>(content);
}

}  // namespace copse::tests
