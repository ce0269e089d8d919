// Operands of sums on a GPU, and ours by HiSparse.
#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/statistics.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "bench/gpu_comparison/sum.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

constexpr int seed = 1;

template <class T>
class hisparse_addition final : public gpu_sum<T> {
  public:
    hisparse_addition(gpu& executor, sum_on_gpu<T> const& what, controller which, hisparse_sum_way const& how)
        : executor_(executor),
          a_(what.a.transpose ? what.a.tree->transposed() : *what.a.tree),
          b_(what.b.transpose ? what.b.tree->transposed() : *what.b.tree),
          which_(which),
          how_(how) {}

    std::optional<run_report> run() override {
        run_report report;
        executor_.set_controller(which_);
        add_options const options{.report = &report};
        c_ = add(options);
        return report;
    }
    void forget() override { c_.reset(); }
    csr<T> result() const override { return to_csr(*c_); }
    rows_of_sum<T> rows_on_gpu() const override {
        executor_.set_controller(controller_for_preparations);
        return rows_of(to_csr_matrix(executor_, *c_));
    }
    std::int64_t result_bytes() const override { return c_->content()->reachable_bytes; }
    /// C's own nodes are in its first arena, unless that is an operand's.
    std::int64_t shared_bytes() const override {
        auto const& arenas = c_->content()->arenas;
        if (arenas.empty()) return 0;
        arena const& first = arenas.front();
        return result_bytes() - (has(a_, first) || has(b_, first) ? 0 : first.memory->size());
    }

  private:
    hisparse<T> add(add_options const& options) {
        if constexpr (std::is_same_v<T, double>)
            if (how_.tasks != sum_tasks::of_add) return sum_by_tasks(how_.tasks, executor_, a_, b_, options);
        return detail::add_as_chosen<T>(executor_, 1, a_, 1, b_, options, how_.choices);
    }

    static bool has(hisparse<T> const& m, arena const& one) {
        return std::ranges::any_of(m.content()->arenas, [&](arena const& x) { return x.memory == one.memory; });
    }

    gpu& executor_;
    hisparse<T> a_, b_;
    controller which_;
    hisparse_sum_way how_;
    std::optional<hisparse<T>> c_;
};

}  // namespace

template <class T>
sum_operands<T> make_sum_operands(gpu& executor, std::string const& name, csr<T> a, int sigma, int node_dimension,
                                  int most_sets) {
    executor.set_controller(controller_for_preparations);
    auto const name_b = "moved:" + std::to_string(sigma) + ',' + std::to_string(seed) + ',' + name;
    csr<T> b = to_csr(moved(to_coo(a), sigma, seed));
    sum_operands<T> all{name, name_b, std::move(a), std::move(b), {}, 0};
    // No format takes less than the values.
    auto const bytes = (all.a.entry_count() + all.b.entry_count()) * static_cast<std::int64_t>(sizeof(T));
    int const count = std::min(most_sets, set_count(bytes, executor.properties().l2_bytes));
    hisparse_options const options{.node_dimension = node_dimension};
    for (int i = 0; i < count; ++i) {
        auto rows_a = to_device(executor, all.a), rows_b = to_device(executor, all.b);
        std::optional<hisparse<T>> tree_a, tree_b;
        all.tree_seconds = seconds_of([&] {
            tree_a.emplace(executor, all.a, options);
            tree_b.emplace(executor, all.b, options);
        });
        all.sets.push_back({std::move(rows_a), std::move(rows_b), *std::move(tree_a), *std::move(tree_b)});
    }
    return all;
}

template <class T>
sum_on_gpu<T> sum_of(sum_operands<T> const& operands, bool transpose_a, bool transpose_b, int set) {
    auto const& of = operands.sets[static_cast<std::size_t>(set)];
    return {{operands.name_a, of.rows_a.view(), of.tree_a, transpose_a},
            {operands.name_b, of.rows_b.view(), of.tree_b, transpose_b},
            operands.tree_seconds};
}

template <class T>
race_record describe(sum_on_gpu<T> const& what, std::string library, std::string variant, std::int64_t bytes) {
    auto const &a = what.a.rows, &b = what.b.rows;
    race_record r;
    r.bench = "addition";
    r.library = std::move(library);
    r.variant = std::move(variant);
    r.clock = "wall";
    auto& m = r.m;
    m.op = "add";
    m.transpose = what.a.transpose;
    m.matrix = what.a.name;
    m.format = "csr";
    m.on = "gpu";
    m.type = type_name<T>;
    m.rows = a.row_count;
    m.columns = a.column_count;
    m.entries = a.entry_count;
    m.bytes = bytes;
    m.plus = {what.b.name, what.b.transpose, b.row_count, b.column_count, b.entry_count, 0, 0};
    return r;
}

template <class T>
sum_way<T> hisparse_sum(gpu& executor, sum_on_gpu<T> const& what, controller which, hisparse_sum_way const& how) {
    auto r = describe(what, "copse", "hisparse " + name_of(which) + how.name, 0);
    r.m.format = "hisparse";
    r.m.controller = name_of(which);
    if (what.a.tree && what.b.tree) {
        r.m.bytes = what.a.tree->bytes() + what.b.tree->bytes();
        r.m.convert_seconds = what.tree_seconds;
        r.m.node_dimension = what.a.tree->node_dimension();
    }
    return {std::move(r), [=, &executor](sum_on_gpu<T> const& of_set) {
                return std::make_unique<hisparse_addition<T>>(executor, of_set, which, how);
            }};
}

template sum_operands<float> make_sum_operands(gpu&, std::string const&, csr<float>, int, int, int);
template sum_operands<double> make_sum_operands(gpu&, std::string const&, csr<double>, int, int, int);
template sum_on_gpu<float> sum_of(sum_operands<float> const&, bool, bool, int);
template sum_on_gpu<double> sum_of(sum_operands<double> const&, bool, bool, int);
template race_record describe(sum_on_gpu<float> const&, std::string, std::string, std::int64_t);
template race_record describe(sum_on_gpu<double> const&, std::string, std::string, std::int64_t);
template sum_way<float> hisparse_sum(gpu&, sum_on_gpu<float> const&, controller, hisparse_sum_way const&);
template sum_way<double> hisparse_sum(gpu&, sum_on_gpu<double> const&, controller, hisparse_sum_way const&);

}  // namespace copse::bench
