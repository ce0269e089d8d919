// Plans in formats that are found by a trial, or named.
#include <gtest/gtest.h>

#include <algebra/products.hpp>
#include <copse/algebra/tuned_plan.hpp>
#include <copse/algebra/tuning/format_plan.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

cpu& two_threads() {
    static cpu executor(2);
    return executor;
}

/// alpha op(A) x + beta y lies within the bound of the arithmetic.
template <class Executor>
void expect_right(Executor& executor, tuned_plan<double> const& op_a, csr<double> const& a, bool transposed,
                  double scale) {
    std::vector<double> x(static_cast<std::size_t>(op_a.column_count())), y(static_cast<std::size_t>(op_a.row_count()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::cos(static_cast<double>(i));
    auto expected = y;
    reference::spmv<double>(1.5 * scale, a, transposed, x, -0.5, expected);
    auto const bound = reference::spmv_error_bound<double>(1.5 * scale, a, transposed, x, -0.5, y);
    spmv(executor, 1.5, op_a, x, -0.5, y);
    EXPECT_LE(reference::max_error<double>(y, expected, bound), 1);
}

TEST(tuned_plan, multiplies_in_every_format) {
    emulated lanes;
    for (char const* const name : {"rmat:7,6", "lp:40,300", "circuit:500"}) {
        auto const a = to_csr(generate<double>(name));
        for (auto const of_a : matrix_format_names)
            for (auto const of_transpose : {of_a, std::string_view("cmrs")}) {
                format_verdict const verdict(*matrix_format_named(of_a), *matrix_format_named(of_transpose));
                SCOPED_TRACE(name + (" " + verdict.text()));
                tuned_plan<double> const plan(two_threads(), a, verdict), in_lanes(lanes, a, verdict);
                expect_right(two_threads(), plan, a, false, 1);
                expect_right(two_threads(), transposed(plan), a, true, 1);
                expect_right(two_threads(), transposed(scaled(transposed(plan), 3.0)), a, false, 3);
                expect_right(two_threads(), scaled(transposed(plan), 3.0), a, true, 3);
                expect_right(lanes, in_lanes, a, false, 1);
                expect_right(lanes, transposed(in_lanes), a, true, 1);
                EXPECT_EQ(transposed(plan).verdict().text(),
                          format_verdict(*verdict.transposed, verdict.stored).text());
            }
    }
}

TEST(tuned_plan, keeps_what_it_multiplies_with) {
    auto a = to_csr(generate<double>("poisson2d:20"));
    auto const rows = a;
    tuned_plan<double> const plan(two_threads(), a, format_verdict("A: csr5, A^T: cmrs"));
    a = {};
    expect_right(two_threads(), plan, rows, false, 1);
    EXPECT_EQ(plan.row_count(), 400);
    EXPECT_GT(plan.bytes(), 2 * 12 * rows.entry_count());
    EXPECT_GT(plan.bytes(), tuned_plan<double>(two_threads(), rows, format_verdict("A: csr5")).bytes());
}

TEST(tuned_plan, long_rows_are_trimmed) {
    // 200 rows of one entry, one of 200.
    csr<double> a(201, 300);
    for (std::int32_t i = 0; i < 200; ++i) {
        a.column_indices.push_back(i);
        a.row_offsets.push_back(i + 1);
    }
    for (std::int32_t j = 0; j < 200; ++j) a.column_indices.push_back(j + 50);
    a.row_offsets.push_back(400);
    a.values.assign(400, 2);
    auto const [even, longer] = detail::parted(a, detail::longest_even_row(count_rows(a)));
    EXPECT_EQ(even.entry_count(), 200);
    EXPECT_EQ(longer.entry_count(), 200);
    EXPECT_EQ(even.row_count, 201);
    EXPECT_EQ(longer.row_offsets[200], 0);
    EXPECT_TRUE(is_worth_a_trial(profile_of(a), matrix_format::sellp_trimmed));
    EXPECT_FALSE(is_worth_a_trial(transposed(profile_of(a)), matrix_format::sellp_trimmed));
    tuned_plan<double> const plan(two_threads(), a, format_verdict("A: sellp-trimmed"));
    expect_right(two_threads(), plan, a, false, 1);
}

TEST(tuned_plan, the_part_of_a_trial_is_eight_stretches_of_rows) {
    auto const a = to_csr(generate<double>("banded:1000,2"));
    auto const part = detail::part_of_rows(a, 400);
    EXPECT_GE(part.entry_count(), 400);
    EXPECT_LE(part.entry_count(), 440);
    EXPECT_EQ(part.column_count, 1000);
    EXPECT_EQ(part.row_offsets.back(), part.entry_count());
    check(part);
    EXPECT_EQ(part.column_indices[0], 0);
    EXPECT_GT(part.column_indices.back(), 800);
    // More than there are: all.
    EXPECT_EQ(detail::part_of_rows(a, 1 << 20).column_indices, a.column_indices);
}

TEST(tune, takes_the_fastest_of_its_trials) {
    auto const a = to_csr(generate<double>("rmat:9,8"));
    auto const rule = suitable_format(profile_of(a), {}).format;
    for (std::int64_t const cache : {0, 40'000}) {  // the second: by a part of the rows
        auto const verdict = tune(two_threads(), a, {.products = 1'000'000, .cache_bytes = cache});
        ASSERT_TRUE(verdict.transposed);
        for (bool const of_transpose : {false, true}) {
            double of_rule = 0, of_verdict = 0, least = 1;
            int count = 0;
            for (auto const& trial : verdict.trials) {
                if (trial.transposed != of_transpose) continue;
                ++count;
                least = std::min(least, trial.seconds);
                if (trial.format == (of_transpose ? *verdict.transposed : verdict.stored)) of_verdict = trial.seconds;
                if (trial.format == rule) of_rule = trial.seconds;
            }
            EXPECT_GE(count, 5);
            EXPECT_TRUE(of_verdict == least || (of_verdict == of_rule && of_rule <= 1.04 * least));
        }
    }
}

TEST(tune, stays_with_the_rule_where_nothing_is_tried) {
    auto const a = to_csr(generate<double>("banded:900,2"));
    emulated lanes;
    auto const in_lanes = tune(lanes, a);
    EXPECT_EQ(in_lanes.stored, suitable_format(profile_of(a), {.many_lanes = true}).format);
    EXPECT_TRUE(in_lanes.trials.empty());
    auto const few = tune(two_threads(), a, {.products = 19, .transposed = false});
    EXPECT_EQ(few.stored, matrix_format::sellp);
    EXPECT_FALSE(few.transposed);
    EXPECT_TRUE(few.trials.empty());
    EXPECT_TRUE(tune(two_threads(), csr<double>(5, 0, {0, 0, 0, 0, 0, 0})).trials.empty());
}

TEST(tune, one_product_may_be_asked_for) {
    auto const a = to_csr(generate<float>("rmat:8,4"));
    auto const verdict = tune(two_threads(), a, {.products = 1'000'000'000, .stored = false});
    for (auto const& trial : verdict.trials) EXPECT_TRUE(trial.transposed);
    EXPECT_FALSE(verdict.trials.empty());
}

TEST(tune, bad_options_are_named) {
    auto const of = [](tune_options options) {
        return message_of<argument_error>([&] { tune(two_threads(), csr<double>(), options); });
    };
    EXPECT_EQ(of({.products = -1}), "tune: products must be 0 or more, not -1");
    EXPECT_EQ(of({.cache_bytes = -2}), "tune: cache_bytes must be 0 or more, not -2");
    EXPECT_EQ(of({.stored = false, .transposed = false}),
              "tune: neither A x nor A^T x is asked for; set stored, transposed or both");
    csr<double> const bad(1, 1, {0, 1}, {7}, {1});
    EXPECT_NE(message_of<shape_error>([&] { tune(two_threads(), bad); }).find("tune: "), std::string::npos);
}

TEST(format_verdict, text_is_given_back) {
    for (char const* const text : {"A: hisparse", "A: sellp-trimmed, A^T: csr5"})
        EXPECT_EQ(format_verdict(text).text(), text);
    EXPECT_FALSE(format_verdict("A: csr").transposed);
    auto const of = [](char const* text) { return message_of<argument_error>([&] { format_verdict{text}; }); };
    EXPECT_EQ(of("csr5"),
              "format_verdict: 'csr5' does not begin with 'A: '; a verdict reads 'A: csr5, A^T: cmrs', or "
              "'A: csr5'");
    EXPECT_EQ(of("A: ell, A^T: csr"),
              "format_verdict: 'ell' in 'A: ell, A^T: csr' is no format; there are hisparse, csr, csr5, sellp, cmrs, "
              "sellp-sorted, sellp-trimmed");
    EXPECT_NE(of("A: csr, A^T: "), "");
}

}  // namespace
}  // namespace copse::tests
