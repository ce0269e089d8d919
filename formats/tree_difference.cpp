#include <algorithm>
#include <array>
#include <copse/formats/node_access.hpp>
#include <copse/formats/tree_difference.hpp>
#include <utility>

namespace copse::detail {
namespace {

/// One of the two trees.
class side {
  public:
    side(hisparse_content const& content, std::int64_t value_bytes) : fetcher_(content, value_bytes) {
        for (arena const& a : content.arenas) arenas_[static_cast<std::size_t>(a.number)] = a.memory.get();
    }
    void const* arena_of(node n) const { return arenas_[static_cast<std::size_t>(n.reference.arena())]; }

    /// By row, then column.
    std::vector<node> children(node parent) {
        fetched_node const fetched = fetcher_.fetch(parent.reference);
        node const place{fetched.place.reference, parent.row, parent.column};
        std::vector<node> result;
        for (int i = 0; i < fetched.tree.child_count(place); ++i)
            if (node const child = fetched.tree.child(place, i)) result.push_back(child);
        if (parent.reference.transposed())
            std::sort(result.begin(), result.end(), [](node const& a, node const& b) { return at(a) < at(b); });
        return result;
    }
    void collect_leaves(node n, std::vector<node>& leaves) {
        if (!n) return;
        if (n.reference.is_leaf()) return leaves.push_back(n);
        for (node child : children(n)) collect_leaves(child, leaves);
    }
    static std::pair<std::uint32_t, std::uint32_t> at(node const& n) { return {n.row, n.column}; }

  private:
    node_fetcher fetcher_;
    std::array<void const*, most_arenas> arenas_{};
};

class comparison {
  public:
    comparison(hisparse_content const& before, hisparse_content const& after, std::int64_t value_bytes)
        : before_(before, value_bytes), after_(after, value_bytes) {}

    /// Either may be null.
    void compare(node a, node b) {
        if (a && b && a.reference == b.reference && before_.arena_of(a) == after_.arena_of(b)) return;
        if (!a || !b || a.reference.is_leaf() || b.reference.is_leaf()) {
            before_.collect_leaves(a, result_.removed);
            after_.collect_leaves(b, result_.added);
            return;
        }
        std::vector<node> const old_children = before_.children(a), new_children = after_.children(b);
        auto i = old_children.begin();
        auto j = new_children.begin();
        while (i != old_children.end() || j != new_children.end()) {
            bool const take_old = j == new_children.end() || (i != old_children.end() && side::at(*i) <= side::at(*j));
            bool const take_new = i == old_children.end() || (j != new_children.end() && side::at(*j) <= side::at(*i));
            compare(take_old ? *i++ : node{}, take_new ? *j++ : node{});
        }
    }
    tree_difference take() { return std::move(result_); }

  private:
    side before_;
    side after_;
    tree_difference result_;
};

}  // namespace

tree_difference difference(hisparse_content const& before, hisparse_content const& after, std::int64_t value_bytes) {
    comparison c(before, after, value_bytes);
    c.compare({before.root, 0, 0}, {after.root, 0, 0});
    return c.take();
}

}  // namespace copse::detail
