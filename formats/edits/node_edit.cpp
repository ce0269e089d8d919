#include <algorithm>
#include <bit>
#include <copse/formats/edits/leaf_edit.hpp>
#include <copse/formats/edits/node_edit.hpp>
#include <copse/formats/edits/wide_leaf_edit.hpp>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/runtime/error.hpp>
#include <span>
#include <unordered_map>

namespace copse::detail {
namespace {

template <class T>
class tree_editor {
  public:
    tree_editor(hisparse_content const& content, int arena, matrix_symmetry symmetry)
        : fetcher_(content, sizeof(T)),
          order_{{content.dimension_log2}},
          arena_(arena),
          symmetry_(symmetry),
          result_{content.root, content.entry_count, content.reachable_bytes, content.census, {}} {}

    edited_tree edit(std::vector<stored_edit<T>>&& edits, int root_level) {
        std::stable_sort(edits.begin(), edits.end(), [&](auto const& a, auto const& b) { return before(a, b); });
        fetch_touched(root_level, edits);
        result_.root = edit_node(result_.root, root_level, edits);
        result_.reachable_bytes = std::max(result_.reachable_bytes, std::int64_t{0});
        return std::move(result_);
    }

  private:
    using edit_span = std::span<stored_edit<T> const>;

    int log2() const { return order_.leaf.dimension_log2; }
    std::int64_t dimension() const { return std::int64_t{1} << log2(); }

    /// Traversal order: every node's edits stand side by side, in it those of each child, row-major.
    bool before(stored_edit<T> const& a, stored_edit<T> const& b) const {
        std::uint32_t const difference = (a.row ^ b.row) | (a.column ^ b.column);
        if (difference == 0) return false;
        int const shift = (std::bit_width(difference) - 1) / log2() * log2();
        return a.row >> shift != b.row >> shift ? a.row >> shift < b.row >> shift
                                                : a.column >> shift < b.column >> shift;
    }

    /// Those at the front that lead to the same child of a node at this level.
    edit_span of_first_child(edit_span edits, int level) const {
        int const first = slot(place_in(edits[0], level));
        std::size_t n = 1;
        while (n < edits.size() && slot(place_in(edits[n], level)) == first) ++n;
        return edits.first(n);
    }

    struct touched_node {
        child_reference reference;
        edit_span edits;
    };

    /// All nodes that the edits lead to, level by level.
    void fetch_touched(int root_level, edit_span edits) {
        if (fetcher_.reads_in_place() || !result_.root) return;
        std::vector<touched_node> nodes{{result_.root, edits}};
        for (int level = root_level; !nodes.empty(); --level) {
            std::vector<child_reference> references;
            references.reserve(nodes.size());
            for (touched_node const& n : nodes) references.push_back(n.reference);
            fetcher_.fetch(references);
            nodes = touched_children(nodes, level);
        }
    }
    std::vector<touched_node> touched_children(std::vector<touched_node> const& parents, int level) const {
        std::vector<touched_node> children;
        for (touched_node const& parent : parents) {
            if (parent.reference.is_leaf()) continue;
            fetched_node const fetched = fetcher_.fetched(parent.reference);
            for (edit_span left = parent.edits; !left.empty();) {
                edit_span const own = of_first_child(left, level);
                left = left.subspan(own.size());
                planned_node const place = place_in(own[0], level);
                if (child_reference const child = child_at(fetched, place.row, place.column))
                    children.push_back({child, own});
            }
        }
        return children;
    }

    // What replaces `old` (null: nothing is there yet) at this level; `old` itself where nothing changes, null where no
    // entry is left. `old` may be transposed or negative; new nodes never are.
    child_reference edit_node(child_reference old, int level, edit_span edits) {
        bool const is_block = level == 0 || (old ? old.is_leaf() : level == 1);
        return is_block ? edit_block(old, level, edits) : edit_inner(old, level, edits);
    }

