// What every executor's worker must do, for every width: collectives against sequential results, scratch memory, tiles,
// atomic additions, loads, pushes from divergent code. Registered like scheduler_suite.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/run_options.hpp>
#include <runtime/executors.hpp>
#include <runtime/scheduler/atomic_checks.hpp>
#include <runtime/scheduler/tile_checks.hpp>
#include <runtime/scheduler/worker_tasks.hpp>
#include <vector>

namespace copse::tests {

/// What lane `rank` of `size` must get for item i, one lane after another.
inline lane_record expected_record(std::int64_t i, int rank, int size) {
    lane_record r{.size = size,
                  .rank = rank,
                  .sum = 0,
                  .largest = 0,
                  .composed = affine_of(i, 0),
                  .from_other_lane = value_of(i, (rank * 5 + 3) % size),
                  .from_lane_zero = value_of(i, 0),
                  .even = 0,
                  .same = 0,
                  .any = false,
                  .warp_size = std::min(size, 32),
                  .warp_rank = rank % 32,
                  .warp_even = 0,
                  .warp_same = 0,
                  .warp_shuffled = value_of(i, rank / 32 * 32 + (rank % 32 * 3 + 1) % std::min(size, 32)),
                  .warp_any = false};
    for (int lane = 0; lane < size; ++lane) {
        r.sum += value_of(i, lane);
        r.largest = larger_value()(r.largest, static_cast<double>(value_of(i, lane)) / 4);
        if (lane > 0 && lane <= rank) r.composed = then(r.composed, affine_of(i, lane));
        r.any = r.any || value_of(i, lane) % 40 == 0;
        if (lane / 32 != rank / 32) continue;
        if (value_of(i, lane) % 2 == 0) r.warp_even |= 1u << lane % 32;
        if (value_of(i, lane) % 3 == value_of(i, rank) % 3) r.warp_same |= 1u << lane % 32;
        r.warp_any = r.warp_any || value_of(i, lane) % 40 == 0;
    }
    return r;
}

template <int Width, class Executor>
void check_collectives(Executor& executor) {
    std::int64_t constexpr items = item_count<Width>;
    buffer<lane_record> const records(executor, std::vector<lane_record>(items * Width));
    run(executor, seed<collectives<Width>>(items_below(items)), collectives<Width>{records.data()});
    std::vector<lane_record> const got = records.to_host();
    int constexpr size = lanes_on<Executor>(Width);
    for (std::int64_t i = 0; i < items; ++i)
        for (int lane = 0; lane < size; ++lane) {
            lane_record const& r = got[static_cast<std::size_t>(i * Width + lane)];
            lane_record e = expected_record(i, lane, size);
            if constexpr (Width <= 32) {
                e.even = e.warp_even;
                e.same = e.warp_same;
            }
            EXPECT_EQ(r.size, e.size);
            EXPECT_EQ(r.rank, e.rank);
            EXPECT_EQ(r.sum, e.sum);
            EXPECT_EQ(r.largest, e.largest);
            EXPECT_EQ(r.composed, e.composed) << "width " << Width << ", lane " << lane;
            EXPECT_EQ(r.from_other_lane, e.from_other_lane);
            EXPECT_EQ(r.from_lane_zero, e.from_lane_zero);
            EXPECT_EQ(r.any, e.any) << "width " << Width << ", item " << i;
            EXPECT_EQ(r.even, e.even) << "width " << Width << ", lane " << lane;
            EXPECT_EQ(r.same, e.same) << "width " << Width << ", lane " << lane;
            EXPECT_EQ(r.warp_size, e.warp_size);
            EXPECT_EQ(r.warp_rank, e.warp_rank);
            EXPECT_EQ(r.warp_even, e.warp_even) << "width " << Width << ", lane " << lane;
            EXPECT_EQ(r.warp_same, e.warp_same) << "width " << Width << ", lane " << lane;
            EXPECT_EQ(r.warp_shuffled, e.warp_shuffled) << "width " << Width << ", lane " << lane;
            EXPECT_EQ(r.warp_any, e.warp_any) << "width " << Width << ", lane " << lane;
        }
}

template <int Width, class Executor>
void check_scratch(Executor& executor) {
    std::int64_t constexpr items = item_count<Width>;
    int constexpr rounds = 3;
    buffer<std::int64_t> const out(executor, std::vector<std::int64_t>(items * Width, -1));
    run(executor, seed<pass_round<Width>>(items_below(items)), pass_round<Width>{out.data(), rounds});
    std::vector<std::int64_t> const got = out.to_host();
    int constexpr size = lanes_on<Executor>(Width);
    for (std::int64_t i = 0; i < items; ++i)
        for (int lane = 0; lane < size; ++lane)
            EXPECT_EQ(got[static_cast<std::size_t>(i * Width + lane)], value_of(i, (lane + rounds) % size) + rounds)
                << "width " << Width << ", item " << i << ", lane " << lane;
}

template <int Width, class Executor>
void check_add(Executor& executor) {
    std::int64_t constexpr items = 10;
    buffer<std::int32_t> const int32(executor, std::vector<std::int32_t>(1, 0));
    buffer<std::int64_t> const int64(executor, std::vector<std::int64_t>(3, 0));
    buffer<float> const float32(executor, std::vector<float>(1, 0));
    buffer<double> const float64(executor, std::vector<double>(5, 0));
    run(executor, seed<add_to_all<Width>>(items_below(items)),
        add_to_all<Width>{int32.data(), int64.data(), float32.data(), float64.data()});
    EXPECT_EQ(int32.to_host(), std::vector<std::int32_t>{640});
    EXPECT_EQ(int64.to_host(), (std::vector<std::int64_t>{64 * 18, 64 * 12, 64 * 15}));
    EXPECT_EQ(float32.to_host(), std::vector<float>{640});
    EXPECT_EQ(float64.to_host(), (std::vector<double>{65, 65, 65, 65, 60}));
}

template <int N, class T, class Executor>
void check_vector_loads(Executor& executor, buffer<T> const& from, std::vector<T> const& expected) {
    if constexpr (N * sizeof(T) <= 16) {
        buffer<T> const to(executor, std::vector<T>(96, T(0)));
        run(executor, seed<copy_by_vectors<T, N, 8>>(0), copy_by_vectors<T, N, 8>{from.data(), to.data(), 96});
        EXPECT_EQ(to.to_host(), expected) << N << " at once";
    }
}

template <class T, class Executor>
void check_loads(Executor& executor) {
    std::vector<T> numbers(96), expected(96);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<T>(i % 40);  // three times as much is a number of one byte
        expected[95 - i] = static_cast<T>(3 * (i % 40));
    }
    buffer<T> const from(executor, numbers);
    check_vector_loads<1>(executor, from, expected);
    check_vector_loads<2>(executor, from, expected);
    check_vector_loads<4>(executor, from, expected);
    check_vector_loads<16>(executor, from, expected);
}

