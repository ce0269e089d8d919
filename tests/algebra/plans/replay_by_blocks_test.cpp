// Replaying with the warps of a block for each part: what one warp gives, as long as sums are exact; else one order.
#include <gtest/gtest.h>

#include <algebra/plans/planned_matrices.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace copse::tests {
namespace {

constexpr detail::replay_choices by_blocks{.by_blocks = true};

/// Lists of `most` entries at most in 64 blocks side by side, three of them below one another: 192 items of a part.
coo<double> many_lists(int most) {
    return with_whole_numbers(matrix_where(190, 64 * 64, [&](auto i, auto j) {
        auto const block = i / 64 * 64 + j / 64;
        return (i % 64 * 64 + j % 64) * 29 % 4096 < (block % 16 == 0 ? most : most - block % 4);
    }));
}

/// With the shape that they have, and as blocks want it.
std::vector<planned_matrix> matrices_for_blocks() {
    std::vector<planned_matrix> all = planned_matrices();
    if (takes_all_cases)
        for (int const most : {4, 40}) all.push_back({"many lists", many_lists(most)});
    detail::plan_shape by_streams = detail::replay_shape;
    by_streams.most_in_streamed_leaf = 1 << 20;
    all.push_back({"by streams alone", with_whole_numbers(leaves_of_many_sizes()), {.node_dimension = 64}, by_streams});
    all.push_back(
        {"dense leaves in one part", with_whole_numbers(matrix_where(128, 64, [](auto, auto) { return true; }))});
    for (std::size_t k = 0, count = all.size(); k < count; ++k) {
        planned_matrix of_blocks = all[k];
        if (of_blocks.shape.most_entries != detail::replay_shape.most_entries) continue;
        of_blocks.name += ", for blocks";
        of_blocks.shape = detail::block_shape;
        of_blocks.shape.most_in_streamed_leaf = all[k].shape.most_in_streamed_leaf;
        all.push_back(of_blocks);
    }
    return all;
}

/// Notes that an element is done, and halves it.
template <class V>
struct count_and_halve {
    int* calls;
    V operator()(std::int64_t i, V& y_i) const {
        ++calls[i];
        V const before = y_i;
        y_i /= 2;
        return before;
    }
};

template <class V>
struct block_result {
    std::vector<V> y;
    std::vector<int> calls;
    V sum;
    bool operator==(block_result const&) const = default;
};

/// Of x whose elements are whole numbers over `divisor`.
template <class V, class T>
block_result<V> replayed_by(emulated& lanes, spmv_plan<T> const& plan, V beta, int divisor,
                            detail::replay_choices const& choices) {
    auto const m = static_cast<std::size_t>(plan.row_count());
    std::vector<V> x(static_cast<std::size_t>(plan.column_count()));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<V>(static_cast<int>(i * 7919 % 5) - 2) / static_cast<V>(divisor);
    block_result<V> r{std::vector<V>(m, beta == V(0) ? std::numeric_limits<V>::quiet_NaN() : V(3)), std::vector<int>(m),
                      V(0)};
    r.y.resize(m + 300, V(7));  // what is behind y stays
    if (is_watched(plan.row_count(), plan.column_count())) lanes.check_races("y", r.y);
    r.sum = detail::replay_on_emulated<T, V>(lanes, V(2), plan, x, beta,
                                             vector_view<V>(r.y.data(), plan.row_count(), memory_space::host),
                                             count_and_halve<V>{r.calls.data()}, choices);
    return r;
}

template <class T, class V>
void check_by_blocks(planned_matrix const& c, std::uint64_t seed, bool transpose) {
    SCOPED_TRACE(c.name + (transpose ? ", transposed" : ""));
    emulated lanes({.mode = emulation::explore, .seed = seed});
    spmv_plan<T> const plan = c.plan<T>(lanes, transpose, T(seed % 2 == 0 ? 1 : -2));
    V const beta = V(seed % 3);
    EXPECT_EQ(replayed_by<V>(lanes, plan, beta, 1, by_blocks), replayed_by<V>(lanes, plan, beta, 1, {}));
}

TEST(replay_by_blocks, gives_what_warps_give) {
    std::uint64_t turn = 0;
    for (planned_matrix const& c : matrices_for_blocks()) {
        bool const transpose = turn % 2 == 1;
        if (turn % 3 == 0)
            check_by_blocks<double, double>(c, turn, transpose);
        else if (turn % 3 == 1)
            check_by_blocks<float, float>(c, turn, transpose);
        else
            check_by_blocks<float, double>(c, turn, transpose);
        ++turn;
    }
}

/// Sums that are not exact: the same bits in each order of lanes, and with the other choices made otherwise. Warps have
/// another order.
TEST(replay_by_blocks, adds_in_one_order) {
    int others = 0;
    std::uint64_t seed = 1;
    for (planned_matrix const& c : matrices_for_blocks()) {
        if (++seed % 2 == 0) continue;
        SCOPED_TRACE(c.name);
        emulated lanes({.mode = emulation::explore, .seed = seed}),
            again({.mode = emulation::explore, .seed = seed + 50});
        spmv_plan<double> const plan = c.plan<double>(lanes);
        auto const result = replayed_by<double>(lanes, plan, 0.0, 7, by_blocks);
        EXPECT_EQ(
            replayed_by<double>(again, plan, 0.0, 7, {.fetch_ahead = false, .keep_twins = false, .by_blocks = true}),
            result);
        auto const by_warps = replayed_by<double>(lanes, plan, 0.0, 7, {});
        others += by_warps != result;
        for (std::size_t i = 0; i < result.calls.size(); ++i) ASSERT_NEAR(result.y[i], by_warps.y[i], 1e-9) << i;
    }
    EXPECT_GE(others, takes_all_cases ? 1 : 0);  // a few of the cases may have one order in both
}

/// A plan for blocks, replayed by them.
struct by_plan_for_blocks {
    template <class T>
    void operator()(emulated& lanes, T alpha, hisparse<T> const& a, buffer<T> const& x, T beta,
                    buffer<T> const& y) const {
        detail::replay_on_emulated<T, T>(lanes, alpha, detail::plan_in_shape(lanes, a, detail::block_shape), x, beta, y,
                                         detail::no_epilogue(), by_blocks);
    }
};

/// Values of mixed magnitude, and NaN and Inf where no entry may see them.
TEST(replay_by_blocks, is_held_to_the_bound) {
    emulated lanes;
    bool transposed = false;
    for (battery_case const& c : small_battery()) {
        transposed = !transposed;
        check_product<double, by_plan_for_blocks>(lanes, c, {transposed, 2, 0.5, 1, 64},
                                                  special_values::nan_and_infinity_in_x);
    }
}

}  // namespace
}  // namespace copse::tests
