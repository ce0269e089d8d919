// What the tests of edits and sharing have in common: a map as oracle, and a check of everything a tree promises.
// What goes through all entries is compiled once, for float and double.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <copse/formats/edits/leaf_edit.hpp>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace copse::tests {

/// Sorted and contiguous: most are filled in order, and compared.
template <class T>
using entry_map = boost::container::flat_map<std::pair<std::int64_t, std::int64_t>, T>;

template <class T>
entry_map<T> map_of(coo<T> const& a);

/// The entries that a matrix reads as, each position once.
template <class T>
entry_map<T> map_of(hisparse<T> const& a);

/// The matrix has the map's entries: as EXPECT_EQ(map_of(a), expected) says, in a third of the time.
template <class T>
void expect_entries(hisparse<T> const& a, entry_map<T> const& expected, char const* what = "");

template <class T>
void apply_to(entry_map<T>& map, edits<T> const& changes);

/// Entries with whole numbers, small enough for every sum and product with a power of two to be exact.
template <class T>
coo<T> with_small_values(coo<double> const& a) {
    coo<T> result{a.row_count, a.column_count, a.rows, a.columns, {}};
    for (std::size_t k = 0; k < a.values.size(); ++k) result.values.push_back(static_cast<T>(1 + k % 97));
    return result;
}

/// d = 64: 2 x 2 leaves of 17 entries below a root.
inline coo<double> four_leaves() {
    return matrix_where(128, 128, [](auto i, auto j) { return i % 64 < 17 && j % 64 == 20; });
}

/// d = 64: in every third row of blocks a leaf in every 3000 columns, a list of 64 entries.
inline coo<double> scattered_lists(std::int64_t m, std::int64_t n) {
    return matrix_of_rows(m, n, [n](std::int64_t i) {
        return i / 64 % 3 == 0 ? every(i / 64 * 67 % 3000, 3000, n) : std::vector<std::int64_t>();
    });
}

template <class T>
hisparse<T> matrix_of(coo<double> const& a, int node_dimension = 64) {
    return hisparse<T>(host_memory(), with_small_values<T>(a), {.node_dimension = node_dimension});
}

/// Everything a tree in host memory promises: kinds of nodes, order, no empty node, census, entry count. The root is at
/// the level that the dimensions ask for. A level-0 leaf has the kind and size that the rule gives its entries; a
/// coordinate list ascends.
template <class T>
void check_tree(hisparse<T> const& a);

/// The same tree and state, its nodes alone in one arena of that memory.
template <class T>
hisparse<T> placed_in(std::shared_ptr<memory> const& where, hisparse<T> const& a);

/// check_tree() of a matrix in any memory: of a copy, if the host cannot read it.
template <class T>
void check_tree_anywhere(hisparse<T> const& a) {
    check_tree(a.space() == memory_space::host ? a : placed_in(host_memory(), a));
}

/// Edits and checks against the map, in host memory and in memory that the host cannot read; gives back the new matrix.
template <class T>
hisparse<T> checked_edit(hisparse<T> const& a, edits<T> const& changes);

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
    std::int64_t const bytes = detail::inner_bytes(node_kind::sparse, 4, 0);
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
