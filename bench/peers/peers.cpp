#include "bench/peers/peers.hpp"

#include <algorithm>
#include <limits>

namespace copse::bench {
namespace {

/// Whether 4-byte signed numbers suffice for the rows, columns and entries of the operands and their sum.
template <class T>
[[maybe_unused]] bool fits_in_32_bits(sum_problem<T> const& what) {
    auto const& a = what.a.matrix;
    auto const entries = a.entry_count() + what.b.matrix.entry_count();
    return std::max({a.row_count + 1, a.column_count + 1, entries}) <= std::numeric_limits<std::int32_t>::max();
}

[[maybe_unused]] std::string not_built_in(std::string const& name) {
    return name + " (not found when this was built; bench/run --peers installs it)";
}

}  // namespace

std::vector<peer> const& peers() {
    static std::vector<peer> const all{
#ifdef COPSE_HAS_EIGEN
        {"eigen", eigen_version(), ""},
#else
        {"eigen", std::nullopt, not_built_in("Eigen")},
#endif
#ifdef COPSE_HAS_GRAPHBLAS
        {"graphblas", graphblas_version(), ""},
#else
        {"graphblas", std::nullopt, not_built_in("SuiteSparse:GraphBLAS")},
#endif
#ifdef COPSE_HAS_LIBRSB
        {"librsb", librsb_version(), ""},
#else
        {"librsb", std::nullopt, not_built_in("librsb")},
#endif
#ifdef COPSE_HAS_PETSC
        {"petsc", petsc_version(), "", false},
#else
        {"petsc", std::nullopt, not_built_in("PETSc"), false},
#endif
        {"mkl", mkl_version(),
         "MKL (" + why_no_mkl() + "; bench/run --peers installs it, or COPSE_MKL names its folder)", false},
    };
    return all;
}

bool is_peer(std::string_view format) {
    return std::any_of(peers().begin(), peers().end(), [&](peer const& p) { return p.format == format; });
}

template <class T>
additions<T> peer_additions([[maybe_unused]] sum_problem<T> const& what, [[maybe_unused]] int threads) {
    additions<T> all;
#ifdef COPSE_HAS_EIGEN
    if (fits_in_32_bits(what)) all.push_back(sum_by_eigen(what));
#endif
#ifdef COPSE_HAS_GRAPHBLAS
    all.push_back(sum_by_graphblas(what, threads));
#endif
#ifdef COPSE_HAS_LIBRSB
    if (fits_in_32_bits(what)) all.push_back(sum_by_librsb(what, threads));
#endif
    return all;
}

template additions<float> peer_additions(sum_problem<float> const&, int);
template additions<double> peer_additions(sum_problem<double> const&, int);

}  // namespace copse::bench
