#include <algorithm>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/tree_copy.hpp>

namespace copse {
namespace {

bool have_arena_in_common(hisparse_content const& a, hisparse_content const& b) {
    return std::any_of(a.arenas.begin(), a.arenas.end(), [&](arena const& x) {
        return std::any_of(b.arenas.begin(), b.arenas.end(), [&](arena const& y) { return x.memory == y.memory; });
    });
}

}  // namespace

template <class T>
hisparse<T> compact(hisparse<T> const& a, compact_options options) {
    auto const& where = detail::memory_of(*a.content());
    hisparse<T> const result(std::make_shared<hisparse_content>(
        detail::place(detail::copy_tree(*a.content(), sizeof(T),
                                        {options.share_identical, options.values_once, options.share_transposed}),
                      where)));
    return (a.is_transposed() ? result.transposed() : result).scaled(a.scale());
}

template <class T>
std::int64_t reachable_bytes(hisparse<T> const& a) {
    return sizes_of_nodes(a).bytes();
}

template <class T>
std::int64_t shared_bytes(hisparse<T> const& a, hisparse<T> const& b) {
    if (!have_arena_in_common(*a.content(), *b.content())) return 0;
    detail::host_tree const tree_a(*a.content(), sizeof(T));
    detail::host_tree const tree_b(*b.content(), sizeof(T));
    std::unordered_set<std::uintptr_t> in_a;
    auto const nothing = [](child_reference) {};
    detail::for_each_node(tree_a, a.content()->root, in_a, nothing);
    std::int64_t bytes = 0;
    std::unordered_set<std::uintptr_t> in_b;
    auto const count = [&](child_reference node) {
        if (in_a.contains(tree_b.identity(node))) bytes += tree_b.extent(node).bytes;
    };
    detail::for_each_node(tree_b, b.content()->root, in_b, count);
    return bytes;
}

template hisparse<float> compact(hisparse<float> const&, compact_options);
template hisparse<double> compact(hisparse<double> const&, compact_options);
template std::int64_t reachable_bytes(hisparse<float> const&);
template std::int64_t reachable_bytes(hisparse<double> const&);
template std::int64_t shared_bytes(hisparse<float> const&, hisparse<float> const&);
template std::int64_t shared_bytes(hisparse<double> const&, hisparse<double> const&);

}  // namespace copse