template <int Width, class Executor>
void check_copies_to_scratch(Executor& executor) {
    using task = copy_through_scratch<Width>;
    std::vector<std::int64_t> numbers(task::count), expected(task::count);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<std::int64_t>(i + 1) << 40;
        expected[numbers.size() - 1 - i] = numbers[i];
    }
    buffer<std::int64_t> const from(executor, numbers), to(executor, std::vector<std::int64_t>(task::count, -1));
    run(executor, seed<task>(0), task{from.data(), to.data()});
    EXPECT_EQ(to.to_host(), expected);
}

template <int Width, class Executor>
void check_copies_in_bulk(Executor& executor) {
    using task = copy_in_pieces<Width>;
    std::int64_t constexpr items = 20;
    std::vector<std::int64_t> numbers(task::count), expected(items * task::count);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        std::size_t const k = i % task::count;
        numbers[k] = static_cast<std::int64_t>(k + 1) << 40;
        expected[i] = static_cast<std::int64_t>(task::count - k) << 40;
    }
    buffer<std::int64_t> const from(executor, numbers), to(executor, std::vector<std::int64_t>(expected.size(), -1));
    run(executor, seed<task>(items_below(items)), task{from.data(), to.data()});
    EXPECT_EQ(to.to_host(), expected);
}

