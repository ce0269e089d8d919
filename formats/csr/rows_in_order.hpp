// What conversions on the host make of a view (views.hpp) before they read it: arrays of the types that they read, in
// host memory. Arrays that are so already are taken as they are.
#pragma once

#include <atomic>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr/compressed_rows.hpp>
#include <copse/formats/steps/sort_by_row.hpp>
#include <copse/formats/views.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/memory.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace copse::detail {

/// The arrays of a view that had to be copied.
template <class T>
struct copied_arrays {
    buffer<std::byte> from_device[3];
    buffer<std::int64_t> offsets;
    buffer<std::int32_t> rows;
    buffer<std::int32_t> columns;
};

/// Rows that the view's arrays outlive, all of a symmetric or skew matrix. whose: the function or class that the view
/// was given to, for messages. where: the memory of the executor; arrays in device memory are copied through it.
/// Throws shape_error, argument_error, as views.hpp and csr.hpp say, before anything is converted.
template <class T>
class rows_in_order {
  public:
    rows_in_order(csr_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where = host_memory());
    rows_in_order(rows_in_order const&) = delete;
    rows_in_order& operator=(rows_in_order const&) = delete;

    compressed_rows<T> const& operator*() const { return rows_; }
    /// As a csr. Moves what was sorted.
    csr<T> to_csr() &&;

  private:
    copied_arrays<T> copied_;
    csr<T> sorted_;
    compressed_rows<T> rows_{};
};

/// Entries of a list, which the view's arrays outlive: of 32 bits, from 0; all of a symmetric or skew matrix. If the
/// view is neither, and does not say that it ascends, only indices that had to be narrowed are looked at.
template <class T>
class narrow_entries {
  public:
    narrow_entries(coo_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where = host_memory());
    narrow_entries(narrow_entries const&) = delete;
    narrow_entries& operator=(narrow_entries const&) = delete;

    entries_view<T> const& operator*() const { return entries_; }

  private:
    copied_arrays<T> copied_;
    coo<T> with_mirrors_;
    entries_view<T> entries_{};
};

/// least <- min(least, number)
inline void make_least(std::atomic<std::int64_t>& least, std::int64_t number) {
    std::int64_t seen = least.load(std::memory_order_relaxed);
    while (number < seen && !least.compare_exchange_weak(seen, number, std::memory_order_relaxed)) {
    }
}

/// Throws shape_error for dimensions that are not 0 .. 2^31.
void check_dimensions(std::string_view whose, std::int64_t row_count, std::int64_t column_count);

/// Throws shape_error, which names the first, for an index outside the matrix.
template <class T>
void check_indices(entries_view<T> const& entries, std::int64_t row_count, std::int64_t column_count,
                   std::string_view whose);

/// Sorts and sums. Throws shape_error for an index outside the matrix.
template <class T>
csr<T> sort_rows(entries_view<T> const& entries, std::int64_t row_count, std::int64_t column_count,
                 std::string_view whose);

/// Throws shape_error, which names a place that occurs twice, if the view promised that none does and `kept` of its
/// entries are left after equal ones were added up. entries: of the view.
template <class T>
void check_promise(entries_view<T> const& entries, std::int64_t kept, view_options const& options,
                   std::string_view whose);

/// All rows of the matrix of a view: those of a list sorted and summed. Throws as rows_in_order and narrow_entries do.
template <class T>
csr<T> all_rows(csr_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where = host_memory());
template <class T>
csr<T> all_rows(coo_view<T> const& a, std::string_view whose, std::shared_ptr<memory> const& where = host_memory());

/// Sorts each row by column, and sums entries at one place in the order given.
template <class T>
csr<T> sort_rows(csr<T>&& rows);

}  // namespace copse::detail
