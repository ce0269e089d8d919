// Views of matrices whose arrays somebody else owns: compressed rows, compressed columns, lists of entries.
//
//   std::vector<int> offsets{0, 2, 3}, columns{0, 2, 1};
//   std::vector<double> values{1, 2, 3};
//   copse::csr_view a(2, 3, offsets, columns, values);          // of vectors, spans, buffers; T as the values have it
//   copse::csr_view b(m, n, nnz, row_offsets, column_indices, values, {.index_base = 1});     // from pointers
//   copse::hisparse<double> tree(cpu, a);
//   auto y = copse::csr5<double>(cpu, copse::transposed(a));    // columns as rows of the transpose: O(1)
//   copse::csr_view s(n, n, offsets, columns, values, {.symmetry = copse::matrix_symmetry::symmetric});    // one half
//
// A view copies nothing, and looks at nothing: what it is given to checks it. Conversions read the arrays before they
// return and keep no pointer to them. What they copy on the way:
//
//   values                             never
//   int32 indices from 0               never (row offsets: widened, 8 bytes for a row)
//   int64 offsets from 0               never
//   other indices                      as those, checked: 4 bytes for an index, 8 for an offset
//   rows that do not ascend            all three arrays, sorted; entries at one place are summed in the order given
//   one half (symmetric, skew)         hisparse: that half; other formats: all entries, the mirror images too
//
// On a gpu arrays in device memory are read where they are, by the same rule (arrays that do not begin at a multiple of
// 16 bytes are copied, too); arrays in host memory are sent as they are. The work that writes device arrays must be
// done, or on the executor's stream.
//
// view_of(a) is the view of another library's matrix. None of these libraries is included.
//
//   Eigen::SparseMatrix<double, Eigen::RowMajor> e = ...;        // or a Map or Ref of one
//   copse::hisparse<double> tree(cpu, copse::view_of(e));        // column-major: a csc_view, whose transpose is O(1)
//   tree = {cpu, copse::view_of(e.selfadjointView<Eigen::Lower>())};    // one half is read
//
//   spblas::csr_view<float, int> s(values, rowptr, colind, {m, n}, nnz);
//   copse::hisparse<float> other(cpu, copse::view_of(s));
//
// Others take a line, Kokkos' CrsMatrix for example (`space`: that of its views):
//
//   copse::csr_view k(a.numRows(), a.numCols(), a.nnz(), a.graph.row_map.data(), a.graph.entries.data(),
//                     a.values.data(), {.space = space});
#pragma once

#include <concepts>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace copse {

/// A type of indices: integers of 32 or 64 bits. What an unsigned one has beyond the signed range counts as negative.
template <class Index>
concept index_type = std::integral<Index> &&(sizeof(Index) == 4 || sizeof(Index) == 8);

/// Indices of 32 or 64 bits, in any memory. Does not own.
class index_view {
  public:
    index_view() = default;
    template <index_type Index>
    index_view(Index const* data, std::int64_t size) : index_view(data, size, sizeof(Index)) {}
    /// Of a vector, span or buffer.
    template <class Array>
    requires requires(Array const& a) {
        requires index_type<std::remove_cvref_t<decltype(*a.data())>>;
        a.size();
    }
    index_view(Array const& array) : index_view(array.data(), static_cast<std::int64_t>(array.size())) {}

    void const* data() const noexcept { return data_; }
    std::int64_t size() const noexcept { return size_; }
    int index_bytes() const noexcept { return index_bytes_; }
    std::size_t bytes() const noexcept {
        return static_cast<std::size_t>(size_) * static_cast<std::size_t>(index_bytes_);
    }

    COPSE_HOST_DEVICE std::int64_t operator[](std::int64_t k) const {
        return index_bytes_ == 4 ? static_cast<std::int32_t const*>(data_)[k]
                                 : static_cast<std::int64_t const*>(data_)[k];
    }
    /// The same indices at another place.
    index_view at(void const* data) const { return {data, size_, static_cast<std::size_t>(index_bytes_)}; }

  private:
    index_view(void const* data, std::int64_t size, std::size_t index_bytes)
        : data_(data), size_(size), index_bytes_(static_cast<int>(index_bytes)) {}

    void const* data_ = nullptr;
    std::int64_t size_ = 0;
    int index_bytes_ = 4;
};

/// What entries that a view does not hold follow from, as in Matrix Market files.
enum class matrix_symmetry : std::uint8_t {
    general,    // the view holds all entries
    symmetric,  // of each entry (i, j) off the diagonal that is read, (j, i) is an entry with the same value
    skew,       // with the negative value; entries on the diagonal are zero
};

/// Which entries of a symmetric or skew matrix are read.
enum class matrix_half : std::uint8_t {
    either,  // all of them, which lie on one side of the diagonal, it included; entries on both sides: shape_error
    lower,   // those on and below the diagonal; the others are ignored, as in Sparse BLAS and Eigen's selfadjointView
    upper,   // those on and above it
};

