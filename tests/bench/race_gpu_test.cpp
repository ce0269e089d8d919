// The comparison on a GPU: right products get times, wrong ones and those that fail do not, and hide nobody.
#include <gtest/gtest.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/flat.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {
namespace {

/// What an implementation of y <- A x may do wrong.
enum class way { right, wrong, writes_nothing, throws, wrong_later };

/// Knows the result of each set beforehand.
std::unique_ptr<entrant> pretended(gpu_clock& clock, gpu_problem<double> const& problem,
                                   std::vector<std::vector<double>> right, way how) {
    auto record = describe(problem, "copse", "pretended", "csr", 100);
    record.clock = how == way::right ? "events" : "wall";
    return std::make_unique<gpu_product<double>>(
        clock, std::move(record), problem,
        [=, &problem, &executor = clock.executor(), runs = 0](vector_set<double> const& v,
                                                              int set) mutable -> std::optional<run_report> {
            if (how == way::throws) throw cuda_error("pretended");
            if (how == way::writes_nothing) return std::nullopt;
            auto y = right[static_cast<std::size_t>(set)];
            bool const is_late = runs++ > problem.set_count();
            if (how == way::wrong || (how == way::wrong_later && is_late)) y.back() += 1;
            executor.memory()->copy_from_host(v.y.data(), y.data(), v.y.bytes());
            return run_report{{{.name = "rows", .launches = 2, .seconds = 3e-3}, {.name = "ends", .launches = 1}},
                              1e-3};
        },
        [](race_record& r) { r.prepare_seconds = 0.5; });
}

class comparison : public testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (!gpu::usable(&why)) GTEST_SKIP() << why;
        executor = std::make_unique<gpu>();
        clock = std::make_unique<gpu_clock>(*executor);
    }
    void race(gpu_entrants const& all, int repeats = 3) { run_race(all, on_gpu(*executor, "test", repeats)); }

    std::unique_ptr<gpu> executor;
    std::unique_ptr<gpu_clock> clock;
};

void expect_times(race_record const& r) {
    EXPECT_TRUE(r.has_times()) << race_name(r) << ": " << r.failure << ", error " << r.m.max_error;
}

/// What the reference has, of each set.
std::vector<std::vector<double>> right_results(gpu& executor, matrix_copies<double> const& matrix, bool transpose) {
    auto const problem = problem_of(executor, "", matrix.copies, transpose, 1);
    std::vector<std::vector<double>> right;
    for (auto const& set : problem.sets) right.push_back(expect(matrix.a, transpose, set.x.to_host()).y);
    return right;
}

/// A race of one for each way, held to the host's reference or to sums made on the GPU.
void check_race(gpu& executor, gpu_clock& clock, bool transpose, bool check_there) {
    SCOPED_TRACE((transpose ? "A^T x" : "A x") + std::string(check_there ? ", checked there" : ""));
    auto const matrix = copy_matrix(executor, "uniform:1000,8", to_csr(generate<double>("uniform:1000,8")), 128);
    auto const right = right_results(executor, matrix, transpose);
    auto const problem =
        problem_of(executor, matrix.name, matrix.copies, transpose, 1, check_there ? nullptr : &matrix.a);
    gpu_entrants all;
    for (auto const how : {way::throws, way::right, way::wrong, way::writes_nothing, way::wrong_later})
        all.push_back(pretended(clock, problem, right, how));
    run_race(all, on_gpu(executor, "test", 5));
    EXPECT_EQ(all[0]->record.failure, "pretended");
    EXPECT_EQ(all[0]->record.m.repeats, 0);
    auto const& r = all[1]->record;
    expect_times(r);
    EXPECT_EQ(r.m.repeats, 5);
    EXPECT_GT(r.m.seconds, 0);
    EXPECT_EQ(r.run_seconds.value(), 1e-3);
    EXPECT_EQ(r.launches.value(), 3);
    EXPECT_EQ(r.task_seconds.value(), 3e-3);
    EXPECT_EQ(r.prepare_seconds.value(), 0.5);
    EXPECT_FALSE(all[2]->record.m.is_right());
    EXPECT_EQ(all[2]->record.m.repeats, 0);
    EXPECT_FALSE(all[3]->record.m.is_right());
    EXPECT_FALSE(all[4]->record.m.is_right());
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
            auto const problem = problem_of(*executor, name, matrix.copies, transpose, 7, &matrix.a);
            gpu_entrants all;
            if (library) all = cusparse_products(*library, *clock, problem, matrix.copies);
            all.push_back(hisparse_plan(*clock, problem, matrix.trees));
            for (auto const which : {controller::persistent, controller::host})
                all.push_back(one_shot(*clock, problem, "hisparse", matrix.trees, which));
            race(all);
            for (auto const& one : all)
                if (!one->record.is_refused) expect_times(one->record);
            auto const& plan = all[all.size() - 3]->record;
            EXPECT_GT(plan.kept_bytes, 0);
            EXPECT_GE(plan.prepare_peak_bytes.value_or(0), plan.kept_bytes);
            std::int64_t const without_lists = all.back()->record.m.moved_bytes;
            EXPECT_GT(plan.m.moved_bytes, without_lists);
            EXPECT_LT(plan.m.moved_bytes, without_lists + plan.kept_bytes);
        }
    }
}

