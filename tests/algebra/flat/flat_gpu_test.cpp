// Flat formats on a GPU, with every controller that is linked: the same suite as for the other executors.
#include <algebra/flat/flat_checks.hpp>
#include <cmath>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstring>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class flat_on_gpu : public with_controller {};

/// The whole suite for one format. Of forms that a user asks for, the small matrices: a case took seven seconds.
template <class Make>
void check_format(gpu& executor, Make const& make, std::vector<battery_case> const& battery = small_battery()) {
    check_flat_battery({&executor}, std::vector{make}, battery);
    check_all_flat_factors({&executor}, std::vector{make});
    check_flat_round_trip(executor, make, small_battery());
    check_same_bits(executor, make, long_row(200000), 20);
}

template <class... Matrix>
struct default_forms {
    static void check(gpu& executor) { (check_format(executor, makes<Matrix>(), whole_battery()), ...); }
};
TEST_P(flat_on_gpu, every_format_as_the_library_makes_it) {
    gpu executor({.controller = GetParam()});
    flat_matrices<double, default_forms>::check(executor);
}
TEST_P(flat_on_gpu, csr_by_lanes) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_csr{{.kernel = csr_kernel::row_split}});
}
TEST_P(flat_on_gpu, csr_by_vectors) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_csr{{.kernel = csr_kernel::vector}});
}
TEST_P(flat_on_gpu, csr_by_merge_path) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_csr{{.kernel = csr_kernel::merge_path}});
}
TEST_P(flat_on_gpu, cmrs_in_stretches) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_cmrs{{.stretch = 64}});
}
TEST_P(flat_on_gpu, csr5) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_csr5{{.omega = 8, .sigma = 40}});
}

/// Many in a row, each into memory of its own, and one wait.
template <class Matrix>
void check_async(gpu& executor, Matrix const& a, double alpha = 2) {
    flat_plan<Matrix> const plan(executor, a);
    buffer<double> const x(executor, std::vector<double>(static_cast<std::size_t>(a.column_count()), 0.75));
    buffer<double> const expected(executor, a.row_count());
    spmv(executor, alpha, plan, x, 0.0, expected);
    std::vector<buffer<double>> found;
    for (int i = 0; i < 50; ++i)
        found.emplace_back(executor, std::vector<double>(static_cast<std::size_t>(a.row_count()), NAN));
    for (auto const& y : found) spmv_async(executor, alpha, plan, x, 0.0, y);
    for (auto const& y : found) {
        auto const result = y.to_host(), wanted = expected.to_host();
        EXPECT_EQ(std::memcmp(result.data(), wanted.data(), result.size() * sizeof(double)), 0);  // NaN among them
    }
}

TEST_P(flat_on_gpu, plans_need_not_wait) {
    gpu executor({.controller = GetParam()});
    copse::csr<double> const a = to_csr(long_row(20000).matrix);
    check_async(executor, csr_matrix<double>(executor, a, {.kernel = csr_kernel::merge_path}));
    check_async(executor, copse::csr5<double>(executor, a));
    check_async(executor, copse::cmrs<double>(executor, a));
    for (double const alpha : {HUGE_VAL, -HUGE_VAL}) {  // with memory in between
        check_async(executor, copse::csr5<double>(executor, a), alpha);
        check_async(executor, copse::cmrs<double>(executor, a), alpha);
    }
}

TEST_P(flat_on_gpu, csr5_is_converted_there_as_on_the_host) {
    gpu executor({.controller = GetParam()});
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        copse::csr<double> const a = to_csr(c.matrix);
        for (csr5_options const& options :
             {csr5_options{.omega = 32, .sigma = 16}, csr5_options{.omega = 8, .sigma = 40}}) {
            copse::csr5<double> const here(host_memory(), a, options), there(executor, a, options);
            auto const &wanted = *here.content(), &found = *there.content();
            EXPECT_EQ(found.tile_pointers.to_host(), wanted.tile_pointers.to_host());
            EXPECT_EQ(found.tile_descriptors.to_host(), wanted.tile_descriptors.to_host());
            EXPECT_EQ(found.empty_offset_pointers.to_host(), wanted.empty_offset_pointers.to_host());
            EXPECT_EQ(found.empty_offsets.to_host(), wanted.empty_offsets.to_host());
            EXPECT_EQ(found.column_indices.to_host(), wanted.column_indices.to_host());
            EXPECT_EQ(found.values.to_host(), wanted.values.to_host());
        }
    }
}

