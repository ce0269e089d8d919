// Conversions between compressed rows and the other flat formats on the gpu executor: what the formats' classes call.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/executor.hpp>

namespace copse::detail {

template <class Matrix>
Matrix converted_on_gpu(gpu& executor, csr<typename Matrix::value_type> const& a,
                        typename Matrix::options_type const& options);
/// State included. Throws argument_error for rows in host memory.
template <class Matrix>
Matrix converted_on_gpu(gpu& executor, csr_matrix<typename Matrix::value_type>&& a,
                        typename Matrix::options_type const& options);

/// State included; with the arrays of `a` if the format can give them back and nobody else shares them. Throws
/// argument_error for a matrix in host memory.
template <class Matrix>
csr_matrix<typename Matrix::value_type> rows_on_gpu(gpu& executor, Matrix a);

}  // namespace copse::detail
