#include "bench/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <utility>

#include "bench/harness/load.hpp"
#include "bench/queued_product.hpp"

namespace copse::bench {
namespace {

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
    tuning_race race{format, f.what.matrix, type_name<T>, f.where.on(), f.what.a.row_count, f.what.a.entry_count(), {},
                     0};
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

/// HiSparse's plan as products replay it, and with each choice made the other way.
std::vector<candidate<detail::replay_choices>> ways_to_replay() {
    detail::replay_choices const chosen{};
    std::vector<candidate<detail::replay_choices>> all(4, {"", chosen});
    all[0].size = "as chosen";
    all[1].size = "whole grid";
    all[1].options.grid = detail::plan_grid::whole;
    bool const in_turns = chosen.row_conflicts == detail::conflicts::in_turns;
    all[2].size = in_turns ? "rows joined" : "rows in turns";
    all[2].options.row_conflicts = in_turns ? detail::conflicts::joined : detail::conflicts::in_turns;
    all[3].size = chosen.fetch_ahead ? "not ahead" : "fetched ahead";
    all[3].options.fetch_ahead = !chosen.fetch_ahead;
    return all;
}

template <class T>
tuning_race race_replays(tuning_field<T> const& f) {
    tuning_race race{"hisparse plan",    f.what.matrix,          type_name<T>, f.where.on(),
                     f.what.a.row_count, f.what.a.entry_count(), {},           0};
    auto const made = convert_to<hisparse<T>>(f.where, f.what.matrix, f.what.a, hisparse_options{});
    spmv_plan<T> const plan(f.clock->executor(), made.matrix);
    auto const ways = ways_to_replay();
    products<T> entrants;
    for (std::size_t i = 0; i <= ways.size(); ++i) {  // the first again, behind the last
        auto const choices = ways[i % ways.size()].options;
        auto const waiting = one_shot(f.where, f.what, race.format, made);
        entrants.push_back(queued<T>(f, *waiting, [=](gpu& executor, vector_view<T const> x, vector_view<T> y) {
            detail::replay_on_gpu<T>(executor, 1, plan, x, 0, y, choices);
        }));
    }
    race_all(f, entrants);
    for (std::size_t i = 0; i < ways.size(); ++i) {
        auto const& m = right_record(*entrants[i], ways[i].size);
        race.sizes.push_back({ways[i].size, i == 0, m.seconds, static_cast<double>(m.bytes)});
    }
    race.default_again = entrants.back()->record.m.seconds;
    return race;
}

}  // namespace

tried_size const* tuning_race::of_default() const {
    auto const found = std::find_if(sizes.begin(), sizes.end(), [](tried_size const& s) { return s.is_default; });
    return found == sizes.end() ? nullptr : &*found;
}

template <class T>
std::vector<tuning_race> tune(std::string const& matrix, tuning_options const& options,
                              std::vector<std::unique_ptr<target>> const& targets, progress const& report) {
    report("load");
    auto const a = load_matrix<T>(matrix);
    problem<T> const what{matrix, a, false};
    std::vector<tuning_race> races;
    for (auto const& where : targets) {
        if (where->on() == "gpu" && where->controller() != controller::persistent) continue;
        tuning_field<T> const field{what, *where, options.repeats, clock_for(*where)};
        report("csr5");
        races.push_back(race_sizes<csr5<T>>(field, "csr5", heights_of_tiles(options.quick)));
        report("sellp");
        races.push_back(race_sizes<sellp<T>>(field, "sellp", slices(options.quick)));
        report("cmrs");
        races.push_back(race_sizes<cmrs<T>>(field, "cmrs", heights_of_strips(options.quick)));
        if (field.clock) {
            report("replays");
            races.push_back(race_replays<T>(field));
        }
    }
    return races;
}

template std::vector<tuning_race> tune<float>(std::string const&, tuning_options const&,
                                              std::vector<std::unique_ptr<target>> const&, progress const&);
template std::vector<tuning_race> tune<double>(std::string const&, tuning_options const&,
                                               std::vector<std::unique_ptr<target>> const&, progress const&);

}  // namespace copse::bench
