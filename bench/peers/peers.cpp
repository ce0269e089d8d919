#include "bench/peers/peers.hpp"

#include <algorithm>
#include <copse/cpu/shapes.hpp>
#include <copse/runtime/error.hpp>
#include <limits>

namespace copse::bench {
namespace {

/// Whether 4-byte signed numbers suffice for the rows, columns and entries of the operands and their sum.
template <class T>
[[maybe_unused]] bool fits_in_32_bits(measure::sum_problem<T> const& what) {
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
std::vector<measure::adder<T>> peer_adders(measure::sum_problem<T> const& what, [[maybe_unused]] int threads) {
    auto const& a = what.a.matrix;
    auto const& b = what.b.matrix;
    check_sum_shapes(a.row_count, a.column_count, what.a.transpose, b.row_count, b.column_count, what.b.transpose);
    if (what.alpha != 1 || what.beta != 1) throw argument_error("the peers add without factors");
    std::vector<measure::adder<T>> adders;
#ifdef COPSE_HAS_EIGEN
    if (fits_in_32_bits(what)) adders.push_back(eigen_adder(what));
#endif
#ifdef COPSE_HAS_GRAPHBLAS
    adders.push_back(graphblas_adder(what, threads));
#endif
#ifdef COPSE_HAS_LIBRSB
    if (fits_in_32_bits(what)) adders.push_back(librsb_adder(what, threads));
#endif
    return adders;
}

template std::vector<measure::adder<float>> peer_adders(measure::sum_problem<float> const&, int);
template std::vector<measure::adder<double>> peer_adders(measure::sum_problem<double> const&, int);

}  // namespace copse::bench
