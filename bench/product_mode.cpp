// Products and, with --add, additions, beside other libraries.
#include <copse/formats/coo.hpp>
#include <copse/formats/generators.hpp>
#include <memory>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "bench/comparison.hpp"
#include "bench/harness/addition.hpp"
#include "bench/harness/threads.hpp"
#include "bench/harness/timing.hpp"
#include "bench/modes.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

/// Memory that is freed from now on stays with this process (where the C library can be told so). Sums, and products by
/// libraries that make a new y each time, are measured in such memory: else the kernel zeroes every page of every
/// result anew, which takes a third of the time of the fastest sum and says nothing of how they add.
void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

/// One matrix A, and B = A with every entry moved near by: A + B, A^T + B^T and, where A is square, A + B^T by
/// HiSparse, plain CSR and the peers, all checked and timed in turn (hisparse §6). A competitor that was wrong has
/// is_right() false, and was not timed. Throws what reading the matrix and the peers throw.
template <class T>
std::vector<measurement> compare_additions(std::string const& matrix, comparison_options const& options) {
    show_step("load");
    auto const a = load_matrix<T>(matrix);
    show_step("move");
    auto const b = to_csr(moved(to_coo(a), 10, 1));
    auto const name_of_b = "moved:10,1," + matrix;
    show_step("convert");
    target where({.on = "cpu", .threads = options.threads});
    hisparse_options const tree{.node_dimension = options.node_dimension};
    auto const tree_a = convert_to<hisparse<T>>(where, matrix, a, tree);
    auto const tree_b = convert_to<hisparse<T>>(where, name_of_b, b, tree);
    std::vector<measurement> records;
    for (auto const& [transpose_a, transpose_b] : {std::pair{false, false}, {true, true}, {false, true}}) {
        if (transpose_a != transpose_b && a.row_count != a.column_count) continue;
        sum_problem<T> const what{{matrix, a, transpose_a}, {name_of_b, b, transpose_b}};
        additions<T> all;
        all.push_back(hisparse_addition(what, tree_a, tree_b, where));
        show_step(operation_of(all.front()->record.m));
        all.push_back(planned_hisparse_addition(what, tree_a, tree_b, where));
        all.push_back(csr_addition(what, options.threads));
        for (auto const& peer : peers<T>())
            if (auto sum = peer.add ? peer.add(what, options.threads) : nullptr) all.push_back(std::move(sum));
        run_race(all, on_cpu(options.repeats, false));
        for (auto& one : all) {
            if (!one->record.failure.empty()) throw error(race_name(one->record) + ": " + one->record.failure);
            records.push_back(std::move(one->record.m));
        }
    }
    return records;
}

/// Two threads where other libraries take part, unless the user says otherwise.
comparison_options options_of(arguments const& a) {
    bool const has_peers = a.add || a.peers;
    int const repeats = a.quick ? 5 : a.peers && !a.add ? 7 : 15;
    return {use_threads(has_peers && a.threads == 0 ? 2 : a.threads), a.repeats > 0 ? a.repeats : repeats,
            a.node_dimension, a.peers, a.type == "mixed"};
}

std::vector<std::string> matrices_of(arguments const& a) {
    if (!a.matrices.empty()) return with_files_of_folders(a.matrices);
    if (a.add) return a.quick ? quick_addition_suite : addition_suite;
    return a.quick ? quick_suite : default_suite;
}

/// [{format, version, absence}]: those that could take part; version is null where one is not here, and absence says
/// why.
nlohmann::ordered_json peers_of(arguments const& a) {
    auto all = nlohmann::ordered_json::array();
    for (auto const& p : peers<double>())
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
    auto const where = this_machine();
    auto const measured = measure_ceilings(options.threads, a.quick ? 5 : 15, a.triad_bytes());
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
            found = a.add ? compare_additions<T>(matrix, options) : compare<T>(matrix, options, targets, add_note);
        });
        fmt::print(stderr, " {}\n", human_seconds(seconds));
        for (auto const& note : notes) fmt::print(stderr, "copse_bench: {}\n", note);
        for (auto const& m : found) lines.add(record_object(m, where, measured));
        lines.add({{"op", "done"}});
        return count_wrong(found);
    });
}

}  // namespace copse::bench