TEST_F(comparison, flat_formats_and_naive_kernels_agree_with_the_reference) {
    for (std::string const name : {"uniform:1000,8", "stencil27:12", "elasticity:6"}) {
        auto const matrix = copy_matrix(*executor, name, to_csr(generate<double>(name)), 10, 64);
        auto const turned = transpose(matrix.a);
        for (bool const transpose : {false, true}) {
            auto const problem =
                problem_of(*executor, name, matrix.copies, transpose, 7, name == "stencil27:12" ? nullptr : &matrix.a);
            gpu_entrants all;
            all.push_back(naive_product(*clock, problem, matrix.copies));
            for (auto const& form : flat_forms()) {
                auto const copies = copy_flat(*executor, matrix, turned, form);
                all.push_back(copies.by_plan(*clock, problem));
                for (auto const which : {controller::persistent, controller::host})
                    all.push_back(copies.one_shot(*clock, problem, which));
            }
            race(all);
            for (auto const& one : all) {
                auto const& r = one->record;
                expect_times(r);
                EXPECT_TRUE(r.m.mode != "plan" || r.prepare_peak_bytes.value_or(0) >= r.kept_bytes) << r.variant;
            }
        }
    }
}

/// cuSPARSE's ways to a sum, and HiSparse's under two controllers.
gpu_entrants sum_entrants(gpu& executor, gpu_clock& clock, cusparse_library const* library,
                          std::vector<sum_on_gpu<double>> const& sets, sum_check<double> const& check) {
    std::vector<sum_way<double>> ways;
    if (library) ways = cusparse_sums(*library, executor, sets.front());
    for (auto const which : {controller::persistent, controller::host})
        ways.push_back(hisparse_sum(executor, sets.front(), which));
    gpu_entrants all;
    for (auto const& way : ways) {
        std::vector<std::unique_ptr<gpu_sum<double>>> of_set;
        for (auto const& what : sets) of_set.push_back(way.make(what));
        all.push_back(std::make_unique<sum_entrant<double>>(clock, way.record, std::move(of_set), check));
    }
    return all;
}