    /// A leaf, a wide leaf, or a new block of level 1, of which it is still open what it will be.
    child_reference edit_block(child_reference old, int level, edit_span edits) {
        std::vector<keyed_edit<T>> const changes = keyed(edits, level);
        if (old && old.is_wide_leaf() && old == old.as_stored())
            if (child_reference const edited = edit_wide_leaf(old, changes)) return edited;
        std::vector<keyed_entry<T>> entries;
        node_extent extent{};
        if (old) {
            fetched_node const leaf = fetcher_.fetched(old);
            entries = sorted_entries<T>(leaf, order_);
            extent = leaf.extent;
        }
        std::vector<keyed_entry<T>> const edited = apply_edits(entries, changes);
        if (edited == entries) return old;
        forget(old, extent);
        result_.entry_count += static_cast<std::int64_t>(edited.size()) - static_cast<std::int64_t>(entries.size());
        if (edited.empty()) return {};
        if (level == 0) return form_leaf(edited);
        return is_wide(static_cast<std::int64_t>(edited.size()), blocks_of(edited)) ? form_wide_leaf(edited)
                                                                                    : form_leaves(edited);
    }
    /// Null where it takes a look at all entries to tell what it will be.
    child_reference edit_wide_leaf(child_reference old, std::vector<keyed_edit<T>> const& changes) {
        fetched_node const fetched = fetcher_.fetched(old);
        wide_leaf_edit<T> const edited(fetched.tree.template wide_leaf<T>(fetched.place), order_, changes);
        if (edited.changes_nothing()) return old;
        if (!edited.surely_stays_wide()) return {};
        forget(old, fetched.extent);
        result_.entry_count += edited.count() - fetched.extent.entries;
        child_reference const leaf = reserve_leaf(wide_leaf::shape(edited.count()));
        edited.write(result_.new_nodes.data() + leaf.offset());
        return leaf;
    }
    std::vector<keyed_edit<T>> keyed(edit_span edits, int level) const {
        std::vector<keyed_edit<T>> result;
        result.reserve(edits.size());
        // Block digits above the node's own part of the coordinates are not its business.
        std::uint32_t const mask = (std::uint32_t{1} << (log2() * (level + 1))) - 1;
        for (stored_edit<T> const& e : edits)
            result.push_back({order_.key(e.row & mask, e.column & mask), e.kind, e.value});
        std::stable_sort(result.begin(), result.end(), by_key);
        return result;
    }
    /// Blocks of d x d that have any of these.
    std::int64_t blocks_of(std::vector<keyed_entry<T>> const& entries) const {
        std::int64_t blocks = 1;
        for (std::size_t i = 1; i < entries.size(); ++i)
            if (order_.block(entries[i].key) != order_.block(entries[i - 1].key)) ++blocks;
        return blocks;
    }

