// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <algorithm>
#include <copse/algebra/plans/mirrored_leaves.hpp>
#include <copse/algebra/plans/replay.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/algebra/plans/replay_cpu.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/cpu/leaves/leaf_products-inl.hpp>
#include <copse/cpu/leaves/one_value_streaks-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// Fetches items into the second cache before their turn, in step with the arithmetic: the hardware starts anew in
/// every page, and a leaf's lines all at once fill the buffers for lines to come, behind which the leaf's own loads
/// wait. Counts by items; a line costs a comparison and an addition.
template <class T>
class item_prefetcher {
  public:
    HWY_INLINE item_prefetcher(node_reader const& tree, listed_leaf const* first, listed_leaf const* end)
        : tree_(tree), next_(first), end_(end) {}

    /// Before each item. What is missing now is fetched at once; as much as the item has, while it lasts.
    HWY_INLINE void begin(listed_leaf const& item) {
        while (missing() > 0)
            if (line_ != opened_end_)
                fetch_line();
            else if (!open_next())
                break;
        ahead_ -= bytes_of(item);
        stop_ = line_;
    }

    HWY_INLINE void step() {
        if (line_ == stop_ && !go_on()) return;
        fetch_line();
    }

  private:
    /// Bytes. 4096 to 8192 take the same on a Xeon; 3072, 12288 and more are slower (bench/results/products.md).
    static constexpr std::int64_t distance = 6144;

    /// Roughly. A leaf whose values are stored once may have fewer; then a line is fetched that is there already.
    static HWY_INLINE std::int64_t bytes_of(listed_leaf const& item) {
        child_reference const leaf = item.leaf.reference;
        int const of_entry = leaf.values_once() ? 2 : static_cast<int>(sizeof(T)) + 1;
        return std::int64_t{item.last - item.first} * of_entry + (leaf.is_wide_leaf() ? 128 : 0);
    }
    static HWY_INLINE void fetch_lines(void const* p, std::int64_t bytes) {
        auto const* const first = static_cast<std::byte const*>(p);
        for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(first + i, 0, 2);
    }
    HWY_INLINE void fetch_line() {
        __builtin_prefetch(line_, 0, 2);
        line_ += 64;
    }
    /// Bytes that ought to be fetched by the end of the current item and are not.
    HWY_INLINE std::int64_t missing() const { return distance - ahead_ + (opened_end_ - line_); }
    HWY_INLINE bool go_on() {
        std::int64_t const bytes = missing();
        if (bytes <= 0 || (line_ == opened_end_ && !open_next())) return false;
        stop_ = line_ + std::min<std::int64_t>(opened_end_ - line_, (bytes + 63) / 64 * 64);
        return line_ != stop_;
    }
    HWY_INLINE bool open_next() {
        if (next_ == end_) return false;
        listed_leaf const& item = *next_++;
        ahead_ += bytes_of(item);
        if (!item.leaf.reference.is_wide_leaf()) {
            line_ = tree_.address(item.leaf.reference);
            opened_end_ = line_ + (bytes_of(item) + 63) / 64 * 64;
        } else {  // a few entries, in three places
            std::int64_t const entries = item.last - item.first;
            auto const leaf = tree_.wide_leaf<T>(item.leaf);
            if (!leaf.values.once())
                fetch_lines(leaf.values.at(item.first), entries * static_cast<std::int64_t>(sizeof(T)));
            fetch_lines(leaf.rows + item.first, entries * 2);
            fetch_lines(leaf.columns + item.first, entries * 2);
        }
        return true;
    }

    node_reader const& tree_;
    listed_leaf const* next_;
    listed_leaf const* end_;
    std::byte const* line_ = nullptr;        // to be fetched next
    std::byte const* stop_ = nullptr;        // lines before it are fetched step by step
    std::byte const* opened_end_ = nullptr;  // of the item that line_ is in
    std::int64_t ahead_ = 0;                 // bytes of the items from the current one's end to the opened one's
};

