// Operations on a GPU whose memory is full: they throw, and work once there is some.
#include <gtest/gtest.h>

#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <functional>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

class full_gpu : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
    }

    /// work() throws where a megabyte is not to be had, and does not before and behind.
    void check(gpu& executor, std::function<void()> const& work) const {
        work();
        {
            auto const all = fill(executor);
            EXPECT_THROW(work(), cuda_error);
            EXPECT_THROW(work(), cuda_error);
        }
        EXPECT_NO_THROW(work());
    }

    csr<double> const rows_ = to_csr(generate<double>("uniform:100000,8"));

    /// All that there is, up to less than a megabyte.
    static std::vector<buffer<std::byte>> fill(gpu& executor) {
        executor.release_workspace();
        std::vector<buffer<std::byte>> all;
        for (std::int64_t bytes = executor.properties().memory_bytes; bytes >= std::int64_t{1} << 20;) {
            try {
                all.emplace_back(executor, bytes);
            } catch (cuda_error const&) {
                bytes /= 2;
            }
        }
        return all;
    }
};

TEST_F(full_gpu, makes_no_conversion) {
    gpu executor;
    check(executor, [&] { EXPECT_EQ(to_csr(hisparse<double>(executor, rows_)).values, rows_.values); });
    check(executor, [&] { EXPECT_EQ(to_csr(csr5<double>(executor, rows_)).values, rows_.values); });
    hisparse<double> const a(executor, rows_);
    check(executor, [&] { EXPECT_EQ(to_csr(to_csr_matrix(executor, a)).values, rows_.values); });
}

TEST_F(full_gpu, makes_no_sum) {
    gpu executor;
    hisparse<double> const a(executor, rows_);
    check(executor, [&] { EXPECT_EQ(add(executor, 1.0, a, 2.0, a).entry_count(), rows_.entry_count()); });
}

TEST_F(full_gpu, makes_no_plan) {
    gpu executor;
    hisparse<double> const a(executor, rows_);
    check(executor, [&] { spmv_plan<double>(executor, a); });
    csr5<double> const tiles(executor, rows_);
    check(executor, [&] { flat_plan(executor, tiles); });
}

// Not even what it keeps has a place elsewhere.
TEST_F(full_gpu, leaves_a_buffer_that_shrinks_where_it_is) {
    gpu executor;
    std::vector<int> const content(std::size_t{1} << 20, 7);
    buffer<int> shrinking(executor, content);
    int const* const before = shrinking.data();
    {
        auto const all = fill(executor);
        EXPECT_NO_THROW(shrinking.shrink(shrinking.size() / 2));
    }
    EXPECT_EQ(shrinking.data(), before);
    EXPECT_EQ(shrinking.to_host(), std::vector<int>(content.size() / 2, 7));
    shrinking.shrink(shrinking.size() / 2);
    EXPECT_NE(shrinking.data(), before);
    EXPECT_EQ(shrinking.to_host(), std::vector<int>(content.size() / 4, 7));
}

}  // namespace
}  // namespace copse::tests
