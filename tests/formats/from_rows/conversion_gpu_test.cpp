// Conversion on a GPU, with every controller that is linked: the trees of the host.
#include <copse/algebra/new_matrices.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/from_rows/conversion_choices.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <formats/from_rows/conversion_suite.hpp>
#include <formats/to_rows/tree_rows_suite.hpp>
#include <formats/tree/prune_suite.hpp>
#include <formats/views/foreign_arrays.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class conversion_on_gpu : public with_controller {};

auto converter_of(gpu& executor) {
    return [&]<class Matrix>(Matrix const& a, hisparse_options options) {
        using value = typename decltype(a.values)::value_type;
        return hisparse<value>(executor, a, options).content();
    };
}

TEST_P(conversion_on_gpu, makes_the_tree_of_the_host) {
    gpu executor({.controller = GetParam()});
    for (int d : {64, 128, 256}) {
        check_conversions(whole_battery(), d, converter_of(executor));
        check_conversions(matrices_in_sections(), d, converter_of(executor));
        check_conversions(largest_matrices(), d, converter_of(executor));
    }
    check_conversions({{"many entries", scattered(1000000, 2000000, 2000000, 12)}}, 128, converter_of(executor));
}

TEST_P(conversion_on_gpu, fills_leaves_before_they_have_places) {
    gpu executor({.controller = GetParam()});
    auto const convert = [&](csr<double> const& a, hisparse_options options) {
        return detail::convert_as_chosen(executor, csr_view<double>(a), options, {.fill_first = true}).content();
    };
    for (auto const& [name, a] : whole_battery())
        if (!a.values.empty()) check_conversion<double>(name, to_csr(a), 64, convert);
}

/// From compressed rows that are on the GPU: the same bytes as from the host's, with the state of what was converted.
TEST_P(conversion_on_gpu, takes_rows_from_there) {
    gpu executor({.controller = GetParam()});
    for (auto const& [name, a] : whole_battery()) {
        csr<double> const rows = to_csr(a);
        hisparse<double> const there(executor, csr_matrix<double>(executor, rows).transposed().scaled(2));
        hisparse<double> const expected(host_memory(), rows, {.values = stored_values::each});
        EXPECT_EQ(there.bytes(), expected.bytes()) << name;
        csr<double> const back = to_csr(there), wanted = to_csr(expected.transposed().scaled(2));
        EXPECT_EQ(back.row_offsets, wanted.row_offsets) << name;
        EXPECT_EQ(back.column_indices, wanted.column_indices) << name;
    }
    EXPECT_THROW(hisparse<double>(executor, csr_matrix<double>(host_memory(), csr<double>{2, 2, {0, 1, 1}, {0}, {1}})),
                 argument_error);
}

/// Views of arrays that are on the GPU, of any types: the same bytes, on the GPU alone where rows ascend.
template <class Offset, class Index>
void check_views(gpu& executor, csr<double> const& rows, int base) {
    foreign_rows<double, Offset, Index> theirs(rows, base);
    hisparse<double> const expected(host_memory(), rows);
    for (bool const in_disorder : {false, true}) {
        if (in_disorder) theirs.shuffle_rows();
        buffer<Offset> const offsets(executor, theirs.offsets);
        buffer<Index> const columns(executor, theirs.columns);
        buffer<double> const values(executor, theirs.values);
        csr_view<double> const there(rows.row_count, rows.column_count, offsets, columns, values, {.index_base = base});
        expect_same_content(*hisparse<double>(executor, there).content(), *expected.content(), sizeof(double));
        expect_same_content(*hisparse<double>(executor, theirs.view()).content(), *expected.content(), sizeof(double));
        expect_equal(to_csr(csr_matrix<double>(executor, there)), rows);
        expect_equal(to_csr(csr5<double>(executor, transposed(there))), transpose(rows));
        expect_equal(to_csr(sellp<double>(executor, theirs.view())), rows);
    }
    foreign_entries<double, Index> const list(shuffled(to_coo(rows)), base);
    buffer<Index> const list_rows(executor, list.rows), list_columns(executor, list.columns);
    buffer<double> const list_values(executor, list.values);
    coo_view<double> const entries(rows.row_count, rows.column_count, list_rows, list_columns, list_values,
                                   {.index_base = base});
    expect_same_content(*hisparse<double>(executor, entries).content(), *expected.content(), sizeof(double));
}