template <class T, class V>
void sum(replay<T, V> const& product, std::int64_t index, V* sums) {
    plan_part const& part = product.parts[index];
    std::fill_n(sums, part.rows, V(0));
    if (!product.reads_matrix) return;
    std::int64_t first = part.first_item;
    if (product.streak_ranges) {
        streak_range_of_part const own = product.streak_ranges[index];
        add_one_value_streaks(product.streaks + own.first, own.count, product.x, product.x_size, sums);
        first += own.items;
    }
    std::int64_t const end = product.parts[index + 1].first_item;
    // Beyond the part's end, because the next one is the thread's next mostly.
    item_prefetcher<T> prefetcher(product.tree, product.items + first, product.items + product.item_count);
    for (std::int64_t i = first; i < end; ++i) {
        listed_leaf const& item = product.items[i];
        prefetcher.begin(item);
        add_node<T>(product.tree, item.leaf, item.first, item.last, product.x + item.leaf.column,
                    sums + (item.leaf.row - part.first_row), prefetcher);
    }
}

template <class T, class V>
void sum_mirrored(replay<T, V> const& product, std::int64_t index, mirrored_sums<V> const& to, V* sums) {
    plan_part const& part = product.parts[index];
    std::fill_n(sums, part.rows, V(0));
    if (product.streak_ranges) {
        streak_range_of_part const own = product.streak_ranges[index];
        add_one_value_streaks(product.streaks + own.first, own.count, product.x, product.x_size, sums);
    }
    std::int64_t const first_row = part.first_row, end_row = first_row + part.rows;
    item_prefetcher<T> prefetcher(product.tree, to.items, to.items + to.count);
    fetches_nothing nothing;
    for (std::int64_t i = 0; i < to.count; ++i) {
        listed_leaf const& item = to.items[i];
        prefetcher.begin(item);
        node const leaf = item.leaf;
        std::int64_t const row = leaf.row, column = leaf.column;
        add_node<T>(product.tree, leaf, is_mirrored(item) ? 0 : item.first, item.last, product.x + column,
                    sums + (row - first_row), prefetcher);
        if (!is_mirrored(item)) continue;
        // From the first cache. (One loop for both took as long, and each kind of leaf needs one.)
        V const* const x = column < end_row ? product.x + row : to.own_x + (row - first_row);
        V* const y = column < end_row      ? sums + (column - first_row)
                     : column < to.end_row ? to.y + column
                                           : to.halo + (column - to.end_row);
        add_node<T>(product.tree, image_of(item), 0, item.last, x, y, nothing);
    }
}

/// Adds the transposes of the part's streaks. They are cut where a group's own columns begin and end.
template <class T, class V>
void add_images_of_streaks(plan_streak<T> const* streaks, std::int32_t count, std::int32_t rows,
                           image_sums<V> const& to) {
    std::int64_t const ends[] = {0, to.own_first, to.own_last, std::int64_t{1} << 32};
    for (int zone = 0; zone < 3; ++zone) {
        std::int64_t const begin = ends[zone], end = ends[zone + 1];
        std::int64_t first = end;  // column that is met
        for (std::int32_t i = 0; i < count; ++i)
            if (streaks[i].column + std::int64_t{streaks[i].count} > begin)
                first = std::min(first, std::max<std::int64_t>(begin, streaks[i].column));
        if (first >= end) continue;
        first &= -64;  // blocks of d begin here: whole vectors are written
        int constexpr at_once = 64;
        plan_streak<T> turned[at_once];
        std::int32_t n = 0;
        auto const add = [&] { add_one_value_streaks(turned, std::exchange(n, 0), to.w, rows, to.at(first)); };
        for (std::int32_t i = 0; i < count; ++i) {
            plan_streak<T> const& s = streaks[i];
            std::int64_t const from = std::max<std::int64_t>(s.column, begin),
                               until = std::min<std::int64_t>(std::int64_t{s.column} + s.count, end);
            if (from >= until) continue;
            turned[n++] = {static_cast<std::int32_t>(from - first), static_cast<std::int32_t>(until - from),
                           static_cast<std::uint32_t>(s.row + (from - s.column)), s.value};
            if (n == at_once) add();
        }
        if (n > 0) add();
    }
}

