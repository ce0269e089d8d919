// Views of other libraries' matrices: view_of(a). Nothing is copied, and none of these libraries is included.
//
//   Eigen::SparseMatrix<double, Eigen::RowMajor> a = ...;        // or a Map or Ref of one
//   copse::hisparse<double> tree(cpu, copse::view_of(a));        // column-major: a csc_view, whose transpose is O(1)
//   tree = {cpu, copse::view_of(a.selfadjointView<Eigen::Lower>())};    // one half is read
//
//   spblas::csr_view<float, int> b(values, rowptr, colind, {m, n}, nnz);
//   copse::hisparse<float> other(cpu, copse::view_of(b));
//
// Others take a line, Kokkos' CrsMatrix for example (`space`: that of its views):
//
//   copse::csr_view k(a.numRows(), a.numCols(), a.nnz(), a.graph.row_map.data(), a.graph.entries.data(),
//                     a.values.data(), {.space = space});
#pragma once

#include <concepts>
#include <copse/formats/views.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace copse {
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