/// What the arrays of a view are like. What conversions of a view throw:
/// argument_error: an index_base other than 0 and 1; a null pointer; arrays in device memory, where the executor does
/// not read it.
/// shape_error: dimensions outside 0 .. 2^31; arrays whose lengths do not fit each other; offsets that descend or begin
/// elsewhere than at index_base; an index outside the matrix; arrays that do not keep a promise below.
struct view_options {
    /// The first row and column, and the first offset: 0 or 1.
    int index_base = 0;
    /// Where all of the arrays are.
    memory_space space = memory_space::host;
    /// Compressed rows: columns ascend within each row, none occurs twice. Lists: entries ascend by row and column,
    /// none occurs twice. Conversions look all the same. If this is true and they find otherwise, they throw
    /// shape_error instead of sorting. (Without the look, a column outside the matrix would lead outside of memory.)
    bool ascending = false;
    /// No place occurs twice; the order is any. If conversions find otherwise, they throw shape_error instead of adding
    /// up.
    bool no_duplicates = false;
    /// Not general: the matrix must be square, and of a skew one entries on the diagonal zero; else shape_error.
    matrix_symmetry symmetry = matrix_symmetry::general;
    matrix_half half = matrix_half::either;

    /// Of the same arrays, read as those of A^T.
    view_options transposed() const {
        view_options result = *this;
        if (half != matrix_half::either)
            result.half = half == matrix_half::lower ? matrix_half::upper : matrix_half::lower;
        return result;
    }
};

/// An m x n matrix as compressed rows: entries of row i are row_offsets[i] .. row_offsets[i + 1] - 1, in any order.
template <class T>
struct csr_view {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    index_view row_offsets;       // [m + 1]
    index_view column_indices;    // [nnz]
    vector_view<T const> values;  // [nnz]
    view_options options;

    csr_view() = default;
    /// Arrays: vectors, spans, buffers. `options.space` is that of a buffer.
    csr_view(std::int64_t m, std::int64_t n, index_view offsets, index_view columns, vector_view<T const> entry_values,
             view_options how = {})
        : row_count(m),
          column_count(n),
          row_offsets(offsets),
          column_indices(columns),
          values(entry_values),
          options(how) {
        if (values.space() == memory_space::device) options.space = memory_space::device;
    }
    /// m + 1 offsets; `nnz` columns and values.
    template <index_type Offset, index_type Index>
    csr_view(std::int64_t m, std::int64_t n, std::int64_t nnz, Offset const* offsets, Index const* columns,
             T const* entry_values, view_options how = {})
        : csr_view(m, n, index_view(offsets, m + 1), index_view(columns, nnz), {entry_values, nnz, how.space}, how) {}

    std::int64_t entry_count() const noexcept { return values.size(); }
};

/// An m x n matrix as compressed columns: entries of column j are column_offsets[j] .. column_offsets[j + 1] - 1.
/// A conversion reads them as the rows of A^T, and transposes its result in O(1).
template <class T>
class csc_view {
  public:
    csc_view() = default;
    explicit csc_view(csr_view<T> const& transposed) : transposed_(transposed) {}
    csc_view(std::int64_t m, std::int64_t n, index_view offsets, index_view rows, vector_view<T const> values,
             view_options options = {})
        : transposed_(n, m, offsets, rows, values, options.transposed()) {}
    template <index_type Offset, index_type Index>
    csc_view(std::int64_t m, std::int64_t n, std::int64_t nnz, Offset const* offsets, Index const* rows,
             T const* values, view_options options = {})
        : transposed_(n, m, nnz, offsets, rows, values, options.transposed()) {}

    std::int64_t row_count() const noexcept { return transposed_.column_count; }
    std::int64_t column_count() const noexcept { return transposed_.row_count; }
    std::int64_t entry_count() const noexcept { return transposed_.entry_count(); }
    csr_view<T> const& transposed() const noexcept { return transposed_; }

  private:
    csr_view<T> transposed_;
};

/// An m x n matrix as a list of entries in any order. Entries at one place are summed in the order given.
template <class T>
struct coo_view {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    index_view rows;
    index_view columns;
    vector_view<T const> values;
    view_options options;

    coo_view() = default;
    coo_view(std::int64_t m, std::int64_t n, index_view row_indices, index_view column_indices,
             vector_view<T const> entry_values, view_options how = {})
        : row_count(m),
          column_count(n),
          rows(row_indices),
          columns(column_indices),
          values(entry_values),
          options(how) {
        if (values.space() == memory_space::device) options.space = memory_space::device;
    }
    template <index_type Index>
    coo_view(std::int64_t m, std::int64_t n, std::int64_t nnz, Index const* row_indices, Index const* column_indices,
             T const* entry_values, view_options how = {})
        : coo_view(m, n, index_view(row_indices, nnz), index_view(column_indices, nnz), {entry_values, nnz, how.space},
                   how) {}

    std::int64_t entry_count() const noexcept { return values.size(); }
};

// T is that of the values.
template <class Offsets, class Columns, class Values>
csr_view(std::int64_t, std::int64_t, Offsets const&, Columns const&, Values const& values, view_options = {})
    -> csr_view<std::remove_cvref_t<decltype(*values.data())>>;