template <class T, class V>
void sum_images(replay<T, V> const& product, std::int64_t index, image_sums<V> const& to) {
    plan_part const& part = product.parts[index];
    std::int64_t first = part.first_item;
    if (product.streak_ranges) {
        streak_range_of_part const own = product.streak_ranges[index];
        add_images_of_streaks(product.streaks + own.first, own.count, part.rows, to);
        first += own.items;
    }
    int const log2 = product.tree.dimension_log2();
    fetches_nothing nothing;
    for (std::int64_t i = first; i < product.parts[index + 1].first_item; ++i) {
        listed_leaf const& item = product.items[i];
        std::int64_t const column = item.leaf.column;
        V const* const w = to.w + (item.leaf.row - part.first_row);
        if (item.leaf.reference.is_wide_leaf()) {
            auto const leaf = product.tree.template wide_leaf<T>(item.leaf);
            int const first_row = leaf.rows[item.first] >> log2 << log2;
            V const sign = signed_factor(item.leaf.reference, V(1));
            for (int k = item.first; k < item.last; ++k)
                *to.at(column + leaf.columns[k]) += sign * static_cast<V>(leaf.values[k]) * w[leaf.rows[k] - first_row];
            continue;
        }
        node const image{item.leaf.reference.transposed_if(true), item.leaf.column, item.leaf.row};
        add_node<T>(product.tree, image, item.first, item.last, w, to.at(column), nothing);
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
void sum_mirrored_float(replay<float, float> const& product, std::int64_t part, mirrored_sums<float> const& to,
                        float* sums) {
    sum_mirrored(product, part, to, sums);
}
void sum_mirrored_double(replay<double, double> const& product, std::int64_t part, mirrored_sums<double> const& to,
                         double* sums) {
    sum_mirrored(product, part, to, sums);
}
void sum_mirrored_mixed(replay<float, double> const& product, std::int64_t part, mirrored_sums<double> const& to,
                        double* sums) {
    sum_mirrored(product, part, to, sums);
}
void sum_images_float(replay<float, float> const& product, std::int64_t part, image_sums<float> const& to) {
    sum_images(product, part, to);
}
void sum_images_double(replay<double, double> const& product, std::int64_t part, image_sums<double> const& to) {
    sum_images(product, part, to);
}
void sum_images_mixed(replay<float, double> const& product, std::int64_t part, image_sums<double> const& to) {
    sum_images(product, part, to);
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
HWY_EXPORT(sum_mirrored_float);
HWY_EXPORT(sum_mirrored_double);
HWY_EXPORT(sum_mirrored_mixed);
HWY_EXPORT(sum_images_float);
HWY_EXPORT(sum_images_double);
HWY_EXPORT(sum_images_mixed);
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
void sum_mirrored_part(replay<float, float> const& product, std::int64_t part, mirrored_sums<float> const& to,
                       float* sums) {
    HWY_DYNAMIC_DISPATCH(sum_mirrored_float)(product, part, to, sums);
}
template <>
void sum_mirrored_part(replay<double, double> const& product, std::int64_t part, mirrored_sums<double> const& to,
                       double* sums) {
    HWY_DYNAMIC_DISPATCH(sum_mirrored_double)(product, part, to, sums);
}
template <>
void sum_mirrored_part(replay<float, double> const& product, std::int64_t part, mirrored_sums<double> const& to,
                       double* sums) {
    HWY_DYNAMIC_DISPATCH(sum_mirrored_mixed)(product, part, to, sums);
}
template <>
void sum_images_of_part(replay<float, float> const& product, std::int64_t part, image_sums<float> const& to) {
    HWY_DYNAMIC_DISPATCH(sum_images_float)(product, part, to);
}
template <>
void sum_images_of_part(replay<double, double> const& product, std::int64_t part, image_sums<double> const& to) {
    HWY_DYNAMIC_DISPATCH(sum_images_double)(product, part, to);
}
template <>
void sum_images_of_part(replay<float, double> const& product, std::int64_t part, image_sums<double> const& to) {
    HWY_DYNAMIC_DISPATCH(sum_images_mixed)(product, part, to);
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
