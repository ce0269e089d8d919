// The comparison on a GPU: right products get times, wrong ones and those that fail do not, and hide nobody.
#include <gtest/gtest.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/flat.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/large_cusparse.hpp"
#include "bench/gpu_comparison/large_sum_check.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {
namespace {

/// What an implementation of y <- A x may do wrong.
enum class way { right, wrong, writes_nothing, throws, wrong_later };

/// Knows the result of each set beforehand.
class pretended final : public gpu_product<double> {
  public:
    pretended(gpu& executor, gpu_problem<double> const& problem, std::vector<std::vector<double>> right, way how)
        : executor_(executor), problem_(problem), right_(std::move(right)), how_(how) {}

    std::optional<double> prepare() override { return 0.5; }
    std::int64_t list_bytes() const override { return 24; }
    std::optional<run_report> run(int set) override {
        if (how_ == way::throws) throw cuda_error("pretended");
        if (how_ == way::writes_nothing) return std::nullopt;
        auto const& v = problem_.sets[static_cast<std::size_t>(set)];
        auto y = right_[static_cast<std::size_t>(set)];
        bool const is_late = runs_++ > problem_.set_count();
        if (how_ == way::wrong || (how_ == way::wrong_later && is_late)) y.back() += 1;
        executor_.memory()->copy_from_host(v.y.data(), y.data(), v.y.bytes());
        return run_report{{{.name = "rows", .launches = 2, .seconds = 3e-3}, {.name = "ends", .launches = 1}}, 1e-3};
    }

  private:
    gpu& executor_;
    gpu_problem<double> const& problem_;
    std::vector<std::vector<double>> right_;
    way how_;
    int runs_ = 0;
};

class comparison : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
        executor = std::make_unique<gpu>();
        clock = std::make_unique<gpu_clock>(*executor);
    }
    std::unique_ptr<gpu> executor;
    std::unique_ptr<gpu_clock> clock;
};

/// What the reference has, of each set.
std::vector<std::vector<double>> right_results(gpu const& executor, matrix_copies<double> const& matrix,
                                               bool transpose) {
    gpu_problem<double> const problem(executor, matrix, transpose, 1);
    std::vector<std::vector<double>> right;
    for (auto const& set : problem.sets)
        right.push_back(dynamic_cast<host_product_check<double> const&>(*set.check).expected().y);
    return right;
}

/// A race of one for each way, held to the host's reference or to sums made on the GPU.
void check_race(gpu& executor, gpu_clock& clock, bool transpose, bool check_there) {
    SCOPED_TRACE((transpose ? "A^T x" : "A x") + std::string(check_there ? ", checked there" : ""));
    auto const matrix = copy_matrix(executor, "uniform:1000,8", to_csr(generate<double>("uniform:1000,8")), 128);
    auto const right = right_results(executor, matrix, transpose);
    gpu_problem<double> const problem(executor, matrix, transpose, 1, check_there);
    std::vector<gpu_competitor<double>> all;
    for (auto const how : {way::throws, way::right, way::wrong, way::writes_nothing, way::wrong_later}) {
        auto record = describe(problem, "copse", "pretended", 100);
        record.clock = how == way::right ? "events" : "wall";
        all.push_back({std::move(record), std::make_unique<pretended>(executor, problem, right, how)});
    }
    race_on_gpu(clock, problem, all, {.repeats = 5, .hang_seconds = 60});
    EXPECT_EQ(all[0].record.failure, "pretended");
    EXPECT_EQ(all[0].record.m.repeats, 0);
    EXPECT_TRUE(all[1].record.has_times());
    EXPECT_EQ(all[1].record.m.repeats, 5);
    EXPECT_GT(all[1].record.m.seconds, 0);
    EXPECT_EQ(all[1].record.run_seconds.value(), 1e-3);
    EXPECT_EQ(all[1].record.launches.value(), 3);
    EXPECT_EQ(all[1].record.task_seconds.value(), 3e-3);
    EXPECT_EQ(all[1].record.prepare_seconds.value(), 0.5);
    EXPECT_EQ(all[1].record.m.moved_bytes, describe(problem, "copse", "pretended", 100 + 24).m.moved_bytes);
    EXPECT_FALSE(all[2].record.m.is_right());
    EXPECT_EQ(all[2].record.m.repeats, 0);
    EXPECT_FALSE(all[3].record.m.is_right());
    EXPECT_FALSE(all[4].record.m.is_right());
}

