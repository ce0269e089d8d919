// From HiSparse to compressed rows where the executor works, compiled for emulated and gpu: copse_add_operation() in
// this room's CMakeLists.txt. to_csr() is in hisparse_entries.cpp.
#pragma once

#include <concepts>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/formats/to_rows/tree_rows_run.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/nvtx.hpp>
#include <tuple>

namespace copse {
namespace detail {

template <class T, class Executor>
csr_matrix<T> stored_rows(Executor& executor, hisparse<T> const& a) {
    if (auto const rows = rows_on<T>(executor, steps_on<Executor>(executor), *a.content())) return csr_matrix<T>(rows);
    nvtx_range const range("copse conversion by the host");
    return csr_matrix<T>(executor, to_csr(hisparse<T>(a.content())));
}

}  // namespace detail

template <class T, lanes_executor Executor>
csr_matrix<T> to_csr_matrix(Executor& executor, hisparse<T> const& a) {
    if constexpr (!detail::can_run_on<Executor>) {
        detail::refuse_without_cuda("hisparse");
    } else {
        nvtx_range const range("copse conversion to compressed rows");
        if (a.space() != executor.memory()->space())
            throw argument_error(
                "to_csr_matrix: the matrix is in host memory; to_csr() is for it, or make it with the gpu executor");
        return detail::with_state_of(detail::stored_rows(executor, a), a.is_transposed(), a.scale());
    }
}

namespace detail {

template <any_executor Executor>
struct compiled_tree_rows {
    template <class T>
    static constexpr auto of() {
        if constexpr (std::same_as<Executor, cpu>) {
            return 0;
        } else {
            using way = csr_matrix<T> (*)(Executor&, hisparse<T> const&);
            return static_cast<way>(&to_csr_matrix<T, Executor>);
        }
    }
    static constexpr auto functions = std::make_tuple(of<float>(), of<double>());
};

}  // namespace detail
}  // namespace copse