    child_reference edit_inner(child_reference old, int level, edit_span edits) {
        std::vector<planned_node> const children = children_of(old);
        if (level == 1 && becomes_wide(children, edits)) return edit_as_wide(old, children, edits);
        std::vector<planned_node> edited;
        edited.reserve(children.size() + edits.size());
        bool const pairs = symmetry_ != matrix_symmetry::general && is_on_diagonal(edits[0], level, log2());
        std::unordered_map<int, child_reference> images;  // by slot: of children above the diagonal
        auto next = children.begin();
        bool changed = false;
        for (edit_span left = edits; !left.empty();) {
            edit_span const own = of_first_child(left, level);
            left = left.subspan(own.size());
            planned_node child = place_in(own[0], level);
            while (next != children.end() && slot(*next) < slot(child)) edited.push_back(*next++);
            if (next != children.end() && slot(*next) == slot(child)) child = *next++;
            child_reference const before_edit = child.reference;
            if (auto const image = images.find(slot(child)); image != images.end())
                child.reference = image->second;
            else if (pairs && child.row < child.column && is_pair(child, children))
                child.reference = edit_pair(child, level - 1, own, images);
            else
                child.reference = edit_node(before_edit, level - 1, own);
            changed = changed || !(child.reference == before_edit);
            if (child.reference) edited.push_back(child);
        }
        if (!changed) return old;
        edited.insert(edited.end(), next, children.end());
        if (old) forget(old, extent_of(old, nullptr, {log2(), sizeof(T)}));
        return edited.empty() ? child_reference() : form_inner(edited, level);
    }
    static bool is_on_diagonal(stored_edit<T> const& e, int level, int log2) {
        return std::uint64_t{e.row ^ e.column} >> (log2 * (level + 1)) == 0;
    }
    /// What stands at the mirrored place.
    child_reference image_of(child_reference node) const {
        return node.transposed_if(true).negative_if(symmetry_ == matrix_symmetry::skew);
    }
    int image_slot(planned_node const& child) const { return child.column << log2() | child.row; }
    /// Whether the child and the one at the mirrored place are one node, or both are none.
    bool is_pair(planned_node const& child, std::vector<planned_node> const& children) const {
        auto const image = std::lower_bound(children.begin(), children.end(), image_slot(child),
                                            [&](planned_node const& c, int place) { return slot(c) < place; });
        bool const is_there = image != children.end() && slot(*image) == image_slot(child);
        return child.reference ? is_there && image->reference == image_of(child.reference) : !is_there;
    }
    /// Counts once more what has been counted, or taken back, since the census was `before`.
    void count_again(node_census const& before) {
        node_census& now = result_.census;
        for (std::size_t level = 0; level < now.visits.size(); ++level)
            for (std::size_t kind = 0; kind < now.visits[level].size(); ++kind) {
                now.entries[level][kind] += now.entries[level][kind] - before.entries[level][kind];
                for (std::size_t c = 0; c < now.visits[level][kind].size(); ++c)
                    now.visits[level][kind][c] += now.visits[level][kind][c] - before.visits[level][kind][c];
            }
    }
    /// Edits a child for its place and for the mirrored one, and notes what is there then.
    child_reference edit_pair(planned_node const& child, int level, edit_span edits,
                              std::unordered_map<int, child_reference>& images) {
        node_census const census = result_.census;
        std::int64_t const entry_count = result_.entry_count;
        child_reference const edited = edit_node(child.reference, level, edits);
        count_again(census);
        result_.entry_count += result_.entry_count - entry_count;
        images.emplace(image_slot(child), edited ? image_of(edited) : edited);
        return edited;
    }
    /// Whether leaves side by side are to be a wide leaf once they are edited. Those without an edit are not looked at.
    bool becomes_wide(std::vector<planned_node> const& children, edit_span edits) const {
        auto leaves = static_cast<std::int64_t>(children.size());
        std::int64_t entries = 0;
        for (planned_node const& child : children) entries += child.reference.entries();
        auto const is_thin = [&](std::int64_t less, std::int64_t more_leaves) {
            return entries - less <= wide_mean_of_node * (leaves + more_leaves);
        };
        // No edit takes away more than an entry, or brings more than a leaf.
        if (auto const most = static_cast<std::int64_t>(edits.size()); !is_thin(most, most)) return false;
        auto next = children.begin();
        for (edit_span left = edits; !left.empty();) {
            edit_span const own = of_first_child(left, 1);
            left = left.subspan(own.size());
            int const place = slot(place_in(own[0], 1));
            while (next != children.end() && slot(*next) < place) ++next;
            bool const is_there = next != children.end() && slot(*next) == place;
            auto const before_edit = is_there ? entries_of(next->reference) : std::vector<keyed_entry<T>>();
            auto const edited = static_cast<std::int64_t>(apply_edits(before_edit, keyed(own, 0)).size());
            entries += edited - static_cast<std::int64_t>(before_edit.size());
            leaves += (edited > 0 ? 1 : 0) - (is_there ? 1 : 0);
        }
        return is_thin(0, 0) && is_wide(entries, leaves);
    }
    std::vector<keyed_entry<T>> entries_of(child_reference leaf) const {
        return sorted_entries<T>(fetcher_.fetched(leaf), order_);
    }

    /// What a node over `leaves`, edited, is as a wide leaf.
    child_reference edit_as_wide(child_reference old, std::vector<planned_node> const& leaves, edit_span edits) {
        std::vector<child_reference> references;
        for (planned_node const& leaf : leaves) references.push_back(leaf.reference);
        fetcher_.fetch(references);
        std::vector<keyed_entry<T>> entries;
        for (planned_node const& leaf : leaves)
            for (keyed_entry<T> const& e : entries_of(leaf.reference))
                entries.push_back({order_.key_in(leaf.row, leaf.column, e.key), e.value});
        std::vector<keyed_entry<T>> const edited = apply_edits(entries, keyed(edits, 1));
        if (edited == entries) return old;
        for (child_reference leaf : references) forget(leaf, fetcher_.fetched(leaf).extent);
        if (old) forget(old, extent_of(old, nullptr, {log2(), sizeof(T)}));
        result_.entry_count += static_cast<std::int64_t>(edited.size()) - static_cast<std::int64_t>(entries.size());
        return form_wide_leaf(edited);
    }
    /// Row-major, as the node's parent sees it.
    std::vector<planned_node> children_of(child_reference parent) {
        std::vector<planned_node> children;
        if (!parent) return children;
        fetched_node const fetched = fetcher_.fetched(parent);
        int const shift = log2() * parent.level();
        for (int i = 0; i < fetched.tree.child_count(fetched.place); ++i)
            if (node const child = fetched.tree.child(fetched.place, i))
                children.push_back({child.reference, static_cast<std::uint8_t>(child.row >> shift),
                                    static_cast<std::uint8_t>(child.column >> shift)});
        if (parent.transposed())
            std::sort(children.begin(), children.end(),
                      [&](planned_node const& a, planned_node const& b) { return slot(a) < slot(b); });
        return children;
    }
    planned_node place_in(stored_edit<T> const& e, int level) const {
        int const shift = log2() * level;
        auto const mask = static_cast<std::uint32_t>(dimension() - 1);
        return {
            {}, static_cast<std::uint8_t>(e.row >> shift & mask), static_cast<std::uint8_t>(e.column >> shift & mask)};
    }
    int slot(planned_node const& child) const { return child.row << log2() | child.column; }