TEST_F(comparison, only_right_products_get_times) {
    for (bool const transpose : {false, true})
        for (bool const check_there : {false, true}) check_race(*executor, *clock, transpose, check_there);
}

TEST_F(comparison, cusparse_and_hisparse_agree_with_the_reference) {
    std::string why;
    auto const* library = load_cusparse(why);
    for (std::string const name : {"uniform:1000,8", "lp:100,5000", "stencil27:12"}) {
        auto const matrix = copy_matrix(*executor, name, to_csr(generate<float>(name)), 64);
        for (bool const transpose : {false, true}) {
            gpu_problem<float> const problem(*executor, matrix, transpose, 7);
            std::vector<gpu_competitor<float>> all;
            if (library) all = cusparse_on_gpu(*library, *executor, problem);
            all.push_back(plan_on_gpu(*executor, problem));
            for (auto const which : {controller::persistent, controller::host})
                all.push_back(hisparse_on_gpu(*executor, problem, which));
            race_on_gpu(*clock, problem, all, {.repeats = 3, .hang_seconds = 60});
            for (auto const& c : all)
                EXPECT_TRUE(c.record.has_times() || c.record.is_refused)
                    << name << ' ' << c.record.variant << ": " << c.record.failure << ", error "
                    << c.record.m.max_error;
            auto const& plan = all[all.size() - 3].record;
            EXPECT_GE(plan.prepare_peak_bytes.value_or(0), plan.kept_bytes);
            std::int64_t const without_lists = all.back().record.m.moved_bytes;
            EXPECT_GT(plan.m.moved_bytes, without_lists);
            EXPECT_LT(plan.m.moved_bytes, without_lists + plan.kept_bytes);
        }
    }
}

/// Each form through its plan and under two controllers, and the naive kernels.
template <class T>
std::vector<gpu_competitor<T>> all_forms(gpu& executor, gpu_problem<T> const& problem, csr<T> const& turned) {
    std::vector<gpu_competitor<T>> all;
    all.push_back(naive_on_gpu(executor, problem));
    for (auto const& form : flat_forms()) {
        auto const copies = copy_flat(executor, problem.matrix, turned, form);
        all.push_back(copies->by_plan(executor, problem));
        for (auto const which : {controller::persistent, controller::host})
            all.push_back(copies->one_shot(executor, problem, which));
    }
    return all;
}

TEST_F(comparison, flat_formats_agree_with_the_reference) {
    for (std::string const name : {"uniform:1000,8", "stencil27:12", "elasticity:6"}) {
        auto const matrix = copy_matrix(*executor, name, to_csr(generate<double>(name)), 64);
        auto const turned = transpose(matrix.a);
        for (bool const transpose : {false, true}) {
            gpu_problem<double> const problem(*executor, matrix, transpose, 7, name == "stencil27:12");
            auto all = all_forms(*executor, problem, turned);
            race_on_gpu(*clock, problem, all, {.repeats = 3, .hang_seconds = 60});
            for (auto const& c : all) {
                EXPECT_TRUE(c.record.has_times()) << name << ' ' << c.record.variant << ": " << c.record.failure
                                                  << ", error " << c.record.m.max_error;
                if (c.record.m.mode == "plan") {
                    EXPECT_GE(c.record.prepare_peak_bytes.value_or(0), c.record.kept_bytes) << c.record.variant;
                }
            }
        }
    }
}

