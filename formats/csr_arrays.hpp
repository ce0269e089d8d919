// Arrays that somebody else owns, for a matrix to be written to as compressed rows.
//
//   std::vector<int> offsets(a.row_count() + 1), columns(a.entry_count());
//   std::vector<double> values(a.entry_count());
//   copse::to_csr(a, {offsets, columns, values});
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/views.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace copse {

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
