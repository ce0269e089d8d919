// What the emulated executor counts of accesses, against kernels counted by hand.
#include <gtest/gtest.h>

#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

/// A task whose function is Rule's.
template <class Rule, int Width = 32>
struct counted_task {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = Width < 32 ? 16 : 4096;
    static constexpr int bulk_copies = 1;
    static constexpr char const* name = "measured";
    double* x;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        Rule::act(w, i, x);
    }
};

/// The lines of a run of `items` items on 32 * 32 * `items` doubles.
template <class Rule, int Width = 32>
access_profile profile_of(std::int64_t items, emulated_options options = {}) {
    options.profile = true;
    emulated gpu(options);
    buffer<double> x(gpu, std::vector<double>(static_cast<std::size_t>(32 * 32 * items), 1.0));
    using task = counted_task<Rule, Width>;
    run(gpu, seed_range<task>(0, items), task{x.data()});
    return gpu.profile();
}
template <class Rule>
access_line line_of(std::int64_t items, emulated_options const& options = {}) {
    auto const profile = profile_of<Rule>(items, options);
    EXPECT_EQ(profile.lines.size(), 1u);
    return profile.lines.empty() ? access_line{} : profile.lines[0];
}

struct hand_counts {
    std::int64_t requests, lane_accesses, bytes, sectors, least_sectors, passes, least_passes;
};
void expect_counts(access_line const& is, hand_counts const& should) {
    EXPECT_EQ(is.requests, should.requests);
    EXPECT_EQ(is.lane_accesses, should.lane_accesses);
    EXPECT_EQ(is.bytes, should.bytes);
    EXPECT_EQ(is.sectors, should.sectors);
    EXPECT_EQ(is.least_sectors, should.least_sectors);
    EXPECT_EQ(is.passes, should.passes);
    EXPECT_EQ(is.least_passes, should.least_passes);
}

struct loads_side_by_side {
    static constexpr int line = __LINE__ + 3;
    template <class Worker>
    static void act(Worker& w, std::int64_t i, double* x) {
        w.load(x + 32 * i + w.rank());
    }
};
/// 32 doubles are 256 bytes, 8 sectors.
TEST(access_profile, coalesced_loads) {
    access_line const line = line_of<loads_side_by_side>(5);
    expect_counts(line, {5, 160, 1280, 40, 40, 0, 0});
    EXPECT_EQ(line.task, "measured");
    EXPECT_EQ(line.kind, access_kind::load);
    EXPECT_EQ(line.line, loads_side_by_side::line);
    EXPECT_EQ(line.file, __FILE__);
    EXPECT_EQ(line.idle_lanes(), 0);
}

struct loads_with_a_stride {
    template <class Worker>
    static void act(Worker& w, std::int64_t i, double* x) {
        w.load(x + i + 32 * w.rank());
    }
};
/// Each lane touches a sector of its own.
TEST(access_profile, loads_with_a_stride_of_32_elements) {
    expect_counts(line_of<loads_with_a_stride>(4), {4, 128, 1024, 128, 32, 0, 0});
}

struct loads_beside_a_sector {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        w.load(x + 1 + w.rank());
    }
};
struct loads_one_address {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        w.load_stream(x);
    }
};
struct loads_vectors {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        w.template load_vector<2>(x + 2 * w.rank());
    }
};
struct stores_vectors {
    template <class Worker>
    static void act(Worker& w, std::int64_t i, double* x) {
        w.store_vector(x + 64 * i + 2 * w.rank(), std::array{1.0, 2.0});
    }
};
TEST(access_profile, loads_of_other_shapes) {
    expect_counts(line_of<loads_beside_a_sector>(1), {1, 32, 256, 9, 8, 0, 0});
    expect_counts(line_of<loads_one_address>(1), {1, 32, 256, 1, 1, 0, 0});
    expect_counts(line_of<loads_vectors>(1), {1, 32, 512, 16, 16, 0, 0});
    access_line const stores = line_of<stores_vectors>(2);
    expect_counts(stores, {2, 64, 1024, 32, 32, 0, 0});
    EXPECT_EQ(stores.kind, access_kind::store);
}