TEST_F(comparison, sums_agree_with_the_reference) {
    std::string why;
    auto const* library = load_cusparse(why);
    for (std::string const name : {"uniform:1000,8", "stencil27:12", "lp:100,5000"}) {
        auto const operands = make_sum_operands(*executor, name, to_csr(generate<double>(name)), 64);
        for (auto const& [a, b] : {std::pair{false, false}, {true, true}, {false, true}}) {
            if (a != b && operands.a.row_count != operands.a.column_count) continue;
            host_sum_check<double> const check(operands.a, a, operands.b, b);
            auto const competitors = [&](int set) {
                auto const what = sum_of(operands, a, b, set);
                std::vector<sum_competitor<double>> of_set;
                if (library) of_set = cusparse_sums(*library, *executor, what);
                for (auto const which : {controller::persistent, controller::host})
                    of_set.push_back(hisparse_sum(*executor, what, which));
                return of_set;
            };
            auto all = competitors(0);
            EXPECT_GT(operands.sets.size(), 1U) << name;  // it fits the L2
            for (int set = 1; set < 3; ++set) add_set(all, competitors(set));
            race_sums(*clock, check, all, {.repeats = 3, .hang_seconds = 60});
            for (auto const& c : all) {
                EXPECT_TRUE(c.record.has_times()) << name << ' ' << c.record.variant << ": " << c.record.failure
                                                  << ", error " << c.record.m.max_error;
                bool const takes_none = c.record.variant.ends_with("memory there");
                EXPECT_TRUE(takes_none || c.record.peak_bytes.value_or(0) > 0) << c.record.variant;
                EXPECT_EQ(c.record.run_seconds.has_value(), c.record.is_ours()) << c.record.variant;
                if (!c.record.is_ours()) continue;
                EXPECT_GT(c.record.batches.value_or(0), 0) << c.record.variant;
                EXPECT_LE(c.record.run_seconds.value_or(1e9), c.record.m.max_seconds) << c.record.variant;
            }
        }
    }
}

/// Made and checked on the GPU: the generator's matrix; products that are right, and one that is not.
TEST_F(comparison, large_cases_are_made_and_checked_there) {
    for (std::string const name : {"poisson3d:7,5,3", "stencil27:4,6,5", "uniform:300,7"}) {
        auto const a = make_on_gpu<double>(*executor, formula_of(name).value());
        auto const host = to_csr(a), expected = to_csr(generate<double>(name));
        EXPECT_EQ(host.row_offsets, expected.row_offsets) << name;
        EXPECT_EQ(host.column_indices, expected.column_indices) << name;
        EXPECT_EQ(host.values, expected.values) << name;
        EXPECT_EQ(a.kernel(), csr_matrix<double>(*executor, expected).kernel()) << name;
        auto const x = random_on_gpu<double>(*executor, a.column_count(), 5);
        buffer<double> const y(*executor, a.row_count());
        for (bool const transpose : {false, true}) {
            spmv(*executor, 1.0, transpose ? a.transposed() : a, x, 0.0, y);
            EXPECT_LE(error_on_gpu(*executor, a, transpose, x, y), 1) << name;
            auto values = y.to_host();
            values.back() += 1e-6;
            EXPECT_GT(error_on_gpu(*executor, a, transpose, x, buffer<double>(*executor, values)), 1) << name;
        }
        EXPECT_EQ(narrow_offsets(*executor, a.content()->row_offsets).to_host().back(), a.entry_count());
    }
}

