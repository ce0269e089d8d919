// Writes one leaf: the lanes of a worker put entries into their places, in any order.
#pragma once

#include <copse/formats/leaves/diagonal_runs.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class T>
class leaf_writer {
  public:
    /// `memory`: leaf_bytes(shape) bytes.
    COPSE_HOST_DEVICE leaf_writer(std::byte* memory, leaf_shape shape, leaf_order order)
        : memory_(memory), shape_(shape), order_(order) {
        std::int64_t const p = padded_entries(others());
        if (shape.kind == node_kind::diagonal) {
            rows_ = reinterpret_cast<std::uint8_t*>(memory + 4);
            values_ = reinterpret_cast<T*>(memory + diagonal_values_offset(shape.runs, others()));
        } else {
            values_ = reinterpret_cast<T*>(memory);
            rows_ = reinterpret_cast<std::uint8_t*>(values_ + p);
        }
        columns_ = rows_ + p;
        run_values_ = values_ + p;
    }

    /// Everything that is not an entry, and the counts. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE void prepare(Worker& w) const {
        std::int64_t const d = std::int64_t{1} << order_.dimension_log2;
        std::int64_t const bytes = leaf_bytes(shape_, d, sizeof(T));
        if (shape_.kind == node_kind::dense) {
            for (std::int64_t i = w.rank(); i < d * d; i += w.size()) values_[i] = T(0);
            clear(w, d * d * static_cast<std::int64_t>(sizeof(T)), bytes);
        } else {
            std::int64_t const p = padded_entries(others());
            for (std::int64_t i = others() + w.rank(); i < p; i += w.size()) {
                values_[i] = T(0);
                rows_[i] = rows_[p + i] = 0;
            }
            if (shape_.kind == node_kind::diagonal) {
                if (w.rank() == 0) {
                    reinterpret_cast<std::uint16_t*>(memory_)[0] = static_cast<std::uint16_t>(shape_.runs);
                    reinterpret_cast<std::uint16_t*>(memory_)[1] = static_cast<std::uint16_t>(others());
                }
                clear(w, 4 + 2 * p + 3 * shape_.runs, diagonal_values_offset(shape_.runs, others()));
                clear(w, reinterpret_cast<std::byte*>(values_ + p + shape_.in_runs) - memory_, bytes);
            } else {
                clear(w, p * static_cast<std::int64_t>(sizeof(T) + 2), bytes);
            }
        }
        w.sync();
    }

    /// Every value becomes `value`. Collective, after prepare().
    template <class Worker>
    COPSE_HOST_DEVICE void fill(Worker& w, T value) const {
        std::int64_t const others_end = shape_.kind == node_kind::dense ? std::int64_t{1} << (2 * order_.dimension_log2)
                                                                        : static_cast<std::int64_t>(others());
        for (std::int64_t i = w.rank(); i < others_end; i += w.size()) values_[i] = value;
        for (std::int64_t i = w.rank(); i < shape_.in_runs; i += w.size()) run_values_[i] = value;
        w.sync();
    }

    /// The place of the value of entry i among those that are in no run (of any, where the leaf has none).
    COPSE_HOST_DEVICE COPSE_INLINE T& other(int i, int position) const {
        rows_[i] = static_cast<std::uint8_t>(order_.row(position));
        columns_[i] = static_cast<std::uint8_t>(order_.column(position));
        return values_[i];
    }
    /// The place of the value of entry i among those in runs.
    COPSE_HOST_DEVICE COPSE_INLINE T& in_run(int i) const { return run_values_[i]; }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE T& in_dense(Worker& w, int position) const {
        int const log2 = order_.dimension_log2;
        int const place = order_.row(position) << log2 | order_.column(position);
        if (shape_.entries < 1 << (2 * log2))
            w.set_bits(reinterpret_cast<std::uint32_t*>(values_ + (std::int64_t{1} << (2 * log2))) + place / 32,
                       1u << (place % 32));
        return values_[place];
    }

    COPSE_HOST_DEVICE void begin_run(int run, int position) const {
        std::uint8_t* const first = rows_ + 2 * padded_entries(others());
        first[run] = static_cast<std::uint8_t>(order_.row(position));
        first[shape_.runs + run] = static_cast<std::uint8_t>(order_.column(position));
    }
    /// By the lane that began it, with the row of its last entry.
    COPSE_HOST_DEVICE void end_run(int run, int last_row) const {
        std::uint8_t* const first = rows_ + 2 * padded_entries(others());
        first[2 * shape_.runs + run] = static_cast<std::uint8_t>(last_row - first[run]);
    }
    /// Where the entries that are in no run begin (all of them, where the leaf has no runs), and the values in runs.
    COPSE_HOST_DEVICE T* values() const { return values_; }
    COPSE_HOST_DEVICE std::uint8_t* rows() const { return rows_; }
    COPSE_HOST_DEVICE std::uint8_t* columns() const { return columns_; }
    COPSE_HOST_DEVICE T* run_values() const { return run_values_; }
    COPSE_HOST_DEVICE leaf_shape const& shape() const { return shape_; }
    COPSE_HOST_DEVICE leaf_order order() const { return order_; }

  private:
    COPSE_HOST_DEVICE int others() const { return shape_.entries - shape_.in_runs; }
    template <class Worker>
    COPSE_HOST_DEVICE void clear(Worker& w, std::int64_t first, std::int64_t last) const {
        for (std::int64_t i = first + w.rank(); i < last; i += w.size()) memory_[i] = std::byte{0};
    }

    std::byte* memory_;
    leaf_shape shape_;
    leaf_order order_;
    T* values_;
    T* run_values_;
    std::uint8_t* rows_;
    std::uint8_t* columns_;
};

