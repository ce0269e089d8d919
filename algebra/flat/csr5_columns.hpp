// What a lane has of a CSR5 tile: neighbouring columns, 16 bytes of values in each row of the tile.
//
//   omega = 8, double    | lane 0: 0 1 | lane 1: 2 3 | lane 2: 4 5 | lane 3: 6 7 |     row 0 of the tile
//                        | lane 0: 0 1 | ...                                           row 1
//
// A tile of 32 columns takes 16 lanes, or 8 of float. omega is a multiple of a lane's columns, so that every row of a
// tile, and of its descriptor, begins at a multiple of what a load takes.
#pragma once

#include <array>
#include <copse/formats/csr5/layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Columns of a lane, and the lanes that take a tile.
template <class T>
inline constexpr int csr5_columns = static_cast<int>(16 / sizeof(T));
template <class T>
inline constexpr int csr5_lanes = 32 / csr5_columns<T>;

/// A lane's columns of a tile, from the first row down.
template <class T>
class csr5_lane {
  public:
    static constexpr int columns = csr5_columns<T>;

    /// w.rank() * columns < omega.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE csr5_lane(csr5_view<T> const& a, std::int64_t tile, Worker& w)
        : a_(a),
          first_(tile * a.layout.size() + w.rank() * columns),
          next_words_(a.descriptor(tile) + w.rank() * columns),
          bit_(1u << a.layout.flag_bit()) {
        load_words(w);
    }

    /// What the descriptor says of the j-th one; before the entries.
    COPSE_HOST_DEVICE COPSE_INLINE csr5_column column(int j) const { return unpack_column(a_.layout, words_[at(j)]); }

    /// begin(j) where a segment begins in column j, then use(j, column, prepare(column, value)): row by row. prepare
    /// may load; what use() does is not waited for. Two rows, that is 48 bytes of double or 64 of float, are on their
    /// way before the first is needed. To be called once.
    template <class Worker, class Prepare, class Begin, class Use>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_entry(Worker& w, Prepare prepare, Begin begin, Use use) {
        int constexpr at_once = 2;
        COPSE_NO_UNROLL
        for (int first_row = 0; first_row < a_.layout.sigma; first_row += at_once) {
            auto const is_there = [&](int i) { return first_row + i < a_.layout.sigma; };
            std::array<std::int32_t, columns> keys[at_once]{};
            std::array<T, columns> values[at_once]{};
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                if (!is_there(i)) break;
                std::int64_t const k = first_ + (first_row + i) * a_.layout.omega;
                keys[i] = w.template load_stream_vector<columns>(a_.column_indices + k);
                values[i] = w.template load_stream_vector<columns>(a_.values + k);
            }
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                if (!is_there(i)) break;
                COPSE_UNROLL
                for (int j = 0; j < columns; ++j) values[i][at(j)] = prepare(keys[i][at(j)], values[i][at(j)]);
            }
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                if (!is_there(i)) break;
                COPSE_UNROLL
                for (int j = 0; j < columns; ++j) {
                    if ((words_[at(j)] & bit_) != 0) begin(j);
                    use(j, keys[i][at(j)], values[i][at(j)]);
                }
                if (is_there(i + 1)) go_down(w);
            }
        }
    }

  private:
    COPSE_HOST_DEVICE static constexpr std::size_t at(int j) { return static_cast<std::size_t>(j); }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void go_down(Worker& w) {
        bit_ <<= 1;
        if (bit_ != 0) return;
        bit_ = 1;
        load_words(w);
    }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void load_words(Worker& w) {
        words_ = w.template load_stream_vector<columns>(next_words_);
        next_words_ += a_.layout.omega;
    }

    csr5_view<T> const& a_;
    std::int64_t first_;               // entry
    std::uint32_t const* next_words_;  // of the descriptor
    std::uint32_t bit_;                // of words_: the current row's
    std::array<std::uint32_t, columns> words_;
};

/// Sums of a lane's columns while their rows are gone through; `sums` are open at the bottom, `reds` at the top.
/// What is small shares a register: four columns of float have none to spare.
template <class T>
class csr5_column_sums {
  public:
    static constexpr int columns = csr5_columns<T>;
    T reds[columns]{};
    T sums[columns]{};

    COPSE_HOST_DEVICE COPSE_INLINE explicit csr5_column_sums(csr5_lane<T> const& lane) {
        COPSE_UNROLL
        for (int j = 0; j < columns; ++j) {
            csr5_column const column = lane.column(j);
            states_[j] = static_cast<std::uint32_t>(column.segment_offset) * (2 * with_true) +
                         static_cast<std::uint32_t>(column.y_offset);
        }
    }
    COPSE_HOST_DEVICE bool has_true(int j) const { return (states_[j] & with_true) != 0; }
    /// That is open at the bottom.
    COPSE_HOST_DEVICE int segment(int j) const { return static_cast<int>(states_[j] & trues) - 1; }
    COPSE_HOST_DEVICE int segment_offset(int j) const { return static_cast<int>(states_[j] / (2 * with_true)); }
    /// close(segment, sum) is for a green one.
    template <class Close>
    COPSE_HOST_DEVICE COPSE_INLINE void begin_segment(int j, Close const& close) {
        if (has_true(j))
            close(segment(j), sums[j]);
        else
            reds[j] = sums[j];
        states_[j] = (states_[j] | with_true) + 1;
        sums[j] = T(0);
    }

  private:
    static constexpr std::uint32_t trues = 0xffff, with_true = trues + 1;
    /// | segment_offset | with_true: 1 bit | TRUEs up to here, in the columns before too: 16 bits |
    std::uint32_t states_[columns];
};

}  // namespace copse::detail
