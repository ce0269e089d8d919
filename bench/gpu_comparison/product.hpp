// Products in the comparison on a GPU: what they read and are held to, and ours. cuSPARSE's: cusparse_product.hpp.
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/inputs.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/record.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {

/// y <- op(A) x for one set of a problem's vectors. The problem must outlive it.
template <class T>
class gpu_product final : public gpu_entrant {
  public:
    using call_function = std::function<std::optional<run_report>(vector_set<T> const& vectors, int set)>;
    using prepare_function = std::function<void(race_record& r)>;

    gpu_product(gpu_clock& clock, race_record r, gpu_problem<T> const& what, call_function call,
                prepare_function prepare = {})
        : gpu_entrant(clock, std::move(r)), what_(what), call_(std::move(call)), prepare_(std::move(prepare)) {}

    void prepare() override {
        if (prepare_) prepare_(record);
    }
    void set_up(int set) override { poison(executor(), y(set).data(), y(set).bytes()); }
    std::optional<run_report> call(int set) override { return call_(vectors(set), set); }
    double largest_error(int set) override { return vectors(set).check(y(set)); }

  private:
    vector_set<T> const& vectors(int set) const { return what_.sets[static_cast<std::size_t>(set)]; }
    buffer<T> const& y(int set) const { return vectors(set).y; }

    gpu_problem<T> const& what_;
    call_function call_;
    prepare_function prepare_;
};

using gpu_entrants = std::vector<std::unique_ptr<entrant>>;

/// The place in a race of what could not be made: a record with the failure.
class absent final : public entrant {
  public:
    explicit absent(race_record r) : entrant(std::move(r)) {}
    run_times run(int) override { return {}; }
    double largest_error(int) override { return 0; }
};

/// `bytes` are those of A in the format.
template <class T>
void set_bytes(race_record& r, gpu_problem<T> const& what, std::int64_t bytes) {
    auto const vector_bytes = (what.rows + what.columns) * static_cast<std::int64_t>(sizeof(T));
    r.m.bytes = bytes;
    r.m.moved_bytes = bytes + vector_bytes;
    r.m.csr_moved_bytes = csr_bytes(what.rows, what.entries, sizeof(T)) + vector_bytes;
}

/// The record before anything is measured.
template <class T>
race_record describe(gpu_problem<T> const& what, std::string library, std::string variant, std::string format,
                     std::int64_t bytes) {
    race_record r;
    r.library = std::move(library);
    r.variant = std::move(variant);
    r.clock = "events";
    r.sets = what.set_count();
    r.m.transpose = what.transpose;
    r.m.matrix = what.name;
    r.m.format = std::move(format);
    r.m.on = "gpu";
    r.m.type = type_name<T>;
    r.m.rows = what.rows;
    r.m.columns = what.columns;
    r.m.entries = what.entries;
    set_bytes(r, what, bytes);
    return r;
}

/// "csr" of "csr merge-path"
inline std::string format_of(std::string const& form) {
    return form.substr(0, form.find(' '));
}

template <class T, class Matrix>
race_record describe_ours(gpu_problem<T> const& what, std::string const& form, std::string const& how,
                          copies_of<Matrix> const& a) {
    auto r = describe(what, "copse", form + ' ' + how, format_of(form), a.first().bytes());
    r.m.convert_seconds = a.seconds;
    if constexpr (requires { a.first().node_dimension(); }) r.m.node_dimension = a.first().node_dimension();
    return r;
}

/// One run of the scheduler for each product, under one controller. `a`: not transposed.
template <class T, class Matrix>
std::unique_ptr<entrant> one_shot(gpu_clock& clock, gpu_problem<T> const& what, std::string const& form,
                                  copies_of<Matrix> const& a, controller which) {
    auto r = describe_ours(what, form, name_of(which), a);
    r.clock = "wall";
    r.m.controller = name_of(which);
    return std::make_unique<gpu_product<T>>(
        clock, std::move(r), what,
        [&executor = clock.executor(), op = a.op(what.transpose), which](vector_set<T> const& v, int set) {
            executor.set_controller(which);
            return spmv(executor, T(1), op.of_set[static_cast<std::size_t>(set)], v.x, T(0), v.y);
        });
}

/// Launches alone, as cuSPARSE's calls are. `op`: op(A) in a flat format, or plans of that.
template <class T, class Matrix>
std::unique_ptr<entrant> launches(gpu_clock& clock, gpu_problem<T> const& what, race_record r, std::vector<Matrix> op) {
    return std::make_unique<gpu_product<T>>(clock, std::move(r), what,
                                            [&executor = clock.executor(), op = std::move(op)](
                                                vector_set<T> const& v, int set) -> std::optional<run_report> {
                                                spmv_async(executor, T(1), op[static_cast<std::size_t>(set)], v.x, T(0),
                                                           v.y);
                                                return std::nullopt;
                                            });
}

/// How a plan is made and replayed.
struct plan_way {
    std::string name;
    detail::plan_shape shape = detail::replay_shape;
    detail::replay_choices choices = {};
};
/// As products do it: "plan".
plan_way chosen_way();
/// With each choice made the other way.
std::vector<plan_way> other_ways();
/// Of matrices that store twins once.
std::vector<plan_way> ways_of_twins();
/// The same matrices with twins stored once (hisparse_options::share_transposed); none where that saves less than a
/// tenth.
template <class T>
copies_of<hisparse<T>> with_twins(copies_of<hisparse<T>> const& trees);

/// HiSparse replayed from plans, which preparing makes.
template <class T>
std::unique_ptr<entrant> hisparse_plan(gpu_clock& clock, gpu_problem<T> const& what,
                                       copies_of<hisparse<T>> const& trees, plan_way const& way = chosen_way());

/// Both products of one plan: A x and A^T w, or A^T (A x).
struct both_way {
    std::string name;
    bool is_normal = false;
    detail::replay_choices choices = {};
};
std::vector<both_way> both_ways();
/// y is A x. z is held to that of two products: bit by bit, unless it is A^T (A x).
template <class T>
std::unique_ptr<entrant> hisparse_both(gpu_clock& clock, gpu_problem<T> const& what,
                                       copies_of<hisparse<T>> const& trees, both_way const& way);

/// What HiSparse's paper calls naive: a thread for each row of A; for A^T x it adds to y by atomic additions.
template <class T>
std::unique_ptr<entrant> naive_product(gpu_clock& clock, gpu_problem<T> const& what,
                                       std::vector<csr_matrix<T>> const& copies);

}  // namespace copse::bench
