// What a tool sees of copse's ranges, with recorder.cpp as the tool. A program of its own: NVTX looks for a tool once.
#include <copse/runtime/trace/nvtx.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/algebra/for_each_row.hpp>
#include <copse/algebra/map_entries.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdlib>
#include <runtime/nvtx/recorder.hpp>
#include <runtime/scheduler/scheduler_tasks.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

/// Before the first range of the process.
bool const has_tool = setenv("NVTX_INJECTION64_PATH", COPSE_NVTX_RECORDER, 1) == 0;

/// What the tool got since the last call: every push has its pop, on its thread.
std::vector<recorded_range> recorded() {
    (void)nvtx_range::is_seen();  // loads the tool, if nothing else has
    static void* const library = dlopen(COPSE_NVTX_RECORDER, RTLD_NOW);
    auto const take = library ? reinterpret_cast<take_recorded_function>(dlsym(library, take_recorded)) : nullptr;
    if (!take) throw error("there is no recorder");
    recorded_ranges const all = *take();
    EXPECT_EQ(all.pops_without_push, 0);
    for (recorded_range const& r : all.ranges) {
        EXPECT_TRUE(r.closed) << r.name;
        EXPECT_EQ(r.domain, "copse");
    }
    return all.ranges;
}

std::vector<recorded_range> of_name(std::vector<recorded_range> const& all, std::string const& name) {
    std::vector<recorded_range> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](auto const& r) { return r.name == name; });
    return found;
}

/// The one range of this name.
recorded_range only(std::vector<recorded_range> const& all, std::string const& name) {
    auto const found = of_name(all, name);
    EXPECT_EQ(found.size(), 1u) << name;
    return found.empty() ? recorded_range{} : found.front();
}

TEST(nvtx, ranges_have_names_categories_and_counts) {
    EXPECT_TRUE(has_tool);
    recorded();
    {
        nvtx_range const outer(nvtx_room::algebra, "outer", 17);
        nvtx_range const inner(nvtx_room::formats, "inner");
        std::jthread([] { nvtx_range const elsewhere(nvtx_room::runtime, "elsewhere", 0); }).join();
    }
    EXPECT_TRUE(nvtx_range::is_seen());
    auto const all = recorded();
    ASSERT_EQ(all.size(), 3u);
    auto const check = [&](std::size_t i, char const* name, char const* category, std::int64_t count, int depth) {
        EXPECT_EQ(all[i].name, name);
        EXPECT_EQ(all[i].category, category);
        EXPECT_EQ(all[i].count, count);
        EXPECT_EQ(all[i].depth, depth);
    };
    check(0, "outer", "algebra", 17, 0);
    check(1, "inner", "formats", -1, 1);
    check(2, "elsewhere", "runtime", 0, 0);
    EXPECT_NE(all[2].thread, all[0].thread);
}

TEST(nvtx, a_run_on_a_cpu_has_a_range_for_each_batch) {
    cpu executor(2);
    std::vector<count_t> visits(300, 0);
    recorded();
    auto const report = run(executor, seed<count_to_zero>(99) + seed_range<visit<1>>(100, 200),
                            count_to_zero{visits.data()}, visit<1>{visits.data()});
    auto const all = recorded();
    auto const whole = only(all, "copse run");
    EXPECT_EQ(whole.category, "runtime");
    EXPECT_EQ(whole.count, 201);
    auto const batches = of_name(all, "copse count to zero");
    EXPECT_EQ(static_cast<std::int64_t>(batches.size()), report.queues.at(0).batches);
    std::int64_t items = 0;
    for (recorded_range const& r : batches) items += r.count;
    EXPECT_EQ(items, 100);
    for (recorded_range const& r : all) EXPECT_EQ(r.category, "runtime");
    EXPECT_EQ(static_cast<std::int64_t>(all.size()), 1 + report.queues.at(0).batches + report.queues.at(1).batches);
}

TEST(nvtx, ranges_end_when_a_run_fails) {
    cpu executor(2);
    emulated lanes;
    std::vector<count_t> visits(100, 0);
    recorded();
    EXPECT_THROW(run(executor, seed<fail_on>(3), fail_on{visits.data(), 3}), task_error);
    EXPECT_THROW(run(lanes, seed<fail_on>(3), fail_on{visits.data(), 3}), task_error);
    EXPECT_EQ(of_name(recorded(), "copse run").size(), 2u);
}

TEST(nvtx, operations_have_ranges) {
    cpu executor(2);
    auto const rows = to_csr(generate<double>("uniform:300,5"));
    recorded();
    hisparse<double> const a(executor, rows);
    EXPECT_EQ(only(recorded(), "copse conversion to hisparse").category, "formats");
    auto const check = [&](char const* name, std::int64_t count) {
        auto const r = only(recorded(), name);
        EXPECT_EQ(r.category, "algebra");
        EXPECT_EQ(r.count, count);
        EXPECT_EQ(r.depth, 0);
    };
    std::vector<double> x(static_cast<std::size_t>(a.column_count()), 1), y(static_cast<std::size_t>(a.row_count()));
    spmv(executor, 1.0, a, x, 0.0, y);
    check("copse spmv", a.entry_count());
    (void)add(executor, 1.0, a, 2.0, a);
    check("copse add", 2 * a.entry_count());
    spmv_plan<double> const plan(executor, a);
    check("copse spmv plan", a.entry_count());
    spmv(executor, 1.0, plan, x, 0.0, y);
    check("copse replay", a.entry_count());
    (void)map_entries(executor, a, [](std::int64_t, std::int64_t, double v) { return v; });
    check("copse map entries", a.entry_count());
    (void)map_entry_pairs<pairs::both>(executor, a, a, [](std::int64_t, std::int64_t, double v, double) { return v; });
    check("copse map entry pairs", 2 * a.entry_count());
    double* const to = y.data();
    for_each_row(
        executor, plan, 0.0, [](std::int64_t, std::int64_t, double v) { return v; },
        [](double one, double other) { return one + other; }, [=](std::int64_t row, double sum) { to[row] = sum; });
    check("copse for each row", a.entry_count());
}

}  // namespace
}  // namespace copse::tests
