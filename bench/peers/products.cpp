#include "bench/peers/products.hpp"

#include <fmt/format.h>

#include <copse/formats/statistics.hpp>
#include <copse/runtime/error.hpp>
#include <exception>

#include "bench/harness/load.hpp"
#include "bench/harness/text.hpp"
#include "bench/peers/peers.hpp"

namespace copse::bench {
namespace {

/// Converting takes the matrix and, in most libraries, a list of the entries beside it.
template <class T>
void check_memory_for(std::string const& name, problem<T> const& what) {
    auto const bytes = csr_bytes(what.a.row_count, what.a.entry_count(), sizeof(T));
    check_memory("converting '" + what.matrix + "' for " + name, 2.5 * static_cast<double>(bytes));
}

}  // namespace

template <class T>
std::vector<product_peer<T>> product_peers() {
    std::vector<product_peer<T>> all;
#ifdef COPSE_HAS_EIGEN
    all.push_back({"eigen", product_by_eigen<T>});
#endif
#ifdef COPSE_HAS_GRAPHBLAS
    all.push_back({"graphblas", product_by_graphblas<T>});
#endif
#ifdef COPSE_HAS_LIBRSB
    all.push_back({"librsb", product_by_librsb<T>});
    all.push_back({"librsb tuned", product_by_librsb_tuned<T>});
#endif
#ifdef COPSE_HAS_PETSC
    if constexpr (sizeof(T) == sizeof(double)) all.push_back({"petsc", product_by_petsc});
#endif
    if (mkl_version().has_value()) all.push_back({"mkl", product_by_mkl<T>});
    return all;
}

template <class T>
products<T> invite(std::vector<product_peer<T>> const& peers, problem<T> const& what, int threads,
                   complaint const& complain) {
    products<T> guests;
    for (auto const& peer : peers) {
        auto r = describe(what, "", 0, threads);
        r.library = peer.name;
        try {
            check_memory_for(peer.name, what);
            guests.push_back(peer.make(what, threads));
            guests.back()->record.library = peer.name;
        } catch (std::exception const& e) {
            r.failure = e.what();
            took_part(r, complain);
        }
    }
    return guests;
}

bool took_part(race_record const& r, complaint const& complain) {
    if (r.failure.empty()) return true;
    if (r.is_ours()) throw error(race_name(r) + ": " + r.failure);
    complain(
        one_line(fmt::format("{} takes no part in {} of {}: {}", r.library, operation_of(r.m), r.m.matrix, r.failure)));
    return false;
}

template std::vector<product_peer<float>> product_peers();
template std::vector<product_peer<double>> product_peers();
template products<float> invite(std::vector<product_peer<float>> const&, problem<float> const&, int, complaint const&);
template products<double> invite(std::vector<product_peer<double>> const&, problem<double> const&, int,
                                 complaint const&);

}  // namespace copse::bench
