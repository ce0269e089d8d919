#include <algorithm>
#include <array>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/tree_difference.hpp>
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

    /// What children() is asked for next, of these.
    void fetch(std::vector<node> const& parents) {
        std::vector<child_reference> references;
        for (node const& n : parents) references.push_back(n.reference);
        fetcher_.fetch(references);
    }
    /// By row, then column; none of a leaf or of nothing.
    std::vector<node> children(node parent) const {
        std::vector<node> result;
        if (!parent || parent.reference.is_leaf()) return result;
        fetched_node const fetched = fetcher_.fetched(parent.reference);
        node const place{fetched.place.reference, parent.row, parent.column};
        for (int i = 0; i < fetched.tree.child_count(place); ++i)
            if (node const child = fetched.tree.child(place, i)) result.push_back(child);
        if (parent.reference.transposed())
            std::sort(result.begin(), result.end(), [](node const& a, node const& b) { return at(a) < at(b); });
        return result;
    }
    static std::pair<std::uint32_t, std::uint32_t> at(node const& n) { return {n.row, n.column}; }

  private:
    node_fetcher fetcher_;
    std::array<void const*, most_arenas> arenas_{};
};

/// What the two trees have at one place; either may be null.
struct node_pair {
    node before;
    node after;
};

bool is_inner(node const& n) {
    return n && !n.reference.is_leaf();
}

/// Goes down both trees level by level: what is to be read of one is fetched together.
class comparison {
  public:
    comparison(hisparse_content const& before, hisparse_content const& after, std::int64_t value_bytes)
        : before_(before, value_bytes), after_(after, value_bytes) {
        add({{before.root, 0, 0}, {after.root, 0, 0}}, pairs_);
    }

    tree_difference run() {
        while (fetch_inner()) {
            std::vector<node_pair> next;
            for (node_pair const& p : pairs_) replace_by_children(p, next);
            pairs_ = std::move(next);
        }
        tree_difference result;
        for (node_pair const& p : pairs_) {
            if (p.before) result.removed.push_back(p.before);
            if (p.after) result.added.push_back(p.after);
        }
        return result;
    }

  private:
    /// Whether there are any.
    bool fetch_inner() {
        std::vector<node> of_before, of_after;
        for (node_pair const& p : pairs_) {
            if (is_inner(p.before)) of_before.push_back(p.before);
            if (is_inner(p.after)) of_after.push_back(p.after);
        }
        before_.fetch(of_before);
        after_.fetch(of_after);
        return !of_before.empty() || !of_after.empty();
    }
    /// Leaves stay where they are among the others.
    void replace_by_children(node_pair const& p, std::vector<node_pair>& to) const {
        add({is_inner(p.before) ? node{} : p.before, is_inner(p.after) ? node{} : p.after}, to);
        std::vector<node> const old_children = before_.children(p.before), new_children = after_.children(p.after);
        auto i = old_children.begin();
        auto j = new_children.begin();
        while (i != old_children.end() || j != new_children.end()) {
            bool const take_old = j == new_children.end() || (i != old_children.end() && side::at(*i) <= side::at(*j));
            bool const take_new = i == old_children.end() || (j != new_children.end() && side::at(*j) <= side::at(*i));
            add({take_old ? *i++ : node{}, take_new ? *j++ : node{}}, to);
        }
    }
    /// Unless there is nothing, or the same.
    void add(node_pair const& p, std::vector<node_pair>& to) const {
        bool const same = p.before.reference == p.after.reference &&
                          (!p.before || before_.arena_of(p.before) == after_.arena_of(p.after));
        if (!same) to.push_back(p);
    }

    side before_;
    side after_;
    std::vector<node_pair> pairs_;
};

}  // namespace

tree_difference difference(hisparse_content const& before, hisparse_content const& after, std::int64_t value_bytes) {
    return comparison(before, after, value_bytes).run();
}

}  // namespace copse::detail
