#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/node_copier.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <unordered_set>

namespace copse::detail {
namespace {

node_lists list_nodes(host_tree const& tree, child_reference root) {
    node_lists lists;
    std::unordered_set<std::uintptr_t> seen;
    auto const list = [&](child_reference node) { lists.add(node, tree.extent(node)); };
    for_each_node(tree, root, seen, list);
    return lists;
}

}  // namespace

hisparse_content copy_tree(hisparse_content const& content, std::int64_t value_bytes, copy_options options) {
    hisparse_content result;
    result.row_count = content.row_count;
    result.column_count = content.column_count;
    result.entry_count = content.entry_count;
    result.dimension_log2 = content.dimension_log2;
    result.census = content.census;
    if (!content.root) return result;

    host_tree const source(content, value_bytes);
    node_lists const nodes = list_nodes(source, content.root);
    check_arena_bytes("hisparse", "the nodes of the matrix take", nodes.bytes);
    int const number = new_arena_number({});
    node_copier<host_tree> copier(source, source.geometry(), number, options);
    copier.copy(nodes);
    result.root = copier.copy_of(content.root);
    result.reachable_bytes = copier.used_bytes();
    result.arenas.push_back({number, std::make_shared<buffer<std::byte>>(copier.take())});
    return result;
}

}  // namespace copse::detail
