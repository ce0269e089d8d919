#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/node_copier.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <unordered_set>

namespace copse::detail {
namespace {

/// Each node once, before its children, at the first of its places.
class node_lister {
  public:
    explicit node_lister(host_tree const& tree) : tree_(tree), reader_(tree.view()) {}

    node_lists list(child_reference root) {
        add({root, 0, 0});
        return std::move(lists_);
    }

  private:
    void add(node const& n) {
        if (!n || !seen_.insert(tree_.identity(n.reference)).second) return;
        child_reference const stored = n.reference.as_stored();
        lists_.add(stored, tree_.extent(stored), n.row, n.column);
        if (stored.is_leaf()) return;
        for (int i = 0; i < reader_.child_count(n); ++i) add(reader_.child(n, i));
    }

    host_tree const& tree_;
    node_reader reader_;
    std::unordered_set<std::uintptr_t> seen_;
    node_lists lists_;
};

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
    node_lists const nodes = node_lister(source).list(content.root);
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
