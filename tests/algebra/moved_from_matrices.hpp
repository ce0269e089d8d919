// What is done with a matrix that was moved from: it is an empty 0 x 0 one (moved_from_test.cpp).
#pragma once

#include <gtest/gtest.h>

#include <copse/algebra/add.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/algebra/spmm.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/tuned_plan.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse::tests::moving {

using vector = std::vector<double>;

/// (0 1; 2 0), times (1, 1): (1, 2).
inline coo<double> entries() {
    return {2, 2, {0, 1}, {1, 0}, {1, 2}};
}
inline vector const ones{1, 1};
inline vector const product{1, 2};

inline cpu& host() {
    static cpu executor(2);
    return executor;
}
inline emulated& lanes() {
    static emulated executor;
    return executor;
}

template <class Matrix>
void expect_nothing(Matrix const& a) {
    EXPECT_EQ(a.row_count, 0);
    EXPECT_EQ(a.column_count, 0);
    EXPECT_EQ(a.entry_count(), 0);
}

/// Of a type X: make(), which gives one that expect_usable() takes, and expect_moved_from(), which uses all of one that
/// was moved from. expect_valid() where one that was moved to itself need not be what it was.
template <class X>
struct use_of;

template <>
struct use_of<coo<double>> {
    static constexpr char const* name = "coo";
    static coo<double> make() { return entries(); }
    static void expect_usable(coo<double> const& a) { EXPECT_EQ(to_csr(a).values, product); }
    static void expect_moved_from(coo<double> const& a) {
        expect_nothing(a);
        expect_nothing(to_csr(a));
        EXPECT_EQ(count_rows(a).maximum, 0);
        EXPECT_EQ(count_columns(a).maximum, 0);
        EXPECT_EQ(hisparse<double>(host(), a).row_count(), 0);
        EXPECT_EQ(hisparse<double>(lanes(), a).row_count(), 0);
    }
};

template <>
struct use_of<csr<double>> {
    static constexpr char const* name = "csr";
    static csr<double> make() { return to_csr(entries()); }
    static void expect_usable(csr<double> const& a) { EXPECT_EQ(to_coo(a).rows, (std::vector<std::int32_t>{0, 1})); }
    static void expect_moved_from(csr<double> const& a) {
        expect_nothing(a);
        check(a);
        expect_nothing(to_coo(a));
        expect_nothing(transpose(a));
        expect_nothing(add(2, 1.0, a, false, 1.0, a, true));
        EXPECT_EQ(count_rows(a).maximum, 0);
        EXPECT_EQ(count_columns(a).maximum, 0);
        spmv<double>(2, 1.0, a, false, {}, 0.0, {});
        EXPECT_EQ(hisparse<double>(host(), a).row_count(), 0);
        EXPECT_EQ(hisparse<double>(lanes(), a).row_count(), 0);
        EXPECT_EQ(csr_matrix<double>(host(), a).row_count(), 0);
        EXPECT_EQ(csr5<double>(host(), a).row_count(), 0);
        EXPECT_EQ(sellp<double>(host(), a).row_count(), 0);
        EXPECT_EQ(cmrs<double>(host(), a).row_count(), 0);
    }
};

template <class Plan>
void expect_plan_of_nothing(Plan const& plan) {
    vector none;
    EXPECT_EQ(plan.row_count(), 0);
    spmv(host(), 1.0, plan, none, 0.0, none);
    spmv(host(), 1.0, transposed(plan), none, 0.0, none);
}

/// What all matrices have.
template <class Matrix>
void expect_empty(Matrix const& a) {
    EXPECT_EQ(a.row_count(), 0);
    EXPECT_EQ(a.column_count(), 0);
    EXPECT_EQ(a.entry_count(), 0);
    EXPECT_EQ(a.space(), memory_space::host);
    EXPECT_LT(a.bytes(), 100);
    EXPECT_EQ(a.content(), a.content()->empty());
    EXPECT_EQ(transposed(a).is_transposed(), !a.is_transposed());
    EXPECT_EQ(scaled(a, 2.0).scale(), 2 * a.scale());
    expect_nothing(to_csr(a));
    expect_nothing(to_csr(transposed(a)));
    vector none;
    for (Matrix const& op : {a, transposed(a)}) {
        spmv(host(), 1.0, op, none, 0.0, none);
        spmv(lanes(), 1.0, op, none, 0.0, none);
    }
    vector x(2);
    EXPECT_THROW(spmv(host(), 1.0, a, x, 0.0, none), shape_error);
}

template <>
struct use_of<hisparse<double>> {
    static constexpr char const* name = "hisparse";
    using matrix = hisparse<double>;

