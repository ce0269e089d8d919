// First light: does the scheduler work at all on this GPU, answered in under two minutes on a machine with nothing but
// a driver. What GPU it is; for each controller one small tree, right or wrong, the time from one item to the next, and
// a queue that is too small.
//
//   first_light --list             the questions' names, each with the seconds that its answer may take
//   first_light --question NAME    one question. The stage of bench/gpu asks each in a process of its own under a time
//                                  limit, so that one that hangs or crashes hides none of the others
//
// Answers are JSON objects on standard output, one per line. Exits with 1 when a question got none or a wrong one.
#include <cmath>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu_run.cuh>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
namespace {

struct question {
    char const* name;
    int seconds;  // a process that has not answered by then is ended
    void (*ask)();
};

void print(nlohmann::ordered_json const& answer) {
    using json = nlohmann::ordered_json;
    std::printf("%s\n", answer.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    std::fflush(stdout);
}

/// Two decimals, as people read them.
double rounded(double number) {
    return std::round(100 * number) / 100;
}

using copse::controller;

char const* name_of(controller c) {
    return c == controller::device ? "device" : c == controller::host ? "host" : "persistent";
}

void ask_device() {
    copse::gpu gpu;
    auto const& p = gpu.properties();
    int driver = 0, runtime = 0;
    COPSE_CUDA_TRY(cudaDriverGetVersion(&driver));
    COPSE_CUDA_TRY(cudaRuntimeGetVersion(&runtime));
    auto const copy = copse::bench::gpu_clock(gpu).copy_gbytes_per_second(20);
    print({{"question", "device"},
           {"name", p.name},
           {"compute_capability",
            std::to_string(p.compute_capability / 10) + '.' + std::to_string(p.compute_capability % 10)},
           {"driver", driver},
           {"runtime", runtime},
           {"multiprocessors", p.multiprocessor_count},
           {"l2_bytes", p.l2_bytes},
           {"memory_bytes", p.memory_bytes},
           {"copy_gbytes_per_second", rounded(copy)}});
}

/// Item n pushes item n - 1: a chain of which nothing can run side by side.
struct hop {
    using item = std::int64_t;
    static constexpr int width = 32;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        if (n > 0 && w.rank() == 0) w.template push<hop>(n - 1);
    }
};

struct count_leaf {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::int64_t* leaves;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker& w) const {
        w.add(leaves, 1);
    }
};

/// A node of height h has eight children of height h - 1.
struct grow {
    using item = std::int64_t;
    static constexpr int width = 8;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item height, Worker& w) const {
        if (height > 1)
            w.template push<grow>(height - 1);
        else
            w.template push<count_leaf>(0);
    }
};

double chain_seconds(copse::gpu& gpu, std::int64_t length) {
    return copse::run(gpu, copse::seed<hop>(length), hop{}).seconds;
}

void ask_hop(controller c) {
    copse::gpu gpu({.controller = c, .stall_seconds = 3});
    chain_seconds(gpu, 10);
    std::int64_t const shorter = 100;
    std::int64_t const longer = 2100;
    double const seconds = chain_seconds(gpu, longer) - chain_seconds(gpu, shorter);
    print({{"question", "hop"},
           {"controller", name_of(c)},
           {"hops", longer - shorter},
           {"microseconds_per_hop", rounded(seconds / static_cast<double>(longer - shorter) * 1e6)}});
}

void ask_tree(controller c) {
    copse::gpu gpu({.controller = c, .stall_seconds = 3});
    std::int64_t const expected = 262144;  // 8^6
    for (int repeat = 0; repeat < 5; ++repeat) {
        copse::buffer<std::int64_t> leaves(gpu, std::vector<std::int64_t>{0});
        auto const report = copse::run(gpu, copse::seed<grow>(6), grow{}, count_leaf{leaves.data()});
        std::int64_t const counted = leaves.to_host()[0];
        print({{"question", "tree"},
               {"controller", name_of(c)},
               {"right", counted == expected},
               {"leaves", counted},
               {"expected", expected},
               {"launches", report.queues[0].launches + report.queues[1].launches},
               {"seconds", report.seconds}});
        if (counted != expected) throw std::runtime_error("the tree has another number of leaves");
    }
}

/// A queue that is too small: the run must end with queue_full, and the next run be right.
void ask_overflow(controller c) {
    copse::gpu gpu({.controller = c, .stall_seconds = 3});
    copse::buffer<std::int64_t> leaves(gpu, std::vector<std::int64_t>{0});
    auto const small = copse::run_options().capacity<count_leaf>(64, 64);
    bool thrown = false;
    try {
        copse::run(gpu, small, copse::seed<grow>(5), grow{}, count_leaf{leaves.data()});
    } catch (copse::queue_full const&) {
        thrown = true;
    }
    std::int64_t const before = leaves.to_host()[0];
    copse::run(gpu, copse::seed<grow>(4), grow{}, count_leaf{leaves.data()});
    bool const usable = leaves.to_host()[0] - before == 4096;
    print({{"question", "overflow"},
           {"controller", name_of(c)},
           {"thrown", thrown},
           {"usable_after", usable},
           {"right", usable}});
    if (!usable) throw std::runtime_error("the executor is not usable after a queue was full");
}

constexpr question questions[] = {
    {"device", 15, ask_device},
    {"tree-persistent", 8, [] { ask_tree(controller::persistent); }},
    {"tree-host", 8, [] { ask_tree(controller::host); }},
    {"tree-device", 8, [] { ask_tree(controller::device); }},
    {"hop-persistent", 8, [] { ask_hop(controller::persistent); }},
    {"hop-host", 8, [] { ask_hop(controller::host); }},
    {"hop-device", 8, [] { ask_hop(controller::device); }},
    {"overflow-persistent", 8, [] { ask_overflow(controller::persistent); }},
    {"overflow-host", 8, [] { ask_overflow(controller::host); }},
    {"overflow-device", 8, [] { ask_overflow(controller::device); }},
};

}  // namespace

int main(int count, char** arguments) {
    bool const lists = count == 2 && std::strcmp(arguments[1], "--list") == 0;
    bool const asks = count == 3 && std::strcmp(arguments[1], "--question") == 0;
    for (question const& q : questions) {
        if (lists) std::printf("%s %d\n", q.name, q.seconds);
        if (!asks || std::strcmp(arguments[2], q.name) != 0) continue;
        try {
            q.ask();
            return 0;
        } catch (std::exception const& e) {
            print({{"question", q.name}, {"failed", e.what()}});
            return 1;
        }
    }
    if (lists) return 0;
    std::fprintf(stderr, "usage: first_light --list | --question NAME\n");
    return 2;
}