TEST_F(comparison, cusparse_multiplies_what_was_made_there) {
    std::string why;
    auto const* library = load_cusparse(why);
    if (!library) GTEST_SKIP() << why;
    cusparse_handle const handle(*library, *executor);
    for (std::string const name : {"poisson3d:7,5,3", "uniform:300,7"})
        for (bool const transpose : {false, true}) {
            auto const a = make_on_gpu<double>(*executor, formula_of(name).value());
            large_problem<double> const what{name, a, transpose, random_on_gpu<double>(*executor, a.row_count(), 5),
                                             buffer<double>(*executor, a.row_count())};
            large_cusparse<double> inputs(*executor, what);
            for (auto const& variant : cusparse_variants(transpose)) {
                poison(*executor, what.y.data(), what.y.bytes());
                cusparse_product<double> product(handle, variant, inputs.operands(variant));
                product.prepare();
                product.run();
                EXPECT_LE(error_on_gpu(*executor, a, transpose, what.x, what.y), 1) << name << ' ' << variant.name;
            }
        }
}

/// Gives what it was made with; throws instead where that is nothing.
class pretended_sum final : public gpu_sum<double> {
  public:
    pretended_sum(gpu& executor, std::optional<csr<double>> c) {
        if (c) c_.emplace(executor, *c);
    }
    std::optional<run_report> run() override {
        if (!c_) throw cuda_error("out of memory");
        return std::nullopt;
    }
    void forget() override { ++times_forgotten; }
    csr<double> result() const override { return to_csr(*c_); }
    rows_of_sum<double> rows_on_gpu() const override { return rows_of(*c_); }
    std::int64_t result_bytes() const override { return c_->bytes(); }
    std::int64_t shared_bytes() const override { return 5; }

    int times_forgotten = 0;

  private:
    std::optional<csr_matrix<double>> c_;
};

/// Has memory for C each time, and writes nothing there. What it says otherwise is right.
class idle_sum final : public gpu_sum<double> {
  public:
    idle_sum(gpu& executor, csr<double> const& right)
        : executor_(executor),
          row_count_(right.row_count),
          column_count_(right.column_count),
          entry_count_(right.entry_count()) {}
    std::optional<run_report> run() override {
        c_ = {row_count_, column_count_, buffer<std::int64_t>(executor_, row_count_ + 1),
              buffer<std::int32_t>(executor_, entry_count_), buffer<double>(executor_, entry_count_)};
        return std::nullopt;
    }
    void forget() override { c_ = {}; }
    csr<double> result() const override {
        return {c_.row_count, c_.column_count, c_.row_offsets.to_host(), c_.column_indices.to_host(),
                c_.values.to_host()};
    }
    rows_of_sum<double> rows_on_gpu() const override {
        return {{row_count_, column_count_, c_.row_offsets.data(), c_.column_indices.data(), c_.values.data()},
                entry_count_,
                false,
                nullptr};
    }
    std::int64_t result_bytes() const override { return 1; }

  private:
    struct rows {
        std::int64_t row_count = 0, column_count = 0;
        buffer<std::int64_t> row_offsets;
        buffer<std::int32_t> column_indices;
        buffer<double> values;
    };
    gpu& executor_;
    std::int64_t row_count_, column_count_, entry_count_;
    rows c_;
};

csr<double> without_last(csr<double> c) {
    c.column_indices.pop_back();
    c.values.pop_back();
    --c.row_offsets.back();
    return c;
}

/// A zero in the first place of the first row that has no entry.
csr<double> with_one_more(csr<double> c) {
    std::int32_t column = 0;
    while (column < c.row_offsets[1] && c.column_indices[column] == column) ++column;
    c.column_indices.insert(c.column_indices.begin() + column, column);
    c.values.insert(c.values.begin() + column, 0);
    for (std::size_t i = 1; i < c.row_offsets.size(); ++i) ++c.row_offsets[i];
    return c;
}

