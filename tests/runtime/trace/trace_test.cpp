#include <algorithm>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <copse/runtime/trace.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <runtime/counting_task.hpp>
#include <runtime/message_of.hpp>
#include <runtime/trace/trace_suite.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace copse::tests {

INSTANTIATE_TYPED_TEST_SUITE_P(executors, traced, all_executors, executor_names);

namespace {

TEST(trace, is_off_and_takes_no_memory_unless_it_is_asked_for) {
    EXPECT_EQ(run_options().traced(), nullptr);
    auto const tasks = detail::facts_of<counting_task>();
    auto const plain = detail::lay_out(nullptr, run_options(), tasks);
    trace to({.records = 1000, .samples = 10}), more_records({.records = 2000, .samples = 10}),
        more_samples({.records = 1000, .samples = 1010});
    auto const traced_by = [&](trace& by) { return detail::lay_out(nullptr, run_options().traced_by(by), tasks); };
    auto const with_trace = traced_by(to);
    buffer<std::byte> memory(host_memory(), static_cast<std::int64_t>(with_trace.bytes));
    auto const trace_in = [&](run_options const& options) {
        return detail::lay_out(memory.data(), options, tasks).trace;
    };
    EXPECT_EQ(trace_in(run_options()), nullptr);
    EXPECT_NE(trace_in(run_options().traced_by(to)), nullptr);
    EXPECT_EQ(plain.zero_bytes, with_trace.zero_bytes);
    EXPECT_GE(with_trace.bytes, plain.bytes + 1010 * sizeof(trace_record));
    EXPECT_GE(traced_by(more_records).bytes, with_trace.bytes + 1000 * sizeof(trace_record));
    EXPECT_GE(traced_by(more_samples).bytes, with_trace.bytes + 1000 * sizeof(trace_record));
    cpu executor(2);
    EXPECT_TRUE(works(executor));
    EXPECT_TRUE(to.runs().empty());
}

TEST(trace, leaves_an_emulated_run_as_it_was) {
    for (auto const which : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.seed = 5, .controller = which});
        run_two_queues(executor, run_options());
        auto const without = last_trace(executor);
        trace to;
        run_two_queues(executor, run_options().traced_by(to));
        EXPECT_EQ(last_trace(executor), without);
        EXPECT_EQ(to.runs().at(0).clock, "points");
        EXPECT_EQ(to.runs().at(0).clock_step % 1000, 0);  // a point is a microsecond
    }
}

TEST(trace, is_that_of_the_thread_where_the_options_name_none) {
    cpu executor(1);
    trace outer, inner, named;
    {
        tracing const outside(outer);
        EXPECT_EQ(tracing::of_this_thread(), &outer);
        {
            tracing const inside(inner);
            run_two_queues(executor, run_options());
            run_two_queues(executor, run_options().traced_by(named));
            std::jthread const other([] { EXPECT_EQ(tracing::of_this_thread(), nullptr); });
        }
        EXPECT_EQ(tracing::of_this_thread(), &outer);
    }
    EXPECT_EQ(tracing::of_this_thread(), nullptr);
    EXPECT_TRUE(outer.runs().empty());
    EXPECT_EQ(inner.runs().size(), 1u);
    EXPECT_EQ(named.runs().size(), 1u);
    named.clear();
    EXPECT_TRUE(named.runs().empty());
}

struct throwing_task {
    using item = std::int64_t;
    static constexpr int width = 1;
    template <class Worker>
    void operator()(item i, Worker&) const {
        if (i == 30) throw std::runtime_error("thirty");
    }
};

TEST(trace, has_a_run_whose_task_function_throws) {
    trace to;
    cpu on_cpu(2);
    emulated on_emulated;
    auto const options = run_options().traced_by(to);
    EXPECT_THROW(run(on_cpu, options, seed_range<throwing_task>(0, 100), throwing_task{}), std::runtime_error);
    EXPECT_THROW(run(on_emulated, options, seed_range<throwing_task>(0, 100), throwing_task{}), std::runtime_error);
    ASSERT_EQ(to.runs().size(), 2u);
    for (auto const& r : to.runs()) {
        EXPECT_FALSE(r.records.empty());
        expect_within_the_run(r);
    }
}

TEST(trace, says_how_a_run_went) {
    trace to;
    cpu executor(2);
    run_two_queues(executor, run_options().traced_by(to));
    auto const run = to.runs().at(0);
    EXPECT_EQ(run.executor, "cpu");
    EXPECT_EQ(run.controller, "");
    EXPECT_EQ(run.clock, "steady_clock");
    EXPECT_GT(run.nanoseconds, 0);
    for (auto const& r : run.records) EXPECT_LT(r.place, 2);
}

