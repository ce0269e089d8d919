// --trace, and the page that `copse trace` makes, in a browser where there is one.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/trace_file.hpp"

namespace copse_test {
namespace {

using nlohmann::json;
using trace_test = command_test;

/// Events of a category, by process: how many, and the sum of a number of their "args".
std::int64_t sum_of(json const& trace, std::string const& category, std::string const& number) {
    std::int64_t sum = 0;
    for (auto const& event : trace["traceEvents"])
        if (event.value("cat", "") == category) sum += number.empty() ? 1 : event["args"][number].get<std::int64_t>();
    return sum;
}

/// A trace with one run: two batches of 7 items by two blocks of a launch.
std::string const small_trace = R"({"displayTimeUnit":"ns","traceEvents":[
{"pid":1,"ph":"M","name":"process_name","args":{"name":"run 1"}},
{"pid":1,"ph":"X","cat":"block","name":"b","tid":1,"ts":1.000,"dur":8.000,"args":{"queue":0,"launch":0,"block":0}},
{"pid":1,"ph":"X","cat":"block","name":"b","tid":2,"ts":1.500,"dur":8.000,"args":{"queue":0,"launch":0,"block":1}},
{"pid":1,"ph":"X","cat":"batch","name":"t","tid":1,"ts":2.000,"dur":5.000,
 "args":{"queue":0,"items":3,"launch":0,"block":0}},
{"pid":1,"ph":"X","cat":"batch","name":"t","tid":2,"ts":2.500,"dur":5.001,
 "args":{"queue":0,"items":4,"launch":0,"block":1}},
{"pid":1,"ph":"X","cat":"wait","name":"wait","tid":2,"ts":8.000,"dur":1.000,"args":{"launch":0,"block":1}},
{"pid":1,"ph":"i","s":"p","cat":"launch","name":"l","tid":0,"ts":0.500,
 "args":{"launch":0,"blocks":2,"queue":0,"by":"host"}},
{"pid":1,"ph":"C","cat":"fill","name":"f","tid":0,"ts":2.000,"queue":0,"args":{"items":55}},
{"pid":1,"ph":"M","name":"thread_name","tid":1,"args":{"name":"SM 3, place 0"}},
{"pid":1,"ph":"M","name":"thread_name","tid":2,"args":{"name":"SM 4, place 0"}}
],"otherData":{"copse_trace":1,"runs":[
{"pid":1,"executor":"gpu N","controller":"device","clock":"%globaltimer","clock_step_nanoseconds":32,
"begin_nanoseconds":0,"nanoseconds":10000,"dropped_records":12,"dropped_samples":0,"queues":["task </script><b>"]}]}}
)";

std::string browser() {
    for (auto const* name : {"chromium-headless-shell", "chromium", "google-chrome"})
        for (auto const* folder : {"/usr/bin/", "/usr/local/bin/"})
            if (std::filesystem::exists(std::string(folder) + name)) return std::string(folder) + name;
    return "";
}