struct adds_to_one_address {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        w.add(x, 1.0);
    }
};
struct adds_to_four_addresses {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        w.add(x + w.rank() % 4, 1.0);
    }
};
struct adds_side_by_side {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        w.add(x + w.rank(), 1.0);
    }
};
/// One addition after another for each lane that wants the same address.
TEST(access_profile, atomic_additions) {
    access_line const one = line_of<adds_to_one_address>(3);
    expect_counts(one, {3, 96, 768, 3, 3, 96, 3});
    EXPECT_EQ(one.kind, access_kind::atomic);
    expect_counts(line_of<adds_to_four_addresses>(1), {1, 32, 256, 1, 1, 8, 1});
    expect_counts(line_of<adds_side_by_side>(1), {1, 32, 256, 8, 8, 1, 1});
}

template <class T, int Stride>
struct reads_scratch {
    static constexpr int line = __LINE__ + 4;
    template <class Worker>
    static void act(Worker& w, std::int64_t, double*) {
        auto const s = w.template scratch<T>(static_cast<int>(4096 / sizeof(T)));
        s[Stride * w.rank()] = T(1);
    }
};
/// 32 banks of 4 bytes; elements of 8 bytes go by 16 lanes at a time.
TEST(access_profile, bank_conflicts_by_stride) {
    access_line const line = line_of<reads_scratch<float, 1>>(2);
    expect_counts(line, {2, 64, 256, 0, 0, 2, 2});
    EXPECT_EQ(line.kind, access_kind::scratch);
    EXPECT_EQ(line.line, (reads_scratch<float, 1>::line));
    expect_counts(line_of<reads_scratch<float, 2>>(1), {1, 32, 128, 0, 0, 2, 1});
    expect_counts(line_of<reads_scratch<float, 32>>(1), {1, 32, 128, 0, 0, 32, 1});
    expect_counts(line_of<reads_scratch<float, 33>>(1), {1, 32, 128, 0, 0, 1, 1});
    expect_counts(line_of<reads_scratch<float, 0>>(1), {1, 32, 128, 0, 0, 1, 1});
    expect_counts(line_of<reads_scratch<double, 1>>(1), {1, 32, 256, 0, 0, 2, 2});
    expect_counts(line_of<reads_scratch<double, 2>>(1), {1, 32, 256, 0, 0, 4, 2});
    expect_counts(line_of<reads_scratch<double, 16>>(1), {1, 32, 256, 0, 0, 32, 2});
}

struct loads_in_a_few_lanes {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        if (w.rank() < 8) w.load(x + w.rank());
    }
};
struct loads_more_in_later_lanes {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        for (int k = 0; k <= w.rank(); ++k) w.load(x + 32 * k + w.rank());
    }
};
TEST(access_profile, idle_lanes) {
    access_line const few = line_of<loads_in_a_few_lanes>(1);
    expect_counts(few, {1, 8, 64, 2, 2, 0, 0});
    EXPECT_EQ(few.idle_lanes(), 24);
    // The n-th load of each lane: 32, 31, .. 1 lanes, the last ones of a row of 32 doubles.
    access_line const later = line_of<loads_more_in_later_lanes>(1);
    EXPECT_EQ(later.requests, 32);
    EXPECT_EQ(later.lane_accesses, 32 * 33 / 2);
    EXPECT_EQ(later.sectors, 4 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8));
}

/// Lanes take one of two ways before a sync: what comes behind it is in step again.
struct parts_and_meets {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        for (int round = 0; round < 2; ++round) {
            if (w.rank() % 2 == round) w.load_stream(x + w.rank());
            w.sync();
            w.load(x + w.rank());
            w.sync();
        }
    }
};
TEST(access_profile, lanes_are_in_step_behind_a_collective) {
    auto const profile = profile_of<parts_and_meets>(1);
    ASSERT_EQ(profile.lines.size(), 2u);
    expect_counts(profile.lines[0], {2, 32, 256, 16, 8, 0, 0});  // by halves: 16 lanes of every sector
    expect_counts(profile.lines[1], {2, 64, 512, 16, 16, 0, 0});
}

TEST(access_profile, is_the_same_for_every_order_of_lanes) {
    for (auto const controller : {controller::persistent, controller::device, controller::host})
        for (std::uint64_t const seed : {0, 1, 2, 3}) {
            emulated_options const options{.seed = seed, .controller = controller};
            expect_counts(line_of<loads_side_by_side>(50, options), {50, 1600, 12800, 400, 400, 0, 0});
            expect_counts(line_of<adds_to_one_address>(50, options), {50, 1600, 12800, 50, 50, 1600, 50});
        }
}

