#include <copse/formats/statistics.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <unordered_map>

namespace copse {
namespace {

/// How many references lead to each node, from nodes that are counted once.
class reference_counts {
  public:
    struct counts {
        std::int64_t all = 0;
        std::int64_t transposed = 0;
        std::int64_t negative = 0;
    };

    reference_counts(detail::host_tree const& tree, child_reference root) : tree_(tree) {
        auto const count = [&](child_reference node) {
            if (node.is_leaf()) return;
            for (child_reference const child : tree.children(node)) {
                if (!child) continue;
                counts& c = counts_[tree.identity(child)];
                ++c.all;
                if (child.transposed()) ++c.transposed;
                if (child.negative()) ++c.negative;
            }
        };
        std::unordered_set<std::uintptr_t> seen;
        detail::for_each_node(tree, root, seen, count);
    }
    counts of(child_reference node) const {
        auto const found = counts_.find(tree_.identity(node));
        return found == counts_.end() ? counts() : found->second;
    }

  private:
    detail::host_tree const& tree_;
    std::unordered_map<std::uintptr_t, counts> counts_;
};

}  // namespace

std::string_view name_of(node_kind kind) {
    std::string_view const leaf = detail::with_kind(kind, [](auto owner) { return owner.name; });
    return leaf.substr(0, leaf.find(' '));
}

std::int64_t node_sizes::bytes() const {
    std::int64_t sum = 0;
    for (auto const& level : groups)
        for (group const& g : level) sum += g.bytes;
    return sum;
}

std::int64_t node_sizes::entries() const {
    std::int64_t sum = wide_entries();
    for (group const& g : groups[0]) sum += g.entries;
    return sum;
}

template <class T>
node_sizes sizes_of_nodes(hisparse<T> const& a) {
    detail::host_tree const tree(*a.content(), sizeof(T));
    node_sizes sizes;
    reference_counts const references(tree, a.content()->root);
    auto const count = [&](child_reference r) {
        detail::node_extent const extent = tree.extent(r);
        auto& g = sizes.groups[static_cast<std::size_t>(r.level())][static_cast<std::size_t>(r.kind())];
        ++g.nodes;
        g.entries += extent.entries;
        g.bytes += extent.bytes;
        g.shared += references.of(r).all > 1 ? 1 : 0;
        g.mirrored += references.of(r).transposed > 0 ? 1 : 0;
        g.negated += references.of(r).negative > 0 ? 1 : 0;
        g.values_once += r.is_leaf() && r.values_once() ? 1 : 0;
        if (r.is_leaf())
            sizes.blocks += detail::with_leaf<T>(tree.view(), {r, 0, 0}, [&](auto const& leaf) {
                return detail::count_blocks(leaf, tree.geometry().dimension_log2);
            });
    };
    std::unordered_set<std::uintptr_t> seen;
    detail::for_each_node(tree, a.content()->root, seen, count);
    return sizes;
}

template node_sizes sizes_of_nodes(hisparse<float> const&);
template node_sizes sizes_of_nodes(hisparse<double> const&);

}  // namespace copse
