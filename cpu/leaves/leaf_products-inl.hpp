// Products with one leaf, on one core: y[row] += value * x[column], with y and x at the leaf's first row and column. y
// has d elements, also where the matrix ends before: zeros are added to those that the leaf has no entries for.
// For sources that Highway compiles once for each instruction set. hisparse §5, algorithm 1.
//
// T: type of the matrix, V: of the vectors (T, or double beside float).
#if defined(COPSE_CPU_LEAF_PRODUCTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_LEAF_PRODUCTS_INL_HPP
#undef COPSE_CPU_LEAF_PRODUCTS_INL_HPP
#else
#define COPSE_CPU_LEAF_PRODUCTS_INL_HPP
#endif

#include <hwy/highway.h>
#include <copse/cpu/leaves/dense_leaf-inl.hpp>
#include <copse/cpu/leaves/diagonal_leaf-inl.hpp>
#include <copse/cpu/leaves/sparse_leaf-inl.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

template <class T, class... Leaf, class V, class Ahead>
HWY_INLINE void add_node(leaf_owners<Leaf...>, node_reader const& tree, node leaf, wanted_entries entries, V const* x,
                         V* y, Ahead& ahead) {
    node_kind const kind = leaf.reference.kind();
    (void)((kind == Leaf::kind && (add_leaf(tree.view_of<Leaf, T>(leaf), entries, x, y, ahead), true)) || ...);
}

/// Any leaf; of a wide one entries first .. last - 1, with y at the block of rows that the first is in.
template <class T, class V, class Ahead>
HWY_INLINE void add_node(node_reader const& tree, node leaf, std::int32_t first, std::int32_t last, V const* x, V* y,
                         Ahead& ahead) {
    add_node<T>(all_leaves(), tree, leaf, {first, last, tree.dimension_log2(), leaf.reference.negative()}, x, y, ahead);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
