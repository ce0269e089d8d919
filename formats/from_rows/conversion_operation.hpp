// Conversions to HiSparse where the executor works, compiled for emulated and gpu: copse_add_operation() in this room's
// CMakeLists.txt. The cpu's are in hisparse_builder.cpp.
#pragma once

#include <concepts>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/from_rows/conversion_choices.hpp>
#include <copse/formats/from_rows/tree_maker.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <tuple>
#include <type_traits>

namespace copse::detail {

/// Null where the host's conversion says what is wrong, or does it.
template <class T, class View, class Executor>
std::shared_ptr<hisparse_content const> tree_on(Executor& executor, View const& a, hisparse_options options,
                                                conversion_choices const& choices = {}) {
    nvtx_range const range(nvtx_room::formats, "copse conversion to hisparse");
    steps_on<Executor> steps(executor);
    return tree_maker<T, Executor, steps_on<Executor>>(executor, steps, options, choices).make(a);
}

/// Of one half of a matrix, symmetric or skew: by the host where that half is stored once; else the host adds the
/// other, and the executor converts.
template <class T, class View, class Executor>
hisparse<T> converted_from_half(Executor& executor, View const& a, hisparse_options options) {
    if (options.share_transposed.value_or(false)) {
        options.values = options.values.value_or(stored_values::each);
        return hisparse<T>(executor.memory(), a, options);
    }
    if constexpr (std::is_same_v<View, coo_view<T>>) {
        narrow_entries<T> const all(a, "hisparse", executor.memory());
        auto const& [rows, columns, values, count] = *all;
        return hisparse<T>(executor,
                           coo_view<T>(a.row_count, a.column_count, count, rows, columns, values,
                                       {.no_duplicates = a.options.no_duplicates}),
                           options);
    } else {
        return hisparse<T>(executor, all_rows<T>(a, "hisparse", executor.memory()), options);
    }
}

template <class T, class View, lanes_executor Executor>
hisparse<T> converted(Executor& executor, View const& a, hisparse_options options) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("hisparse");
    } else {
        if (a.options.symmetry != matrix_symmetry::general) return converted_from_half<T>(executor, a, options);
        if (auto const content = tree_on<T>(executor, a, options)) return hisparse<T>(content);
        // What numbers of 32 bits do not suffice for, and what is not a matrix.
        nvtx_range const range(nvtx_room::formats, "copse conversion by the host");
        return hisparse<T>(executor.memory(), a, options);
    }
}

template <class T, lanes_executor Executor>
hisparse<T> convert_as_chosen(Executor& executor, csr_view<T> const& a, hisparse_options options,
                              conversion_choices const& choices) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("hisparse");
    } else {
        auto const content = tree_on<T>(executor, a, options, choices);
        return content ? hisparse<T>(content) : hisparse<T>(executor, a, options);
    }
}

template <any_executor Executor, class... Types>
struct compiled_conversion {
    template <class T>
    static constexpr auto of() {
        if constexpr (std::same_as<Executor, cpu>)
            return 0;
        else
            return std::make_tuple(&converted<T, csr_view<T>, Executor>, &converted<T, coo_view<T>, Executor>,
                                   &convert_as_chosen<T, Executor>);
    }
    static constexpr auto functions = std::make_tuple(of<Types>()...);
};
}  // namespace copse::detail
