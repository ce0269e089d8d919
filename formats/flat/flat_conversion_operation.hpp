// Conversions between compressed rows and the other flat formats on the gpu executor, compiled for every format:
// copse_add_operation() in this room's CMakeLists.txt includes each format's steps.hpp. flat_formats.hpp says what is
// in these files.
#pragma once

#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/flat_formats.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/formats/steps/view_arrays.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace copse::detail {

template <class Matrix>
void check_is_there(gpu const& executor, Matrix const& a, std::string const& what, char const* instead) {
    if (a.space() != executor.memory()->space())
        throw argument_error(what + ": the matrix is in host memory; " + instead);
}

/// The rows of a view, in the memory `where` of a GPU.
template <class T, class Primitives>
csr_matrix<T> placed_rows(std::shared_ptr<memory> const& where, csr_view<T> const& a, Primitives& primitives) {
    if (a.options.space == memory_space::device)
        if (auto const rows = rows_of_view<T>(where, a, primitives)) return csr_matrix<T>(rows);
    return {where, a};
}

template <class Matrix>
Matrix converted_on_gpu(gpu& executor, csr_view<typename Matrix::value_type> const& a,
                        typename Matrix::options_type const& options) {
    if constexpr (!can_run_on<gpu>) {
        refuse_without_cuda(Matrix::name);
    } else {
        using rows_type = csr_matrix<typename Matrix::value_type>;
        nvtx_range const range(nvtx_room::formats, (std::string("copse conversion to ") + Matrix::name).c_str(),
                               a.entry_count());
        steps_on<gpu> steps(executor);
        bool const stays = std::is_same_v<Matrix, rows_type> || Matrix::content_type::takes_arrays_of_rows(options);
        rows_type const rows = placed_rows(stays ? executor.memory() : steps.temporary(), a, steps);
        if constexpr (std::is_same_v<Matrix, rows_type>) {
            auto&& content = taken(rows.content());
            content.options = options;
            if (options.kernel != csr_kernel::automatic) content.kernel = options.kernel;
            return rows;
        } else {
            return Matrix(content_on(executor.memory(), rows, options, steps));
        }
    }
}

template <class Matrix>
Matrix converted_on_gpu(gpu& executor, csr_matrix<typename Matrix::value_type>&& a,
                        typename Matrix::options_type const& options) {
    if constexpr (!can_run_on<gpu>) {
        refuse_without_cuda(Matrix::name);
    } else {
        nvtx_range const range(nvtx_room::formats, (std::string("copse conversion to ") + Matrix::name).c_str(),
                               a.entry_count());
        auto const rows = std::move(a);
        check_is_there(executor, rows, Matrix::name, "give the result of to_csr() instead");
        steps_on<gpu> steps(executor);
        return with_state_of(Matrix(content_on(executor.memory(), rows, options, steps)), rows.is_transposed(),
                             rows.scale());
    }
}

template <class Matrix>
csr_matrix<typename Matrix::value_type> rows_on_gpu(gpu& executor, Matrix a) {
    if constexpr (!can_run_on<gpu>) {
        refuse_without_cuda(Matrix::name);
    } else {
        using rows = csr_matrix<typename Matrix::value_type>;
        nvtx_range const range(nvtx_room::formats, "copse conversion to compressed rows", a.entry_count());
        check_is_there(executor, a, "to_csr_matrix", "call to_csr(), or make the matrix with the gpu executor");
        steps_on<gpu> steps(executor);
        auto const& content = a.content();
        if constexpr (requires { rows_in_place_by_steps(taken(content), steps); })
            if (is_sole(content) && content->has_arrays_of_rows())
                return with_state_of(rows(rows_in_place_by_steps(taken(content), steps)), a.is_transposed(), a.scale());
        return with_state_of(rows(rows_by_steps(*content, steps)), a.is_transposed(), a.scale());
    }
}

/// On other executors than the gpu the formats' classes convert by themselves.
template <any_executor Executor>
struct flat_conversion_functions {
    template <class Matrix>
    static constexpr auto of_one() {
        using T = typename Matrix::value_type;
        using options = typename Matrix::options_type;
        if constexpr (!std::is_same_v<Executor, gpu>)
            return 0;
        else if constexpr (std::is_same_v<Matrix, csr_matrix<T>>)
            return static_cast<Matrix (*)(gpu&, csr_view<T> const&, options const&)>(&converted_on_gpu<Matrix>);
        else
            return std::make_tuple(
                static_cast<Matrix (*)(gpu&, csr_view<T> const&, options const&)>(&converted_on_gpu<Matrix>),
                static_cast<Matrix (*)(gpu&, csr_matrix<T>&&, options const&)>(&converted_on_gpu<Matrix>),
                &rows_on_gpu<Matrix>);
    }
    template <class... Matrix>
    struct of {
        static constexpr auto functions = std::make_tuple(of_one<Matrix>()...);
    };
};
template <any_executor Executor, class... Types>
struct compiled_flat_conversion {
    static constexpr auto functions =
        std::make_tuple(flat_matrices<Types, flat_conversion_functions<Executor>::template of>::functions...);
};

}  // namespace copse::detail
