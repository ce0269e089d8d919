// Products and, with --add, additions, beside other libraries.
#include <memory>
#include <utility>

#include "bench/addition.hpp"
#include "bench/comparison.hpp"
#include "bench/harness/threads.hpp"
#include "bench/harness/timing.hpp"
#include "bench/modes.hpp"
#include "bench/peers/peers.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

/// Two threads where other libraries take part, unless the user says otherwise.
comparison_options options_of(arguments const& a) {
    bool const has_peers = a.add || a.peers;
    int const repeats = a.quick ? 5 : a.peers && !a.add ? 7 : 15;
    return {use_threads(has_peers && a.threads == 0 ? 2 : a.threads), a.repeats > 0 ? a.repeats : repeats,
            a.node_dimension, a.peers, a.type == "mixed"};
}

std::vector<std::string> matrices_of(arguments const& a) {
    if (!a.matrices.empty()) return with_files_of_folders(a.matrices);
    if (a.add) return a.quick ? quick_addition_suite() : addition_suite();
    return a.quick ? quick_suite() : default_suite();
}

/// [{format, version, absence}]: those that could take part; version is null where one is not here, and absence says
/// why.
nlohmann::ordered_json peers_of(arguments const& a) {
    auto all = nlohmann::ordered_json::array();
    for (auto const& p : peers())
        if (a.add ? p.adds : a.peers)
            all.push_back({{"format", p.format},
                           {"version", or_null(p.version.value_or(""))},
                           {"absence", or_null(p.version ? "" : p.absence)}});
    return all;
}

}  // namespace

int product_mode(arguments const& a, json_lines& lines) {
    auto const matrices = matrices_of(a);
    auto const options = options_of(a);
    if (a.add || a.peers) keep_freed_memory();
    fmt::print(stderr, "measuring the bandwidth ..\n");
    int const ceiling_repeats = a.quick ? 5 : 15;
    auto const where = this_machine();
    ceilings const measured{measure_triad(options.threads, ceiling_repeats, a.triad_bytes()),
                            measure_gpu_copy(ceiling_repeats)};
    auto const targets = a.add ? std::vector<std::unique_ptr<target>>() : make_targets(options.threads);
    auto first = run_object(a.add ? "add" : "spmv", options.threads, where, measured);
    first["peers"] = peers_of(a);
    lines.add(first);

    return for_each_matrix(matrices, a.type, [&]<class T>(std::string const& matrix) {
        std::vector<std::string> notes;
        auto const add_note = [&](std::string const& why) {
            lines.add_note(why);
            notes.push_back(why);  // shown behind the line of the progress, which it would break
        };
        std::vector<measurement> found;
        double const seconds = seconds_of([&] {
            found = a.add ? compare_additions<T>(matrix, options, show_step)
                          : compare<T>(matrix, options, targets, show_step, add_note);
        });
        fmt::print(stderr, " {}\n", human_seconds(seconds));
        for (auto const& note : notes) fmt::print(stderr, "copse_bench: {}\n", note);
        for (auto const& m : found) lines.add(record_object(m, where, measured));
        lines.add({{"op", "done"}});
        return count_wrong(found);
    });
}

}  // namespace copse::bench
