// Products of CSR5 on the CPU's executors, with tiles of many shapes.
#include <algebra/flat/flat_suite.hpp>
#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

TEST(csr5_product, agrees_where_parts_meet) {
    // More entries than one thread takes alone: rows of all parts, rows that end where tiles do, and rows without
    // entries around them.
    auto const lengths = [](std::vector<std::int64_t> const& of_rows) {
        return matrix_of_rows(std::ssize(of_rows), 70000,
                              [&](auto i) { return every(0, 1, of_rows[static_cast<std::size_t>(i)]); });
    };
    std::vector<std::int64_t> tiles, gaps;
    for (int i = 0; i < 300; ++i) {
        tiles.push_back(128);
        gaps.insert(gaps.end(), {0, 128, 0, 0, 64, i % 7 == 0 ? 0 : 1});
    }
    std::vector<battery_case> const cases{
        {"one row", lengths({70000})},
        {"rows of a tile", lengths(tiles)},
        {"rows of a tile and gaps", lengths(gaps)},
        {"long rows between gaps", lengths({0, 0, 30000, 0, 128, 0, 39999, 3, 0})},
    };
    cpu two(2), three(3);
    check_flat_battery({&two, &three}, std::vector{makes_csr5(), makes_csr5{{4, 7}}}, cases);
}

TEST(csr5_product, explored_for_fifty_seeds) {
    // Rows of many tiles, so many that lanes add a row's carries together; rows within a column; rows without entries.
    battery_case const c{
        "carries", matrix_of_rows(60, 1500, [](auto i) {
            return i == 20 ? every(0, 1, 1500) : i % 5 == 3 ? every(0, 2000, 1500) : every(i, 97, 1500);
        })};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed, .controller = controller::persistent});
        flat_candidates<double, emulated, makes_csr5>({&executor}, {makes_csr5{{16, 2}}}, c)
            .check({seed % 2 == 1, 1, 0});
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

/// Rows of 3, 7, 1 and 40 entries in turn; every 50th row holds 1e16, -1e16 and Inf or NaN, the others small whole
/// numbers: their sums are exact, whatever their order, unless something of another row gets into them.
template <class T = double, class Executor>
void check_neighbours(Executor& executor, csr5_options const& options) {
    csr<T> a{400, 40, {0}, {}, {}};
    std::vector<T> expected;
    for (int i = 0; i < 400; ++i) {
        int const lengths[] = {3, 7, 1, 40};
        T sum = 0;
        for (int j = 0; j < lengths[i % 4]; ++j) {
            double value = (i * 7 + j * 3) % 11 - 4;
            if (i % 50 == 25) value = j % 3 == 0 ? 1e16 : j % 3 == 1 ? -3e16 : i % 100 == 25 ? INFINITY : NAN;
            a.column_indices.push_back(j);
            a.values.push_back(static_cast<T>(value));
            sum += a.values.back();
        }
        a.row_offsets.push_back(a.entry_count());
        expected.push_back(sum);
    }
    buffer<T> const x(executor, std::vector<T>(40, T(1)));
    buffer<T> const y(executor, std::vector<T>(400, T(NAN)));
    spmv(executor, T(1), csr5<T>(executor, a, options), x, T(0), y);
    std::vector<T> const found = y.to_host();
    for (int i = 0; i < 400; ++i) {
        if (i % 50 != 25) {
            EXPECT_EQ(found[i], expected[i]) << "row " << i;
        } else {
            EXPECT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << "row " << i;
        }
    }
}

TEST(csr5_product, leaves_the_neighbours_of_large_values_infinity_and_nan_exact) {
    cpu executor(2);
    for (int omega : {4, 8, 16, 32}) check_neighbours(executor, {.omega = omega});
    check_neighbours(executor, {.omega = 8, .sigma = 5});
    emulated grid;
    for (int sigma : {1, 4, 16, 30}) {
        check_neighbours(grid, {.sigma = sigma});
        check_neighbours<float>(grid, {.sigma = sigma});
    }
    check_neighbours(grid, {.omega = 8, .sigma = 4});
}

/// Rows that begin and end in each place of a lane's columns and lanes, some of many columns and lanes, some without
/// entries: two and a half tiles. Whole numbers, so that every sum is exact.
template <class T>
csr<T> rows_of_all_lengths(std::int64_t entries) {
    csr<T> a{0, 500, {0}, {}, {}};
    for (int i = 0; a.entry_count() < entries; ++i) {
        int const lengths[] = {1, 3, 0, 2, 9, 1, 1, 30, 5, 0, 0, 17, 4, 130, 2, 70, 7, 1, 41, 6, 400, 12, 3};
        for (int j = 0; j < lengths[i % 23] && a.entry_count() < entries; ++j) {
            a.column_indices.push_back(i % 100 + j);
            a.values.push_back(static_cast<T>((i * 7 + j * 3) % 11 - 4));
        }
        a.row_offsets.push_back(a.entry_count());
        ++a.row_count;
    }
    return a;
}

