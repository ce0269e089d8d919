// Writes one leaf of d x d: the lanes of a worker put entries into their places, in any order. (Wide leaves have a
// writer of their own, wide_leaf.hpp.)
#pragma once

#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class T>
class leaf_writer {
  public:
    /// `memory`: leaf_bytes(shape) bytes.
    COPSE_HOST_DEVICE leaf_writer(std::byte* memory, leaf_shape shape, leaf_order order)
        : memory_(memory),
          shape_(shape),
          order_(order),
          places_(with_kind<leaf_kinds::dense>(shape.kind,
                                               [&](auto leaf) { return leaf.template places<T>(memory, shape); })) {}

    /// Everything that is not an entry, and the counts. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE void prepare(Worker& w) const {
        with_kind<leaf_kinds::dense>(shape_.kind, [&](auto leaf) {
            leaf.template prepare<T>(w, memory_, shape_, std::int64_t{1} << order_.dimension_log2);
        });
        w.sync();
    }

    /// Every value becomes `value`. Collective, after prepare().
    template <class Worker>
    COPSE_HOST_DEVICE void fill(Worker& w, T value) const {
        std::int64_t const d = std::int64_t{1} << order_.dimension_log2;
        stored_leaf const leaf = with_kind<leaf_kinds::dense>(
            shape_.kind, [&](auto owner) { return owner.template stored<T>(memory_, shape_, d); });
        for (std::int64_t i = w.rank(); i < leaf.padding_first; i += w.size()) places_.values[i] = value;
        for (std::int64_t i = leaf.padding_last + w.rank(); i < leaf.values; i += w.size()) places_.values[i] = value;
        w.sync();
    }

    /// Which of the following have its entries; placed() those of a leaf that is neither.
    COPSE_HOST_DEVICE bool is_list() const { return shape_.kind == list_leaf::kind; }
    COPSE_HOST_DEVICE bool has_runs() const { return shape_.kind == run_leaf::kind; }

    /// The place of the value of entry i among those that are in no run (of any, where the leaf has none).
    COPSE_HOST_DEVICE COPSE_INLINE T& other(int i, int position) const {
        places_.rows[i] = static_cast<std::uint8_t>(order_.row(position));
        places_.columns[i] = static_cast<std::uint8_t>(order_.column(position));
        return places_.values[i];
    }
    /// The place of the value of entry i among those in runs.
    COPSE_HOST_DEVICE COPSE_INLINE T& in_run(int i) const { return places_.run_values[i]; }
    /// The place of the value of the entry at `position`, index() of the leaf.
    template <class Worker, class Index>
    COPSE_HOST_DEVICE COPSE_INLINE T& placed(Worker& w, int position, Index index) const {
        return with_kind_of(placed_leaves(), shape_.kind,
                            [&](auto leaf) -> T& { return leaf.place(w, places_, shape_, order_, position, index); });
    }

    COPSE_HOST_DEVICE void begin_run(int run, int position) const {
        run_leaf::begin_run(places_, shape_, run, order_.row(position), order_.column(position));
    }
    /// By the lane that began it, with the row of its last entry.
    COPSE_HOST_DEVICE void end_run(int run, int last_row) const {
        run_leaf::end_run(places_, shape_, run, last_row);
    }
    COPSE_HOST_DEVICE leaf_places<T> const& places() const { return places_; }
    COPSE_HOST_DEVICE leaf_shape const& shape() const { return shape_; }
    COPSE_HOST_DEVICE leaf_order order() const { return order_; }

  private:
    std::byte* memory_;
    leaf_shape shape_;
    leaf_order order_;
    leaf_places<T> places_;
};

}  // namespace copse::detail
