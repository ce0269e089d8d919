// The entries of a matrix row by row, and the pieces of rows that leaves consist of: functions of an index, for a
// for_each.
//
//   piece     neighbouring entries of one row in one block of d x d; the entries of a leaf are those of its pieces
//
// A row of a stencil, a band or of dense blocks has several entries in a piece: sorting pieces moves a fraction of the
// bytes that sorting entries does.
#pragma once

#include <array>
#include <copse/formats/from_rows/tree_key.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// A coo or a csr as it lies in an executor's memory. Does not own.
template <class T>
struct matrix_entries {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t entry_count;
    std::int64_t const* row_offsets = nullptr;  // [row_count + 1] of a csr; null: a coo
    std::int32_t const* rows = nullptr;         // [entry_count] of a coo
    std::int32_t const* columns = nullptr;      // [entry_count]; of a csr at a multiple of 16 bytes
    T const* values = nullptr;                  // [entry_count]; the same

    bool is_csr() const { return row_offsets != nullptr; }
};

/// Row and column of an entry of a coo as one number: sorted by it, entries lie row by row.
struct entry_key {
    int column_bits;

    COPSE_HOST_DEVICE std::uint64_t of(std::int32_t row, std::int32_t column) const {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(row)) << column_bits |
               static_cast<std::uint32_t>(column);
    }
    COPSE_HOST_DEVICE std::int32_t row(std::uint64_t key) const {
        return static_cast<std::int32_t>(key >> column_bits);
    }
    COPSE_HOST_DEVICE std::int32_t column(std::uint64_t key) const {
        return static_cast<std::int32_t>(key & ((std::uint64_t{1} << column_bits) - 1));
    }
};

/// i: entry of a coo.
struct key_entries {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int32_t const* rows;
    std::int32_t const* columns;
    entry_key key;
    std::uint64_t* keys;
    std::uint32_t* order;   // the entry that the key is of
    std::uint32_t* broken;  // becomes 1 when an entry lies outside the matrix

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int32_t const row = rows[i], column = columns[i];
        if (row < 0 || row >= row_count || column < 0 || column >= column_count) *broken = 1;
        keys[i] = key.of(row, column);
        order[i] = static_cast<std::uint32_t>(i);
    }
};

/// Entries with equal keys become one. i: entry that stays, whose first equal is starts[i] of the sorted ones;
/// i = count: the end.
struct keep_first_of_equals {
    std::uint64_t const* keys;
    std::uint32_t const* starts;
    std::int64_t count;
    std::int64_t end;
    std::uint64_t* unique_keys;
    std::uint32_t* equals;

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        equals[i] = i == count ? static_cast<std::uint32_t>(end) : starts[i];
        if (i < count) unique_keys[i] = keys[starts[i]];
    }
};

/// Entries row by row, columns ascending, each place once: those of a csr, or sorted ones of a coo.
struct ordered_entries {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t count;
    std::int64_t const* row_offsets;  // null: of a coo
    std::int32_t const* columns;      // of a csr
    std::uint64_t const* keys;        // of a coo
    entry_key key;

    COPSE_HOST_DEVICE bool is_csr() const { return row_offsets != nullptr; }
    /// Of entries k .. k + N - 1; k is a multiple of N. Of several only in a csr.
    template <int N, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE std::array<std::int32_t, N> columns_of(Worker& w, std::int64_t k) const {
        if constexpr (N == 1)
            return {column_of(k)};
        else
            return w.template load_vector<N>(columns + k);
    }
    COPSE_HOST_DEVICE std::int32_t column_of(std::int64_t k) const {
        return is_csr() ? columns[k] : key.column(keys[k]);
    }
    /// The row of entry k, at or after `row`. With offsets that do not ascend: some row, which may begin before 0.
    COPSE_HOST_DEVICE std::int64_t row_of(std::int64_t k, std::int64_t row) const {
        if (!is_csr()) return key.row(keys[k]);
        std::int64_t step = 1;
        auto const reaches = [&] { return row + step < row_count && row_offsets[row + step] <= k; };
        for (; reaches(); step *= 2) row += step;
        for (; step > 0; step /= 2)
            if (reaches()) row += step;
        return row;
    }
};

/// Their values, in the same order.
template <class T>
struct ordered_values {
    T const* values;
    std::uint32_t const* order;   // null: as they lie
    std::uint32_t const* equals;  // null: no two had the same place

    /// Of entries i .. i + N - 1; i is a multiple of N. Of several only as they lie.
    template <int N, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE std::array<T, N> of(Worker& w, std::int64_t i) const {
        if constexpr (N == 1)
            return {order == nullptr ? w.load_stream(values + i) : in_order(i)};
        else
            return w.template load_stream_vector<N>(values + i);
    }
    COPSE_HOST_DEVICE T at(std::int64_t i) const { return order == nullptr ? values[i] : in_order(i); }

  private:
    COPSE_HOST_DEVICE T in_order(std::int64_t i) const {
        if (equals == nullptr) return values[order[i]];
        T sum = values[order[equals[i]]];  // in the order given
        COPSE_NO_UNROLL
        for (std::uint32_t k = equals[i] + 1; k < equals[i + 1]; ++k) sum += values[order[k]];
        return sum;
    }
};

