#include <algorithm>
#include <copse/formats/edits/leaf_edit.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <map>
#include <numeric>
#include <optional>

namespace copse::tests {
namespace {

/// A level-0 leaf has the kind and size that the rule gives its entries; a coordinate list ascends.
template <class T>
void check_leaf(hisparse<T> const& a, node leaf, detail::node_extent extent) {
    detail::wide_block_order const order{reader_of(a.tree()).order()};
    auto const entries = detail::sorted_entries<T>({reader_of(a.tree()), {leaf.reference, 0, 0}, extent}, order);
    EXPECT_EQ(static_cast<std::int64_t>(entries.size()), extent.entries);
    if (leaf.reference.level() == 0) {
        std::vector<std::uint16_t> positions;
        for (auto const& e : entries) positions.push_back(order.position(e.key));
        auto workspace = std::make_unique<detail::leaf_workspace>();
        detail::leaf_shape const smallest = detail::find_leaf_shape(*workspace, order.leaf, positions, sizeof(T));
        EXPECT_EQ(leaf.reference.kind(), smallest.kind);
        std::int64_t const bytes = detail::leaf_bytes(smallest, a.node_dimension(), sizeof(T));
        if (leaf.reference.values_once())
            EXPECT_LT(extent.bytes, bytes);
        else
            EXPECT_EQ(extent.bytes, bytes);
    }
    if (leaf.reference.kind() == node_kind::dense) {
        // Products on CPUs whose loads of x are masked multiply what is there.
        auto const dense = a.tree().template dense_leaf<T>({leaf.reference, 0, 0});
        int wrong = 0;
        for (int i = 0; i < a.node_dimension() * a.node_dimension(); ++i)
            wrong += dense.presence != nullptr && !dense.values.once() && !dense.is_entry(i) && dense.values[i] != T(0);
        EXPECT_EQ(wrong, 0) << "places without an entry that are not zero";
    }
    if (leaf.reference.transposed() || (leaf.reference.kind() != node_kind::sparse && !(leaf.reference.level() == 1)))
        return;
    std::size_t i = 0, misplaced = 0;
    detail::serial_worker w;
    detail::visit_entries<T>(w, reader_of(a.tree()), {leaf.reference, 0, 0}, [&](int, int row, int column, T) {
        auto const key = order.key(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
        misplaced += i >= entries.size() || key != entries[i].key;
        ++i;
    });
    EXPECT_EQ(misplaced, 0u) << "entries that do not ascend";
}

}  // namespace

template <class T>
void expect_entries(hisparse<T> const& a, entry_map<T> const& expected, char const* what) {
    coo<T> const found = to_coo(a);
    coo<T> all{found.row_count, found.column_count, {}, {}, {}};
    for (auto const& [where, value] : expected) {
        all.rows.push_back(static_cast<std::int32_t>(where.first));
        all.columns.push_back(static_cast<std::int32_t>(where.second));
        all.values.push_back(value);
    }
    EXPECT_EQ(found.rows, all.rows) << what;
    EXPECT_EQ(found.columns, all.columns) << what;
    EXPECT_EQ(found.values, all.values) << what;
}

template <class T>
entry_map<T> map_of(coo<T> const& a) {
    std::vector<std::size_t> order(a.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const place = [&](std::size_t k) { return std::int64_t{a.rows[k]} << 32 | a.columns[k]; };
    auto const before = [&](std::size_t left, std::size_t right) { return place(left) < place(right); };
    if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);
    typename entry_map<T>::sequence_type entries;
    entries.reserve(order.size());
    std::int64_t last = -1;
    for (std::size_t k : order) {
        if (place(k) == last)
            entries.back().second += a.values[k];
        else
            entries.push_back({{a.rows[k], a.columns[k]}, a.values[k]});
        last = place(k);
    }
    entry_map<T> map;
    map.adopt_sequence(boost::container::ordered_unique_range, std::move(entries));
    return map;
}

template <class T>
entry_map<T> map_of(hisparse<T> const& a) {
    coo<T> const entries = to_coo(a);
    entry_map<T> const map = map_of(entries);
    EXPECT_EQ(static_cast<std::int64_t>(map.size()), entries.entry_count()) << "a position occurs twice";
    return map;
}

template <class T>
hisparse<T> placed_in(std::shared_ptr<memory> const& where, hisparse<T> const& a) {
    hisparse<T> const there(
        std::make_shared<hisparse_content>(detail::place(detail::copy_tree(*a.content(), sizeof(T), {}), where)));
    return (a.is_transposed() ? there.transposed() : there).scaled(a.scale());
}

template <class T>
void apply_to(entry_map<T>& map, edits<T> const& changes) {
    std::map<typename entry_map<T>::key_type, std::optional<T>> changed;
    for (edit_entry<T> const& e : changes.entries()) {
        auto const [place, is_new] = changed.try_emplace({e.row, e.column});
        std::optional<T>& value = place->second;
        if (auto const old = map.find(place->first); is_new && old != map.end()) value = old->second;
        if (e.kind == edit_kind::erase)
            value.reset();
        else if (e.kind == edit_kind::set || !value)
            value = e.value;
        else
            *value += e.value;
    }
    if (changed.size() <= 16) {
        for (auto const& [place, value] : changed)
            if (value)
                map[place] = *value;
            else
                map.erase(place);
        return;
    }
    // All at once: in a contiguous map each new or erased entry moves all that are behind it.
    typename entry_map<T>::sequence_type entries;
    entries.reserve(map.size() + changed.size());
    auto next = map.begin();
    for (auto const& [place, value] : changed) {
        for (; next != map.end() && next->first < place; ++next) entries.push_back(*next);
        if (next != map.end() && next->first == place) ++next;
        if (value) entries.push_back({place, *value});
    }
    for (; next != map.end(); ++next) entries.push_back(*next);
    map.adopt_sequence(boost::container::ordered_unique_range, std::move(entries));
}

template <class T>
void check_tree(hisparse<T> const& a) {
    hisparse_content const& content = *a.content();
    node_census walked;
    std::int64_t entries = 0;
    auto const check_node = [&](auto const& self, node n) -> void {
        detail::node_extent const extent = detail::extent_of(n.reference, reader_of(a.tree()).address(n.reference),
                                                             {content.dimension_log2, sizeof(T)});
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

template <class T>
hisparse<T> checked_edit(hisparse<T> const& a, edits<T> const& changes) {
    coo<T> const before = to_coo(a);
    entry_map<T> expected = map_of(before);
    apply_to(expected, changes);
    hisparse<T> const b = edit(a, changes);
    expect_entries(b, expected);
    coo<T> const after = to_coo(a);
    bool const changed = after.rows != before.rows || after.columns != before.columns || after.values != before.values;
    EXPECT_FALSE(changed) << "the old matrix changed";
    EXPECT_EQ(b.row_count(), a.row_count());
    EXPECT_EQ(b.column_count(), a.column_count());
    EXPECT_EQ(b.is_transposed(), a.is_transposed());
    EXPECT_EQ(b.scale(), a.scale());
    check_tree(b);
    expect_entries(edit(placed_in(std::make_shared<distant_memory>(), a), changes), expected,
                   "in memory that the host cannot read");
    return b;
}

template entry_map<float> map_of(coo<float> const&);
template entry_map<float> map_of(hisparse<float> const&);
template hisparse<float> placed_in(std::shared_ptr<memory> const&, hisparse<float> const&);
template void expect_entries(hisparse<float> const&, entry_map<float> const&, char const*);
template void apply_to(entry_map<float>&, edits<float> const&);
template void check_tree(hisparse<float> const&);
template hisparse<float> checked_edit(hisparse<float> const&, edits<float> const&);
template entry_map<double> map_of(coo<double> const&);
template entry_map<double> map_of(hisparse<double> const&);
template hisparse<double> placed_in(std::shared_ptr<memory> const&, hisparse<double> const&);
template void expect_entries(hisparse<double> const&, entry_map<double> const&, char const*);
template void apply_to(entry_map<double>&, edits<double> const&);
template void check_tree(hisparse<double> const&);
template hisparse<double> checked_edit(hisparse<double> const&, edits<double> const&);

}  // namespace copse::tests