/// Writes a wide leaf, whose parts may be written by several threads.
template <class T>
class wide_leaf_writer {
  public:
    /// Everything that is not an entry, and the count. By one lane.
    COPSE_HOST_DEVICE static void prepare(std::byte* memory, std::int64_t entries) {
        for (int i = 0; i < 16; ++i) memory[i] = std::byte{0};
        reinterpret_cast<std::int32_t*>(memory)[0] = static_cast<std::int32_t>(entries);
        wide_leaf_writer const writer(memory);
        std::int64_t const p = wide_padded_entries(entries);
        for (std::int64_t i = entries; i < p; ++i) writer.put(i, 0, 0, T(0));
        std::int64_t const last = wide_leaf_bytes(entries, sizeof(T));
        for (std::int64_t i = 16 + p * static_cast<std::int64_t>(sizeof(T) + 4); i < last; ++i)
            memory[i] = std::byte{0};
    }

    /// `memory`: prepared.
    COPSE_HOST_DEVICE explicit wide_leaf_writer(std::byte* memory)
        : wide_leaf_writer(memory, reinterpret_cast<std::int32_t const*>(memory)[0]) {}
    /// `memory`: to be prepared at some time for so many entries.
    COPSE_HOST_DEVICE wide_leaf_writer(std::byte* memory, std::int64_t entries)
        : padded_(wide_padded_entries(entries)),
          values_(reinterpret_cast<T*>(memory + 16)),
          rows_(reinterpret_cast<std::uint16_t*>(values_ + padded_)) {}

    COPSE_HOST_DEVICE void put(std::int64_t i, int row, int column, T value) const {
        values_[i] = value;
        rows_[i] = static_cast<std::uint16_t>(row);
        rows_[padded_ + i] = static_cast<std::uint16_t>(column);
    }

    COPSE_HOST_DEVICE void add(std::int64_t i, int row, int column, T value) const {
        put(i, row, column, values_[i] + value);
    }
    COPSE_HOST_DEVICE void set_value(std::int64_t i, T value) const { values_[i] = value; }

    COPSE_HOST_DEVICE T* values() const { return values_; }
    COPSE_HOST_DEVICE std::uint16_t* rows() const { return rows_; }
    COPSE_HOST_DEVICE std::uint16_t* columns() const { return rows_ + padded_; }

  private:
    std::int64_t padded_;
    T* values_;
    std::uint16_t* rows_;
};

}  // namespace copse::detail
