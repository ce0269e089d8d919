#include <algorithm>
#include <copse/algebra/turned_leaves.hpp>
#include <copse/formats/leaf_writer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/parallel_for.hpp>
#include <utility>

namespace copse::detail {
namespace {

/// Each once, in the order in which they are to lie.
std::vector<child_reference> leaves_to_turn(std::vector<std::vector<node> const*> const& directions,
                                            turned_map const& known) {
    std::vector<child_reference> result;
    turned_map seen = known;
    for (std::vector<node> const* leaves : directions) {
        std::vector<node> wide;
        std::copy_if(leaves->begin(), leaves->end(), std::back_inserter(wide), [](node const& n) {
            return n.reference.kind() == node_kind::wide && n.reference.transposed();
        });
        std::sort(wide.begin(), wide.end(), [](node const& a, node const& b) {
            return std::pair(a.row, a.column) < std::pair(b.row, b.column);
        });
        for (node n : wide)
            if (seen.emplace(turned_key(n.reference), n.reference).second) result.push_back(n.reference);
    }
    return result;
}

/// Stably by blocks of rows, as the view sees them.
template <class T>
void write_turned(wide_leaf_view<T> const& leaf, int log2, std::byte* memory) {
    std::vector<std::int32_t> next((std::size_t{1} << log2) + 1, 0);
    for (int i = 0; i < leaf.count; ++i) ++next[static_cast<std::size_t>(leaf.rows[i] >> log2) + 1];
    for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
    wide_leaf_writer<T>::prepare(memory, leaf.count);
    wide_leaf_writer<T> const writer(memory);
    for (int i = 0; i < leaf.count; ++i)
        writer.put(next[static_cast<std::size_t>(leaf.rows[i] >> log2)]++, leaf.rows[i], leaf.columns[i],
                   leaf.values[i]);
}

}  // namespace

template <class T>
turned_leaves turn(host_tree const& stored, std::vector<std::vector<node> const*> const& directions,
                   turned_map const& known, int arena) {
    turned_leaves result;
    std::vector<child_reference> const originals = leaves_to_turn(directions, known);
    std::int64_t bytes = 0;
    for (child_reference r : originals) {
        std::int64_t const entries = stored.extent(r).entries;
        if (bytes + wide_leaf_bytes(entries, sizeof(T)) > std::int64_t{1} << 36)
            throw shape_error("spmv_plan: the wide leaves of the transposed product take more than 64 GiB");
        result.map[turned_key(r)] =
            child_reference(arena, static_cast<std::uint64_t>(bytes), entries, node_kind::wide, 1);
        bytes += wide_leaf_bytes(entries, sizeof(T));
    }
    result.nodes.resize(static_cast<std::size_t>(bytes));
    parallel_for(
        std::ssize(originals), 4, [] { return 0; },
        [&](int, std::int64_t i) {
            child_reference const r = originals[static_cast<std::size_t>(i)];
            write_turned(stored.view().template wide_leaf<T>(node{r, 0, 0}), stored.geometry().dimension_log2,
                         result.nodes.data() + result.map.at(turned_key(r)).offset());
        });
    return result;
}

template turned_leaves turn<float>(host_tree const&, std::vector<std::vector<node> const*> const&, turned_map const&,
                                   int);
template turned_leaves turn<double>(host_tree const&, std::vector<std::vector<node> const*> const&, turned_map const&,
                                    int);

}  // namespace copse::detail
