// Matrices by the name of their format, with the options that say how they are made.
#pragma once

#include <copse/formats/flat_formats.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/suitable_format.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cli/load.hpp"

namespace copse::cli {

template <class... Matrix>
struct matrix_list {
    using options = std::tuple<typename Matrix::options_type...>;

    template <class F>
    static void with(std::string const& name, F const& f) {
        ((name == Matrix::name && (f(std::type_identity<Matrix>()), true)) || ...);
    }
};

struct format_options {
    hisparse_options tree;                             // of HiSparse
    flat_matrices<double, matrix_list>::options flat;  // by format
    // What the header of the matrix's file says of it.
    matrix_symmetry source = matrix_symmetry::general;
};

/// hisparse, the flat formats, auto.
inline std::vector<std::string> format_names() {
    std::vector<std::string> names{"hisparse"};
    names.insert(names.end(), flat_format_names.begin(), flat_format_names.end());
    names.emplace_back("auto");
    return names;
}

/// Whether only a tuned_plan makes matrices in this format.
inline bool is_of_plans(std::string_view format) {
    auto const named = matrix_format_named(format);
    return named && copse::is_of_plans(*named);
}

/// Calls f(std::type_identity<Matrix>()) for the format of this name, which is one of format_names() but auto.
template <class T, class F>
void with_format(std::string const& name, F const& f) {
    if (name == "hisparse") return f(std::type_identity<hisparse<T>>());
    flat_matrices<T, matrix_list>::with(name, f);
}

/// A view of all entries, which says symmetric or skew if the file did and one half is to be stored. by_cpu: the CPU
/// converts; the code of a GPU converts all entries, if nobody asks for half of them.
template <class View>
View as_file_says(View a, format_options const& options, bool by_cpu) {
    if (options.source != matrix_symmetry::general && options.tree.share_transposed.value_or(by_cpu)) {
        a.options.symmetry = options.source;
        a.options.half = matrix_half::lower;
    }
    return a;
}
template <class T>
csr_view<T> view_for_trees(csr<T> const& a, format_options const& options, bool by_cpu) {
    return as_file_says(csr_view<T>(a), options, by_cpu);
}
template <class T>
coo_view<T> view_for_trees(coo<T> const& a, format_options const& options, bool by_cpu) {
    return as_file_says(coo_view<T>(a), options, by_cpu);
}

/// `a` in the format, in the memory of the executor. a: csr; coo for HiSparse.
template <class Matrix, class Executor, class Source>
Matrix make_matrix(Executor& executor, Source const& a, format_options const& options) {
    if constexpr (flat_format<Matrix>)
        return Matrix(executor, a, std::get<typename Matrix::options_type>(options.flat));
    else
        return Matrix(executor, view_for_trees(a, options, !lanes_executor<Executor>), options.tree);
}

inline std::string converting(std::string const& matrix, std::string const& format) {
    return "converting '" + matrix + "' to " + (format == "hisparse" ? "HiSparse" : format);
}

/// Bytes, or more, of `a` in the format: rows take memory in csr and csr5 alone. a: csr or coo.
template <class Source>
double converted_bytes(Source const& a, std::string const& format) {
    auto const entries = static_cast<double>(a.entry_count()) * (4 + sizeof(a.values[0]));
    return entries + (format == "csr" || format == "csr5" ? offset_bytes(a.row_count) : 0);
}

/// What auto takes where SELL-P refuses: without padding.
inline constexpr std::string_view instead_of_sellp(bool many_lanes) {
    return many_lanes ? "csr5" : "hisparse";
}

/// Products with op(A) = A, or A^T when `transpose`, from a plan, or one by one, on the executor of this name.
inline format_use use_of(bool transpose, bool by_plan, std::string_view on) {
    return {.plan = by_plan, .transposed = transpose, .many_lanes = on != "cpu"};
}

/// Calls take(format, reason) with `format`, or, if that is auto, with what suitable_format() says and why. SELL-P may
/// refuse what auto gives it: then take() is called once more.
template <class T, class Take>
void take_format(std::string const& format, csr<T> const& a, format_use use, Take const& take) {
    if (format != "auto") return take(format, std::string());
    auto const choice = suitable_format(profile_of(a), use);
    try {
        take(std::string(name_of(choice.format)), std::string(choice.reason));
    } catch (too_much_padding const&) {
        take(std::string(instead_of_sellp(use.many_lanes)), std::string("too much padding in SELL-P"));
    }
}

}  // namespace copse::cli
