// What is done with a HiSparse matrix behind its conversion, each with what it is to give. On any executor: the
// tests run it where there is no GPU.
//
// `steps` is whoever measures:
//
//   steps.call(work)                    what work() gives: a call of the executor's that is not measured
//   steps.follow(key, work, is_right)   measures work(), calls is_right(what it gave)
//   steps.plan(tree)                    makes a plan of it, of both directions
//   steps.multiplies(plan, rows)        whether the plan's product is that of these rows
#pragma once

#include <algorithm>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/from_rows/conversion_choices.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::bench {

template <class T>
void drop_zeros(csr<T>& a) {
    std::int64_t kept = 0, k = 0;
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        for (auto const end = a.row_offsets[row + 1]; k < end; ++k) {
            if (a.values[k] == T(0)) continue;
            a.column_indices[kept] = a.column_indices[k];
            a.values[kept++] = a.values[k];
        }
        a.row_offsets[row + 1] = kept;
    }
    a.column_indices.resize(static_cast<std::size_t>(kept));
    a.values.resize(static_cast<std::size_t>(kept));
}

template <class T>
bool are_equal(csr<T> const& a, csr<T> const& b) {
    return a.row_offsets == b.row_offsets && a.column_indices == b.column_indices && a.values == b.values;
}

/// Twice each value.
template <class T, class Executor, class Steps>
void give_values(Executor& executor, csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    csr<T> expected = a;
    for (auto& value : expected.values) value *= 2;
    buffer<T> const values(executor, expected.values);
    steps.follow(
        "values", [&] { return with_values(executor, tree, values); },
        [&](hisparse<T> const& other) { return are_equal(to_csr(other), expected); });
}

/// A thousand entries that lie apart, each twice as large; of fewer all. `expected`: the rows behind that.
template <class T>
edits<T> scattered_edits(csr<T> const& a, csr<T>& expected) {
    expected = a;
    edits<T> changes;
    auto const step = std::max<std::int64_t>(1, a.entry_count() / 1000);
    std::int64_t row = 0;
    for (std::int64_t k = 0; k < a.entry_count(); k += step) {
        while (a.row_offsets[row + 1] <= k) ++row;
        changes.set(row, a.column_indices[k], expected.values[k] *= 2);
    }
    return changes;
}

template <class T, class Steps>
void make_plan_of(csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    steps.follow(
        "plan", [&] { return steps.plan(tree); }, [&](auto const& plan) { return steps.multiplies(plan, a); });
}

template <class T, class Steps>
void edit_some(csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    csr<T> expected;
    edits<T> const changes = scattered_edits(a, expected);
    steps.follow(
        "edit", [&] { return edit(tree, changes); },
        [&](hisparse<T> const& other) { return are_equal(to_csr(other), expected); });
}

template <class T, class Steps>
void update_with_edit(csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    csr<T> expected;
    edits<T> const changes = scattered_edits(a, expected);
    auto const edited = steps.call([&] { return edit(tree, changes); });
    auto const plan = steps.call([&] { return steps.plan(tree); });
    steps.follow(
        "update", [&] { return update(plan, edited); },
        [&](auto const& updated) { return steps.multiplies(updated, expected); });
}

/// Every other value becomes zero.
template <class T, class Executor, class Steps>
void prune_half(Executor& executor, csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    csr<T> expected = a;
    for (std::size_t i = 0; i < expected.values.size(); i += 2) expected.values[i] = T(0);
    buffer<T> const values(executor, expected.values);
    auto const with_zeros = steps.call([&] { return with_values(executor, tree, values); });
    drop_zeros(expected);
    steps.follow(
        "prune", [&] { return prune(executor, with_zeros); },
        [&](hisparse<T> const& left) { return are_equal(to_csr(left), expected); });
}

template <class T, class Steps>
void compact_once(csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    steps.follow(
        "compact", [&] { return compact(tree); },
        [&](hisparse<T> const& alone) { return are_equal(to_csr(alone), a); });
}

/// The conversion itself, of rows that are there, with leaves before they have their places.
template <class T, class Executor, class Steps>
void fill_first(Executor& executor, csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    csr_matrix<T> const rows(executor, a);
    csr_view<T> const there = *rows.content();
    hisparse_options const options{.node_dimension = tree.node_dimension()};
    steps.follow(
        "filled_first",
        [&] { return convert_as_chosen(executor, there, options, detail::conversion_choices{.fill_first = true}); },
        [&](hisparse<T> const& other) { return are_equal(to_csr(other), a); });
}

/// The one of follow_up_names with this key. `tree`: of the rows `a`, in the executor's memory. Throws argument_error
/// for another key, and what these calls throw.
template <class T, class Executor, class Steps>
void follow_up_on(std::string_view key, Executor& executor, csr<T> const& a, hisparse<T> const& tree, Steps& steps) {
    if (key == "filled_first") return fill_first(executor, a, tree, steps);
    if (key == "values") return give_values(executor, a, tree, steps);
    if (key == "plan") return make_plan_of(a, tree, steps);
    if (key == "edit") return edit_some(a, tree, steps);
    if (key == "update") return update_with_edit(a, tree, steps);
    if (key == "prune") return prune_half(executor, a, tree, steps);
    if (key == "compact") return compact_once(a, tree, steps);
    throw argument_error("nothing called '" + std::string(key) + "' is done behind a conversion");
}

}  // namespace copse::bench