    static matrix make() { return {host(), entries(), {.node_dimension = 64}}; }
    static void expect_usable(matrix const& a) {
        vector y(2);
        spmv(host(), 1.0, a, ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
    static void expect_moved_from(matrix const& a) {
        expect_empty(a);
        EXPECT_EQ(a.node_dimension(), 128);
        EXPECT_EQ(a.census().nodes(), 0);
        EXPECT_FALSE(a.root());
        EXPECT_EQ(a.tree().dimension_log2(), 7);
        expect_nothing(to_coo(a));
        expect_nothing(to_coo(lanes(), a));
        EXPECT_EQ(to_csr_matrix(lanes(), a).row_count(), 0);
        EXPECT_EQ(add(host(), 1.0, a, 1.0, a).row_count(), 0);
        EXPECT_EQ(add(host(), 1.0, a, 1.0, transposed(matrix(host(), coo<double>()))).row_count(), 0);
        EXPECT_EQ(add(lanes(), 1.0, a, 1.0, transposed(a)).row_count(), 0);
        EXPECT_THROW(add(host(), 1.0, a, 1.0, make()), shape_error);
        EXPECT_EQ(edit(a, edits<double>()).row_count(), 0);
        EXPECT_THROW(edit(a, edits<double>().set(0, 0, 1)), shape_error);
        EXPECT_EQ(with_values(host(), a, vector()).row_count(), 0);
        EXPECT_EQ(with_values(lanes(), a, vector()).row_count(), 0);
        EXPECT_EQ(prune(host(), a).row_count(), 0);
        EXPECT_EQ(prune(lanes(), a).row_count(), 0);
        EXPECT_EQ(compact(a, {.share_identical = true}).row_count(), 0);
        EXPECT_EQ(compact(host(), a).row_count(), 0);
        EXPECT_EQ(reachable_bytes(a), 0);
        EXPECT_EQ(shared_bytes(a, a), 0);
        EXPECT_EQ(sizes_of_nodes(a).bytes(), 0);
        expect_plan_of_nothing(spmv_plan<double>(host(), a));
        expect_plan_of_nothing(spmv_plan<double>(lanes(), a));
        expect_plan_of_nothing(update(spmv_plan<double>(host(), a), a));
    }
};

template <class Matrix>
void expect_flat_empty(Matrix const& a) {
    expect_empty(a);
    expect_plan_of_nothing(flat_plan<Matrix>(host(), a));
    expect_plan_of_nothing(flat_plan<Matrix>(lanes(), a));
}

template <template <class> class Format>
struct use_of_flat {
    static Format<double> make() { return {host(), to_csr(entries())}; }
    static void expect_usable(Format<double> const& a) {
        vector y(2);
        spmv(host(), 1.0, a, ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
};

template <>
struct use_of<csr_matrix<double>> : use_of_flat<csr_matrix> {
    static constexpr char const* name = "csr_matrix";
    static void expect_moved_from(csr_matrix<double> const& a) {
        expect_flat_empty(a);
        EXPECT_NE(a.kernel(), csr_kernel::automatic);
        EXPECT_EQ(hisparse<double>(host(), a).row_count(), 0);
        EXPECT_EQ(hisparse<double>(lanes(), a).row_count(), 0);
        for (bool const shared : {false, true}) {  // both take the arrays of what nobody shares
            auto for_csr5 = shared ? a : make(), for_cmrs = for_csr5;
            if (!shared) for_cmrs = make();
            EXPECT_EQ(csr5<double>(host(), std::move(for_csr5)).row_count(), shared ? 0 : 2);
            expect_flat_empty(for_csr5);
            EXPECT_EQ(cmrs<double>(host(), std::move(for_cmrs)).row_count(), shared ? 0 : 2);
            expect_flat_empty(for_cmrs);
        }
    }
};

/// The conversion to rows that takes the matrix's arrays.
template <class Matrix>
void expect_gives_rows(Matrix const& a, Matrix full) {
    auto empty = a;
    EXPECT_EQ(to_csr_matrix(std::move(empty)).row_count(), 0);
    expect_empty(empty);
    EXPECT_EQ(to_csr_matrix(std::move(full)).row_count(), 2);
    expect_empty(full);
}

template <>
struct use_of<csr5<double>> : use_of_flat<csr5> {
    static constexpr char const* name = "csr5";
    static void expect_moved_from(csr5<double> const& a) {
        expect_flat_empty(a);
        EXPECT_GT(a.omega(), 0);
        EXPECT_GT(a.sigma(), 0);
        EXPECT_LT(a.extra_bytes(), 100);
        expect_gives_rows(a, make());
    }
};

template <>
struct use_of<sellp<double>> : use_of_flat<sellp> {
    static constexpr char const* name = "sellp";
    static void expect_moved_from(sellp<double> const& a) {
        expect_flat_empty(a);
        EXPECT_GT(a.slice_rows(), 0);
        EXPECT_GT(a.row_threads(), 0);
        EXPECT_EQ(a.padding_bytes(), 0);
    }
};

template <>
struct use_of<cmrs<double>> : use_of_flat<cmrs> {
    static constexpr char const* name = "cmrs";
    static void expect_moved_from(cmrs<double> const& a) {
        expect_flat_empty(a);
        EXPECT_GT(a.height(), 0);
        EXPECT_EQ(a.padding_bytes(), 0);
        expect_gives_rows(a, make());
    }
};

}  // namespace copse::tests::moving