TEST_F(comparison, sums_agree_with_the_reference) {
    std::string why;
    auto const* library = load_cusparse(why);
    for (std::string const name : {"uniform:1000,8", "stencil27:12", "lp:100,5000"}) {
        auto const operands = make_sum_operands(*executor, name, to_csr(generate<double>(name)), 10, 64);
        for (auto const& [a, b] : {std::pair{false, false}, {true, true}, {false, true}}) {
            if (a != b && operands.a.row_count != operands.a.column_count) continue;
            auto const check = host_sum_check(operands.a, a, operands.b, b);
            EXPECT_GT(operands.sets.size(), 1U) << name;  // it fits the L2
            std::vector<sum_on_gpu<double>> sets;
            for (int set = 0; set < 3; ++set) sets.push_back(sum_of(operands, a, b, set));
            auto const all = sum_entrants(*executor, *clock, library, sets, check);
            race(all);
            for (auto const& one : all) {
                auto const& r = one->record;
                expect_times(r);
                EXPECT_EQ(r.sets, 3);
                bool const takes_none = r.variant.ends_with("memory there");
                EXPECT_TRUE(takes_none || r.peak_bytes.value_or(0) > 0) << r.variant;
                EXPECT_EQ(r.run_seconds.has_value(), r.is_ours()) << r.variant;
                if (!r.is_ours()) continue;
                EXPECT_GT(r.batches.value_or(0), 0) << r.variant;
                EXPECT_LE(r.run_seconds.value_or(1e9), r.m.max_seconds) << r.variant;
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
            EXPECT_LE(check_on_gpu(*executor, a, transpose, x.data())(y), 1) << name;
            auto values = y.to_host();
            values.back() += 1e-6;
            EXPECT_GT(check_on_gpu(*executor, a, transpose, x.data())(buffer<double>(*executor, values)), 1) << name;
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
            auto const what = problem_of<double>(*executor, name, {a}, transpose, 5);
            cusparse_inputs<double> inputs(*executor, a);
            auto const& [x, y, check] = what.sets.front();
            for (auto const& variant : cusparse_variants(transpose)) {
                poison(*executor, y.data(), y.bytes());
                EXPECT_GT(check(y), 1);
                cusparse_product<double> product(handle, variant, inputs.operands(variant, what.sets.front()));
                product.prepare();
                product.run();
                EXPECT_LE(check(y), 1) << name << ' ' << variant.name;
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

/// A zero in the first place of the first row that is not full, where there is no entry.
csr<double> with_one_more(csr<double> c) {
    std::size_t row = 0;
    while (c.row_offsets[row + 1] - c.row_offsets[row] == c.column_count) ++row;
    std::int64_t k = c.row_offsets[row];
    std::int32_t column = 0;
    for (; k < c.row_offsets[row + 1] && c.column_indices[static_cast<std::size_t>(k)] == column; ++k) ++column;
    c.column_indices.insert(c.column_indices.begin() + k, column);
    c.values.insert(c.values.begin() + k, 0);
    for (std::size_t i = row + 1; i < c.row_offsets.size(); ++i) ++c.row_offsets[i];
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
            return gpu_addend<double>{name, borrow(m, offsets), hisparse<double>(*executor, m), transpose};
        };
        for (auto const& [transpose_a, transpose_b] : {std::pair{false, false}, {false, true}, {true, true}}) {
            if (transpose_a != transpose_b && a.row_count() != a.column_count()) continue;
            auto const check = large_sum_check(*executor, a, transpose_a, b, transpose_b);
            auto const right = reference::add<double>(1, to_csr(a), transpose_a, 1, to_csr(b), transpose_b).c;
            EXPECT_EQ(check.entry_count, right.entry_count()) << name;
            sum_on_gpu<double> const what{addend(a, offsets_a, transpose_a), addend(b, offsets_b, transpose_b)};
            auto all = sum_entrants(*executor, *clock, library, {what}, check);
            auto const of_right = all.size();
            auto const add = [&](std::unique_ptr<gpu_sum<double>> sum) {
                std::vector<std::unique_ptr<gpu_sum<double>>> of_set;
                of_set.push_back(std::move(sum));
                all.push_back(std::make_unique<sum_entrant<double>>(*clock, describe(what, "copse", "pretended", 0),
                                                                    std::move(of_set), check));
            };
            auto off = right;
            off.values[off.values.size() / 2] += 1e-6;
            for (auto const& c :
                 {std::optional(without_last(right)), std::optional(with_one_more(right)), std::optional(off)})
                add(std::make_unique<pretended_sum>(*executor, c));
            auto no_memory = std::make_unique<pretended_sum>(*executor, std::nullopt);
            auto const& forgets = *no_memory;
            add(std::move(no_memory));
            add(std::make_unique<idle_sum>(*executor, right));
            race(all);
            for (std::size_t i = 0; i < all.size(); ++i) {
                auto const& r = all[i]->record;
                EXPECT_EQ(r.has_times(), i < of_right)
                    << name << ' ' << r.variant << ' ' << i << ": " << r.failure << ", error " << r.m.max_error;
                EXPECT_EQ(r.m.repeats, i < of_right ? 3 : 0) << i;
            }
            auto const& shares = all[of_right]->record.m;  // what is shared is neither read nor written
            EXPECT_EQ(shares.moved_bytes, shares.bytes + shares.plus->result_bytes - 10);
            EXPECT_EQ(all[of_right + 3]->record.failure, "out of memory");
            EXPECT_GT(forgets.times_forgotten, 0);
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
