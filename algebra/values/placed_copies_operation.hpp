// Sub-matrices and Kronecker products. Compiled for every executor: copse_add_operation() in this room's CMakeLists.
#pragma once

#include <algorithm>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/values/placed_copies.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace copse {
namespace detail {

/// x * y, or `most` if that is less.
inline std::int64_t product_up_to(std::int64_t most, std::int64_t x, std::int64_t y) {
    return y > 0 && x > most / y ? most : x * y;
}

/// What copies of A take at most in an m x n matrix. A leaf of A reaches at most `reached_leaves` leaves of it, a node
/// of A above the leaves at most `reached` nodes of its own level.
template <class T>
building_bound bound_of_copies(hisparse<T> const& a, std::int64_t m, std::int64_t n, std::int64_t reached_leaves,
                               std::int64_t reached, std::int64_t entries) {
    std::int64_t const most = std::int64_t{1} << 31, d = a.node_dimension();
    m = std::min(m, most);  // more is refused
    n = std::min(n, most);
    auto const blocks = [&](std::int64_t size) { return ((m + size - 1) / size) * ((n + size - 1) / size); };
    std::int64_t inner = 0;
    for (std::int64_t size = d * d; size / d < std::max(m, n); size *= d) inner += blocks(size);
    building_bound const of = building_bound::of(a);
    return {product_up_to(blocks(d), of.leaves, reached_leaves),
            product_up_to(inner, of.inner_nodes + level_count, reached), entries};
}

/// a: not transposed, its scale 1. b: each place once.
template <class T, class Executor>
hisparse<T> place_copies(Executor& executor, char const* name, hisparse<T> const& a, coo<T> const& b,
                         placed_axis const& rows, placed_axis const& columns, bool interleaved,
                         building_bound const& bound) {
    bool const any = a.root() && b.entry_count() > 0 && rows.end > 0 && columns.end > 0;
    tree_building<T> made(executor, name, rows.end, columns.end, a.node_dimension(), any ? bound : building_bound());
    if (!any) return made.finish();
    auto const& temporary = temporary_memory(executor);
    buffer<std::int32_t> const b_rows(temporary, std::span(b.rows)), b_columns(temporary, std::span(b.columns));
    buffer<T> const b_values(temporary, std::span(b.values));
    shared_tree<T> const shared = made.share_nodes_of(a);
    placed_copies<T> const of{shared,
                              a.root(),
                              rows,
                              columns,
                              b_rows.data(),
                              b_columns.data(),
                              b_values.data(),
                              static_cast<int>(b.entry_count()),
                              {0, interleaved ? b.row_count : 0},
                              {0, b.column_count},
                              made.writer()};
    using leaf = write_copied_leaf<T>;
    using inner = open_copied_node<T>;
    run(executor, made.template seed<leaf, inner>(from_place()), inner{{}, of}, leaf{{}, of});
    return made.finish();
}

/// c with A's state.
template <class T>
hisparse<T> with_state(hisparse<T> const& c, hisparse<T> const& a) {
    return (a.is_transposed() ? c.transposed() : c).scaled(a.scale());
}

template <class T, class Executor>
hisparse<T> sub_matrix_on(Executor& executor, hisparse<T> const& a, index_range rows, index_range columns) {
    nvtx_range const range(nvtx_room::algebra, "copse sub-matrix", a.entry_count());
    check_space("sub_matrix", a.space(), "the matrix", executor.memory()->space());
    auto const expect_within = [](char const* what, index_range r, std::int64_t count) {
        if (r.first < 0 || r.count < 0 || r.first > count || r.count > count - r.first)
            throw shape_error("sub_matrix: " + std::to_string(r.count) + ' ' + what + " from " +
                              std::to_string(r.first) + " on are asked for, but op(A) has " + std::to_string(count));
    };
    expect_within("rows", rows, a.row_count());
    expect_within("columns", columns, a.column_count());
    if (a.is_transposed()) std::swap(rows, columns);
    hisparse<T> const stored(a.content());
    std::int64_t const d = a.node_dimension();
    std::int64_t const reached = (rows.first % d == 0 ? 1 : 2) * (columns.first % d == 0 ? 1 : 2);
    auto const bound = bound_of_copies(stored, rows.count, columns.count, reached, 4,
                                       product_up_to(a.entry_count(), rows.count, columns.count));
    return with_state(place_copies(executor, "sub_matrix", stored, coo<T>(1, 1, {0}, {0}, {T(1)}),
                                   {stored.row_count(), 1, 0, rows.first, rows.count},
                                   {stored.column_count(), 1, 0, columns.first, columns.count}, false, bound),
                      a);
}

/// op(A) (x) B if `interleaved`, B (x) op(A) if not.
template <class T, class Executor>
hisparse<T> kronecker_on(Executor& executor, hisparse<T> const& a, coo<T> b, bool interleaved) {
    nvtx_range const range(nvtx_room::algebra, "copse kronecker", a.entry_count());
    check_space("kronecker", a.space(), "the matrix", executor.memory()->space());
    try {
        b = to_coo(to_csr(b));
    } catch (shape_error const& e) {
        throw shape_error(std::string("kronecker: B: ") + e.what());
    }
    if (a.is_transposed()) {
        std::swap(b.rows, b.columns);
        std::swap(b.row_count, b.column_count);
    }
    hisparse<T> const stored(a.content());
    std::int64_t const m = stored.row_count(), n = stored.column_count(), p = b.row_count, q = b.column_count;
    std::int64_t constexpr too_many = std::int64_t{1} << 40;  // entries, of which tree_building says so
    std::int64_t const reached = interleaved ? p * q : 4 * b.entry_count();
    auto const bound = bound_of_copies(stored, m * p, n * q, reached, reached,
                                       product_up_to(too_many, a.entry_count(), b.entry_count()));
    auto const axis = [&](std::int64_t of_a, std::int64_t of_b) {
        return interleaved ? placed_axis{of_a, of_b, 1, 0, of_a * of_b} : placed_axis{of_a, 1, of_a, 0, of_a * of_b};
    };
    return with_state(place_copies(executor, "kronecker", stored, b, axis(m, p), axis(n, q), interleaved, bound), a);
}

}  // namespace detail