TEST_P(flat_on_gpu, sellp_by_32_lanes) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_sellp{{.slice_rows = 8, .row_threads = 4, .sorting_window = 100}});
    check_format(executor, makes_sellp{{.slice_rows = 1, .row_threads = 1}});
}
TEST_P(flat_on_gpu, sellp_by_64_lanes) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_sellp{{.slice_rows = 8, .row_threads = 32}});
    check_format(executor, makes_sellp{{.slice_rows = 128, .row_threads = 2}});
}
TEST_P(flat_on_gpu, cmrs) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_cmrs{{.height = 12, .sorted = false}});
}
TEST_P(flat_on_gpu, cmrs_padded) {
    gpu executor({.controller = GetParam()});
    check_format(executor, makes_cmrs{{.per_row = 8}});
    check_format(executor, makes_cmrs{{.height = 5, .per_row = 2}});
}

TEST_P(flat_on_gpu, sellp_and_cmrs_are_converted_there_as_on_the_host) {
    gpu executor({.controller = GetParam()});
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        copse::csr<double> const a = to_csr(c.matrix);
        for (std::int64_t window : {1, 100}) {
            sellp_options const options{.slice_rows = 16,
                                        .row_threads = 2,
                                        .sorting_window = window,
                                        .most_padding_bytes = std::int64_t{1} << 40};
            auto const wanted = sellp_content<double>::make(host_memory(), a, options, true);
            auto const found = sellp<double>(executor, a, options).content();
            EXPECT_EQ(found->rows.to_host(), wanted->rows.to_host());
            EXPECT_EQ(found->slice_offsets.to_host(), wanted->slice_offsets.to_host());
            EXPECT_EQ(found->column_indices.to_host(), wanted->column_indices.to_host());
            EXPECT_EQ(found->values.to_host(), wanted->values.to_host());
            auto const rows = csr_matrix<double>(executor, a).transposed().scaled(2);
            sellp<double> const from_there(executor, rows, options);
            EXPECT_TRUE(from_there.is_transposed());
            EXPECT_EQ(from_there.scale(), 2);
            EXPECT_EQ(from_there.content()->column_indices.to_host(), wanted->column_indices.to_host());
            EXPECT_EQ(from_there.content()->values.to_host(), wanted->values.to_host());
        }
        for (bool sorted : {false, true}) {
            cmrs_options const options{.height = 6, .sorted = sorted};
            auto const wanted = cmrs_content<double>::make(host_memory(), a, options, true);
            csr_matrix<double> rows(executor, a);
            auto const* const values = rows.content()->values.data();
            auto const found = copse::cmrs<double>(executor, std::move(rows), options).content();
            EXPECT_TRUE(sorted || found->values.data() == values);  // sorting may end in other memory
            EXPECT_EQ(found->strip_offsets.to_host(), wanted->strip_offsets.to_host());
            EXPECT_EQ(found->words.to_host(), wanted->words.to_host());
            EXPECT_EQ(found->values.to_host(), wanted->values.to_host());
        }
    }
}

