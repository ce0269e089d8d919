// Products with several columns (--columns k): HiSparse beside MKL, which gets X and Y by rows and by columns.
#include <copse/algebra/spmm.hpp>
#include <memory>
#include <utility>

#include "bench/harness/columns.hpp"
#include "bench/harness/threads.hpp"
#include "bench/harness/timing.hpp"
#include "bench/modes.hpp"
#include "bench/peers/peers.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

/// By A in a format of ours, or by a plan.
template <class T, class Matrix>
class copse_columns final : public columns_product<T> {
  public:
    copse_columns(race_record r, columns_problem<T> const& what, dense_layout layout, target& where, Matrix a)
        : columns_product<T>(std::move(r), what, layout), where_(where), a_(std::move(a)) {}
    void multiply() override {
        where_.with([&](auto& executor) { spmm(executor, T(1), a_, this->x(), T(0), this->y()); });
    }

  private:
    target& where_;
    Matrix a_;
};

template <class T, class Matrix>
void add_ours(columns_products<T>& all, target& where, columns_problem<T> const& what, bool transpose,
              dense_layout layout, std::string const& mode, Matrix const& a, std::int64_t bytes, double convert_seconds,
              double plan_seconds) {
    std::string const name = layout == dense_layout::row_major ? "hisparse" : "hisparse by columns";
    auto r = describe(what, name, bytes, where.threads(), convert_seconds);
    r.m.mode = mode;
    if (mode == "plan") r.m.plan_seconds = plan_seconds;
    all.push_back(
        std::make_unique<copse_columns<T, Matrix>>(std::move(r), what, layout, where, transpose ? transposed(a) : a));
}

template <class T>
std::vector<measurement> compare_columns(std::string const& matrix, arguments const& options, target& where,
                                         int repeats, complaint const& complain) {
    show_step("load");
    auto const a = load_matrix<T>(matrix);
    show_step("convert");
    auto const tree =
        convert_to<hisparse<T>>(where, matrix, a, hisparse_options{.node_dimension = options.node_dimension});
    auto const plan = make_plan<spmv_plan<T>>(where, matrix, tree.matrix);
    std::int64_t const bytes = tree.matrix.bytes();
    std::vector<measurement> records;
    for (bool const transpose : {false, true}) {
        show_step(transpose ? "A^T X" : "A X");
        columns_problem<T> const what(matrix, a, transpose, options.columns);
        columns_products<T> all;
        for (auto const layout : {dense_layout::row_major, dense_layout::column_major})
            add_ours(all, where, what, transpose, layout, "plan", plan.matrix, bytes + plan.matrix.bytes(),
                     tree.seconds, plan.seconds);
        add_ours(all, where, what, transpose, dense_layout::row_major, "oneshot", tree.matrix, bytes, tree.seconds, 0);
        for (auto& guest : mkl_columns(what, where.threads(), complain)) all.push_back(std::move(guest));
        run_race(all, on_cpu(repeats));
        for (auto& one : all)
            if (took_part(one->record, complain)) records.push_back(std::move(one->record.m));
    }
    return records;
}

}  // namespace

int columns_mode(arguments const& a, json_lines& lines) {
    auto const matrices =
        a.matrices.empty() ? a.quick ? quick_suite : columns_suite : with_files_of_folders(a.matrices);
    int const threads = use_threads(a.threads == 0 ? 2 : a.threads), repeats = a.repeats > 0 ? a.repeats
                                                                               : a.quick     ? 5
                                                                                             : 9;
    auto const where = this_machine();
    auto const measured = measure_ceilings(threads, a.quick ? 5 : 15, a.triad_bytes());
    target on({.on = "cpu", .threads = threads});
    lines.add(run_object("spmm", threads, where, measured));
    return for_each_matrix(matrices, a.type, [&]<class T>(std::string const& matrix) {
        std::vector<measurement> found;
        double const seconds = seconds_of([&] {
            found = compare_columns<T>(matrix, a, on, repeats, [&](std::string const& why) { lines.add_note(why); });
        });
        fmt::print(stderr, " {}\n", human_seconds(seconds));
        for (auto const& m : found) lines.add(record_object(m, where, measured));
        lines.add({{"op", "done"}});
        return count_wrong(found);
    });
}

}  // namespace copse::bench
