// Operations of one executor do not wait for what other streams of the device have to do.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/stream_tools.hpp>
#include <copse/algebra/add.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

class stream_order : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }

    /// work() comes back while another stream is held; what it returns may wait for that when it goes.
    template <class Work>
    void check(char const* name, Work const& work) {
        SCOPED_TRACE(name);
        (void)work();  // modules are loaded by the first call
        own_stream const other;
        gate held(other.stream);
        auto const made = work();
        EXPECT_FALSE(held.waited_in_vain());
        held.open();
    }

    csr<double> const rows_ =
        to_csr(matrix_where(300, 2000, [](auto i, auto j) { return (i > 40 && i < 90) || (i + 3 * j) % 41 == 0; }));
};

TEST_F(stream_order, is_that_of_products) {
    gpu executor;
    buffer<double> const x(executor, std::vector<double>(2000, 0.5)), y(executor, 300);
    csr_matrix<double> const merged(executor, rows_, {csr_kernel::merge_path});
    check("csr", [&] { return spmv(executor, 2.0, merged, x, 0.0, y); });
    csr5<double> const tiles(executor, rows_);
    check("csr5", [&] { return spmv(executor, 2.0, tiles, x, 0.0, y); });
}

TEST_F(stream_order, is_that_of_sums_and_plans) {
    gpu executor;
    hisparse<double> const a(executor, rows_);
    hisparse<double> const b(executor, matrix_where(300, 2000, [](auto i, auto j) { return (i + 5 * j) % 37 == 0; }));
    check("sum", [&] { return add(executor, 1.0, a, 2.0, b); });
    check("plan", [&] { return spmv_plan<double>(executor, a); });
}

TEST_F(stream_order, is_that_of_conversions) {
    gpu executor;
    check("csr to hisparse", [&] { return hisparse<double>(executor, rows_); });
    check("coo to hisparse", [&] { return hisparse<double>(executor, to_coo(rows_)); });
    check("csr5", [&] { return csr5<double>(executor, rows_); });
    check("csr to sellp", [&] { return sellp<double>(executor, rows_); });
    csr_matrix<double> const stored(executor, rows_);
    check("csr to cmrs", [&] { return cmrs<double>(executor, rows_, {.sorted = true}); });
    check("csr to padded cmrs", [&] { return cmrs<double>(executor, rows_, {.height = 16, .per_row = 8}); });
    check("sellp", [&] { return sellp<double>(executor, stored, {.sorting_window = 64}); });
}

TEST_F(stream_order, is_that_of_ways_back) {
    gpu executor;
    check("csr5", [&] { return to_csr_matrix(executor, csr5<double>(executor, rows_)); });
    check("cmrs", [&] { return to_csr_matrix(executor, cmrs<double>(executor, rows_, {.sorted = false})); });
}

TEST_F(stream_order, is_that_of_pruning) {
    gpu executor;
    csr<double> with_zeros = rows_;
    for (std::size_t i = 0; i < with_zeros.values.size(); i += 3) with_zeros.values[i] = 0;
    hisparse<double> const a(executor, with_zeros);
    check("with zeros", [&] { return prune(executor, a); });
}

}  // namespace
}  // namespace copse::tests