TEST_P(flat_on_gpu, cmrs_is_padded_there_as_on_the_host) {
    gpu executor({.controller = GetParam()});
    for (battery_case const& c : whole_battery())
        for (int per_row : {1, 8}) {
            SCOPED_TRACE(c.name);
            copse::csr<double> const a = to_csr(c.matrix);
            cmrs_options const options{6, false, per_row, std::int64_t{1} << 40};
            auto const wanted = cmrs_content<double>::make(host_memory(), a, options, true);
            auto const found = copse::cmrs<double>(executor, a, options).content();
            EXPECT_EQ(found->strip_offsets.to_host(), wanted->strip_offsets.to_host());
            EXPECT_EQ(found->words.to_host(), wanted->words.to_host());
            EXPECT_EQ(found->values.to_host(), wanted->values.to_host());
        }
}

TEST_P(flat_on_gpu, cmrs_goes_back_in_place) {
    gpu executor({.controller = GetParam()});
    for (battery_case const& c : whole_battery())
        for (bool sorted : {false, true}) {
            SCOPED_TRACE(c.name);
            copse::csr<double> const a = to_csr(c.matrix);
            copse::cmrs<double> strips(executor, a, {.height = 6, .sorted = sorted});
            auto const* const values = strips.content()->values.data();
            csr_matrix<double> const back = to_csr_matrix(executor, std::move(strips));
            EXPECT_TRUE(sorted || back.content()->values.data() == values);  // sorted ones are copied
            copse::csr<double> const stored = to_csr(back);
            EXPECT_EQ(stored.row_offsets, a.row_offsets);
            EXPECT_EQ(stored.column_indices, a.column_indices);
            EXPECT_EQ(stored.values, a.values);
        }
}

TEST_P(flat_on_gpu, csr5_is_converted_in_place_there_and_back) {
    gpu executor({.controller = GetParam()});
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        copse::csr<double> const a = to_csr(c.matrix);
        for (int sigma : {7, 16}) {
            csr5_options const options{.omega = 32, .sigma = sigma};
            csr_matrix<double> rows(executor, a);
            auto const* const values = rows.content()->values.data();
            copse::csr5<double> tiles(executor, std::move(rows), options);
            EXPECT_EQ(tiles.content()->values.data(), values);
            copse::csr5<double> const wanted(host_memory(), a, options);
            EXPECT_EQ(tiles.content()->column_indices.to_host(), wanted.content()->column_indices.to_host());
            EXPECT_EQ(tiles.content()->values.to_host(), wanted.content()->values.to_host());
            csr_matrix<double> const back = to_csr_matrix(executor, std::move(tiles));
            EXPECT_EQ(back.content()->values.data(), values);
            copse::csr<double> const stored = to_csr(back);
            EXPECT_EQ(stored.row_offsets, a.row_offsets);
            EXPECT_EQ(stored.column_indices, a.column_indices);
            EXPECT_EQ(stored.values, a.values);
        }
    }
}

TEST_P(flat_on_gpu, formats_are_converted_back_there) {
    gpu executor({.controller = GetParam()});
    auto const check_way_back = [&](copse::csr<double> const& a, auto const& matrix) {
        csr_matrix<double> const back = to_csr_matrix(executor, copse::scaled(copse::transposed(matrix), 2.0));
        EXPECT_TRUE(back.is_transposed());
        EXPECT_EQ(back.scale(), 2.0);
        copse::csr<double> const stored = to_csr(csr_matrix<double>(back.content()));
        EXPECT_EQ(stored.row_offsets, a.row_offsets);
        EXPECT_EQ(stored.column_indices, a.column_indices);
        EXPECT_EQ(stored.values, a.values);
        EXPECT_EQ(back.kernel(), csr_matrix<double>(executor, a).kernel());
    };
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        copse::csr<double> const a = to_csr(c.matrix);
        check_way_back(a, copse::csr5<double>(executor, a));
        check_way_back(a, sellp<double>(executor, a, {.most_padding_bytes = std::int64_t{1} << 40}));
        check_way_back(a, copse::cmrs<double>(executor, a));
        check_way_back(a,
                       copse::cmrs<double>(executor, a, {.per_row = 8, .most_padding_bytes = std::int64_t{1} << 40}));
    }
}

INSTANTIATE_TEST_SUITE_P(controllers, flat_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