template <class Offsets, class Rows, class Values>
csc_view(std::int64_t, std::int64_t, Offsets const&, Rows const&, Values const& values, view_options = {})
    -> csc_view<std::remove_cvref_t<decltype(*values.data())>>;
template <class Rows, class Columns, class Values>
coo_view(std::int64_t, std::int64_t, Rows const&, Columns const&, Values const& values, view_options = {})
    -> coo_view<std::remove_cvref_t<decltype(*values.data())>>;

/// A^T, O(1).
template <class T>
csc_view<T> transposed(csr_view<T> const& a) {
    return csc_view<T>(a);
}
template <class T>
csr_view<T> transposed(csc_view<T> const& a) {
    return a.transposed();
}
template <class T>
coo_view<T> transposed(coo_view<T> const& a) {
    view_options options = a.options.transposed();
    options.ascending = false;  // by column and row
    return {a.column_count, a.row_count, a.columns, a.rows, a.values, options};
}

namespace detail {

template <class Pointer>
concept points_to_index = index_type<std::remove_cvref_t<decltype(*std::declval<Pointer>())>>;

template <class Shape, class Size, class Offsets, class Columns, class Values>
concept csr_parts = requires(Shape const& shape, Size size, Offsets const& offsets, Columns const& columns,
                             Values const& values) {
    { shape[0] } -> std::convertible_to<std::int64_t>;
    { shape[1] } -> std::convertible_to<std::int64_t>;
    { size } -> std::convertible_to<std::int64_t>;
    { offsets.data() } -> points_to_index;
    { columns.data() } -> points_to_index;
    *values.data();
};

template <class A>
concept csr_like_by_members = requires(A const& a) {
    requires csr_parts<decltype(a.shape()), decltype(a.size()), decltype(a.rowptr()), decltype(a.colind()),
                       decltype(a.values())>;
};
template <class A>
concept csr_like_by_functions = requires(A const& a) {
    requires csr_parts<decltype(shape(a)), decltype(size(a)), decltype(rowptr(a)), decltype(colind(a)),
                       decltype(values(a))>;
};

template <class Shape, class Offsets, class Columns, class Values>
auto view_of_parts(Shape const& shape, std::int64_t size, Offsets const& offsets, Columns const& columns,
                   Values const& values, view_options options) {
    return csr_view(static_cast<std::int64_t>(shape[0]), static_cast<std::int64_t>(shape[1]), size, offsets.data(),
                    columns.data(), values.data(), options);
}

}  // namespace detail

/// Compressed rows by the names of the Sparse BLAS proposal for C++ (spblas::csr_view): values, rowptr and colind have
/// data(), shape has [0] and [1], the numbers of rows and columns, size is the number of entries. They are members or
/// free functions. The proposal has indices from 0.
template <class A>
concept csr_like = detail::csr_like_by_members<A> || detail::csr_like_by_functions<A>;

template <csr_like A>
auto view_of(A const& a, view_options options = {}) {
    if constexpr (detail::csr_like_by_members<A>)
        return detail::view_of_parts(a.shape(), static_cast<std::int64_t>(a.size()), a.rowptr(), a.colind(), a.values(),
                                     options);
    else
        return detail::view_of_parts(shape(a), static_cast<std::int64_t>(size(a)), rowptr(a), colind(a), values(a),
                                     options);
}

/// Eigen's SparseMatrix, and Map and Ref of one.
template <class A>
concept eigen_sparse = requires(A const& a) {
    { a.outerIndexPtr() } -> detail::points_to_index;
    { a.innerIndexPtr() } -> detail::points_to_index;
    *a.valuePtr();
    a.isCompressed();
    a.nonZeros();
    { A::IsRowMajor } -> std::convertible_to<bool>;
};

/// A csr_view of a row-major matrix, a csc_view of a column-major one. Throws argument_error for a matrix that is not
/// compressed.
template <eigen_sparse A>
auto view_of(A const& a, view_options options = {}) {
    if (!a.isCompressed())
        throw argument_error("view_of: the Eigen matrix is not compressed; call its makeCompressed() first");
    std::int64_t const m = a.rows(), n = a.cols(), entries = a.nonZeros();
    if constexpr (A::IsRowMajor)
        return csr_view(m, n, entries, a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr(), options);
    else
        return csc_view(m, n, entries, a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr(), options);
}

/// Eigen's a.selfadjointView<Eigen::Lower>(), or Upper, of a sparse matrix.
template <class A>
concept eigen_selfadjoint = requires(A const& a) {
    requires eigen_sparse<std::remove_cvref_t<decltype(a.matrix())>>;
    { A::Mode } -> std::convertible_to<unsigned>;
    { A::TransposeMode } -> std::convertible_to<unsigned>;
};

/// The half that the view names; the rest of its matrix is ignored, as Eigen does. Throws as above.
template <eigen_selfadjoint A>
auto view_of(A const& a) {
    constexpr bool is_lower = (static_cast<unsigned>(A::Mode) & 1u) != 0;  // Eigen::Lower
    return view_of(a.matrix(), {.symmetry = matrix_symmetry::symmetric,
                                .half = is_lower ? matrix_half::lower : matrix_half::upper});
}

}  // namespace copse
