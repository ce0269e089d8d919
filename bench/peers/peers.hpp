// Other libraries that do what copse does: those that were found when the build was configured take part, and MKL where
// it can be loaded. They are packages of the benchmarks alone (bench/run --peers installs them).
//
// A peer is one file: a class `addition<T>` on its own matrices, a function that makes it, and a line in peers.cpp. Of
// products: products.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/addition.hpp"

namespace copse::bench {

/// A library that could take part.
struct peer {
    std::string format;                  // its name in records: eigen, graphblas, librsb, petsc, mkl
    std::optional<std::string> version;  // "Eigen 3.4.0"; none where it is not here
    std::string absence;                 // "PETSc (bench/run --peers installs it)" where it is not
    bool adds = true;                    // else it takes part in products alone
};

/// All that are known, in the order in which they take part.
std::vector<peer> const& peers();

/// Whether records of this format are those of another library, here or not.
bool is_peer(std::string_view format);

/// The sum by each of them, with conversions into their formats done. Those whose indices cannot number the entries of
/// the sum are left out. Throws error where a library fails.
template <class T>
additions<T> peer_additions(sum_problem<T> const& what, int threads);

/// Eigen's SparseMatrix by rows, one thread. A + B^T copies B^T by rows first, as Eigen demands.
template <class T>
std::unique_ptr<addition<T>> sum_by_eigen(sum_problem<T> const& what);
std::string eigen_version();

/// SuiteSparse:GraphBLAS, eWiseAdd with transposing descriptors.
template <class T>
std::unique_ptr<addition<T>> sum_by_graphblas(sum_problem<T> const& what, int threads);
std::string graphblas_version();

/// librsb's recursive blocks, rsb_sppsp.
template <class T>
std::unique_ptr<addition<T>> sum_by_librsb(sum_problem<T> const& what, int threads);
std::string librsb_version();

std::string petsc_version();

/// None where MKL cannot be loaded; why_no_mkl() then says why.
std::optional<std::string> mkl_version();
std::string why_no_mkl();

}  // namespace copse::bench
