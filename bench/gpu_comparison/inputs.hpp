// What the products on a GPU read and write: matrices in every format that is compared, vectors, expected results.
//
// Where a matrix fits the L2 cache, repeated products would measure the cache. So a problem has several sets of
// inputs, each with its own copy of everything, and calls go round them.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/gpu_comparison/product_check.hpp"

namespace copse::bench {

/// Conversions and plans run tasks too. The host's launches hang least, and whoever hangs is to hang in its own
/// product.
inline constexpr controller controller_for_preparations = controller::host;

/// CSR in device memory, offsets of 32 bits; borrowed.
template <class T>
struct device_csr_view {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    std::int32_t* row_offsets = nullptr;
    std::int32_t* column_indices = nullptr;
    T* values = nullptr;

    std::int64_t bytes() const noexcept {
        return 4 * (row_count + 1) + entry_count * static_cast<std::int64_t>(4 + sizeof(T));
    }
};

/// The same, owned.
template <class T>
struct device_csr {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    buffer<std::int32_t> row_offsets;
    buffer<std::int32_t> column_indices;
    buffer<T> values;

    std::int64_t entry_count() const noexcept { return values.size(); }
    std::int64_t bytes() const noexcept {
        return static_cast<std::int64_t>(row_offsets.bytes() + column_indices.bytes() + values.bytes());
    }
    device_csr_view<T> view() const noexcept {
        return {row_count, column_count, entry_count(), row_offsets.data(), column_indices.data(), values.data()};
    }
};

/// Empty if cuSPARSE and the naive kernels can take a matrix with so many entries. Otherwise why not: the offsets that
/// they are given have 32 bits, and cuSPARSE's csr2csc takes no others.
std::string lack_of_width(std::int64_t entries);

/// A matrix with its offsets in 32 bits, if it has that few entries.
template <class T>
device_csr_view<T> borrow(csr_matrix<T> const& a, buffer<std::int32_t> const& narrow_offsets) {
    auto const& content = *a.content();
    return {
        a.row_count(),        a.column_count(), a.entry_count(), narrow_offsets.data(), content.column_indices.data(),
        content.values.data()};
}

/// Room for a matrix; the content is undefined.
template <class T>
device_csr<T> make_device_csr(gpu const& executor, std::int64_t rows, std::int64_t columns, std::int64_t entries);

/// Copies. Throws argument_error beyond 2^31 - 1 entries; cuda_error.
template <class T>
device_csr<T> to_device(gpu const& executor, csr<T> const& a);

/// A matrix in a format of ours, a copy for each set of inputs.
template <class Matrix>
struct copies_of {
    std::vector<Matrix> of_set;
    double seconds = 0;  // conversion of one, placement included

    Matrix const& first() const { return of_set.front(); }
    /// op(A)
    copies_of op(bool transpose) const {
        auto all = *this;
        if (transpose)
            for (auto& one : all.of_set) one = one.transposed();
        return all;
    }
};

/// One matrix: on the host, and on the GPU by rows and as a tree, a copy of each for each set of inputs.
template <class T>
struct matrix_copies {
    std::string name;
    csr<T> a;
    std::vector<csr_matrix<T>> copies = {};
    copies_of<hisparse<T>> trees = {};
};

/// How many sets take four times the L2 cache together, 1 to 32. `bytes` are those of one.
int set_count(std::int64_t bytes, std::int64_t l2_bytes);

/// With as many copies as set_count() says, but at most `most_sets`.
template <class T>
matrix_copies<T> copy_matrix(gpu& executor, std::string const& name, csr<T> a, int node_dimension, int most_sets = 32);

/// x and y of one set, in device memory, and what y is held to.
template <class T>
struct vector_set {
    buffer<T> x;
    buffer<T> y;
    product_check<T> check;
};

/// y <- op(A) x; op(A) = A^T when `transpose`.
template <class T>
struct gpu_problem {
    std::string name;
    bool transpose;
    std::int64_t rows, columns, entries;  // of A
    std::vector<vector_set<T>> sets = {};

    int set_count() const noexcept { return static_cast<int>(sets.size()); }
};

/// A set for each of `copies` of one matrix. x is drawn from [-1, 1) by `seed`, for each set anew. y is held to the
/// reference's product with `host`, or, if that is null, to sums made on the GPU. The executor must outlive it.
template <class T>
gpu_problem<T> problem_of(gpu& executor, std::string name, std::vector<csr_matrix<T>> const& copies, bool transpose,
                          std::int64_t seed, csr<T> const* host = nullptr);

}  // namespace copse::bench
