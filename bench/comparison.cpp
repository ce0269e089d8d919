#include "bench/comparison.hpp"

#include <fmt/format.h>

#include <copse/formats/node_sizes.hpp>
#include <copse/runtime/error.hpp>
#include <random>
#include <type_traits>
#include <utility>

#include "bench/races.hpp"
#include "bench/sellp_padding.hpp"
#include "bench/harness/auto_format.hpp"
#include "bench/harness/competitors.hpp"
#include "bench/harness/flat_competitor.hpp"
#include "bench/harness/flat_formats.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/product_check.hpp"
#include "bench/harness/text.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

using measure::competitor;
using measure::converted;
using target_list = std::vector<std::unique_ptr<measure::target>>;

/// x of values in [-1, 1), so that sums cancel as they do in practice; y as long as the product needs it.
template <class T>
measure::operands<T> make_operands(csr<T> const& a, bool transpose) {
    auto const rows = static_cast<std::size_t>(a.row_count);
    auto const columns = static_cast<std::size_t>(a.column_count);
    std::mt19937_64 random(2017);
    std::vector<T> x(transpose ? rows : columns);
    for (auto& value : x) value = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    return {T(1), std::move(x), T(0), std::vector<T>(transpose ? columns : rows)};
}

/// One tree and one plan for each memory: those of a GPU's controllers are the same. S: what the tree stores.
template <class S>
struct trees {
    struct planned {
        measure::target* where;
        converted<hisparse<S>> tree;
        converted<spmv_plan<S>> plan;
    };
    std::vector<converted<hisparse<S>>> of_target;
    std::vector<planned> plans;

    trees(target_list const& targets, std::string const& matrix, csr<S> const& a, int node_dimension) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            bool const is_new = i == 0 || targets[i]->on() != targets[i - 1]->on();
            of_target.push_back(is_new ? measure::convert(*targets[i], matrix, a, node_dimension) : of_target.back());
            if (is_new)
                plans.push_back({targets[i].get(), of_target.back(),
                                 measure::make_plan(*targets[i], matrix, of_target.back().matrix)});
        }
    }
};

/// SELL-P of rows sorted by length takes part where slices of rows in their order have more places than this for an
/// entry. With the window rmat:18 takes 17 bytes an entry; 4096 rows 21, 1024 are refused, 65536 15.
constexpr double places_worth_sorting = 1.1;
constexpr std::int64_t sorting_window = 16384;

template <class T>
measure::flat_entrant<T> sorted_sellp_entrant(measure::target& where, std::string const& matrix, csr<T> const& a,
                                              bool by_plan) {
    measure::flat_options options;
    std::get<sellp_options>(options).sorting_window = sorting_window;
    auto const sorted = measure::make_flat_entrant(where, matrix, a, "sellp", by_plan, options);
    return [sorted](measure::problem<T> const& what) {
        auto entrant = sorted(what);
        entrant.record.format = sorted_sellp;
        return entrant;
    };
}

/// Each flat format, but those that do not suit the matrix or find no memory: `complain` hears of them.
template <class T>
void add_flat_entrants(std::vector<measure::flat_entrant<T>>& entrants, measure::target& where,
                       std::string const& matrix, csr<T> const& a, bool by_plan, complaint const& complain) {
    auto const add = [&](char const* format, auto const& make) {
        try {
            entrants.push_back(make());
        } catch (copse::error const& e) {
            complain(measure::one_line(fmt::format("{} takes no part in the {}products of {}: {}", format,
                                                   by_plan ? "" : "one-shot ", matrix, e.what())));
        }
    };
    for (auto const* format : flat_format_names)
        add(format, [&] { return measure::make_flat_entrant(where, matrix, a, format, by_plan); });
    if (places_per_entry(a, where.on() != "cpu") > places_worth_sorting)
        add(sorted_sellp, [&] { return sorted_sellp_entrant(where, matrix, a, by_plan); });
}

/// A plan of each flat format in each memory. One-shot products on the cpu alone, for whose times the rule of auto is.
template <class T>
std::vector<measure::flat_entrant<T>> flat_entrants(trees<T> const& all, std::string const& matrix, csr<T> const& a,
                                                    complaint const& complain) {
    std::vector<measure::flat_entrant<T>> entrants;
    for (auto const& planned : all.plans) {
        if (planned.where->on() == "cpu") add_flat_entrants(entrants, *planned.where, matrix, a, false, complain);
        add_flat_entrants(entrants, *planned.where, matrix, a, true, complain);
    }
    return entrants;
}

/// What all races of one matrix have in common.
template <class T, class S>
struct entrants {
    trees<S> hisparse;
    std::vector<measure::flat_entrant<T>> flat;
};

