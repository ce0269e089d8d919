// From the entries of a matrix to keys (tree_key.hpp): functions of an index, for a for_each.
#pragma once

#include <array>
#include <copse/formats/tree_key.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// A coo or a csr as it lies in an executor's memory. Does not own.
template <class T>
struct matrix_entries {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t entry_count;
    std::int64_t const* row_offsets;  // [row_count + 1] of a csr; null: a coo
    std::int32_t const* rows;         // [entry_count] of a coo
    std::int32_t const* columns;      // [entry_count]
    T const* values;                  // [entry_count]

    bool is_csr() const { return row_offsets != nullptr; }
};

/// Where keys go, and the word that becomes 1 when an entry is not what it must be.
struct key_output {
    tree_key key;
    std::uint64_t* keys;
    std::uint32_t* order;  // the entry that the key is of
    std::uint32_t* broken;

    /// Several threads may come here; all of them write the same.
    COPSE_HOST_DEVICE void refuse() const { *broken = 1; }
    COPSE_HOST_DEVICE void put(std::int64_t entry, std::int64_t row, std::int32_t column) const {
        keys[entry] = key.of(static_cast<std::int32_t>(row), column);
        order[entry] = static_cast<std::uint32_t>(entry);
    }
};

/// i: entry.
struct keys_of_coo {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int32_t const* rows;
    std::int32_t const* columns;
    key_output output;

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int32_t const row = rows[i], column = columns[i];
        if (row < 0 || row >= row_count || column < 0 || column >= column_count) output.refuse();
        output.put(i, row, column);
    }
};

/// i: row.
struct check_row_offsets {
    std::int64_t const* row_offsets;
    key_output output;

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        if (row_offsets[i] > row_offsets[i + 1]) output.refuse();
    }
};

/// Entries in stretches that 32 neighbouring indices share: each has every 32nd entry, and goes from row to row.
struct keys_of_csr {
    static constexpr std::int64_t stretch = 1024;
    static constexpr std::int64_t shared_by = 32;

    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t entry_count;
    std::int64_t const* row_offsets;
    std::int32_t const* columns;
    key_output output;

    std::int64_t indices() const { return (entry_count + stretch - 1) / stretch * shared_by; }

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t const begin = i / shared_by * stretch;
        std::int64_t const end = begin + stretch < entry_count ? begin + stretch : entry_count;
        std::int64_t row = 0;
        for (std::int64_t k = begin + i % shared_by; k < end; k += shared_by) {
            row = row_of(k, row);
            std::int32_t const column = columns[k];
            if (column < 0 || column >= column_count || (k > 0 && k > row_offsets[row] && columns[k - 1] >= column))
                output.refuse();
            output.put(k, row, column);
        }
    }

  private:
    /// The row of entry k, at or after `row`. With offsets that do not ascend: some row, which may begin before 0.
    COPSE_HOST_DEVICE std::int64_t row_of(std::int64_t k, std::int64_t row) const {
        std::int64_t step = 1;
        auto const reaches = [&] { return row + step < row_count && row_offsets[row + step] <= k; };
        for (; reaches(); step *= 2) row += step;
        for (; step > 0; step /= 2)
            if (reaches()) row += step;
        return row;
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

/// Values of sorted entries.
template <class T>
struct sorted_values {
    T const* values;
    std::uint32_t const* order;
    std::uint32_t const* equals;  // null: no two had the same key

    COPSE_HOST_DEVICE T operator[](std::int64_t i) const {
        if (equals == nullptr) return values[order[i]];
        T sum = values[order[equals[i]]];  // in the order given
        for (std::uint32_t k = equals[i] + 1; k < equals[i + 1]; ++k) sum += values[order[k]];
        return sum;
    }
    /// Values i and i + 1; i is even.
    template <class Worker>
    COPSE_HOST_DEVICE std::array<T, 2> pair(std::int64_t i, Worker& w) const {
        if (equals != nullptr) return {(*this)[i], (*this)[i + 1]};
        std::array<std::uint32_t, 2> const of = w.template load_vector<2>(order + i);
        return {values[of[0]], values[of[1]]};
    }
};

}  // namespace copse::detail