/// i: row of a csr. Whether offsets go from 0 to the number of entries and ascend.
struct check_row_offsets {
    std::int64_t row_count;
    std::int64_t entry_count;
    std::int64_t const* row_offsets;
    std::uint32_t* broken;  // becomes 1

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t const begin = row_offsets[i], end = row_offsets[i + 1];
        if (begin > end || (i == 0 && begin != 0) || (i + 1 == row_count && end != entry_count)) *broken = 1;
    }
};

/// i: entry of a list that must ascend by row and column, without repeating.
struct check_entry_order {
    std::int32_t const* rows;
    std::int32_t const* columns;
    std::uint32_t* broken;  // becomes 1

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        if (i > 0 && (rows[i - 1] > rows[i] || (rows[i - 1] == rows[i] && columns[i - 1] >= columns[i]))) *broken = 1;
    }
};

/// Things in stretches that 32 neighbouring indices share. Each has every 32nd: it goes on from row to row, and memory
/// is read side by side.
struct shared_stretches {
    static constexpr std::int64_t length = 256;
    static constexpr std::int64_t shared_by = 32;

    std::int64_t count;

    std::int64_t indices() const { return (count + length - 1) / length * shared_by; }
    /// f(thing) for those of index i, ascending.
    template <class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each(std::int64_t i, F f) const {
        std::int64_t const begin = i / shared_by * length;
        std::int64_t const end = begin + length < count ? begin + length : count;
        for (std::int64_t k = begin + i % shared_by; k < end; k += shared_by) f(k);
    }
};

/// Marks the entries of a csr that begin a piece; looks at each. Four at a time: 16 bytes of columns.
struct mark_pieces {
    ordered_entries entries;
    int dimension_log2;
    std::uint32_t* marks;   // a byte for each entry, four of them at a time
    std::uint32_t* broken;  // becomes 1 when a column lies outside, or not behind the one before it

    COPSE_HOST_DEVICE shared_stretches quads() const { return {(entries.count + 3) / 4}; }

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t row = 0;
        quads().for_each(i, [&](std::int64_t quad) {
            four const columns = columns_of(4 * quad);
            std::int32_t before = quad > 0 ? entries.columns[4 * quad - 1] : 0;
            std::uint32_t found = 0;
            COPSE_UNROLL
            for (int j = 0; j < 4; ++j) {
                std::int64_t const k = 4 * quad + j;
                if (k >= entries.count) break;
                row = entries.row_of(k, row);
                std::int32_t const column = columns.elements[j];
                bool const begins_row = k == 0 || entries.row_offsets[row] == k;
                if (column < 0 || column >= entries.column_count || (!begins_row && before >= column)) *broken = 1;
                if (begins_row || before >> dimension_log2 != column >> dimension_log2) found |= 1u << (8 * j);
                before = column;
            }
            marks[quad] = found;
        });
    }

  private:
    struct __attribute__((aligned(16), may_alias)) four {
        std::int32_t elements[4];
    };

    COPSE_HOST_DEVICE COPSE_INLINE four columns_of(std::int64_t k) const {
        if (k + 4 <= entries.count) return *reinterpret_cast<four const*>(entries.columns + k);
        four columns{};
        for (int j = 0; k + j < entries.count; ++j) columns.elements[j] = entries.columns[k + j];
        return columns;
    }
};

/// A piece as a number: its leaf's (tree_key), the row in it, the number of its entries less one. Sorted by the first,
/// pieces lie in the order of a traversal.
struct piece_key {
    int dimension_log2;

    COPSE_HOST_DEVICE std::uint64_t of(std::uint64_t leaf, std::int64_t row, std::uint32_t entries) const {
        return leaf << (2 * dimension_log2) | (static_cast<std::uint64_t>(row) & mask()) << dimension_log2 |
               (entries - 1);
    }
    COPSE_HOST_DEVICE int row(std::uint64_t key) const { return static_cast<int>(key >> dimension_log2 & mask()); }
    COPSE_HOST_DEVICE int entries(std::uint64_t key) const { return static_cast<int>(key & mask()) + 1; }

  private:
    COPSE_HOST_DEVICE std::uint64_t mask() const { return (std::uint64_t{1} << dimension_log2) - 1; }
};

struct key_pieces {
    ordered_entries entries;
    tree_key key;
    std::int64_t count;
    std::uint32_t const* found;  // [count]: the first entry of each
    std::uint64_t* keys;
    std::uint32_t* begins;  // as found: it goes with the key

    shared_stretches pieces() const { return {count}; }

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t row = 0;
        shared_stretches{count}.for_each(i, [&](std::int64_t piece) {
            std::uint32_t const begin = found[piece];
            auto const end = piece + 1 < count ? found[piece + 1] : static_cast<std::uint32_t>(entries.count);
            row = entries.row_of(begin, row);
            std::uint64_t const leaf =
                key.of(static_cast<std::int32_t>(row), entries.column_of(begin)) >> key.level_bits();
            keys[piece] = piece_key{key.dimension_log2()}.of(leaf, row, end - begin);
            begins[piece] = begin;
        });
    }
};

}  // namespace copse::detail