template <int Width, class Executor>
void check_divergence(Executor& executor) {
    std::int64_t constexpr items = item_count<Width>;
    int constexpr size = lanes_on<Executor>(Width);
    buffer<std::int64_t> const visits(executor, std::vector<std::int64_t>(400 * items, 0));
    buffer<std::int64_t> const counters(executor, std::vector<std::int64_t>(items, (size + 1) / 2));
    run(executor, seed<diverge<Width>>(items_below(items)), diverge<Width>{visits.data(), counters.data()},
        arrive<1>{visits.data()}, arrive<32>{visits.data()});
    std::vector<std::int64_t> expected(400 * items, 0);
    for (std::int64_t i = 0; i < items; ++i) {
        for (int lane = 0; lane < size; ++lane)
            if (lane % 3 < 2) expected[static_cast<std::size_t>(400 * i + 3 * lane + lane % 3)] = 1;
        expected[static_cast<std::size_t>(400 * i + 399)] = 1;
    }
    EXPECT_EQ(visits.to_host(), expected) << "width " << Width;
}

template <int Width, class Executor>
void check_bins(Executor& executor) {
    std::int64_t constexpr items = item_count<Width>;
    buffer<std::int64_t> const visits(executor, std::vector<std::int64_t>(3 * 400 * items, 0));
    std::int64_t* const v = visits.data();
    run(executor, seed<sort_into_bins<Width>>(items_below(items)), sort_into_bins<Width>{}, arrive<1>{v},
        arrive<32>{v + 400 * items}, arrive<8>{v + 2 * 400 * items});
    std::vector<std::int64_t> expected(3 * 400 * items, 0);
    for (std::int64_t i = 0; i < items; ++i)
        for (int lane = 0; lane < lanes_on<Executor>(Width); ++lane)
            if (std::int64_t const bin = value_of(i, lane) % 4; bin < 3)
                expected[static_cast<std::size_t>(400 * (items * bin + i) + lane)] = 1;
    EXPECT_EQ(visits.to_host(), expected) << "width " << Width;
}

template <class Provider>
class worker : public suite_on<Provider> {};
TYPED_TEST_SUITE_P(worker);

