// Products of CSR5 on the CPU's executors, with tiles of many shapes.
#include <algebra/flat_suite.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>

namespace copse::tests {
namespace {

struct makes_csr5 {
    csr5_options options = {};
    template <class T, class Executor>
    csr5<T> operator()(Executor& executor, csr<T> const& a) const {
        return {executor, a, options};
    }
};

/// Without the matrices of many rows or entries, for executors whose lanes are fibers or threads.
std::vector<battery_case> brief_battery() {
    std::vector<battery_case> cases = small_battery();
    std::erase_if(cases, [](battery_case const& c) { return c.matrix.row_count > 1000; });
    return cases;
}

TEST(csr5_on_cpu, agrees_with_the_reference) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_flat_battery(executor, makes_csr5(), whole_battery());
    }
}

TEST(csr5_on_cpu, agrees_for_tiles_of_every_shape) {
    cpu executor(3);
    for (int omega : {4, 8, 16, 32}) {
        check_flat_battery(executor, makes_csr5{{.omega = omega}}, small_battery());
        check_flat_battery(executor, makes_csr5{{.omega = omega, .sigma = 5}}, brief_battery());
    }
}

TEST(csr5_on_cpu, agrees_where_parts_meet) {
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
    for (int threads : {2, 3}) {
        cpu executor(threads);
        check_flat_battery(executor, makes_csr5(), cases);
        check_flat_battery(executor, makes_csr5{{.omega = 4, .sigma = 7}}, cases);
    }
}

class csr5_emulated : public testing::TestWithParam<controller> {};

TEST_P(csr5_emulated, explored_agrees_with_the_reference) {
    for (csr5_options const& options : {csr5_options{}, csr5_options{.sigma = 4}, csr5_options{.omega = 8, .sigma = 3},
                                        csr5_options{.omega = 32, .sigma = 40}}) {
        emulated executor({.mode = emulation::explore, .seed = 1, .controller = GetParam()});
        check_flat_battery_briefly(executor, makes_csr5{options}, brief_battery());
    }
}

TEST_P(csr5_emulated, stressed_agrees_with_the_reference) {
    emulated executor({.mode = emulation::stress, .controller = GetParam()});
    battery_case const c{"crossing",
                         matrix_where(130, 200, [](auto i, auto j) { return i == 7 || (i > 64 && j < 9) || i == j; })};
    for (bool transposed : {false, true})
        for (bool by_plan : {false, true})
            check_flat_product<double>(executor, makes_csr5{{.sigma = 4}}, c, {transposed, 2, 0.5},
                                       special_values::none, by_plan);
}

std::string controller_name(testing::TestParamInfo<controller> const& info) {
    return info.param == controller::persistent ? "persistent" : info.param == controller::device ? "device" : "host";
}
INSTANTIATE_TEST_SUITE_P(controllers, csr5_emulated,
                         testing::Values(controller::persistent, controller::device, controller::host),
                         controller_name);

TEST(csr5_product, explored_for_fifty_seeds) {
    // Rows of many tiles, so many that lanes add a row's carries together; rows within a column; rows without entries.
    battery_case const c{
        "carries", matrix_of_rows(60, 1500, [](auto i) {
            return i == 20 ? every(0, 1, 1500) : i % 5 == 3 ? every(0, 2000, 1500) : every(i, 97, 1500);
        })};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        emulated executor({.mode = emulation::explore, .seed = seed, .controller = controller::persistent});
        check_flat_product<double>(executor, makes_csr5{{.omega = 16, .sigma = 2}}, c, {seed % 2 == 1, 1, 0});
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(csr5_product, gives_the_same_bits_every_time) {
    battery_case const c{"long row", matrix_of_rows(300, 20000, [](auto i) {
                             return i == 100 ? every(0, 1, 20000) : every(i, 4999, 20000);
                         })};
    cpu executor(3);
    check_same_bits(executor, makes_csr5(), c, 10);
    emulated explored({.seed = 5});
    check_same_bits(explored, makes_csr5{{.sigma = 4}}, c, 2);
}

/// Rows of 3, 7, 1 and 40 entries in turn; every 50th row holds 1e16, -1e16 and Inf or NaN, the others small whole
/// numbers: their sums are exact, whatever their order, unless something of another row gets into them.
template <class Executor>
void check_neighbours(Executor& executor, csr5_options const& options) {
    csr<double> a{400, 40, {0}, {}, {}};
    std::vector<double> expected;
    for (int i = 0; i < 400; ++i) {
        int const lengths[] = {3, 7, 1, 40};
        double sum = 0;
        for (int j = 0; j < lengths[i % 4]; ++j) {
            double value = (i * 7 + j * 3) % 11 - 4;
            if (i % 50 == 25) value = j % 3 == 0 ? 1e16 : j % 3 == 1 ? -3e16 : i % 100 == 25 ? INFINITY : NAN;
            a.column_indices.push_back(j);
            a.values.push_back(value);
            sum += value;
        }
        a.row_offsets.push_back(a.entry_count());
        expected.push_back(sum);
    }
    buffer<double> const x(executor, std::vector<double>(40, 1.0));
    buffer<double> const y(executor, std::vector<double>(400, NAN));
    spmv(executor, 1, csr5<double>(executor, a, options), x, 0, y);
    std::vector<double> const found = y.to_host();
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
    for (int sigma : {1, 4, 16, 30}) check_neighbours(grid, {.sigma = sigma});
    check_neighbours(grid, {.omega = 8, .sigma = 4});
}

TEST(csr5, round_trip_and_state) {
    cpu executor(2);
    check_flat_round_trip(executor, makes_csr5(), whole_battery());
    check_flat_round_trip(executor, makes_csr5{{.omega = 32, .sigma = 21}}, small_battery());
}

TEST(csr5, reports_range_items) {
    csr<double> const a = to_csr(scattered(2000, 2000, 60000, 2));
    cpu executor(2);
    std::vector<double> const x(2000, 1);
    std::vector<double> y(2000);
    run_report const report = spmv(executor, 1, csr5<double>(executor, a), x, 0, y);
    ASSERT_EQ(report.queues.size(), 2u);
    EXPECT_EQ(report.queues[0].items, 32);
    EXPECT_EQ(report.queues[0].capacity, 0);  // ranges only
}

TEST(csr5, refuses_what_does_not_fit) {
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