TEST(access_profile, of_workers_of_other_widths) {
    auto const wide = profile_of<loads_side_by_side, 128>(1).lines[0];
    expect_counts(wide, {4, 128, 1024, 32, 32, 0, 0});
    // Four workers are a warp, as far as there are items for all of them at once.
    auto const narrow = profile_of<loads_side_by_side, 8>(16).lines[0];
    EXPECT_EQ(narrow.lane_accesses, 128);
    EXPECT_GE(narrow.requests, 4);
    EXPECT_LE(narrow.requests, 16);
    EXPECT_EQ(narrow.sectors, 32);
}

struct copies_to_scratch {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        auto const s = w.template scratch<double>(128);
        w.copy_stream(reinterpret_cast<std::byte*>(s.data()), reinterpret_cast<std::byte const*>(x), 1024);
        w.sync();
        w.fetch_stream(x, 64);  // only announces
    }
};
struct copies_in_bulk {
    template <class Worker>
    static void act(Worker& w, std::int64_t i, double* x) {
        auto const s = w.template scratch<double>(128);
        w.copy_bulk(0, reinterpret_cast<std::byte*>(s.data()), reinterpret_cast<std::byte const*>(x + 2 * i), 1024);
        w.wait_bulk(0);
    }
};
struct has_a_tile {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        auto sums = w.tile(x, 64);
        sums.add(w.rank(), 1.0);
        sums.close();
    }
};
TEST(access_profile, of_copies_and_tiles) {
    expect_counts(line_of<copies_to_scratch>(1), {2, 64, 1024, 32, 32, 0, 0});
    expect_counts(line_of<copies_in_bulk>(2), {2, 2, 2048, 65, 64, 0, 0});  // the second begins within a sector
    std::int64_t added_bytes = 0;
    for (access_line const& line : profile_of<has_a_tile>(1).lines)
        if (line.kind == access_kind::atomic) added_bytes += line.bytes;
    EXPECT_EQ(added_bytes, 64 * 8);  // half of the elements have something: all are added in bulk
}

TEST(access_profile, sums_by_task_and_text) {
    auto const profile = profile_of<parts_and_meets>(1);
    auto const totals = profile.totals();
    ASSERT_EQ(totals.size(), 1u);
    EXPECT_EQ(totals[0].task, "measured");
    EXPECT_EQ(totals[0].bytes, 768);
    EXPECT_EQ(totals[0].moved_bytes, 32 * 32);
    std::string const text = to_text(profile);
    EXPECT_EQ(text.rfind("uncalibrated", 0), 0u);
    EXPECT_FALSE(access_profile::is_calibrated);
    EXPECT_NE(text.find("emulated/access_profile_test.cpp:"), text.npos) << text;
    EXPECT_NE(text.find("50.0 %"), text.npos) << text;
}

struct fails_after_a_load {
    template <class Worker>
    static void act(Worker& w, std::int64_t, double* x) {
        w.load(x + w.rank());
        w.sync();
        w.fail(3);
    }
};
TEST(access_profile, adds_up_over_runs_until_it_is_cleared) {
    emulated gpu({.profile = true});
    buffer<double> x(gpu, std::vector<double>(1024));
    using task = counted_task<loads_side_by_side>;
    run(gpu, seed<task>(0), task{x.data()});
    run(gpu, seed<task>(0), task{x.data()});
    EXPECT_EQ(gpu.profile().lines[0].requests, 2);
    gpu.clear_profile();
    EXPECT_TRUE(gpu.profile().lines.empty());
    using failing = counted_task<fails_after_a_load>;
    EXPECT_THROW(run(gpu, seed<failing>(0), failing{x.data()}), task_error);
    EXPECT_EQ(gpu.profile().lines[0].lane_accesses, 32);
}

TEST(access_profile, is_off_unless_it_is_asked_for) {
    emulated gpu;
    buffer<double> x(gpu, std::vector<double>(1024));
    using task = counted_task<loads_side_by_side>;
    run(gpu, seed<task>(0), task{x.data()});
    EXPECT_TRUE(gpu.profile().lines.empty());
    EXPECT_EQ(message_of<argument_error>([] { emulated({.mode = emulation::stress, .profile = true}); }),
              "emulated: profile is for explore mode; in stress mode lanes are threads, which are not in step");
}

}  // namespace
}  // namespace copse::tests
