#include "bench/comparison.hpp"

#include <fmt/format.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/tuned_plan.hpp>
#include <copse/formats/flat_formats.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/formats/suitable_format.hpp>
#include <copse/runtime/error.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bench/harness/load.hpp"
#include "bench/harness/product.hpp"
#include "bench/harness/text.hpp"
#include "bench/modes.hpp"
#include "bench/peers/peers.hpp"

namespace copse::bench {
namespace {

using target_list = std::vector<std::unique_ptr<target>>;

/// Ours, converted once for A x and A^T x. S: what the matrix stores.
template <class T, class S>
class formats {
  public:
    formats(target_list const& targets, std::string const& matrix, csr<S> const& a, int node_dimension,
            complaint const& complain)
        : matrix_(matrix), a_(a), complain_(complain), profile_(profile_of(a)) {
        add_trees(targets, node_dimension);
        if constexpr (std::is_same_v<S, T>) {
            for (auto const& where : targets)
                if (is_first_of_its_memory(targets, *where)) add_flat_formats(*where);
            verdict_ = targets.front()->with([&](auto& executor) { return tune(executor, a); });
        }
    }

    std::vector<product_maker<T>> const& makers() const noexcept { return makers_; }
    double entries_per_block() const noexcept { return entries_per_block_; }
    /// What auto takes on the cpu, which is what it is compared with (report/products.py).
    std::string auto_format(bool by_plan, bool transpose) const {
        return std::string(name_of(suitable_format(profile_, {by_plan, transpose}).format));
    }
    /// What a trial takes on the cpu.
    std::string tuned_format(bool transpose) const {
        return std::string(name_of(transpose ? *verdict_.transposed : verdict_.stored));
    }

  private:
    /// A GPU's controllers share its memory.
    static bool is_first_of_its_memory(target_list const& targets, target const& where) {
        for (auto const& one : targets)
            if (one->on() == where.on()) return one.get() == &where;
        return false;
    }

    /// One tree and one plan for each memory; one-shot products on every target.
    void add_trees(target_list const& targets, int node_dimension) {
        std::vector<product_maker<T>> plans;
        std::optional<converted<hisparse<S>>> tree;
        for (auto const& where_there : targets) {
            auto& where = *where_there;
            if (is_first_of_its_memory(targets, where)) {
                tree = convert_to<hisparse<S>>(where, matrix_, a_, hisparse_options{.node_dimension = node_dimension});
                if (targets.front() == where_there)
                    entries_per_block_ = sizes_of_nodes(tree->matrix).entries_per_block();
                auto const plan = make_plan<spmv_plan<S>>(where, matrix_, tree->matrix);
                plans.push_back([=, &where, tree = *tree](problem<T> const& what) {
                    return planned(where, what, "hisparse", tree, plan);
                });
                if constexpr (std::is_same_v<S, T>) {
                    add_other_tree(where, *tree, values_each, {.values = stored_values::each}, plans);
                    add_other_tree(where, *tree, values_once, {.values = stored_values::once}, plans);
                }
                add_other_tree(where, *tree, shared_transposed, {.share_transposed = true}, plans);
            }
            if constexpr (std::is_same_v<S, T>)
                makers_.push_back(
                    [&where, tree = *tree](problem<T> const& what) { return one_shot(where, what, "hisparse", tree); });
        }
        makers_.insert(makers_.end(), plans.begin(), plans.end());
    }

    /// A plan of the tree that these options make, where that takes other bytes than the one by default.
    void add_other_tree(target& where, converted<hisparse<S>> const& usual, char const* name, hisparse_options options,
                        std::vector<product_maker<T>>& plans) {
        options.node_dimension = usual.matrix.node_dimension();
        auto const tree = convert_to<hisparse<S>>(where, matrix_, a_, options);
        if (tree.matrix.bytes() == usual.matrix.bytes()) return;
        auto const plan = make_plan<spmv_plan<S>>(where, matrix_, tree.matrix);
        plans.push_back([=, &where](problem<T> const& what) { return planned(where, what, name, tree, plan); });
    }

    /// One-shot products on the cpu alone, for whose times the rule of auto is; a plan of each format in each memory.
    void add_flat_formats(target& where) {
        if (where.on() == "cpu") add_flat_formats(where, false);
        add_flat_formats(where, true);
    }
    void add_flat_formats(target& where, bool by_plan) {
        flat_matrices<T, for_each_format>::call([&]<class Matrix>(std::type_identity<Matrix>) {
            add_flat<Matrix>(where, by_plan, Matrix::name, typename Matrix::options_type{});
        });
        auto const are_tried = [&](matrix_format format) {
            return is_worth_a_trial(profile_, format) || is_worth_a_trial(transposed(profile_), format);
        };
        if (are_tried(matrix_format::sellp_sorted))
            add_flat<sellp<T>>(where, by_plan, std::string(name_of(matrix_format::sellp_sorted)), sorted_sellp);
        if (by_plan && are_tried(matrix_format::sellp_trimmed)) add_trimmed(where);
    }