TEST_P(conversion_on_gpu, takes_views_of_arrays_there) {
    gpu executor({.controller = GetParam()});
    for (auto const& [name, a] : whole_battery()) {
        SCOPED_TRACE(name);
        csr<double> const rows = to_csr(a);
        check_views<std::int64_t, std::int32_t>(executor, rows, 0);
        check_views<std::int32_t, std::int64_t>(executor, rows, 1);
    }
}

TEST_P(conversion_on_gpu, drops_zeros) {
    check_prune<float>(gpu({.controller = GetParam()}), 700, 600);
    check_prune<double>(gpu({.controller = GetParam()}), 700, 600);
}

/// The tree, as it is, to the GPU; its rows from there.
auto rows_from(gpu& executor) {
    return [&](hisparse<double> const& a) {
        auto placed = detail::place(detail::copy_tree(*a.content(), sizeof(double), {}), executor.memory());
        hisparse<double> const there(std::make_shared<hisparse_content>(std::move(placed)));
        return to_csr_matrix(executor, there).content();
    };
}

TEST_P(conversion_on_gpu, gives_the_rows_back_there) {
    gpu executor({.controller = GetParam()});
    for (int d : {64, 128, 256}) {
        check_trees(small_battery(), d, rows_from(executor));
        check_trees(matrices_in_sections(), d, rows_from(executor));
        check_trees(all_in_few_lanes_of_rows(), d, rows_from(executor));
    }
    check_trees({{"many entries", scattered(1000000, 2000000, 2000000, 12)}}, 128, rows_from(executor));
    check_sums(all_pairs(), rows_from(executor));
    check_shared_nodes(rows_from(executor));
}

/// What is on a GPU is edited, shared and compacted there: as the same tree in host memory.
template <class T>
void check_edits_there(gpu& executor, coo<T> const& entries, std::size_t count) {
    hisparse<T> const here(host_memory(), entries, {.values = stored_values::each}), there(executor, entries);
    edits<T> changes;
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t const i = k * 7919 % entries.values.size(), j = (i + 11) % entries.values.size();
        changes.set(entries.rows[j], entries.columns[i], T(1)).add(entries.rows[i], entries.columns[i], T(2));
        if (k % 2 == 0) changes.erase(entries.rows[j], entries.columns[j]);
    }
    hisparse<T> const edited = edit(there, changes), wanted = edit(here, changes);
    EXPECT_EQ(edited.space(), there.space());
    csr<T> const found = to_csr(edited), expected = to_csr(wanted), unchanged = to_csr(there), before = to_csr(here);
    EXPECT_EQ(found.row_offsets, expected.row_offsets);
    EXPECT_EQ(found.column_indices, expected.column_indices);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(unchanged.column_indices, before.column_indices);
    EXPECT_EQ(unchanged.values, before.values);
    EXPECT_EQ(shared_bytes(there, edited), shared_bytes(here, wanted));
    EXPECT_GT(shared_bytes(there, edited), 0);
    for (hisparse<T> const& compacted : {compact(edited), compact(executor, edited)}) {
        EXPECT_EQ(shared_bytes(there, compacted), 0);
        EXPECT_EQ(compacted.space(), there.space());
        EXPECT_EQ(reachable_bytes(compacted), compacted.bytes());
        EXPECT_EQ(to_csr(compacted).values, expected.values);
    }
}
TEST_P(conversion_on_gpu, is_edited_and_compacted_there) {
    gpu executor({.controller = GetParam()});
    for (std::size_t count : {std::size_t{1}, std::size_t{1000}}) {
        check_edits_there(executor, with_values_of<double>(scattered(3000, 2000, 20000, 5)), count);
        check_edits_there(executor, with_values_of<float>(scattered(3000, 2000, 20000, 5)), count);
        check_edits_there(executor, generate<double>("stencil27:40"), count);
        check_edits_there(executor, generate<double>("rmat:17,8"), count);
    }
}

