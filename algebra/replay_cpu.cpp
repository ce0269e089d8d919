// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <algorithm>
#include <copse/algebra/replay_cpu.hpp>
#include <copse/formats/simd_targets.hpp>

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/algebra/replay_cpu.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/cpu/leaf_products-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {


/// Fetches where an item begins; the hardware follows from there.
template <class T>
HWY_INLINE void prefetch(tree_view const& tree, plan_item const& item) {
    auto const fetch = [](void const* p, int lines) HWY_ATTR {
        for (int i = 0; i < lines; ++i) hwy::Prefetch(static_cast<std::byte const*>(p) + 64 * i);
    };
    if (item.leaf.reference.kind() != node_kind::wide) return fetch(tree.address(item.leaf.reference), 8);
    auto const leaf = tree.wide_leaf<T>(item.leaf);
    fetch(leaf.values + item.first, 8);
    fetch(leaf.rows + item.first, 2);
    fetch(leaf.columns + item.first, 2);
}

template <class T, class V>
void sum(replay<T, V> const& product, std::int64_t index, V* sums) {
    plan_part const& part = product.parts[index];
    std::fill_n(sums, part.rows, V(0));
    std::int64_t const end = product.reads_matrix ? product.parts[index + 1].first_item : part.first_item;
    for (std::int64_t i = part.first_item; i < end; ++i) {
        plan_item const& item = product.items[i];
        if (i + 1 < end) prefetch<T>(product.tree, product.items[i + 1]);
        add_node<T>(product.tree, item.leaf, item.first, item.last, product.x + item.leaf.column,
                    sums + (item.leaf.row - part.first_row));
    }
}

template <class V>
void write(V factor, V const* HWY_RESTRICT sums, V beta, V* HWY_RESTRICT y, std::int64_t count) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    auto const f = hn::Set(tag, factor), b = hn::Set(tag, beta);
    std::int64_t i = 0;
    if (beta == V(0)) {
        for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Mul(f, hn::LoadU(tag, sums + i)), tag, y + i);
        for (; i < count; ++i) y[i] = factor * sums[i];
    } else {
        for (; i + lanes <= count; i += lanes)
            hn::StoreU(hn::MulAdd(f, hn::LoadU(tag, sums + i), hn::Mul(b, hn::LoadU(tag, y + i))), tag, y + i);
        for (; i < count; ++i) y[i] = factor * sums[i] + beta * y[i];
    }
}

void sum_float(replay<float, float> const& product, std::int64_t part, float* sums) {
    sum(product, part, sums);
}
void sum_double(replay<double, double> const& product, std::int64_t part, double* sums) {
    sum(product, part, sums);
}
void sum_mixed(replay<float, double> const& product, std::int64_t part, double* sums) {
    sum(product, part, sums);
}
void write_float(float factor, float const* sums, float beta, float* y, std::int64_t count) {
    write(factor, sums, beta, y, count);
}
void write_double(double factor, double const* sums, double beta, double* y, std::int64_t count) {
    write(factor, sums, beta, y, count);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(sum_float);
HWY_EXPORT(sum_double);
HWY_EXPORT(sum_mixed);
HWY_EXPORT(write_float);
HWY_EXPORT(write_double);

}  // namespace

template <>
void sum_part(replay<float, float> const& product, std::int64_t part, float* sums) {
    HWY_DYNAMIC_DISPATCH(sum_float)(product, part, sums);
}
template <>
void sum_part(replay<double, double> const& product, std::int64_t part, double* sums) {
    HWY_DYNAMIC_DISPATCH(sum_double)(product, part, sums);
}
template <>
void sum_part(replay<float, double> const& product, std::int64_t part, double* sums) {
    HWY_DYNAMIC_DISPATCH(sum_mixed)(product, part, sums);
}
template <>
void write_rows(float factor, float const* sums, float beta, float* y, std::int64_t count) {
    HWY_DYNAMIC_DISPATCH(write_float)(factor, sums, beta, y, count);
}
template <>
void write_rows(double factor, double const* sums, double beta, double* y, std::int64_t count) {
    HWY_DYNAMIC_DISPATCH(write_double)(factor, sums, beta, y, count);
}

}  // namespace copse::detail
#endif  // HWY_ONCE