    /// A plan for each direction: of A^T other rows are long.
    void add_trimmed(target& where) {
        matrix_format constexpr format = matrix_format::sellp_trimmed;
        std::string const name(name_of(format));
        try {
            format_verdict const verdict(format, format);
            auto const plan = convert<tuned_plan<T>>(where, "converting '" + matrix_ + "'", bytes_of(a_), a_, verdict);
            makers_.push_back([=, &where](problem<T> const& what) {
                auto r = describe_on(where, what, name, plan);
                r.m.mode = "plan";
                r.m.plan_seconds = std::exchange(r.m.convert_seconds, 0);  // it converts, too
                return product_on(where, what, std::move(r), what.transpose ? plan.matrix.transposed() : plan.matrix);
            });
        } catch (copse::error const& e) {
            complain_(one_line(fmt::format("{} takes no part in the products of {}: {}", name, matrix_, e.what())));
        }
    }

    template <class... Matrix>
    struct for_each_format {
        template <class F>
        static void call(F const& f) {
            (f(std::type_identity<Matrix>()), ...);
        }
    };

    /// Adds one format. If it refuses the matrix, or memory runs out, a complaint says so and the race goes on without
    /// it.
    template <class Matrix>
    void add_flat(target& where, bool by_plan, std::string const& format,
                  typename Matrix::options_type const& options) {
        try {
            auto const a = convert_to<Matrix>(where, matrix_, a_, options);
            if (!by_plan) {
                auto const name = format == "csr" ? flat_csr : format;
                makers_.push_back([=, &where](problem<T> const& what) { return one_shot(where, what, name, a); });
                return;
            }
            auto const plan = make_plan<flat_plan<Matrix>>(where, matrix_, a.matrix);
            makers_.push_back([=, &where](problem<T> const& what) { return planned(where, what, format, a, plan); });
        } catch (copse::error const& e) {
            complain_(one_line(fmt::format("{} takes no part in the {}products of {}: {}", format,
                                           by_plan ? "" : "one-shot ", matrix_, e.what())));
        }
    }

    std::string const& matrix_;
    csr<S> const& a_;
    complaint const& complain_;
    std::vector<product_maker<T>> makers_;
    double entries_per_block_ = 0;
    matrix_profile profile_;
    format_verdict verdict_{matrix_format::hisparse, matrix_format::hisparse};
};

/// The records of all competitors in one product.
template <class T, class S>
std::vector<measurement> race_products(problem<T> const& what, converted<csr<T>> const* transposed,
                                       formats<T, S> const& ours, comparison_options const& options,
                                       complaint const& complain) {
    products<T> all;
    all.push_back(csr_product(what, options.threads));
    if (transposed) all.push_back(csr_of_transpose_product(what, *transposed, options.threads));
    for (auto const& make : ours.makers()) all.push_back(make(what));
    if (options.peers)
        for (auto& guest : invite(product_peers<T>(), what, options.threads, complain)) all.push_back(std::move(guest));
    run_race(all, on_cpu(options.repeats));
    std::vector<measurement> records;
    for (auto& one : all) {
        if (!took_part(one->record, complain)) continue;
        records.push_back(std::move(one->record.m));
        auto& record = records.back();
        if constexpr (std::is_same_v<S, T>) {
            bool const by_plan = record.mode == "plan";
            record.auto_format = ours.auto_format(by_plan, what.transpose);
            if (by_plan) record.tuned_format = ours.tuned_format(what.transpose);
        } else {
            record.type = "mixed";
        }
    }
    return records;
}

template <class T, class S>
std::vector<measurement> both_races(std::string const& matrix, csr<T> const& a, formats<T, S> const& ours,
                                    comparison_options const& options, complaint const& complain) {
    show_step("A x");
    auto records = race_products<T>({matrix, a, false}, nullptr, ours, options, complain);
    show_step("A^T x");
    auto const transposed = timed([&] { return transpose(a); });
    for (auto& record : race_products<T>({matrix, a, true}, &transposed, ours, options, complain))
        records.push_back(std::move(record));
    for (auto& record : records) record.entries_per_block = ours.entries_per_block();
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
    targets.push_back(std::make_unique<target>(target_options{.on = "cpu", .threads = threads}));
    if (!gpu::usable()) return targets;
    for (auto const which : {controller::persistent, controller::device, controller::host})
        targets.push_back(
            std::make_unique<target>(target_options{.on = "gpu", .controller = which, .threads = threads}));
    return targets;
}

template <class T>
std::vector<measurement> compare(std::string const& matrix, comparison_options const& options,
                                 target_list const& targets, complaint const& complain) {
    show_step("load");
    if (options.mixed) {
        auto const stored = load_matrix<float>(matrix);
        show_step("convert");
        formats<double, float> const ours(targets, matrix, stored, options.node_dimension, complain);
        return both_races(matrix, with_values_as<double>(stored), ours, options, complain);
    }
    auto const a = load_matrix<T>(matrix);
    show_step("convert");
    formats<T, T> const ours(targets, matrix, a, options.node_dimension, complain);
    return both_races(matrix, a, ours, options, complain);
}

template std::vector<measurement> compare<float>(std::string const&, comparison_options const&, target_list const&,
                                                 complaint const&);
template std::vector<measurement> compare<double>(std::string const&, comparison_options const&, target_list const&,
                                                  complaint const&);

}  // namespace copse::bench
