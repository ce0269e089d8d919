// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <algorithm>
#include <copse/cpu/leaves/leaf_product.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/leaves/leaf_product.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/cpu/leaves/leaf_products-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE void add_scaled(node_reader const& tree, node leaf, std::int32_t first, std::int32_t last, T factor,
                           T const* x, T* y, int rows) {
    // Whole vectors are written, also behind the last row of the matrix.
    fetches_nothing nothing;
    if (factor == T(1) && rows == tree.dimension()) return add_node<T>(tree, leaf, first, last, x, y, nothing);
    alignas(64) T sums[256];
    std::fill_n(sums, rows, T(0));
    add_node<T>(tree, leaf, first, last, x, sums, nothing);
    for (int i = 0; i < rows; ++i) y[i] += factor * sums[i];
}

void add_float(node_reader const& tree, node leaf, std::int32_t first, std::int32_t last, float factor, float const* x,
               float* y, int rows) {
    add_scaled(tree, leaf, first, last, factor, x, y, rows);
}
void add_double(node_reader const& tree, node leaf, std::int32_t first, std::int32_t last, double factor,
                double const* x, double* y, int rows) {
    add_scaled(tree, leaf, first, last, factor, x, y, rows);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(add_float);
HWY_EXPORT(add_double);

}  // namespace

template <>
void add_leaf_product(node_reader const& tree, node leaf, std::int32_t first, std::int32_t last, float factor,
                      float const* x, float* y, int rows) {
    HWY_DYNAMIC_DISPATCH(add_float)(tree, leaf, first, last, factor, x, y, rows);
}
template <>
void add_leaf_product(node_reader const& tree, node leaf, std::int32_t first, std::int32_t last, double factor,
                      double const* x, double* y, int rows) {
    HWY_DYNAMIC_DISPATCH(add_double)(tree, leaf, first, last, factor, x, y, rows);
}

}  // namespace copse::detail
#endif  // HWY_ONCE