TEST(trace, refuses_numbers_out_of_range) {
    std::int64_t constexpr most = std::int64_t{1} << 31;
    EXPECT_THROW(trace({.records = -1}), argument_error);
    EXPECT_THROW(trace({.records = most + 1}), argument_error);
    EXPECT_THROW(trace({.samples = -1}), argument_error);
    EXPECT_THROW(trace({.samples = most + 1}), argument_error);
    EXPECT_NO_THROW(trace({.records = most, .samples = 0, .sample_nanoseconds = 0}));
    EXPECT_THROW(trace({.sample_nanoseconds = -1}), argument_error);
}

std::string written(trace const& to) {
    auto const folder = std::filesystem::temp_directory_path();
    auto const path = (folder / ("copse_trace_test_" + std::to_string(::getpid()) + ".json")).string();
    to.write(path);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    return text.str();
}

/// A thread with a batch, then on one multiprocessor of a GPU two blocks at once and a third when the first has ended.
/// The second run begins 3 us after the first.
TEST(trace, is_written_as_worked_by_hand) {
    trace to;
    traced_run one{"cpu", "", "steady_clock", 1, 5000, 4000};
    one.queues = {"walk"};
    one.records = {
        {0, 4000, 0, trace_kind::block}, {1000, 2500, 3, trace_kind::batch, 0}, {2500, 2500, 7, trace_kind::fill, 0}};
    traced_run other{"gpu", "device", "%globaltimer", 1, 8000, 90};
    other.queues = {"walk"};
    other.records = {{0, 50, 0, trace_kind::block, 0, 0, 0, 6},
                     {10, 90, 0, trace_kind::block, 0, 0, 1, 6},
                     {50, 60, 0, trace_kind::block, 0, 0, 2, 6}};
    to.add(one);
    to.add(other);
    auto const text = written(to);
    auto const expect = [&](char const* part) {
        EXPECT_NE(text.find(part), text.npos) << part << " is not in\n" << text;
    };
    expect(R"({"pid":1,"ph":"X","cat":"block","name":"thread 0","tid":1,"ts":0.000,"dur":4.000,)"
           R"("args":{"queue":-1,"launch":0,"block":0}})");
    expect(R"({"pid":1,"ph":"X","cat":"batch","name":"walk","tid":1,"ts":1.000,"dur":1.500,)"
           R"("args":{"queue":0,"items":3,"launch":0,"block":0}})");
    expect(R"({"pid":1,"ph":"C","cat":"fill","name":"waiting in walk","tid":0,"ts":2.500,"queue":0,)"
           R"("args":{"items":7}})");
    expect(R"({"pid":1,"ph":"C","cat":"at work","name":"threads at work","tid":0,"ts":1.000,"args":{"threads":1}})");
    expect(R"({"pid":1,"ph":"C","cat":"at work","name":"threads at work","tid":0,"ts":2.500,"args":{"threads":0}})");
    expect(R"("name":"block 1 of launch 0, walk","tid":2,"ts":3.010,"dur":0.080,)");
    expect(R"("name":"block 2 of launch 0, walk","tid":1,"ts":3.050,"dur":0.010,)");
    expect(R"("cat":"there","name":"blocks there","tid":0,"ts":3.010,"args":{"blocks":2}})");
    expect(R"("cat":"there","name":"blocks there","tid":0,"ts":3.050,"args":{"blocks":2}})");
    expect(R"("cat":"there","name":"blocks there","tid":0,"ts":3.060,"args":{"blocks":1}})");
    expect(R"("name":"thread_name","tid":2,"args":{"name":"SM 6, place 1"}})");
    expect(R"({"pid":2,"executor":"gpu","controller":"device","clock":"%globaltimer",)"
           R"("clock_step_nanoseconds":1,"begin_nanoseconds":3000,"nanoseconds":90,)"
           R"("dropped_records":0,"dropped_samples":0,"queues":["walk"]})");
    EXPECT_EQ(text.find("SM 6, place 2"), text.npos);
}

TEST(trace, is_written_to_a_file_or_says_why_not) {
    trace to;
    cpu executor(2);
    run_two_queues(executor, run_options().traced_by(to));
    auto const text = written(to);
    for (auto const* part :
         {R"("traceEvents")", R"("copse_trace":1)", R"("ph":"X","cat":"batch")", R"("ph":"X","cat":"block")",
          R"("ph":"C","cat":"fill","name":"waiting in )", R"("ph":"C","cat":"at work","name":"threads at work")",
          R"("ph":"C","cat":"there","name":"threads there")", R"("ph":"M","name":"process_name")",
          R"("ph":"M","name":"thread_name","tid":1,"args":{"name":"thread )"})
        EXPECT_NE(text.find(part), text.npos) << part;
    auto const missing = (std::filesystem::temp_directory_path() / "no such folder" / "a.json").string();
    EXPECT_NE(message_of<argument_error>([&] { to.write(missing); }).find(missing), std::string::npos);
}

}  // namespace
}  // namespace copse::tests
