// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <algorithm>
#include <copse/algebra/replay_cpu.hpp>
#include <copse/formats/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/algebra/replay_cpu.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/cpu/leaf_products-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// Fetches items into the second cache before their turn, in step with the arithmetic: the hardware starts anew in every
/// page, and a leaf's lines all at once fill the buffers for lines to come, behind which the leaf's own loads wait.
template <class T>
class item_prefetcher {
  public:
    HWY_INLINE item_prefetcher(tree_view const& tree, plan_item const* first, plan_item const* end)
        : tree_(tree), next_(first), end_(end) {}

    /// Before each item. What is missing now is fetched at once; the rest, while the item lasts.
    HWY_INLINE void begin(plan_item const& item) {
        while (ahead_ < distance) {
            if (lines_ > 0)
                fetch_line();
            else if (!open_next())
                break;
        }
        ahead_ -= bytes_of(item);
    }

    HWY_INLINE void step() {
        if (ahead_ >= distance) return;
        if (lines_ > 0)
            fetch_line();
        else
            open_next();
    }

  private:
    /// Bytes. Against 4096, on a Xeon 12 to 17 % faster beyond the caches and 28 % in the third one, on an EPYC as fast;
    /// 2048 is slower, 24576 too (bench/results/products.md).
    static constexpr std::int64_t distance = 12288;

    static HWY_INLINE std::int64_t bytes_of(plan_item const& item) {
        return (item.last - item.first) * static_cast<std::int64_t>(sizeof(T) + 1) +
               (item.leaf.reference.kind() == node_kind::wide ? 128 : 0);
    }
    static HWY_INLINE void fetch_lines(void const* p, std::int64_t bytes) {
        auto const* const first = static_cast<std::byte const*>(p);
        for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(first + i, 0, 2);
    }
    HWY_INLINE void fetch_line() {
        __builtin_prefetch(line_, 0, 2);
        line_ += 64;
        --lines_;
        ahead_ += 64;
    }
    HWY_INLINE bool open_next() {
        if (next_ == end_) return false;
        plan_item const& item = *next_++;
        if (item.leaf.reference.kind() != node_kind::wide) {
            line_ = tree_.address(item.leaf.reference);
            lines_ = (bytes_of(item) + 63) / 64;
        } else {  // a few entries, in three places
            std::int64_t const entries = item.last - item.first;
            auto const leaf = tree_.wide_leaf<T>(item.leaf);
            fetch_lines(leaf.values + item.first, entries * static_cast<std::int64_t>(sizeof(T)));
            fetch_lines(leaf.rows + item.first, entries * 2);
            fetch_lines(leaf.columns + item.first, entries * 2);
            ahead_ += bytes_of(item);
        }
        return true;
    }

    tree_view const& tree_;
    plan_item const* next_;
    plan_item const* end_;
    std::byte const* line_ = nullptr;
    std::int64_t lines_ = 0;  // from line_ to the end of the item it is in
    std::int64_t ahead_ =
        0;  // bytes that are fetched, or will have been at the end of the current item, and are not used
};

template <class T, class V>
void sum(replay<T, V> const& product, std::int64_t index, V* sums) {
    plan_part const& part = product.parts[index];
    std::fill_n(sums, part.rows, V(0));
    std::int64_t const end = product.reads_matrix ? product.parts[index + 1].first_item : part.first_item;
    item_prefetcher<T> prefetcher(product.tree, product.items + part.first_item, product.items + end);
    for (std::int64_t i = part.first_item; i < end; ++i) {
        plan_item const& item = product.items[i];
        prefetcher.begin(item);
        add_node<T>(product.tree, item.leaf, item.first, item.last, product.x + item.leaf.column,
                    sums + (item.leaf.row - part.first_row), prefetcher);
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
