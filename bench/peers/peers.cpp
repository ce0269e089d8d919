#include "bench/peers/peers.hpp"

#include <fmt/format.h>

#include <copse/formats/statistics.hpp>
#include <exception>

#include "bench/harness/text.hpp"

namespace copse::bench {

template <class T>
std::vector<peer<T>> peers() {
    [[maybe_unused]] auto const not_built_in = [](std::string const& format, std::string const& name, bool adds) {
        return peer<T>{format, std::nullopt, name + " (not found when this was built; bench/run --peers installs it)",
                       adds};
    };
    return {
#ifdef COPSE_HAS_EIGEN
        eigen_peer<T>(),
#else
        not_built_in("eigen", "Eigen", true),
#endif
#ifdef COPSE_HAS_GRAPHBLAS
        graphblas_peer<T>(),
#else
        not_built_in("graphblas", "SuiteSparse:GraphBLAS", true),
#endif
#ifdef COPSE_HAS_LIBRSB
        librsb_peer<T>(),
#else
        not_built_in("librsb", "librsb", true),
#endif
#ifdef COPSE_HAS_PETSC
        petsc_peer<T>(),
#else
        not_built_in("petsc", "PETSc", false),
#endif
        mkl_peer<T>(),
    };
}

template <class T>
std::vector<product_peer<T>> product_peers() {
    std::vector<product_peer<T>> all;
    for (auto const& one : peers<T>()) all.insert(all.end(), one.products.begin(), one.products.end());
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
            // Converting takes the matrix and, in most libraries, a list of the entries beside it.
            auto const bytes = csr_bytes(what.a.row_count, what.a.entry_count(), sizeof(T));
            check_memory("converting '" + what.matrix + "' for " + peer.name, 2.5 * static_cast<double>(bytes));
            auto guest = peer.make(what, threads);
            if (!guest) continue;
            guest->record.library = peer.name;
            guests.push_back(std::move(guest));
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

#define COPSE_INSTANTIATE(T)                               \
    template std::vector<peer<T>> peers();                 \
    template std::vector<product_peer<T>> product_peers(); \
    template products<T> invite(std::vector<product_peer<T>> const&, problem<T> const&, int, complaint const&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse::bench
