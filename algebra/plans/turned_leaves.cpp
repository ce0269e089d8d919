#include <algorithm>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/formats/leaves/wide_leaf.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <utility>

namespace copse::detail {
namespace {

/// In the order in which they are to lie, once for each place.
std::vector<child_reference> leaves_to_turn(std::vector<node> const& leaves) {
    std::vector<node> wide;
    std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(wide),
                 [](node const& n) { return n.reference.is_wide_leaf() && n.reference.transposed(); });
    std::sort(wide.begin(), wide.end(),
              [](node const& a, node const& b) { return std::pair(a.row, a.column) < std::pair(b.row, b.column); });
    std::vector<child_reference> result;
    for (node const& n : wide) result.push_back(n.reference.negative_if(n.reference.negative()));
    return result;
}

/// Stably by blocks of rows, as the view sees them.
template <class T>
void write_turned_leaf(wide_leaf_view<T> const& leaf, int log2, std::byte* memory) {
    std::vector<std::int32_t> next((std::size_t{1} << log2) + 1, 0);
    for (int i = 0; i < leaf.count; ++i) ++next[static_cast<std::size_t>(leaf.rows[i] >> log2) + 1];
    for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
    auto const put_all = [&](auto put) {
        for (int i = 0; i < leaf.count; ++i) put(next[static_cast<std::size_t>(leaf.rows[i] >> log2)]++, i);
    };
    if (leaf.values.once()) {
        auto const writer = wide_leaf_writer<T>::prepare_once(memory, leaf.count, leaf.values[0]);
        return put_all([&](int place, int i) { writer.put_place(place, leaf.rows[i], leaf.columns[i]); });
    }
    wide_leaf_writer<T>::prepare(memory, leaf.count);
    wide_leaf_writer<T> const writer(memory);
    put_all([&](int place, int i) { writer.put(place, leaf.rows[i], leaf.columns[i], leaf.values[i]); });
}

}  // namespace

template <class T>
turned_leaves turn(node_fetcher const& stored, std::vector<node> const& leaves, int arena) {
    turned_leaves result;
    std::int64_t bytes = 0;
    for (child_reference r : leaves_to_turn(leaves)) {
        auto const [place, is_new] = result.map.try_emplace(stored_key(r));
        ++place->second.places;
        if (!is_new) continue;
        node_extent const extent = stored.fetched(r).extent;
        check_arena_bytes("spmv_plan", "the wide leaves of the transposed product take", bytes + extent.bytes);
        leaf_shape shape = wide_leaf::shape(extent.entries);
        shape.others_values = stored_as(r);
        child_reference const turned = leaf_reference(arena, static_cast<std::uint64_t>(bytes), shape);
        place->second = {r, turned, 1};
        bytes += extent.bytes;
    }
    result.nodes = {host_memory(), bytes};
    write_turned<T>(stored, result.map, arena, result.nodes.data());
    return result;
}

template <class T>
void write_turned(node_fetcher const& stored, turned_map const& map, int arena, std::byte* nodes) {
    std::vector<turned_leaf> leaves;
    for (auto const& [key, leaf] : map)
        if (leaf.turned.arena() == arena) leaves.push_back(leaf);
    parallel_for(
        std::ssize(leaves), 4, [] { return 0; },
        [&](int, std::int64_t i) {
            turned_leaf const& leaf = leaves[static_cast<std::size_t>(i)];
            fetched_node const original = stored.fetched(leaf.original);
            std::fill_n(nodes + leaf.turned.offset() + original.extent.bytes - 16, 16, std::byte{0});  // what pads it
            write_turned_leaf(original.tree.template wide_leaf<T>(original.place), original.tree.dimension_log2(),
                              nodes + leaf.turned.offset());
        });
}

template void write_turned<float>(node_fetcher const&, turned_map const&, int, std::byte*);
template void write_turned<double>(node_fetcher const&, turned_map const&, int, std::byte*);
template turned_leaves turn<float>(node_fetcher const&, std::vector<node> const&, int);
template turned_leaves turn<double>(node_fetcher const&, std::vector<node> const&, int);

}  // namespace copse::detail