/// In both directions.
template <class T>
void check_sums(emulated& executor, csr<T> const& a, int omega, int sigma) {
    SCOPED_TRACE("omega " + std::to_string(omega) + ", sigma " + std::to_string(sigma));
    csr5<T> const tiles(executor, a, {.omega = omega, .sigma = sigma});
    for (bool turned : {false, true}) {
        auto const size = [&](bool rows) { return static_cast<std::size_t>(rows ? a.row_count : a.column_count); };
        std::vector<T> numbers(size(turned)), wanted(size(!turned));
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i % 5 + 1);
        reference::spmv<T>(1, a, turned, numbers, 0, wanted);
        buffer<T> const x(executor, numbers), y(executor, std::vector<T>(wanted.size(), T(NAN)));
        spmv(executor, T(1), turned ? transposed(tiles) : tiles, x, T(0), y);
        EXPECT_EQ(y.to_host(), wanted) << (turned ? "transposed" : "");
    }
}

template <class T>
void check_sums_of_all_shapes() {
    emulated executor({.seed = 4});
    for (int omega : {4, 8, 16, 32})
        for (int sigma : {1, 2, 5, 16, 31, 128})
            check_sums(executor, rows_of_all_lengths<T>(5 * omega * sigma / 2), omega, sigma);
}

TEST(csr5_product, has_each_row_of_each_lane_in_all_shapes) {
    check_sums_of_all_shapes<double>();
    check_sums_of_all_shapes<float>();
}

TEST(csr5_product, has_as_many_rows_in_a_tile_as_entries) {
    emulated executor;
    check_sums(executor, to_csr(matrix_of_rows(4100, 4100, [](auto i) { return std::vector{i}; })), 32, 128);
}

/// A tile of 4096 entries, and a tail with rows of each length around the number of lanes; where it continues, the
/// tile's last row goes on in it.
csr<double> with_long_rows_in_the_tail(bool continues) {
    csr<double> a{0, 4000, {0}, {}, {}};
    for (int length : {2000, continues ? 3000 : 2096, 1, 31, 32, 33, 0, 5, 64, 0, 100, 31, 1200}) {
        for (int j = 0; j < length; ++j) {
            a.column_indices.push_back(j);
            a.values.push_back(static_cast<double>((a.row_count * 7 + j * 3) % 11 - 4));
        }
        a.row_offsets.push_back(a.entry_count());
        ++a.row_count;
    }
    return a;
}

TEST(csr5_tail, has_rows_of_all_lengths) {
    emulated executor({.seed = 7});
    for (bool continues : {false, true}) check_sums(executor, with_long_rows_in_the_tail(continues), 32, 128);
}

TEST(csr5_tail, gives_the_same_bits_every_time) {
    csr<double> const a = with_long_rows_in_the_tail(true);
    std::vector<double> x(4000), first;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 3);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed});
        std::vector<double> y(static_cast<std::size_t>(a.row_count), NAN);
        spmv(executor, 1, csr5<double>(executor, a, {.omega = 32, .sigma = 128}), x, 0, y);
        if (seed == 0) first = y;
        EXPECT_EQ(y, first) << "seed " << seed;
    }
}

TEST(csr5_tail, shares_a_long_row_among_its_lanes) {
    // One after the other the ones would be lost beside the first entry; here only those of its lane are.
    int const length = 32 * 30;
    csr<double> a{1, length, {0, length}, {}, std::vector<double>(length, 1)};
    for (int j = 0; j < length; ++j) a.column_indices.push_back(j);
    a.values[0] = 1e16;
    emulated executor;
    std::vector<double> const x(length, 1);
    std::vector<double> y(1);
    spmv(executor, 1, csr5<double>(executor, a, {.omega = 32, .sigma = 32}), x, 0, y);
    EXPECT_EQ(y[0], 1e16 + (length - 30));
}

TEST(csr5_product, takes_sixteen_parts_for_each_thread) {
    csr<double> const a = to_csr(scattered(2000, 2000, 60000, 2));
    cpu executor(2);
    std::vector<double> const x(2000, 1);
    std::vector<double> y(2000);
    run_report const report = spmv(executor, 1, csr5<double>(executor, a), x, 0, y);
    ASSERT_EQ(report.queues.size(), 2u);
    EXPECT_EQ(report.queues[0].items, 32);
}

TEST(csr5_product, refuses_what_does_not_fit) {
    cpu executor(1);
    csr5<double> const a(executor, to_csr(empty_matrix(3, 2)));
    std::vector<double> two(2), three(3), four(4);
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, a, four, 0, three); }),
              "spmv: op(A) is 3 x 2, so x must have 2 elements; it has 4");
    vector_view<double const> const elsewhere(two.data(), 2, memory_space::device);
    EXPECT_EQ(message_of<argument_error>([&] { spmv(executor, 1, a, elsewhere, 0, three); }),
              "spmv: x is in device memory, the executor works in host memory; make it with the same executor "
              "(copse::buffer, copse::hisparse)");
}

}  // namespace
}  // namespace copse::tests