    child_reference form_leaf(std::span<keyed_entry<T> const> entries) {
        positions_.clear();
        values_.clear();
        for (keyed_entry<T> const& e : entries) {
            positions_.push_back(order_.position(e.key));
            values_.push_back(e.value);
        }
        child_reference leaf;
        assemble_leaf(workspace_, order_.leaf, leaf_entries<T>{positions_, values_}, [&](leaf_shape shape) {
            leaf = reserve_leaf(shape);
            return result_.new_nodes.data() + leaf.offset();
        });
        return leaf;
    }
    child_reference form_wide_leaf(std::vector<keyed_entry<T>> const& entries) {
        auto const n = static_cast<std::int64_t>(entries.size());
        child_reference const leaf = reserve_leaf(wide_leaf::shape(n));
        std::byte* const memory = result_.new_nodes.data() + leaf.offset();
        wide_leaf_writer<T>::prepare(memory, n);
        wide_leaf_writer<T> const writer(memory);
        for (std::int64_t i = 0; i < n; ++i) {
            keyed_entry<T> const& e = entries[static_cast<std::size_t>(i)];
            writer.put(i, order_.row(e.key), order_.column(e.key), e.value);
        }
        return leaf;
    }
    /// A node of level 1 over leaves of these entries.
    child_reference form_leaves(std::vector<keyed_entry<T>> const& entries) {
        std::vector<planned_node> leaves;
        for (std::size_t i = 0; i < entries.size();) {
            std::uint32_t const key = entries[i].key;
            std::size_t last = i;
            while (last < entries.size() && order_.block(entries[last].key) == order_.block(key)) ++last;
            leaves.push_back(
                {form_leaf(std::span(entries).subspan(i, last - i)), order_.block_row(key), order_.block_column(key)});
            i = last;
        }
        return form_inner(leaves, 1);
    }
    child_reference form_inner(std::vector<planned_node> const& children, int level) {
        auto const n = static_cast<std::int64_t>(children.size());
        node_kind const kind = smallest_inner(n, dimension());
        child_reference const node = reserve({arena_, 0, n, kind, level}, n, inner_bytes(kind, n, dimension()));
        write_inner_node(result_.new_nodes.data(), node, children.data(), log2());
        return node;
    }

    /// Space for a new node; pointers to others move.
    child_reference reserve(child_reference node, std::int64_t entries, std::int64_t bytes) {
        std::int64_t const offset = result_.new_nodes.size();
        check_arena_bytes("edit", "the edited nodes take", offset + bytes);
        result_.new_nodes.extend(bytes);
        result_.census.count(node, entries);
        result_.reachable_bytes += bytes;
        return node.placed(arena_, static_cast<std::uint64_t>(offset));
    }
    child_reference reserve_leaf(leaf_shape const& shape) {
        return reserve(leaf_reference(arena_, 0, shape), shape.entries, leaf_bytes(shape, dimension(), sizeof(T)));
    }
    /// A node that something else, or nothing, stands for.
    void forget(child_reference old, node_extent extent) {
        if (!old) return;
        result_.census.discount(old, extent.entries);
        result_.reachable_bytes -= extent.bytes;
    }

    node_fetcher fetcher_;
    wide_block_order order_;
    int arena_;
    matrix_symmetry symmetry_;
    edited_tree result_;
    leaf_workspace workspace_;
    std::vector<std::uint16_t> positions_;
    std::vector<T> values_;
};

}  // namespace

template <class T>
edited_tree edit_tree(hisparse_content const& content, std::vector<stored_edit<T>> edits, int arena,
                      matrix_symmetry symmetry) {
    int const top = root_level(content.row_count, content.column_count, content.dimension_log2);
    return tree_editor<T>(content, arena, symmetry).edit(std::move(edits), top);
}

template edited_tree edit_tree(hisparse_content const&, std::vector<stored_edit<float>>, int, matrix_symmetry);
template edited_tree edit_tree(hisparse_content const&, std::vector<stored_edit<double>>, int, matrix_symmetry);

}  // namespace copse::detail
