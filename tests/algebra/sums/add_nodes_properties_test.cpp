// Properties of the nodes of random sums: they are those of a conversion, and their bytes are counted.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algebra/sums/random_sums.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/either_type.hpp>

namespace copse::tests {
namespace {

/// A value for each entry, as nodes of sums and edits have it.
hisparse_options options_of(int node_dimension) {
    return {.node_dimension = node_dimension, .values = stored_values::each};
}

/// Bytes of its nodes, and of those of its conversion.
template <class T>
bool is_hardly_larger_than_its_conversion(hisparse<T> const& a) {
    check_tree(a);
    hisparse<T> const anew(host_memory(), to_coo(a), options_of(a.node_dimension()));
    return !testing::Test::HasFailure() && 10 * reachable_bytes(a) <= 11 * reachable_bytes(anew);
}

template <class T, class Executor>
void check_nodes_of_sum(Executor& executor) {
    int const d = *rc::gen::element(64, 128);
    hisparse<T> const a(host_memory(), random_leaves<T>(d), options_of(d));
    hisparse<T> const b(host_memory(), random_leaves<T>(d), options_of(d));
    bool const transpose = *rc::gen::arbitrary<bool>();
    auto const square = [](hisparse<T> const& m) {  // which may be added to its transpose
        coo<T> entries = to_coo(m);
        entries.row_count = entries.column_count = 9000;
        return hisparse<T>(host_memory(), entries, options_of(m.node_dimension()));
    };
    hisparse<T> const of_a = square(a), of_b = transpose ? square(b).transposed() : square(b);
    hisparse<T> const sum = checked_sum(executor, 1, of_a, *rc::gen::element(T(1), T(2)), of_b);
    hisparse<T> const anew(host_memory(), to_coo(sum), options_of(d));
    RC_ASSERT(sum.census().visits == anew.census().visits);
    RC_ASSERT(sum.census().entries == anew.census().entries);
    RC_ASSERT(reachable_bytes(sum) == reachable_bytes(anew));
    RC_ASSERT(sum.content()->reachable_bytes == reachable_bytes(anew));
}

RC_GTEST_PROP(add_nodes_properties, sums_have_the_nodes_of_their_conversion, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        check_nodes_of_sum<T>(executor);
    });
}

RC_GTEST_PROP(add_nodes_properties, sums_have_the_nodes_of_their_conversion_in_lanes, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        emulated executor(
            {.seed = *rc::gen::arbitrary<std::uint64_t>(),
             .controller = *rc::gen::element(controller::persistent, controller::device, controller::host)});
        check_nodes_of_sum<T>(executor);
    });
}

/// Some entries erased, each one of so many; others set beside those that are left.
template <class T>
hisparse<T> randomly_edited(hisparse<T> const& a) {
    coo<T> const entries = to_coo(a);
    edits<T> changes;
    auto const one_of = *rc::gen::element<std::size_t>(1, 2, 5, 100), turn = *rc::gen::inRange<std::size_t>(0, 100);
    bool const erases = *rc::gen::arbitrary<bool>();
    for (std::size_t k = turn % one_of; k < entries.values.size(); k += one_of)
        if (erases)
            changes.erase(entries.rows[k], entries.columns[k]);
        else
            changes.set(entries.rows[k] / 64 * 64 + static_cast<int>((k + turn) % 64) % 40, entries.columns[k], T(3));
    if (*rc::gen::arbitrary<bool>()) changes.set(static_cast<std::int64_t>(turn) * 40, 2000, T(5));
    return edit(a, changes);
}

template <class T, class Executor>
void check_bytes_of_edited_and_summed(Executor& executor) {
    int const d = *rc::gen::element(64, 128);
    hisparse<T> a(host_memory(), random_leaves<T>(d), options_of(d));
    int const rounds = *rc::gen::inRange(1, 6);
    for (int round = 0; round < rounds; ++round) {
        if (*rc::gen::arbitrary<bool>())
            a = randomly_edited(a);
        else
            a = add(executor, *rc::gen::element(T(1), T(2)), a, 1,
                    hisparse<T>(host_memory(), random_leaves<T>(d), options_of(d)));
        RC_ASSERT(is_hardly_larger_than_its_conversion(a));
    }
}

RC_GTEST_PROP(add_nodes_properties, sums_and_edits_take_at_most_a_tenth_more_than_conversions, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        check_bytes_of_edited_and_summed<T>(executor);
    });
}

RC_GTEST_PROP(add_nodes_properties, sums_in_lanes_and_edits_take_at_most_a_tenth_more_than_conversions, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        emulated executor({.seed = *rc::gen::arbitrary<std::uint64_t>()});
        check_bytes_of_edited_and_summed<T>(executor);
    });
}

/// Nodes of converted matrices have one parent each: what a sum keeps of them is counted exactly.
RC_GTEST_PROP(add_nodes_properties, the_bytes_of_a_sum_are_counted, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        shape const s = random_shape();
        int const d = random_dimension();
        hisparse<T> const a(host_memory(), with_small_values<T>(random_entries(s)), options_of(d));
        hisparse<T> const b(host_memory(), with_small_values<T>(random_entries(s)), options_of(d));
        hisparse<T> sum = add(executor, 1, a, *rc::gen::element(T(1), T(2)), b);
        RC_ASSERT(sum.content()->reachable_bytes == reachable_bytes(sum));
        sum = add(executor, 1, sum, 1,
                  hisparse<T>(host_memory(), with_small_values<T>(random_entries(s)), options_of(d)));
        RC_ASSERT(sum.content()->reachable_bytes == reachable_bytes(sum));
    });
}

}  // namespace
}  // namespace copse::tests
