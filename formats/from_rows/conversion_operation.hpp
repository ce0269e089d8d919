// Conversions to HiSparse where the executor works, compiled for emulated and gpu: copse_add_operation() in this room's
// CMakeLists.txt. The cpu's are in hisparse_builder.cpp.
#pragma once

#include <concepts>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/from_rows/conversion_run.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/nvtx.hpp>
#include <tuple>
#include <type_traits>

namespace copse::detail {

/// Null where the host's conversion says what is wrong, or does it.
template <class T, class Rows, class Executor>
std::shared_ptr<hisparse_content const> tree_on(Executor& executor, Rows const& a, hisparse_options options) {
    nvtx_range const range(nvtx_room::formats, "copse conversion to hisparse");
    steps_on<Executor> steps(executor);
    return tree_maker<T, Executor, steps_on<Executor>>(executor, steps, options).make(a);
}

template <class T, class Rows, lanes_executor Executor>
hisparse<T> converted(Executor& executor, Rows const& a, hisparse_options options) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("hisparse");
    } else {
        if constexpr (std::same_as<Rows, csr_matrix<T>>) {
            if (a.space() != executor.memory()->space())
                throw argument_error("hisparse: the matrix is in host memory; give the result of to_csr() instead");
            if (auto const content = tree_on<T>(executor, *a.content(), options))
                return with_state_of(hisparse<T>(content), a.is_transposed(), a.scale());
        } else {
            if (auto const content = tree_on<T>(executor, a, options)) return hisparse<T>(content);
        }
        // What numbers of 32 bits do not suffice for, and what is not a matrix.
        nvtx_range const range(nvtx_room::formats, "copse conversion by the host");
        return hisparse<T>(executor.memory(), a, options);
    }
}

template <any_executor Executor, class... Types>
struct compiled_conversion {
    template <class T>
    static constexpr auto of() {
        if constexpr (std::same_as<Executor, cpu>)
            return 0;
        else
            return std::make_tuple(&converted<T, csr<T>, Executor>, &converted<T, coo<T>, Executor>,
                                   &converted<T, csr_matrix<T>, Executor>);
    }
    static constexpr auto functions = std::make_tuple(of<Types>()...);
};
}  // namespace copse::detail