TYPED_TEST_P(worker, reduces_scans_and_shuffles) {
    TypeParam::with_each(10, [](auto& executor) {
        check_collectives<1>(executor);
        check_collectives<2>(executor);
        check_collectives<4>(executor);
        check_collectives<8>(executor);
        check_collectives<16>(executor);
        check_collectives<32>(executor);
        check_collectives<64>(executor);
        check_collectives<128>(executor);
    });
}
TYPED_TEST_P(worker, shares_scratch_memory) {
    TypeParam::with_each(5, [](auto& executor) {
        check_scratch<1>(executor);
        check_scratch<2>(executor);
        check_scratch<16>(executor);
        check_scratch<32>(executor);
        check_scratch<128>(executor);
    });
}
TYPED_TEST_P(worker, sums_into_tiles) {
    TypeParam::with_each(10, [](auto& executor) {
        check_tile<double, 1, off_chip>(executor);
        check_tile<float, 4, on_chip<float>>(executor);
        check_tile<float, 32, off_chip>(executor);
        check_tile<double, 32, on_chip<double>>(executor);
        check_tile<double, 128, on_chip<double>>(executor);
    });
}
TYPED_TEST_P(worker, leaves_alone_what_its_tiles_do_not_touch) {
    TypeParam::with_each(10, [](auto& executor) {
        check_untouched<double, 1>(executor);
        check_untouched<float, 8>(executor);
        if (COPSE_THREAD_SANITIZER) return;  // which takes half a minute for what it has seen elsewhere
        check_untouched<double, 32>(executor);
        check_untouched<float, 32>(executor);
        check_untouched<double, 128>(executor);
        check_untouched<float, 128>(executor);
    });
}
TYPED_TEST_P(worker, adds_to_tiles_in_the_order_of_its_lanes) {
    TypeParam::with_each(10, [](auto& executor) {
        check_turns<1>(executor);
        check_turns<8>(executor);
        check_turns<32>(executor);
        check_turns<128>(executor);
    });
}
TYPED_TEST_P(worker, opens_several_tiles) {
    TypeParam::with_each(10, [](auto& executor) {
        check_tiles<double, 1, closed::first_to_last, false>(executor);
        check_tiles<float, 32, closed::first_to_last, true>(executor);
        check_tiles<double, 8, closed::last_to_first, true>(executor);
        check_tiles<std::int64_t, 64, closed::by_themselves, true>(executor);
        check_tiles<double, 4, closed::by_themselves, false>(executor);
        check_tiles<double, 32, closed::in_turns, true>(executor);
    });
}
TYPED_TEST_P(worker, takes_the_least_into_tiles) {
    TypeParam::with_each(10, [](auto& executor) {
        check_folding_tile<double, 32, true>(executor);
        check_folding_tile<float, 4, false>(executor);
        check_folding_tile<std::int32_t, 64, true>(executor);
        check_folding_tile<std::uint64_t, 8, true>(executor);
    });
}
TYPED_TEST_P(worker, adds) {
    TypeParam::with_each(10, [](auto& executor) {
        check_add<1>(executor);
        check_add<32>(executor);
    });
}
TYPED_TEST_P(worker, takes_the_least_and_the_most) {
    TypeParam::with_each(10, [](auto& executor) {
        check_fold<std::int32_t, 1>(executor);
        check_fold<std::uint32_t, 32>(executor);
        check_fold<std::int64_t, 4>(executor);
        check_fold<std::uint64_t, 1>(executor);
        check_fold<float, 32>(executor);
        check_fold<double, 1>(executor);
    });
}
TYPED_TEST_P(worker, exchanges_if_nothing_has_changed) {
    TypeParam::with_each(10, [](auto& executor) {
        check_exchange<std::int32_t, 1>(executor);
        check_exchange<std::int64_t, 8>(executor);
        check_exchange<float, 4>(executor);
        check_exchange<double, 32>(executor);
    });
}
TYPED_TEST_P(worker, shows_pushed_items_what_was_written_before) {
    TypeParam::with_each(10, [](auto& executor) {
        check_what_pushed_items_see<1>(executor);
        check_what_pushed_items_see<32>(executor);
        check_what_pushed_items_see<64>(executor);
    });
}
TYPED_TEST_P(worker, gets_items_of_all_sizes) {
    TypeParam::with_each(25, [](auto& executor) {
        check_item<1, 1, 1>(executor);
        check_item<3, 1, 32>(executor);
        check_item<6, 2, 4>(executor);
        check_item<33, 1, 2>(executor);
        check_item<40, 8, 1>(executor);
        check_item<64, 4, 1>(executor);
        check_item<64, 64, 8>(executor);
    });
}
TYPED_TEST_P(worker, loads) {
    TypeParam::with_each(20, [](auto& executor) {
        check_loads<std::uint8_t>(executor);
        check_loads<std::int32_t>(executor);
        check_loads<float>(executor);
        check_loads<double>(executor);
    });
}
TYPED_TEST_P(worker, copies_to_scratch) {
    TypeParam::with_each(10, [](auto& executor) {
        check_copies_to_scratch<8>(executor);
        check_copies_to_scratch<32>(executor);
        check_copies_to_scratch<128>(executor);
    });
}
TYPED_TEST_P(worker, copies_in_bulk) {
    TypeParam::with_each(10, [](auto& executor) {
        check_copies_in_bulk<1>(executor);
        check_copies_in_bulk<8>(executor);
        check_copies_in_bulk<32>(executor);
        check_copies_in_bulk<128>(executor);
    });
}
TYPED_TEST_P(worker, pushes_from_divergent_code) {
    TypeParam::with_each(4, [](auto& executor) {
        check_divergence<1>(executor);
        check_divergence<8>(executor);
        check_divergence<32>(executor);
        check_divergence<128>(executor);
    });
}
TYPED_TEST_P(worker, sorts_into_bins) {
    TypeParam::with_each(5, [](auto& executor) {
        check_bins<4>(executor);
        check_bins<64>(executor);
    });
}

REGISTER_TYPED_TEST_SUITE_P(worker, reduces_scans_and_shuffles, shares_scratch_memory, sums_into_tiles,
                            leaves_alone_what_its_tiles_do_not_touch, adds_to_tiles_in_the_order_of_its_lanes,
                            opens_several_tiles, takes_the_least_into_tiles, adds, takes_the_least_and_the_most,
                            exchanges_if_nothing_has_changed, shows_pushed_items_what_was_written_before,
                            gets_items_of_all_sizes, loads, copies_to_scratch, copies_in_bulk,
                            pushes_from_divergent_code, sorts_into_bins);

}  // namespace copse::tests
