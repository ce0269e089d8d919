// The rows of hyper-sparse matrices that have entries, numbered: so that compressed rows, and what is checked with
// them, take no memory for the others.
//
//   row_numbers occurring;
//   occurring.add(a);
//   auto const rows = occurring.compress(a);      // row i of these is row occurring[i] of a
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::bench::measure {

/// Whether rows are so many more than entries that their offsets would be most of the matrix. HiSparse is made without
/// row offsets of coordinates with so many rows.
constexpr bool outnumber(std::int64_t rows, std::int64_t entries) noexcept {
    return rows / 8 > entries;
}

class row_numbers {
  public:
    /// Rows of `a` are numbered too. Not after compress().
    template <class T>
    void add(coo<T> const& a);

    /// Compressed rows of `a`, with entries of equal coordinates summed. Where `a` has an entry in a row that was not
    /// added, the result has one row more than there are numbers: it is like no matrix of added rows.
    /// Throws shape_error for a column that `a` does not have.
    template <class T>
    csr<T> compress(coo<T> const& a) const;
    /// Back again, in a matrix of row_count rows. rows: as compress() makes them of added rows.
    template <class T>
    coo<T> expand(csr<T> const& rows, std::int64_t row_count) const;

    std::int64_t size() const noexcept { return std::ssize(numbers_); }
    std::int32_t operator[](std::int64_t i) const { return numbers_[static_cast<std::size_t>(i)]; }

  private:
    std::vector<std::int32_t> numbers_;  // ascending
};

}  // namespace copse::bench::measure
