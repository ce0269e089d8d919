// Matrices whose plans for lanes have parts of every kind, for products that read a plan in both directions.
#pragma once

#include <algebra/plans/plan_matrices.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstddef>
#include <optional>
#include <some_cases.hpp>
#include <string>
#include <vector>

namespace copse::tests {

/// Values are whole and small, so that sums are exact in any order.
struct planned_matrix {
    std::string name;
    coo<double> entries;
    hisparse_options options{.node_dimension = 64};
    detail::plan_shape shape = detail::replay_shape;

    template <class T>
    spmv_plan<T> plan(emulated& lanes, bool transpose = false, T scale = 1) const {
        cpu host(1);
        hisparse<T> const a = scaled(hisparse<T>(host, with_values_of<T>(entries), options), scale);
        return detail::plan_in_shape(lanes, transpose ? transposed(a) : a, shape);
    }
};

/// Whether vectors are watched for races: all of them is compared whenever another lane goes on.
inline bool is_watched(std::int64_t m, std::int64_t n) {
    return m > 0 && n > 0 && m + n <= 400;
}

inline coo<double> with_whole_numbers(coo<double> a) {
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<double>(k * 5 % 13) - 6;
    return a;
}

inline std::vector<planned_matrix> planned_matrices() {
    auto const of_one_value = [](coo<double> a) {
        for (double& value : a.values) value = 3;
        return a;
    };
    auto const with = [](int d, std::optional<stored_values> values, bool twins) {
        return hisparse_options{.node_dimension = d, .values = values, .share_transposed = twins};
    };
    detail::plan_shape small_parts = detail::replay_shape, streams = detail::replay_shape;
    small_parts.join_entries = 100;
    small_parts.most_entries = 130;
    small_parts.most_in_item = 50;
    streams.most_in_streamed_leaf = 32;
    coo<double> const wide_twins = scattered(9000, 9000, 3000, 5),
                      square = matrix_where(190, 190, [](auto i, auto j) {
                          return j == i + 100 || j == i + 3 || (i < 50 && j > 150) || (i * 5 + j) % 31 == 0;
                      });
    std::vector<planned_matrix> all{
        {"shared rows", with_whole_numbers(mixed_matrix())},
        {"runs, a dense leaf, lists", with_whole_numbers(mixed_block())},
        {"the same in nodes of 256", with_whole_numbers(mixed_block()), with(256, {}, false)},
        {"lists of many sizes", with_whole_numbers(leaves_of_many_sizes())},
        {"in small parts", with_whole_numbers(leaves_of_many_sizes()), with(64, {}, false), small_parts},
        {"by streams", with_whole_numbers(leaves_of_many_sizes()), with(64, {}, false), streams},
        {"wide lists of many sizes", with_whole_numbers(wide_leaves_of_many_sizes())},
        {"dense, shared rows", with_whole_numbers(matrix_where(120, 290, [](auto, auto) { return true; }))},
        {"a wide list", with_whole_numbers(scattered(200, 190, 150, 7))},
        {"one value", of_one_value(mixed_block()), with(64, stored_values::once, false)},
        {"one value, wide", of_one_value(wide_leaves_of_many_sizes()), with(64, stored_values::once, false)},
        {"twins", symmetric(square), shared_by(64)},
        {"negative twins", symmetric(square, -1), shared_by(64)},
        {"wide twins", symmetric(wide_twins), shared_by(64)},
        {"negative wide twins", symmetric(wide_twins, -1), shared_by(64)}};
    for (battery_case const& c : small_battery()) all.push_back({c.name, with_whole_numbers(c.matrix)});
    return some_of(all);
}

}  // namespace copse::tests