/// The records of all competitors in one product.
template <class T, class S>
std::vector<measure::measurement> race(measure::problem<T> const& what, converted<csr<T>> const* transposed,
                                       entrants<T, S> const& all, comparison_options const& options,
                                       target_list const& targets, complaint const& complain) {
    std::vector<competitor<T>> competitors;
    competitors.push_back(measure::csr_competitor(what, options.threads));
    if (transposed) competitors.push_back(measure::csr_of_transpose_competitor(what, *transposed, options.threads));
    if constexpr (std::is_same_v<S, T>)
        for (std::size_t i = 0; i < targets.size(); ++i)
            competitors.push_back(measure::hisparse_competitor(what, all.hisparse.of_target[i], *targets[i]));
    for (auto const& planned : all.hisparse.plans)
        competitors.push_back(measure::plan_competitor(what, planned.tree, planned.plan, *planned.where));
    for (auto const& flat : all.flat) {
        competitors.push_back(flat(what));
        auto& record = competitors.back().record;
        if (record.format == "csr" && record.mode == "oneshot") record.format = flat_csr;
    }
    if (options.peers)
        for (auto& guest : invite(product_peers<T>(), what, options.threads, complain))
            competitors.push_back(std::move(guest));
    measure::run_in_turn(competitors, measure::product_check<T>(what.a, what.transpose, what.v), options.repeats);
    // What is compared with the fastest is that of the cpu (report/products.py).
    std::string const from_plan(name_of(measure::choose_format(what.a, what.transpose, true, "cpu").format));
    std::string const one_by_one(name_of(measure::choose_format(what.a, what.transpose, false, "cpu").format));
    std::vector<measure::measurement> records;
    for (auto& c : competitors) {
        if (!took_part(c)) continue;
        records.push_back(std::move(c.record));
        if constexpr (std::is_same_v<S, T>)
            records.back().auto_format = records.back().mode == "plan" ? from_plan : one_by_one;
        else
            records.back().type = "mixed";
    }
    return records;
}

template <class T, class S>
std::vector<measure::measurement> both_races(std::string const& matrix, csr<T> const& a, entrants<T, S> const& all,
                                             comparison_options const& options, target_list const& targets,
                                             progress const& report, complaint const& complain) {
    report("A x");
    auto const forward = make_operands(a, false);
    auto records = race<T>({matrix, a, false, forward}, nullptr, all, options, targets, complain);
    report("A^T x");
    auto const backward = make_operands(a, true);
    converted<csr<T>> transposed;
    transposed.seconds = measure::seconds_of([&] { transposed.matrix = transpose(a); });
    for (auto& record : race<T>({matrix, a, true, backward}, &transposed, all, options, targets, complain))
        records.push_back(std::move(record));
    auto const entries_per_block = sizes_of_nodes(all.hisparse.of_target.front().matrix).entries_per_block();
    for (auto& record : records) record.entries_per_block = entries_per_block;
    return records;
}

/// The same entries with values of another type.
template <class To, class From>
csr<To> with_values_as(csr<From> const& a) {
    return {a.row_count, a.column_count, a.row_offsets, a.column_indices, {a.values.begin(), a.values.end()}};
}

}  // namespace

target_list make_targets(int threads) {
    target_list targets;
    targets.push_back(std::make_unique<measure::target>(measure::target_options{.on = "cpu", .threads = threads}));
    if (!gpu::usable()) return targets;
    for (auto const which : {controller::persistent, controller::device, controller::host})
        targets.push_back(std::make_unique<measure::target>(
            measure::target_options{.on = "gpu", .controller = which, .threads = threads}));
    return targets;
}

template <class T>
std::vector<measure::measurement> compare(std::string const& matrix, comparison_options const& options,
                                          target_list const& targets, progress const& report,
                                          complaint const& complain) {
    report("load");
    if (options.mixed) {
        auto const stored = measure::load_matrix<float>(matrix);
        report("convert");
        entrants<double, float> const all{{targets, matrix, stored, options.node_dimension}, {}};
        return both_races(matrix, with_values_as<double>(stored), all, options, targets, report, complain);
    }
    auto const a = measure::load_matrix<T>(matrix);
    report("convert");
    trees<T> const planned(targets, matrix, a, options.node_dimension);
    entrants<T, T> const all{planned, flat_entrants(planned, matrix, a, complain)};
    return both_races(matrix, a, all, options, targets, report, complain);
}

template std::vector<measure::measurement> compare<float>(std::string const&, comparison_options const&,
                                                          target_list const&, progress const&, complaint const&);
template std::vector<measure::measurement> compare<double>(std::string const&, comparison_options const&,
                                                           target_list const&, progress const&, complaint const&);

}  // namespace copse::bench
