#include "bench/comparison.hpp"

#include <copse/formats/node_sizes.hpp>
#include <random>
#include <utility>

#include "cli/competitors.hpp"
#include "cli/load.hpp"
#include "cli/timing.hpp"

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

/// One tree and one plan for each memory: those of a GPU's controllers are the same.
template <class T>
struct trees {
    struct planned {
        measure::target* where;
        converted<hisparse<T>> tree;
        converted<spmv_plan<T>> plan;
    };
    std::vector<converted<hisparse<T>>> of_target;
    std::vector<planned> plans;

    trees(target_list const& targets, std::string const& matrix, csr<T> const& a, int node_dimension) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            bool const is_new = i == 0 || targets[i]->on() != targets[i - 1]->on();
            of_target.push_back(is_new ? measure::convert(*targets[i], matrix, a, node_dimension) : of_target.back());
            if (is_new)
                plans.push_back({targets[i].get(), of_target.back(),
                                 measure::make_plan(*targets[i], matrix, of_target.back().matrix)});
        }
    }
};

/// The records of all competitors in one product.
template <class T>
std::vector<measure::measurement> race(measure::problem<T> const& what, converted<csr<T>> const* transposed,
                                       trees<T> const& all, comparison_options const& options,
                                       target_list const& targets, complaint const& complain) {
    std::vector<competitor<T>> competitors;
    competitors.push_back(measure::csr_competitor(what, options.threads));
    if (transposed) competitors.push_back(measure::csr_of_transpose_competitor(what, *transposed, options.threads));
    for (std::size_t i = 0; i < targets.size(); ++i)
        competitors.push_back(measure::hisparse_competitor(what, all.of_target[i], *targets[i]));
    for (auto const& planned : all.plans)
        competitors.push_back(measure::plan_competitor(what, planned.tree, planned.plan, *planned.where));
    if (options.peers)
        for (auto& guest : invite(product_peers<T>(), what, options.threads, complain))
            competitors.push_back(std::move(guest));
    measure::run_in_turn(competitors, measure::expect(what.a, what.transpose, what.v), options.repeats);
    std::vector<measure::measurement> records;
    for (auto& c : competitors)
        if (took_part(c)) records.push_back(std::move(c.record));
    return records;
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
    auto const a = measure::load_matrix<T>(matrix);
    report("convert");
    trees<T> const all(targets, matrix, a, options.node_dimension);
    report("A x");
    auto const forward = make_operands(a, false);
    auto records = race<T>({matrix, a, false, forward}, nullptr, all, options, targets, complain);
    report("A^T x");
    auto const backward = make_operands(a, true);
    converted<csr<T>> transposed;
    transposed.seconds = measure::seconds_of([&] { transposed.matrix = transpose(a); });
    for (auto& record : race<T>({matrix, a, true, backward}, &transposed, all, options, targets, complain))
        records.push_back(std::move(record));
    auto const entries_per_block = sizes_of_nodes(all.of_target.front().matrix).entries_per_block();
    for (auto& record : records) record.entries_per_block = entries_per_block;
    return records;
}

template std::vector<measure::measurement> compare<float>(std::string const&, comparison_options const&,
                                                          target_list const&, progress const&, complaint const&);
template std::vector<measure::measurement> compare<double>(std::string const&, comparison_options const&,
                                                           target_list const&, progress const&, complaint const&);

}  // namespace copse::bench