// Arenas of a row of edits become one.
TEST_P(conversion_on_gpu, is_edited_in_a_row_there) {
    gpu executor({.controller = GetParam()});
    coo<double> const entries = generate<double>("stencil27:30");
    hisparse<double> here(host_memory(), entries, {.values = stored_values::each}), there(executor, entries);
    for (std::int64_t k = 1; k <= 70; ++k) {
        auto const changes = edits<double>().set(300 * k, 300 * k, 5).erase(300 * k - 1, 300 * k);
        here = edit(here, changes);
        there = edit(there, changes);
    }
    EXPECT_EQ(there.content()->edit_ranks, here.content()->edit_ranks);
    EXPECT_EQ(there.content()->arenas.size(), 1u + 2 + 6);
    csr<double> const found = to_csr(there), expected = to_csr(here);
    EXPECT_EQ(found.column_indices, expected.column_indices);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(reachable_bytes(there), reachable_bytes(here));
}

TEST_P(conversion_on_gpu, gives_rows_back_with_the_state) {
    gpu executor({.controller = GetParam()});
    csr<double> const a = to_csr(scattered(300, 700, 2000, 5));
    csr_matrix<double> const rows = to_csr_matrix(executor, hisparse<double>(executor, a).transposed().scaled(2));
    EXPECT_TRUE(rows.is_transposed());
    EXPECT_EQ(rows.scale(), 2.0);
    EXPECT_EQ(rows.space(), memory_space::device);
    EXPECT_EQ(to_csr(rows.transposed().scaled(0.5)).values, a.values);
    EXPECT_THROW(to_csr_matrix(executor, hisparse<double>(host_memory(), a)), argument_error);
}

TEST_P(conversion_on_gpu, makes_empty_matrices) {
    gpu executor({.controller = GetParam()});
    EXPECT_EQ(hisparse<double>(executor, empty_matrix(0, 0)).entry_count(), 0);
    EXPECT_EQ(hisparse<double>(executor, to_csr(empty_matrix(7, 9))).row_count(), 7);
    EXPECT_EQ(to_csr_matrix(executor, hisparse<double>(executor, empty_matrix(7, 9))).row_count(), 7);
}

TEST_P(conversion_on_gpu, shares_identical_nodes) {
    gpu executor({.controller = GetParam()});
    csr<double> const a = to_csr(coo<double>{512, 512, {0, 128, 256}, {0, 128, 256}, {7, 7, 7}});
    hisparse_options const options{.share_identical = true, .values = stored_values::each};
    hisparse<double> const shared(executor, a, options);
    EXPECT_EQ(shared.space(), memory_space::device);
    EXPECT_EQ(shared.bytes(), hisparse<double>(host_memory(), a, options).bytes());
}

template <class Matrix>
std::string refusal(Matrix const& a, auto&& where, hisparse_options options = {}) {
    try {
        hisparse<double>(where, a, options);
    } catch (error const& e) {
        return e.what();
    }
    return "no error";
}

TEST_P(conversion_on_gpu, refuses_what_the_host_refuses) {
    gpu executor({.controller = GetParam()});
    std::vector<coo<double>> const lists{
        {100, 100, {-1}, {0}, {1}}, {100, 100, {1}, {100}, {1}}, {2, 2, {2}, {0}, {1}}, {2, 2, {0, 1}, {0}, {1}}};
    for (coo<double> const& a : lists) {
        EXPECT_NE(refusal(a, host_memory()), "no error");
        EXPECT_EQ(refusal(a, executor), refusal(a, host_memory()));
    }
    std::vector<csr<double>> const rows{{2, 80, {0, 1, 3}, {79, 0, 80}, {1, 1, 1}},
                                        {2, 80, {0, 1, 3}, {79, 7, 7}, {1, 1, 1}},
                                        {3, 80, {0, 2, 1, 3}, {1, 2, 3}, {1, 1, 1}},
                                        {3, 80, {0, 3}, {1, 2, 3}, {1, 1, 1}}};
    for (csr<double> const& a : rows) {
        EXPECT_NE(refusal(a, host_memory()), "no error");
        EXPECT_EQ(refusal(a, executor), refusal(a, host_memory()));
    }
    EXPECT_EQ(refusal(empty_matrix(4, 4), executor, {.node_dimension = 100}),
              "hisparse: node_dimension is 100; it must be 64, 128 or 256");
}

INSTANTIATE_TEST_SUITE_P(controllers, conversion_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
