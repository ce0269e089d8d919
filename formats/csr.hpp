// Compressed sparse rows: the baseline, and the input of every other format's conversion.
//
//   row_offsets      [m + 1]   entries of row i are row_offsets[i] .. row_offsets[i + 1] - 1
//   column_indices   [nnz]     ascending within a row, each at most once
//   values           [nnz]
//
// copse::csr_arrays are arrays of somebody else, for a matrix to be written to as compressed rows:
//
//   std::vector<int> offsets(a.row_count() + 1), columns(a.entry_count());
//   std::vector<double> values(a.entry_count());
//   copse::to_csr(a, {offsets, columns, values});
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/views.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

/// A matrix that was moved from is an empty 0 x 0 one.
template <class T>
struct csr {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::vector<std::int64_t> row_offsets{0};
    std::vector<std::int32_t> column_indices;
    std::vector<T> values;

    csr() = default;
    csr(std::int64_t m, std::int64_t n, std::vector<std::int64_t> offsets = {0}, std::vector<std::int32_t> columns = {},
        std::vector<T> entry_values = {})
        : row_count(m),
          column_count(n),
          row_offsets(std::move(offsets)),
          column_indices(std::move(columns)),
          values(std::move(entry_values)) {}
    csr(csr const&) = default;
    csr(csr&& other) noexcept
        : row_count(std::exchange(other.row_count, 0)),
          column_count(std::exchange(other.column_count, 0)),
          row_offsets(std::move(other.row_offsets)),
          column_indices(std::move(other.column_indices)),
          values(std::move(other.values)) {
        try {
            other.row_offsets.assign(1, 0);
        } catch (std::bad_alloc const&) {  // then there are none, which counts as {0}
        }
    }
    csr& operator=(csr const&) = default;
    csr& operator=(csr&& other) noexcept {
        csr taken(std::move(other));
        std::swap(row_count, taken.row_count);
        std::swap(column_count, taken.column_count);
        row_offsets.swap(taken.row_offsets);
        column_indices.swap(taken.column_indices);
        values.swap(taken.values);
        return *this;
    }
    ~csr() = default;

    std::int64_t entry_count() const noexcept { return static_cast<std::int64_t>(values.size()); }
    operator csr_view<T>() const {
        return {row_count, column_count, row_offsets, column_indices, values, {.ascending = true}};
    }
};

/// Sorts by row and column and sums entries of equal coordinates (in the order given). Explicit zeros stay.
/// Parallel (OpenMP). Throws what conversions of a view throw (view_options).
template <class T>
csr<T> to_csr(coo_view<T> const& a);
template <class T>
csr<T> to_csr(coo<T> const& a) {
    return to_csr(coo_view<T>(a));
}

/// A copy of the rows, columns ascending; views.hpp says what is sorted and what is refused. Throws shape_error,
/// argument_error for arrays in device memory.
template <class T>
csr<T> to_csr(csr_view<T> const& a);

/// Entries in row-major order, each coordinate once.
template <class T>
coo<T> to_coo(csr<T> const& a);

/// A^T, by counting sort.
template <class T>
csr<T> transpose(csr<T> const& a);

/// Throws shape_error, which names the first offence, if `a` breaks the contract above. whose: the function or class
/// that `a` was given to, for the message.
template <class T>
void check(csr<T> const& a, std::string_view whose = "csr");

/// Row offsets of 32 or 64 bits, column indices of 32 bits, values; in host memory. Arrays may be longer than what is
/// written to them: row_count() + 1 offsets, entry_count() columns and values, which are known in O(1).
template <class T>
class csr_arrays {
  public:
    template <index_type Offset>
    csr_arrays(std::span<Offset> row_offsets, std::span<std::int32_t> column_indices, std::span<T> values)
        : row_offsets_(row_offsets.data(), std::ssize(row_offsets)),
          writes_to_(row_offsets.data()),
          column_indices_(column_indices),
          values_(values) {}
    /// Of vectors.
    template <class Offsets>
    requires requires(Offsets& offsets) { requires index_type<std::remove_reference_t<decltype(*offsets.data())>>; }
    csr_arrays(Offsets& row_offsets, std::span<std::int32_t> column_indices, std::span<T> values)
        : csr_arrays(std::span(row_offsets.data(), static_cast<std::size_t>(row_offsets.size())), column_indices,
                     values) {}

    index_view row_offsets() const noexcept { return row_offsets_; }
    std::span<std::int32_t> column_indices() const noexcept { return column_indices_; }
    std::span<T> values() const noexcept { return values_; }

    /// Calls f(pointer to the offsets, in their type).
    template <class F>
    void with_offsets(F f) const {
        row_offsets_.index_bytes() == 4 ? f(static_cast<std::int32_t*>(writes_to_))
                                        : f(static_cast<std::int64_t*>(writes_to_));
    }

  private:
    index_view row_offsets_;
    void* writes_to_;
    std::span<std::int32_t> column_indices_;
    std::span<T> values_;
};

namespace detail {

/// Throws shape_error, which names the array, if one is too short, or offsets of 32 bits do not count the entries.
template <class T>
void check_room(csr_arrays<T> const& to, std::int64_t row_count, std::int64_t entry_count);

/// Copies `rows` to arrays that have the room.
template <class T>
void copy_rows(csr<T> const& rows, csr_arrays<T> const& to);

}  // namespace detail

}  // namespace copse
