// Products of flat formats on the CPU's executors: a typed suite over makers (flat_makers.hpp).
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(csr5, flat_product, makes<csr5<double>>);     // of every format: CMakeLists.txt
#pragma once

#include <algebra/flat/flat_checks.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <vector>

namespace copse::tests {

/// Sanitizers take many times as long: with them one controller runs the other forms, because what a worker does with a
/// form does not depend on who launched it.
inline constexpr bool under_sanitizer = COPSE_ADDRESS_SANITIZER || COPSE_THREAD_SANITIZER;

template <class Make>
class flat_product : public testing::Test {
  protected:
    static std::vector<Make> all_forms() {
        std::vector<Make> forms = Make::main_forms(), others = Make::other_forms();
        forms.insert(forms.end(), others.begin(), others.end());
        return forms;
    }
};
TYPED_TEST_SUITE_P(flat_product);

TYPED_TEST_P(flat_product, on_cpu_agrees_with_the_reference) {
    cpu one(1), three(3);
    if (COPSE_THREAD_SANITIZER)  // one thread has nobody to race with
        check_flat_battery({&three}, TypeParam::main_forms(), whole_battery());
    else
        check_flat_battery({&one, &three}, TypeParam::main_forms(), whole_battery());
}

TYPED_TEST_P(flat_product, on_cpu_agrees_in_other_forms) {
    // With sanitizers large ones are for the defaults: seconds for each form.
    cpu one(1), three(3);
    check_flat_battery({&one, &three}, TypeParam::other_forms(),
                       under_sanitizer ? few_rows_battery() : small_battery());
}

TYPED_TEST_P(flat_product, explored_agrees_with_the_reference) {
    auto const explored = [](controller c) {
        return emulated({.mode = emulation::explore, .seed = 1, .controller = c});
    };
    emulated persistent = explored(controller::persistent), device = explored(controller::device),
             host = explored(controller::host);
    std::vector<battery_case> const cases = few_rows_battery();
    // Who starts the blocks changes nothing that a sanitizer looks at.
    for (auto const& forms : {TypeParam::main_forms(), TypeParam::other_forms()})
        if (under_sanitizer)
            check_flat_battery_briefly({&persistent}, forms, cases);
        else
            check_flat_battery_briefly({&persistent, &device, &host}, forms, cases);
}

TYPED_TEST_P(flat_product, stressed_agrees_with_the_reference) {
    battery_case const c{"crossing",
                         matrix_where(130, 200, [](auto i, auto j) { return i == 7 || (i > 64 && j < 9) || i == j; })};
    for (auto controller : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.mode = emulation::stress, .controller = controller});
        flat_candidates<double, emulated, TypeParam> main({&executor}, TypeParam::main_forms(), c);
        for (bool transposed : {false, true}) main.check({transposed, 2, 0.5}, main.both_ways);
        if (under_sanitizer && controller != controller::persistent) continue;
        flat_candidates<double, emulated, TypeParam> others({&executor}, TypeParam::other_forms(), c);
        for (bool transposed : {false, true}) others.check({transposed, 2, 0.5});
    }
}

TYPED_TEST_P(flat_product, factors_that_are_not_finite_meet_whole_sums) {
    cpu one(1), three(3);
    emulated explored({.seed = 3});
    check_all_flat_factors({&one, &three}, TypeParam::main_forms());
    if (!under_sanitizer) check_flat_factors_in_turn(one, TypeParam::other_forms());
    check_flat_factors_in_turn(three, TypeParam::other_forms());
    if (COPSE_THREAD_SANITIZER) return;  // one thread has nobody to race with
    check_flat_factors_in_turn(explored, TypeParam::main_forms());
}

TYPED_TEST_P(flat_product, gives_the_same_bits_every_time) {
    cpu executor(3);
    emulated explored({.seed = 5});
    battery_case const c = long_row(TypeParam::long_row);
    for (TypeParam const& make : this->all_forms()) check_same_bits(executor, make, c, 10);
    // The order of sums is the same with sanitizers, and without them it is checked in every form.
    for (TypeParam const& make : under_sanitizer ? TypeParam::main_forms() : this->all_forms())
        check_same_bits(explored, make, c, 2);
}

TYPED_TEST_P(flat_product, goes_there_and_back) {
    cpu executor(2);
    std::vector<battery_case> const whole = whole_battery(), few_rows = few_rows_battery();
    for (TypeParam const& make : TypeParam::main_forms()) check_flat_round_trip(executor, make, whole);
    for (TypeParam const& make : TypeParam::other_forms()) check_flat_round_trip(executor, make, few_rows);
}

/// Ranges in a few queues, which have no room for single items.
template <class Executor, class Make>
void check_is_ranges(Executor& executor, Make const& make, csr<double> const& a) {
    auto const matrix = make.template operator()<double>(executor, a);
    for (auto const& op : {matrix, transposed(matrix)}) {
        std::vector<double> const x(static_cast<std::size_t>(op.column_count()), 1);
        std::vector<double> y(static_cast<std::size_t>(op.row_count()));
        run_report const report = spmv(executor, 1, op, x, 0, y);
        std::int64_t items = 0;
        for (queue_report const& queue : report.queues) {
            EXPECT_EQ(queue.capacity, 0) << make.name() << ", " << queue.name;
            EXPECT_EQ(queue.peak_fill, 0) << make.name() << ", " << queue.name;
            items += queue.items;
        }
        EXPECT_LE(report.queues.size(), 4u) << make.name();
        EXPECT_GE(items, 8) << make.name();
    }
}

TYPED_TEST_P(flat_product, is_a_handful_of_queue_entries) {
    csr<double> const a = to_csr(scattered(2000, 2000, 60000, 2));
    cpu two(2);
    emulated grid;
    for (TypeParam const& make : this->all_forms()) check_is_ranges(two, make, a);
    for (TypeParam const& make : TypeParam::main_forms()) check_is_ranges(grid, make, a);
}

REGISTER_TYPED_TEST_SUITE_P(flat_product, on_cpu_agrees_with_the_reference, on_cpu_agrees_in_other_forms,
                            explored_agrees_with_the_reference, stressed_agrees_with_the_reference,
                            factors_that_are_not_finite_meet_whole_sums, gives_the_same_bits_every_time,
                            goes_there_and_back, is_a_handful_of_queue_entries);

}  // namespace copse::tests
