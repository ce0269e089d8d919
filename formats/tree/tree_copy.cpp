#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/node_copier.hpp>
#include <copse/formats/tree/tree_copy.hpp>

namespace copse::detail {
namespace {

/// Each node once, before its children, at the first of its places.
void list_nodes(host_tree const& tree, node const& n, node_copier<host_tree>& copier, node_lists& lists) {
    if (!n || !copier.note(n.reference)) return;
    child_reference const stored = n.reference.as_stored();
    lists.add(stored, tree.extent(stored), n.row, n.column);
    if (stored.is_leaf()) return;
    node_reader const reader = tree.view();
    for (int i = 0; i < reader.child_count(n); ++i) list_nodes(tree, reader.child(n, i), copier, lists);
}

}  // namespace

hisparse_content copy_tree(hisparse_content const& content, std::int64_t value_bytes, copy_options options) {
    hisparse_content result = content_like(content);
    result.space = memory_space::host;
    if (!content.root) return result;

    host_tree const source(content, value_bytes);
    int const number = new_arena_number({});
    node_copier<host_tree> copier(source, source.geometry(), number, options, content.census.nodes());
    node_lists nodes;
    list_nodes(source, {content.root, 0, 0}, copier, nodes);
    check_arena_bytes("hisparse", "the nodes of the matrix take", nodes.bytes);
    copier.copy(nodes);
    result.root = copier.copy_of(content.root);
    result.reachable_bytes = copier.used_bytes();
    result.arenas.push_back({number, std::make_shared<buffer<std::byte>>(copier.take())});
    return result;
}

}  // namespace copse::detail