template <class T, any_executor Executor>
hisparse<T> sub_matrix(Executor& executor, hisparse<T> const& a, index_range rows, index_range columns) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("sub_matrix");
    else
        return detail::sub_matrix_on(executor, a, rows, columns);
}
template <class T, any_executor Executor>
hisparse<T> kronecker(Executor& executor, hisparse<T> const& a, std::type_identity_t<coo<T>> const& b) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("kronecker");
    else
        return detail::kronecker_on(executor, a, b, true);
}
template <class T, any_executor Executor>
hisparse<T> kronecker(Executor& executor, std::type_identity_t<coo<T>> const& b, hisparse<T> const& a) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("kronecker");
    else
        return detail::kronecker_on(executor, a, b, false);
}

namespace detail {

template <any_executor Executor, class... Types>
struct compiled_placed_copies {
    template <class T>
    using of_entries = hisparse<T> (*)(Executor&, hisparse<T> const&, coo<T> const&);
    template <class T>
    using by_entries = hisparse<T> (*)(Executor&, coo<T> const&, hisparse<T> const&);
    static constexpr auto functions =
        std::tuple_cat(std::make_tuple(&sub_matrix<Types, Executor>...),
                       std::make_tuple(of_entries<Types>(&kronecker<Types, Executor>)...),
                       std::make_tuple(by_entries<Types>(&kronecker<Types, Executor>)...));
};
template <template <class...> class List>
using placed_copies_runs = std::tuple<List<open_copied_node<float>, write_copied_leaf<float>>,
                                      List<open_copied_node<double>, write_copied_leaf<double>>>;

}  // namespace detail
}  // namespace copse
