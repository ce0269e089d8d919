// bench/run --tune: {"op":"tune", format, matrix, type, on, rows, entries, size, default, seconds (null: too much
// padding), relative_seconds (in units of the default's), noise (default_again in the same units), bytes, cpu_model,
// gpu, date, commit} for each size.
#include <copse/runtime/gpu.hpp>
#include <memory>

#include "bench/harness/threads.hpp"
#include "bench/machine.hpp"
#include "bench/matrices_left.hpp"
#include "bench/modes.hpp"
#include "bench/suite.hpp"
#include "bench/tuning.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

void add_race(json_lines& lines, tuning_race const& race, machine const& where) {
    auto const* const chosen = race.of_default();
    auto const or_none = [](bool is_there, double value) {
        return is_there ? ordered_json(value) : ordered_json(nullptr);
    };
    bool const has_default = chosen && chosen->seconds > 0;
    double const unit = has_default ? chosen->seconds : 1;
    for (auto const& s : race.sizes) {
        bool const took_part = s.seconds > 0;
        lines.add({{"op", "tune"},
                   {"format", race.format},
                   {"matrix", race.matrix},
                   {"type", race.type},
                   {"on", race.on},
                   {"rows", race.rows},
                   {"entries", race.entries},
                   {"size", s.size},
                   {"default", s.is_default},
                   {"seconds", or_none(took_part, s.seconds)},
                   {"relative_seconds", or_none(took_part && has_default, s.seconds / unit)},
                   {"noise", or_none(race.default_again > 0 && has_default, race.default_again / unit)},
                   {"bytes", or_none(took_part, s.bytes)},
                   {"cpu_model", where.cpu_model},
                   {"gpu", or_null(where.gpu)},
                   {"date", where.date},
                   {"commit", where.commit}});
    }
}

/// With --gpu runs take no time beside conversions.
tuning_options options_of(arguments const& a) {
    int const repeats = a.gpu ? 21 : a.quick ? 3 : 9;
    return {a.repeats > 0 ? a.repeats : repeats, a.quick && !a.gpu};
}

std::vector<std::unique_ptr<target>> targets_of(arguments const& a, int threads) {
    std::string why;
    if (a.gpu && !gpu::usable(&why)) throw argument_error("--gpu: " + why);
    auto targets = make_targets(threads);
    if (a.gpu) std::erase_if(targets, [](auto const& one) { return one->on() != "gpu"; });
    return targets;
}

std::vector<std::string> matrices_of(arguments const& a) {
    if (!a.matrices.empty()) return with_files_of_folders(a.matrices);
    if (!a.quick) return tuning_suite();
    return a.gpu ? gpu_tuning_suite() : quick_tuning_suite();
}

}  // namespace

int tuning_mode(arguments const& a, json_lines& lines) {
    auto const matrices = matrices_of(a);
    int const threads = use_threads(a.threads);
    auto const options = options_of(a);
    auto const targets = targets_of(a, threads);
    auto const where = this_machine();
    matrices_left left(a.measured, a.seconds);
    lines.add(run_object("tune", threads, where));
    return for_each_matrix(matrices, a.type, [&]<class T>(std::string const& matrix) {
        if (!left.take(matrix, type_name<T>, lines)) return 0;
        auto const found = tune<T>(matrix, options, targets, show_step);
        fmt::print(stderr, "\n");
        for (auto const& race : found) add_race(lines, race, where);
        return 0;
    });
}

}  // namespace copse::bench
