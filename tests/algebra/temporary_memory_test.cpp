// What operations on a GPU need in between is temporary memory: none of it is given back in a way that waits for the
// device, and none stays. stream_order_gpu_test.cu has the gpu's own.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/algebra/add.hpp>
#include <copse/algebra/flat/csr5_tasks.hpp>
#include <copse/algebra/flat/csr_matrix_tasks.hpp>
#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/cmrs/steps.hpp>
#include <copse/formats/csr5/steps.hpp>
#include <copse/formats/from_rows/tree_maker.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/sellp/steps.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/formats/to_rows/tree_rows_operation.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstddef>
#include <memory>
#include <runtime/counted_memory.hpp>
#include <string>
#include <vector>

namespace copse::tests {

namespace {

class temporary_memory_test : public testing::Test {
  protected:
    /// make(): something that is in use as long as it lives.
    template <class Make>
    void check(std::string const& name, Make const& make) {
        SCOPED_TRACE(name);
        int const own_before = own_->given_back(), temporary_before = in_between_->given_back();
        auto const made = make();
        EXPECT_EQ(own_->given_back(), own_before);
        EXPECT_GT(in_between_->given_back(), temporary_before);
        EXPECT_EQ(in_between_->in_use(), 0);
    }
    hisparse<double> tree(coo<double> const& a) const {
        return hisparse<double>(host_memory(), a, {.node_dimension = 64});
    }
    hisparse<double> united(double alpha, hisparse<double> const& a, double beta, hisparse<double> const& b) {
        return add(on_, alpha, a, beta, b);
    }
    csr_matrix<double> rows(csr_matrix_options options = {}) const {
        return csr_matrix<double>(on_, to_csr(matrix_), options);
    }

