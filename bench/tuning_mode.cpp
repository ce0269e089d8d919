#include "bench/tuning_mode.hpp"

#include <fmt/format.h>

#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdlib>
#include <span>

#include "bench/json_file.hpp"
#include "bench/machine.hpp"
#include "bench/matrices_left.hpp"
#include "bench/suite.hpp"
#include "bench/tuning.hpp"
#include "bench/tuning_report.hpp"
#include "bench/harness/measurement.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/text.hpp"
#include "bench/harness/threads.hpp"

namespace copse::bench {
namespace {

struct tuning_session {
    tuning_options options;
    std::vector<std::unique_ptr<measure::target>> targets;
    machine where;
    json_file json;
    matrices_left left;
    std::vector<tuning_race> races = {};
    int failures = 0;
};

template <class T>
void tune_one(tuning_session& s, std::string const& matrix, std::string const& position) {
    fmt::print(stderr, "{} {}, {}:", position, measure::one_line(matrix), measure::type_name<T>);
    int const left_out_before = s.left.left_out();
    if (!s.left.take(matrix, measure::type_name<T>, [](char const* why) { fmt::print(stderr, " {}\n", why); })) {
        if (s.left.left_out() > left_out_before) s.json.add(left_out_line(matrix, measure::type_name<T>));
        return;
    }
    try {
        auto const show = [](std::string const& step) { fmt::print(stderr, " {} ..", step); };
        auto const found = tune<T>(matrix, s.options, s.targets, show);
        fmt::print(stderr, "\n");
        for (auto const& race : found) {
            for (auto const& line : tuning_json_lines(race, s.where)) s.json.add(line);
            s.races.push_back(race);
        }
    } catch (copse::error const& e) {
        ++s.failures;
        fmt::print(stderr, "\ncopse_bench: error: {}\n", measure::one_line(e.what()));
    }
}

/// There runs take no time beside conversions.
tuning_options options_of(tuning_arguments const& a) {
    int const repeats = a.gpu ? 21 : a.quick ? 3 : 9;
    return {a.repeats > 0 ? a.repeats : repeats, a.quick && !a.gpu};
}

std::vector<std::unique_ptr<measure::target>> targets_of(tuning_arguments const& a, int threads) {
    std::string why;
    if (a.gpu && !gpu::usable(&why)) throw argument_error("--gpu: " + why);
    auto targets = make_targets(threads);
    if (a.gpu) std::erase_if(targets, [](auto const& one) { return one->on() != "gpu"; });
    return targets;
}

std::vector<std::string> const& matrices_of(tuning_arguments const& a) {
    if (!a.matrices.empty()) return a.matrices;
    if (!a.quick) return tuning_suite();
    return a.gpu ? gpu_tuning_suite() : quick_tuning_suite();
}

}  // namespace

int run_tuning(tuning_arguments const& a) {
    json_file json(a.json);
    int const threads = measure::use_threads(a.threads);
    tuning_session s{options_of(a), targets_of(a, threads), this_machine(), std::move(json), {a.measured, a.seconds}};
    auto const& matrices = matrices_of(a);
    auto const runs = matrices.size() * (a.type == "both" ? 2 : 1);
    std::size_t run = 0;
    auto const position = [&] { return fmt::format("[{}/{}]", ++run, runs); };
    for (auto const& matrix : matrices) {
        if (a.type != "float") tune_one<double>(s, matrix, position());
        if (a.type == "float" || a.type == "both") tune_one<float>(s, matrix, position());
    }
    cli::print(fmt::format("cpu: {}, {} threads{}; commit {}, {}\n\n", s.where.cpu_model, threads,
                           s.where.gpu.empty() ? "" : "; gpu: " + s.where.gpu, s.where.commit, s.where.date) +
               tuning_report(s.races));
    return s.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace copse::bench
