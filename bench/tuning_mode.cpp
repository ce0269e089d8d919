// bench/run --tune: the sizes that the flat formats leave open, tried on one matrix: CSR5's heights of tiles, SELL-P's
// slices (b rows, t threads for each), CMRS's heights of strips. All of a format take turns with the executor's own
// choice. On a GPU all are plans, and CUDA events time them. (Ways to plan HiSparse: copse_spmv_gpu --all-plans.)
//
// {"op":"tune", format, matrix, type, on, rows, entries, size, default, seconds (null: too much padding),
// relative_seconds (in units of the default's), noise (a second matrix like the default's, in the same units), bytes,
// cpu_model, gpu, date, commit} for each size.
#include <algorithm>
#include <cmath>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <utility>

#include "bench/comparison.hpp"
#include "bench/harness/threads.hpp"
#include "bench/matrices_left.hpp"
#include "bench/modes.hpp"
#include "bench/queued_product.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

/// A format with one of its sizes: A x.
struct tried_size {
    std::string size;         // "sigma 16", "b 32, t 1", "height 8"
    bool is_default = false;  // what the executor chooses
    double seconds = 0;       // 0: it took no part (too much padding)
    double bytes = 0;         // of the matrix in the format
};

struct tuning_race {
    std::string format;
    std::vector<tried_size> sizes = {};  // in the same order for all matrices
    double default_again = 0;            // seconds of a second matrix like the default's: what differs is noise
};

template <class Options>
struct candidate {
    std::string size;
    Options options;
};

std::vector<candidate<csr5_options>> heights_of_tiles(bool quick) {
    std::vector<candidate<csr5_options>> all;
    for (int sigma : quick ? std::vector{8, 16, 32} : std::vector{4, 8, 12, 14, 16, 18, 20, 24, 32, 40, 48})
        all.push_back({"sigma " + std::to_string(sigma), {.sigma = sigma}});
    return all;
}

std::vector<candidate<sellp_options>> slices(bool quick) {
    std::vector<candidate<sellp_options>> all;
    for (int t : quick ? std::vector{1, 4} : std::vector{1, 2, 4, 8})
        for (int b : quick ? std::vector{8, 32, 64} : std::vector{4, 8, 16, 32, 64, 128})
            all.push_back({"b " + std::to_string(b) + ", t " + std::to_string(t), {.slice_rows = b, .row_threads = t}});
    return all;
}

std::vector<candidate<cmrs_options>> heights_of_strips(bool quick) {
    std::vector<candidate<cmrs_options>> all;
    for (int height : quick ? std::vector{4, 16} : std::vector{1, 2, 4, 6, 8, 12, 16})
        all.push_back({"height " + std::to_string(height), {.height = height}});
    return all;
}

template <class T>
std::string size_of(csr5<T> const& a) {
    return "sigma " + std::to_string(a.sigma());
}
template <class T>
std::string size_of(sellp<T> const& a) {
    return "b " + std::to_string(a.slice_rows()) + ", t " + std::to_string(a.row_threads());
}
template <class T>
std::string size_of(cmrs<T> const& a) {
    return "height " + std::to_string(a.height());
}

/// What all races of one matrix have in common.
template <class T>
struct tuning_field {
    problem<T> const& what;
    target& where;
    int repeats;
    std::shared_ptr<gpu_clock> clock;  // null: by the wall clock
};

/// By a plan's launches, for the same record.
template <class T>
std::unique_ptr<product<T>> queued(tuning_field<T> const& f, product<T> const& waiting, queued_spmv<T> multiply) {
    auto r = waiting.record;
    r.m.mode = "plan";
    return queued_product<T>(f.clock, f.what, std::move(r), std::move(multiply));
}

/// What the executor chooses, or nothing where that would pad too much.
template <class Matrix, class T, class Options>
std::string chosen_size(tuning_field<T> const& f, Options const& options) {
    try {
        return size_of(convert_to<Matrix>(f.where, f.what.matrix, f.what.a, options).matrix);
    } catch (too_much_padding const&) {
        return "";
    }
}

/// Enters `a` in a format with these options, on a GPU by a plan; what that is, or nothing where it would pad too much,
/// or the plan's A^T would.
template <class Matrix, class T, class Options>
std::string enter(tuning_field<T> const& f, std::string const& format, Options const& options, products<T>& entrants) {
    try {
        auto const a = convert_to<Matrix>(f.where, f.what.matrix, f.what.a, options);
        auto entrant = one_shot(f.where, f.what, format, a);
        if (f.clock) {
            flat_plan<Matrix> const plan(f.clock->executor(), a.matrix);
            entrant = queued<T>(f, *entrant, [plan](gpu& executor, vector_view<T const> x, vector_view<T> y) {
                spmv_async(executor, T(1), plan, x, T(0), y);
            });
        }
        entrants.push_back(std::move(entrant));
        return size_of(a.matrix);
    } catch (too_much_padding const&) {
        return "";
    }
}

/// All are to be right; the record of one. On a GPU checks take longer than the work.
template <class T>
void race_all(tuning_field<T> const& f, products<T> const& entrants) {
    run_race(entrants, on_cpu(f.repeats, f.clock == nullptr));
}
template <class T>
measurement const& right_record(product<T> const& one, std::string const& size) {
    auto const& r = one.record;
    if (!r.has_times())
        throw error(r.m.format + ", " + size + ": " + (r.failure.empty() ? "the result is wrong" : r.failure));
    return r.m;
}