    std::shared_ptr<counted_memory> own_ = std::make_shared<counted_memory>();
    std::shared_ptr<counted_memory> in_between_ = std::make_shared<counted_memory>();
    emulated on_{{.seed = 1, .memory = own_, .temporary = in_between_}};
    detail::steps_on<emulated> steps_{on_};
    /// Inner nodes, small and large leaves, a wide one; rows without entries, rows that tiles share.
    coo<double> const matrix_ = matrix_where(300, 400, [](auto i, auto j) {
        return i % 5 != 3 && (i == 7 || (i > 64 && j < 9 && i < 75) || i + 2 == j || (i < 30 && j > 100 && j < 130));
    });
};

TEST_F(temporary_memory_test, is_what_sums_need) {
    auto const sum = [&](double alpha, auto keep_a, auto keep_b) {
        hisparse<double> const a = tree(matrix_where(512, 512, keep_a)), b = tree(matrix_where(512, 512, keep_b));
        return [=, this] { return united(alpha, a, 1, b); };
    };
    auto const often = [](auto i, auto j) { return (i + j) % 5 == 0; };
    auto const above = [=](auto i, auto j) { return i < 256 && often(i, j); };
    auto const below = [=](auto i, auto j) { return i >= 256 && often(i, j); };
    check("shared", sum(1, above, below));
    check("copied", sum(3, above, below));
    check("leaves that meet", sum(1, often, often));
    // The sum uses little of what its operands keep.
    auto const common = [=](auto i, auto j) { return i < 128 && j < 128 && often(i, j); };
    check("gathered", sum(
                          1, [=](auto i, auto j) { return common(i, j) || (i == 200 && j < 9); },
                          [=](auto i, auto j) { return common(i, j) || (i == 300 && j < 9); }));
    auto const one_entry = [&](std::int32_t row) { return tree({4096, 4096, {row}, {200}, {1.0}}); };
    hisparse<double> const a = one_entry(5), b = one_entry(500);
    check("becomes a wide leaf", [&] {
        auto c = united(1, a, 1, b);
        EXPECT_EQ(c.census().wide_leaves(), 1);
        return c;
    });
    coo<double> large = matrix_where(64, 64, [](auto i, auto j) { return i == j; });
    for (double& value : large.values) value = 1.5e308;
    hisparse<double> const d = tree(large);
    check("is made anew without a factor", [&] { return united(0.5, d, 0.5, d); });
    EXPECT_EQ(own_->in_use(), 0);
}

TEST_F(temporary_memory_test, is_what_compaction_needs) {
    hisparse<double> const a = tree(matrix_);
    check("compacted", [&] { return compact(on_, a); });
}

TEST_F(temporary_memory_test, is_what_recording_needs) {
    hisparse<double> const a = tree(matrix_);
    check("plan", [&] { return spmv_plan<double>(on_, a); });
}

TEST_F(temporary_memory_test, is_what_products_need_in_between) {
    std::vector<double> const x(400, 0.5);
    auto const multiply = [&](auto const& a) {
        return [&, a] {
            std::vector<double> y(300);
            detail::multiply_on(on_, 2.0, a, vector_view<double const>(x), 0.0, vector_view<double>(y),
                                [&](auto const&... of_run) { return run(on_, of_run...); });
            return y;
        };
    };
    check("csr", multiply(rows({csr_kernel::merge_path})));
    check("csr5", multiply(csr5<double>(on_.memory(), to_csr(matrix_), {.omega = 32, .sigma = 4})));
}

TEST_F(temporary_memory_test, is_what_conversions_need) {
    csr<double> const a = to_csr(matrix_);
    detail::tree_maker<double, emulated, detail::steps_on<emulated>> maker(on_, steps_, {.node_dimension = 64});
    check("hisparse of csr", [&] { return maker.make(a); });
    check("hisparse of coo", [&] { return maker.make(matrix_); });
    csr5_options const tiles{.omega = 32, .sigma = 4};
    csr_matrix<double> const stored = rows();
    auto const copy = [&] { return detail::copied(*stored.content(), steps_); };
    check("csr5", [&] { return detail::make_csr5_by_steps(copy(), tiles, steps_); });
    check("sellp", [&] {
        sellp_content<double> slices;
        static_cast<flat_content&>(slices) = *stored.content();
        slices.options = {.slice_rows = 32, .row_threads = 1, .sorting_window = 64};
        detail::make_sellp_by_steps(*stored.content(), slices, steps_);
        return slices;
    });
    cmrs_options const sorted{.height = 16, .sorted = true};
    check("cmrs of shared rows", [&] { return detail::content_on(on_.memory(), stored, sorted, steps_); });
    check("cmrs of rows that nobody shares", [&] { return detail::content_on(on_.memory(), rows(), sorted, steps_); });
    cmrs_options const padded{.height = 16, .sorted = false, .per_row = 8};
    check("padded cmrs of csr", [&] {
        auto const strips = detail::content_on(on_.memory(), csr_matrix<double>(steps_.temporary(), a), padded, steps_);
        EXPECT_EQ(strips->where, on_.memory());
        return strips;
    });
}

TEST_F(temporary_memory_test, is_what_pruning_needs) {
    coo<double> zeros = matrix_;
    for (std::size_t i = 0; i < zeros.values.size(); i += 3) zeros.values[i] = 0;
    hisparse<double> const some = tree(zeros), none = tree(matrix_);
    check("with zeros", [&] { return prune(on_, some); });
    check("without zeros", [&] { return prune(on_, none); });
    EXPECT_EQ(own_->in_use(), 0);
}

TEST_F(temporary_memory_test, is_what_the_way_back_needs) {
    hisparse<double> const a = tree(matrix_);
    check("csr", [&] { return detail::rows_on<double>(on_, steps_, *a.content()); });
    csr5_options const tiles{.omega = 32, .sigma = 4};
    check("csr of csr5, in place", [&] {
        auto const stored = detail::make_csr5_by_steps(detail::taken(rows().content()), tiles, steps_);
        return detail::rows_in_place_by_steps(detail::taken(stored), steps_);
    });
    check("csr of cmrs, in place", [&] {
        cmrs_options const by_row{.height = 16, .sorted = false};
        auto const stored = detail::content_on(on_.memory(), rows(), by_row, steps_);
        return detail::rows_in_place_by_steps(detail::taken(stored), steps_);
    });
}

}  // namespace
}  // namespace copse::tests