/// Made, added and checked on the GPU. Right sums get times; those that lack an entry, have one too many or one that is
/// off, find no memory or write nothing where the last sum was, get none.
TEST_F(comparison, large_sums_are_made_and_checked_there) {
    std::string why;
    auto const* library = load_cusparse(why);
    for (std::string const name : {"poisson3d:7,5,3", "stencil27:4,6,5", "uniform:300,7", "lp:50,300"}) {
        bool const has_formula = name.find("lp") != 0;  // lp: more columns than rows
        auto const from_host = [&] { return csr_matrix<double>(*executor, to_csr(generate<double>(name))); };
        auto const a = has_formula ? make_on_gpu<double>(*executor, formula_for_gpu(name)) : from_host();
        auto const b = has_formula ? make_rotated_on_gpu<double>(*executor, formula_for_gpu(name), 1) : from_host();
        auto const offsets_a = narrow_offsets(*executor, a.content()->row_offsets);
        auto const offsets_b = narrow_offsets(*executor, b.content()->row_offsets);
        auto const addend = [&](csr_matrix<double> const& m, buffer<std::int32_t> const& offsets, bool transpose) {
            auto const& content = *m.content();
            return gpu_addend<double>{name,
                                      {m.row_count(), m.column_count(), m.entry_count(), offsets.data(),
                                       content.column_indices.data(), content.values.data()},
                                      hisparse<double>(*executor, m),
                                      transpose};
        };
        for (auto const& [transpose_a, transpose_b] : {std::pair{false, false}, {false, true}, {true, true}}) {
            if (transpose_a != transpose_b && a.row_count() != a.column_count()) continue;
            large_sum_check<double> const check(*executor, a, transpose_a, b, transpose_b);
            auto const right = reference::add<double>(1, to_csr(a), transpose_a, 1, to_csr(b), transpose_b).c;
            EXPECT_EQ(check.entry_count(), right.entry_count()) << name;
            sum_on_gpu<double> const what{addend(a, offsets_a, transpose_a), addend(b, offsets_b, transpose_b)};
            std::vector<sum_competitor<double>> all;
            if (library) all = cusparse_sums(*library, *executor, what);
            for (auto const which : {controller::persistent, controller::host})
                all.push_back(hisparse_sum(*executor, what, which));
            auto const of_right = all.size();
            auto off = right;
            off.values[off.values.size() / 2] += 1e-6;
            for (auto const& c : {std::optional(without_last(right)), std::optional(with_one_more(right)),
                                  std::optional(off), std::optional<csr<double>>()})
                all.push_back({describe(what, "copse", "pretended", 0), std::make_unique<pretended_sum>(*executor, c)});
            all.push_back({describe(what, "copse", "idle", 0), std::make_unique<idle_sum>(*executor, right)});
            all.push_back(hisparse_sum(*executor, what, controller::host, "no trees"));
            race_sums(*clock, check, all, {.repeats = 3, .hang_seconds = 60});
            for (std::size_t i = 0; i < all.size(); ++i) {
                auto const& r = all[i].record;
                EXPECT_EQ(r.has_times(), i < of_right)
                    << name << ' ' << r.variant << ' ' << i << ": " << r.failure << ", error " << r.m.max_error;
                EXPECT_EQ(r.m.repeats, i < of_right ? 3 : 0) << i;
            }
            auto const& shares = all[of_right].record.m;  // what is shared is neither read nor written
            EXPECT_EQ(shares.moved_bytes, shares.bytes + shares.plus->result_bytes - 10);
            EXPECT_EQ(all[of_right + 3].record.failure, "out of memory");
            EXPECT_GT(dynamic_cast<pretended_sum&>(*all[of_right + 3].sum).times_forgotten, 0);
            EXPECT_EQ(all.back().record.failure, "no trees");
        }
    }
}

TEST_F(comparison, copies_have_a_bandwidth) {
    EXPECT_GT(clock->copy_gbytes_per_second(3), 1);
}

TEST(cusparse, is_loaded_or_missed_with_a_reason) {
    std::string why;
    auto const* library = load_cusparse(why);
    if (library)
        EXPECT_STREQ(library->error_string(CUSPARSE_STATUS_SUCCESS), "success");
    else
        EXPECT_NE(why.find("libcusparse.so"), std::string::npos) << why;
}

}  // namespace
}  // namespace copse::bench