TEST_F(trace_test, of_a_product_has_its_items) {
    auto const o = run({"spmv", "poisson3d:24", "--on", "cpu", "--threads", "2", "--repeat", "1", "--trace", "a.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    auto const trace = json::parse(read("a.json"));
    EXPECT_EQ(trace["otherData"]["copse_trace"], 1);
    ASSERT_EQ(trace["otherData"]["runs"].size(), 1u);
    EXPECT_EQ(trace["otherData"]["runs"][0]["executor"], "cpu");
    EXPECT_GT(sum_of(trace, "batch", "items"), 0);
    EXPECT_EQ(sum_of(trace, "block", ""), 2);
    for (auto const& event : trace["traceEvents"]) {
        EXPECT_TRUE(event.contains("pid") && event.contains("ph") && event.contains("name")) << event;
        if (event["ph"] == "X") {
            EXPECT_TRUE(event["ts"].is_number() && event["dur"].is_number()) << event;
        }
    }
}

/// The same items under each controller, and blocks as launched.
TEST_F(trace_test, of_an_emulated_sum_has_its_launches) {
    std::int64_t items = 0;
    for (auto const* controller : {"persistent", "host", "device"}) {
        auto const o = run({"add", "poisson2d:9", "poisson2d:9", "--transpose-b", "--on", "emulated", "--controller",
                            controller, "--trace", "a.json"});
        EXPECT_EQ(o.status, 0) << o.err;
        auto const trace = json::parse(read("a.json"));
        EXPECT_EQ(trace["otherData"]["runs"][0]["controller"], controller);
        EXPECT_EQ(sum_of(trace, "launch", "blocks"), sum_of(trace, "block", ""));
        auto const here = sum_of(trace, "batch", "items");
        EXPECT_GT(here, 0);
        if (items != 0) {
            EXPECT_EQ(here, items) << controller;
        }
        items = here;
    }
}

TEST_F(trace_test, of_a_conversion) {
    auto const o = run({"convert", "poisson2d:9", "--format", "hisparse", "--on", "emulated", "--trace", "a.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_GT(sum_of(json::parse(read("a.json")), "batch", "items"), 0);
}

TEST_F(trace_test, is_refused_where_it_cannot_be) {
    expect_error(run({"spmv", "poisson2d:9", "--on", "cpu", "--format", "csr", "--trace", "a.json"}),
                 "nothing to trace");
    expect_error(run({"spmv", "poisson2d:9", "--trace", "no/such/a.json"}), "cannot write 'no/such/a.json'");
    expect_error(run({"spmv", "poisson2d:9", "--trace", "y.mtx", "-o", "y.mtx"}), "name the same file");
    EXPECT_EQ(files(), std::vector<std::string>());
}

TEST_F(trace_test, becomes_a_page) {
    write("a.json", small_trace);
    auto const o = run({"trace", "a.json", "-o", "a.html"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out, "a.html: 1 run, 2 batches, 12 records dropped; open it in a browser\n");
    auto const page = read("a.html");
    for (auto const* part : {"batches:[[1,0,2000,5000,3,0,0],[2,0,2500,5001,4,0,1]]", "launches:[[0,500,2,0,\"host\"]]",
                             "fills:[[0,2000,55]]", "waits:[[2,8000,1000]]", "clock:\"%globaltimer\",step:32",
                             "lanes:[[1,\"SM 3, place 0\"],[2,\"SM 4, place 0\"]]", "blocks:[[1,1000,8000,0,0,0]"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    // A name cannot end the script, and nothing is loaded from elsewhere.
    EXPECT_EQ(page.find("task </script>"), std::string::npos);
    for (auto const* part : {"http:", "https:", "src=", "import ", "<link"})
        EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST_F(trace_test, page_refuses_what_is_no_trace) {
    expect_error(run({"trace", "none.json", "-o", "a.html"}), "cannot read 'none.json'");
    write("empty.json", "");
    expect_error(run({"trace", "empty.json", "-o", "a.html"}), "it is empty");
    write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
    expect_error(run({"trace", "a.mtx", "-o", "a.html"}), "a.mtx: this is not a whole trace; copse spmv");
    write("other.json", R"({"traceEvents":[{"pid":1,"ph":"X","name":"x","ts":1,"dur":1}]})");
    expect_error(run({"trace", "other.json", "-o", "a.html"}), "not a trace that copse has written");
    write("cut.json", small_trace.substr(0, small_trace.size() / 2));
    expect_error(run({"trace", "cut.json", "-o", "a.html"}), "not a whole trace");
    write("fields.json",
          R"({"traceEvents":[{"pid":1,"ph":"X","cat":"batch","args":{}}],"otherData":{"copse_trace":1}})");
    expect_error(run({"trace", "fields.json", "-o", "a.html"}), "not a whole trace");
    write("a.json", small_trace);
    expect_error(run({"trace", "a.json", "-o", "a.json"}), "it is the input");
    expect_error(run({"trace", "a.json"}), "--output is required");
    EXPECT_FALSE(exists("a.html"));
}

/// What a browser shows once the page's script has run.
TEST_F(trace_test, page_shows_its_figures_in_a_browser) {
    if (browser().empty()) GTEST_SKIP() << "no browser: apt install chromium-headless-shell";
    write("a.json", small_trace);
    ASSERT_EQ(run({"trace", "a.json", "-o", "a.html"}).status, 0);
    auto const page = "file://" + (folder_ / "work" / "a.html").string();
    auto const o = run_program(
        browser(), {"--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom", page});
    if (o.status != 0) GTEST_SKIP() << "the browser does not start: " << o.err;
    for (auto const* part :
         {"data-ready=\"true\"", "data-bars=\"5\"",  // of two blocks, a wait, two batches
          "2 batches, at most 2 blocks at work at once, at most 2 there", "%globaltimer, whose step is 32 ns",
          "12 records and 0 samples were dropped",
          "task &lt;/script&gt;&lt;b&gt;</td><td>7</td><td>2</td><td>10.00 us</td><td>100.0 %</td><td>5.00 us</td>"
          "<td>1.43 us</td><td>55</td>",
          "<td>500 ns</td><td>2</td><td>2</td><td>2</td><td>2</td><td>7</td><td>1.00 us</td><td>9.50 us</td>"})
        EXPECT_NE(o.out.find(part), std::string::npos) << "'" << part << "' is not in: " << o.out;
}

}  // namespace
}  // namespace copse_test