/// `choices` in turn with the executor's own choice, which is one of the sizes, or another behind them. The default's
/// second matrix comes last.
template <class Matrix, class T, class Options>
tuning_race race_sizes(tuning_field<T> const& f, std::string const& format, std::vector<candidate<Options>> choices) {
    tuning_race race{format};
    // Not kept: who is converted first has a disadvantage, of up to 8 %.
    auto const chosen = chosen_size<Matrix>(f, Options{});
    bool const is_listed = std::any_of(choices.begin(), choices.end(), [&](auto const& c) { return c.size == chosen; });
    if (!chosen.empty() && !is_listed) choices.push_back({chosen, Options{}});
    products<T> entrants;
    std::vector<std::size_t> entrant_of;  // of each size; none where it pads too much
    auto constexpr none = std::string::npos;
    for (auto const& choice : choices) {
        bool const is_default = choice.size == chosen;
        auto const made = enter<Matrix>(f, format, is_default ? Options{} : choice.options, entrants);
        race.sizes.push_back({choice.size, is_default, 0, 0});
        entrant_of.push_back(made.empty() ? none : entrants.size() - 1);
    }
    bool const is_there_again = !chosen.empty() && !enter<Matrix>(f, format, Options{}, entrants).empty();
    race_all(f, entrants);
    if (is_there_again) race.default_again = entrants.back()->record.m.seconds;
    for (std::size_t i = 0; i < race.sizes.size(); ++i) {
        if (entrant_of[i] == none) continue;
        auto const& m = right_record(*entrants[entrant_of[i]], race.sizes[i].size);
        race.sizes[i].seconds = m.seconds;
        race.sizes[i].bytes = static_cast<double>(m.bytes);
    }
    return race;
}

template <class T>
void add_race(std::vector<ordered_json>& objects, tuning_field<T> const& f, tuning_race const& race,
              machine const& where) {
    auto const chosen =
        std::find_if(race.sizes.begin(), race.sizes.end(), [](tried_size const& s) { return s.is_default; });
    auto const or_none = [](bool is_there, double value) {
        return is_there ? ordered_json(value) : ordered_json(nullptr);
    };
    bool const has_default = chosen != race.sizes.end() && chosen->seconds > 0;
    double const unit = has_default ? chosen->seconds : 1;
    for (auto const& s : race.sizes) {
        bool const took_part = s.seconds > 0;
        objects.push_back({{"op", "tune"},
                           {"format", race.format},
                           {"matrix", f.what.matrix},
                           {"type", type_name<T>},
                           {"on", f.where.on()},
                           {"rows", f.what.a.row_count},
                           {"entries", f.what.a.entry_count()},
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

/// A race for each format and each target, without those of a GPU's controllers but one. Throws what the reader and
/// the conversions throw, and error where a result is wrong.
template <class T>
std::vector<ordered_json> tune(std::string const& matrix, int repeats, bool quick,
                               std::vector<std::unique_ptr<target>> const& targets, machine const& here) {
    show_step("load");
    auto const a = load_matrix<T>(matrix);
    problem<T> const what{matrix, a, false};
    std::vector<ordered_json> objects;
    for (auto const& where : targets) {
        if (where->on() == "gpu" && where->controller() != controller::persistent) continue;
        tuning_field<T> const field{what, *where, repeats, clock_for(*where)};
        show_step("csr5");
        add_race(objects, field, race_sizes<csr5<T>>(field, "csr5", heights_of_tiles(quick)), here);
        show_step("sellp");
        add_race(objects, field, race_sizes<sellp<T>>(field, "sellp", slices(quick)), here);
        show_step("cmrs");
        add_race(objects, field, race_sizes<cmrs<T>>(field, "cmrs", heights_of_strips(quick)), here);
    }
    return objects;
}

std::vector<std::unique_ptr<target>> targets_of(arguments const& a, int threads) {
    std::string why;
    if (a.gpu && !gpu::usable(&why)) throw argument_error("--gpu: " + why);
    auto targets = make_targets(threads);
    if (a.gpu) std::erase_if(targets, [](auto const& one) { return one->on() != "gpu"; });
    return targets;
}

std::vector<std::string> tuned_matrices(arguments const& a) {
    if (!a.matrices.empty()) return with_files_of_folders(a.matrices);
    if (!a.quick) return tuning_suite;
    return a.gpu ? gpu_tuning_suite : quick_tuning_suite;
}

}  // namespace

int tuning_mode(arguments const& a, json_lines& lines) {
    auto const matrices = tuned_matrices(a);
    int const threads = use_threads(a.threads);
    // With --gpu runs take no time beside conversions.
    int const repeats = a.repeats > 0 ? a.repeats : a.gpu ? 21 : a.quick ? 3 : 9;
    auto const targets = targets_of(a, threads);
    auto const where = this_machine();
    matrices_left left(a.measured, a.seconds);
    lines.add(run_object("tune", threads, where));
    return for_each_matrix(matrices, a.type, [&]<class T>(std::string const& matrix) {
        if (!left.take(matrix, type_name<T>, lines)) return 0;
        auto const found = tune<T>(matrix, repeats, a.quick && !a.gpu, targets, where);
        fmt::print(stderr, "\n");
        for (auto const& object : found) lines.add(object);
        return 0;
    });
}

}  // namespace copse::bench
