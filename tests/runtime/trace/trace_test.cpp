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
    std::int64_t sum = 0;
    counting_task const task{&sum};
    EXPECT_EQ(run_options().traced(), nullptr);
    auto const plain = detail::lay_out<cpu_machine>(nullptr, run_options(), task);
    trace to({.records = 1000, .samples = 10});
    auto const with_trace = detail::lay_out<cpu_machine>(nullptr, run_options().traced_by(to), task);
    EXPECT_EQ(plain.zero_bytes, with_trace.zero_bytes);
    EXPECT_GE(with_trace.bytes, plain.bytes + 1010 * sizeof(trace_record));
    EXPECT_EQ(detail::lay_out<cpu_machine>(nullptr, run_options(), task).bytes, plain.bytes);
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
    EXPECT_THROW(trace({.records = -1}), argument_error);
    EXPECT_THROW(trace({.samples = (std::int64_t{1} << 31) + 1}), argument_error);
    EXPECT_THROW(trace({.sample_nanoseconds = -1}), argument_error);
}

TEST(trace, is_written_to_a_file_or_says_why_not) {
    trace to;
    cpu executor(2);
    run_two_queues(executor, run_options().traced_by(to));
    auto const folder = std::filesystem::temp_directory_path();
    auto const path = (folder / ("copse_trace_test_" + std::to_string(::getpid()) + ".json")).string();
    to.write(path);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    for (auto const* part : {"\"traceEvents\"", "\"copse_trace\":1", "\"ph\":\"X\"", "\"ph\":\"C\"", "\"ph\":\"M\""})
        EXPECT_NE(text.str().find(part), std::string::npos) << part;
    auto const missing = (folder / "no such folder" / "a.json").string();
    EXPECT_NE(message_of<argument_error>([&] { to.write(missing); }).find(missing), std::string::npos);
}

}  // namespace
}  // namespace copse::tests
