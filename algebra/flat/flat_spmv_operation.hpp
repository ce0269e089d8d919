// Products of flat formats and plans for them, compiled for every format and executor: copse_add_operation() in this
// room's CMakeLists.txt, which includes each format's tasks.
#pragma once

#include <algorithm>
#include <concepts>
#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/formats/flat_formats.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>
#if defined(__CUDACC__)
#include <copse/algebra/plans/replay_on_stream.cuh>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/state.cuh>
#endif

namespace copse {
namespace detail {

// On the cpu items are parts of the matrix, each a call of the format's own function (cpu_product), which is compiled
// for each instruction set.
//
//   A x     phase 0   parts: all rows that begin in the part
//           phase 1   what parts have of rows that begin in earlier ones, in order
//   A^T x   phase 0   y <- beta * y
//           phase 1   a portion for each thread: the first adds to y, the others to arrays of their own
//           phase 2   these are added to y, a stretch of it after the other, in the order of the portions

/// f(i): a task for the cpu alone.
template <class F, int Phase>
struct cpu_task {
    using item = std::int64_t;
    static constexpr int width = 1;
    static constexpr int phase = Phase;
    static constexpr char const* name = Phase == 0   ? "part of a matrix"
                                        : Phase == 1 ? "rows or columns of parts"
                                                     : "sums of parts";

    F const* f;

    template <class Worker>
    void operator()(item i, Worker&) const {
        (*f)(i);
    }
};

template <int Phase, class F>
task_range<cpu_task<F, Phase>> cpu_range(F const& f, std::int64_t count) {
    return {{&f}, count};
}

/// Parts that a matrix is cut into for A x: enough for threads to end together.
inline std::int64_t wanted_parts(int threads, std::int64_t entries, std::int64_t rows) {
    // Waking a thread takes as long as some ten thousand entries.
    return threads == 1 || entries + rows < 20000 ? 1 : 16 * std::int64_t{threads};
}

template <class Matrix>
std::vector<std::int64_t> parts_for(int threads, typename Matrix::content_type const& a) {
    return cpu_product_of<Matrix>().parts(a, wanted_parts(threads, a.entry_count, a.row_count));
}

/// y <- factor * A * x + beta * y, for the boundaries of parts that parts_for() gave.
template <class Matrix, class T>
run_report multiply_parts(cpu& executor, typename Matrix::content_type const& a, std::vector<std::int64_t> const& parts,
                          flat_product<T> const& p) {
    auto const product = cpu_product_of<Matrix>();
    auto const count = std::ssize(parts) - 1;
    std::vector<row_carry<T>> carries(static_cast<std::size_t>(count));
    auto const part = [&](std::int64_t i) {
        auto const k = static_cast<std::size_t>(i);
        carries[k] = product.multiply(a, parts[k], parts[k + 1], p);
    };
    auto const add = [&](std::int64_t) {
        for (row_carry<T> const& carry : carries)
            if (carry.row >= 0) p.y[carry.row] += p.factor * carry.sum;
    };
    if (count == 1) {  // not worth a run
        auto const start = run_clock::now();
        part(0);
        return {{}, std::chrono::duration<double>(run_clock::now() - start).count()};
    }
    return run_ranges([&](auto const&... of_run) { return run(executor, of_run...); }, cpu_range<0>(part, count),
                      cpu_range<1>(add, 1));
}

/// y <- factor * A^T * x + beta * y; A is not looked at unless `reads_matrix`.
template <class Matrix, class T>
run_report scatter_parts(cpu& executor, typename Matrix::content_type const& a, std::int64_t y_size, bool reads_matrix,
                         flat_product<T> const& p) {
    auto const product = cpu_product_of<Matrix>();
    std::int64_t const threads = executor.threads();
    auto const parts = product.parts(a, reads_matrix ? threads : 1);
    auto const portions = static_cast<std::size_t>(reads_matrix ? std::ssize(parts) - 1 : 0);
    std::vector<scattered_output<T>> outputs(std::max<std::size_t>(portions, 1));
    outputs[0] = {p.y, 0, y_size};
    std::vector<std::unique_ptr<T[]>> owned;
    for (std::size_t i = 1; i < portions; ++i) {
        owned.push_back(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(y_size)));
        outputs[i].sums = owned.back().get();
    }
    auto const portion = [&](std::int64_t i) {
        auto const k = static_cast<std::size_t>(i);
        product.scatter(a, parts[k], parts[k + 1], p, outputs[k]);
    };
    std::int64_t const stretches = portions > 1 ? 4 * threads : 0;
    auto const gather = [&](std::int64_t i) {
        std::int64_t const first = part_begin(i, stretches, y_size), last = part_begin(i + 1, stretches, y_size);
        for (std::size_t k = 1; k < portions; ++k) {
            auto const& other = outputs[k];
            std::int64_t const end = std::min(last, other.end);
            for (std::int64_t j = std::max(first, other.begin); j < end; ++j) p.y[j] += other.sums[j];
        }
    };
    return run_ranges([&](auto const&... of_run) { return run(executor, of_run...); }, scaling_of(p, y_size),
                      cpu_range<1>(portion, static_cast<std::int64_t>(portions)), cpu_range<2>(gather, stretches));
}

/// `parts`: of the matrix as it is stored, or null.
template <flat_format Matrix, class T = typename Matrix::value_type>
run_report multiply_on_cpu(cpu& executor, T alpha, Matrix const& a, vector_view<T const> x, T beta, vector_view<T> y,
                           std::vector<std::int64_t> const* parts = nullptr) {
    nvtx_range const range(nvtx_room::algebra, "copse spmv", a.entry_count());
    check_product(a, x, y, executor.memory()->space());
    auto const& content = *a.content();
    bool const reads_matrix = alpha != T(0) && a.entry_count() > 0;
    auto const multiply = [&](T factor, T own_beta, vector_view<T> to) {
        flat_product<T> const p{x.data(), to.data(), factor, own_beta};
        if (!reads_matrix || a.is_transposed())
            return scatter_parts<Matrix>(executor, content, to.size(), reads_matrix, p);
        if (parts) return multiply_parts<Matrix>(executor, content, *parts, p);
        return multiply_parts<Matrix>(executor, content, parts_for<Matrix>(executor.threads(), content), p);
    };
    auto const scale = [&](task_range<scale_sums<T>> const& sums) {
        return run_ranges([&](auto const&... of_run) { return run(executor, of_run...); }, sums);
    };
    return multiply_by_sums(executor.memory(), product_factor(alpha, a.scale()), beta, y, multiply, scale);
}

// On every executor.

/// Throws what a product throws before anything is started, and before its direction is made.
template <flat_format Matrix, class T>
void check_planned(flat_plan<Matrix> const& plan, vector_view<T const> x, vector_view<T> y, memory_space space) {
    content_of(plan);  // of a plan that was moved from: says so
    check_product(plan.matrix(), x, y, space);
}

// On a GPU's stream, without the scheduler: a kernel for each task. Without nvcc the declarations
// suffice: nothing calls them where can_run_on<gpu> is false.
#if defined(__CUDACC__)
template <flat_format Matrix, class T>
void start_on_stream(gpu& executor, T alpha, Matrix const& a, vector_view<T const> x, T beta, vector_view<T> y) {
    check_product(a, x, y, executor.memory()->space());
    current_device const current(state_of(executor).device());
    // In the order of phases; the stream keeps them apart.
    with_lanes(executor.temporary(), alpha, a, x, beta, y, [&]<class... Tasks>(task_range<Tasks> const&... ranges) {
        (launch_plain(ranges.task, ranges.count, state_of(executor).stream()), ...);
        return run_report();
    });
}

template <class... Tasks>
struct plain_kernels {
    static void load() { (load_plain<Tasks>(), ...); }
};
template <class... Runs>
void load_all(std::type_identity<std::tuple<Runs...>>) {
    (Runs::load(), ...);
}
/// Those of the format's products.
template <flat_format Matrix>
void load_kernels(gpu& executor) {
    current_device const current(state_of(executor).device());
    load_all(std::type_identity<typename lanes_product<Matrix>::template runs<plain_kernels>>());
    load_plain<scale_sums<typename Matrix::value_type>>();
}
/// Throws what a product throws before its direction is made, also where the stream is capturing.
template <flat_format Matrix, class T>
void check_before_start(gpu& executor, flat_plan<Matrix> const& plan, vector_view<T const> x, vector_view<T> y) {
    check_planned(plan, x, y, executor.memory()->space());
    bool const is_made = !plan.matrix().is_transposed() || content_of(plan)->turned.made();
    if (!is_made) refuse_captured_first_use(state_of(executor).stream());
}
#else
template <flat_format Matrix, class T>
void start_on_stream(gpu& executor, T alpha, Matrix const& a, vector_view<T const> x, T beta, vector_view<T> y);
template <flat_format Matrix>
void load_kernels(gpu& executor);
void wait_for_stream(gpu& executor);
template <flat_format Matrix, class T>
void check_before_start(gpu& executor, flat_plan<Matrix> const& plan, vector_view<T const> x, vector_view<T> y);
#endif

/// A^T, which a plan keeps beside A.
template <class Executor, flat_format Matrix>
Matrix turned_like(Executor& executor, Matrix const& a) {
    try {
        return like(executor, a, to_csr(Matrix(a.content()).transposed()));
    } catch (too_much_padding const& e) {
        throw too_much_padding(std::string("spmv_plan: of A^T, which a plan keeps beside A: ") + e.what(),
                               e.padding_bytes(), e.limit_bytes());
    }
}

/// The direction of `a` as it is stored. threads: the cpu's, among which it is cut; 0 for other executors, which do
/// not cut it.
template <flat_format Matrix>
flat_direction<Matrix> direction_in_parts(Matrix const& a, int threads) {
    return {a, threads > 0 ? parts_for<Matrix>(threads, *a.content()) : std::vector<std::int64_t>()};
}

template <class Executor, flat_format Matrix>
flat_direction<Matrix> const& turned_of(Executor& executor, flat_plan_content<Matrix> const& plan) {
    return plan.turned.get([&] {
        return std::make_unique<flat_direction<Matrix>>(
            direction_in_parts(turned_like(executor, plan.stored.matrix), plan.threads));
    });
}

}  // namespace detail

template <flat_format Matrix, any_executor Executor>
run_report spmv(Executor& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("spmv");
    else if constexpr (std::same_as<Executor, cpu>)
        return detail::multiply_on_cpu(executor, alpha, a, x, beta, y);
    else
        return detail::multiply_on(executor, alpha, a, x, beta, y,
                                   [&](auto const&... of_run) { return run(executor, of_run...); });
}

template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<gpu>) {
        detail::refuse_without_cuda("spmv");
    } else {
        nvtx_range const range(nvtx_room::algebra, "copse spmv", a.entry_count());
        detail::start_on_stream<Matrix, typename Matrix::value_type>(executor, alpha, a, x, beta, y);
    }
}

namespace detail {

template <flat_format Matrix, any_executor Executor>
std::shared_ptr<flat_plan_content<Matrix> const> make_flat_plan(Executor& executor, Matrix const& a,
                                                                [[maybe_unused]] plan_directions directions) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("spmv_plan");
    } else {
        nvtx_range const range(nvtx_room::algebra, "copse spmv plan", a.entry_count());
        check_space("spmv_plan", a.space(), "A", executor.memory()->space());
        int threads = 0;
        if constexpr (std::same_as<Executor, cpu>) threads = executor.threads();
        auto const plan =
            std::make_shared<flat_plan_content<Matrix>>(direction_in_parts(Matrix(a.content()), threads), threads);
        if (a.is_transposed() || directions == plan_directions::both) turned_of(executor, *plan);
        if constexpr (std::same_as<Executor, gpu>) load_kernels<Matrix>(executor);
        return plan;
    }
}

template <flat_format Matrix, any_executor Executor>
flat_direction<Matrix> const& flat_direction_of(Executor& executor, flat_plan<Matrix> const& plan) {
    if constexpr (!can_run_on<Executor>)
        refuse_without_cuda("spmv");
    else
        return plan.matrix().is_transposed() ? turned_of(executor, *content_of(plan)) : content_of(plan)->stored;
}

}  // namespace detail

template <flat_format Matrix, any_executor Executor>
void spmv(Executor& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<Executor>) {
        detail::refuse_without_cuda("spmv");
    } else if constexpr (std::same_as<Executor, gpu>) {
        spmv_async(executor, alpha, plan, x, beta, y);
        detail::wait_for_stream(executor);
    } else {
        detail::check_planned(plan, x, y, executor.memory()->space());
        auto const& direction = detail::flat_direction_of(executor, plan);
        Matrix const a = direction.matrix.scaled(plan.matrix().scale());
        if constexpr (std::same_as<Executor, cpu>)
            detail::multiply_on_cpu(executor, alpha, a, x, beta, y,
                                    direction.parts.empty() ? nullptr : &direction.parts);
        else
            spmv(executor, alpha, a, x, beta, y);
    }
}

template <flat_format Matrix>
void spmv_async(gpu& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    if constexpr (!detail::can_run_on<gpu>) {
        detail::refuse_without_cuda("spmv");
    } else {
        nvtx_range const range(nvtx_room::algebra, "copse replay", plan.matrix().entry_count());
        detail::check_before_start<Matrix, typename Matrix::value_type>(executor, plan, x, y);
        spmv_async(executor, alpha, detail::flat_direction_of(executor, plan).matrix.scaled(plan.matrix().scale()), x,
                   beta, y);
    }
}

namespace detail {

template <class Executor>
struct flat_functions {
    template <class Matrix, class T = typename Matrix::value_type>
    static constexpr auto of_one() {
        using one_shot = run_report (*)(Executor&, T, Matrix const&, vector_view<T const>, T, vector_view<T>);
        using by_plan = void (*)(Executor&, T, flat_plan<Matrix> const&, vector_view<T const>, T, vector_view<T>);
        auto const of_all = std::make_tuple(static_cast<one_shot>(&spmv<Matrix, Executor>),
                                            static_cast<by_plan>(&spmv<Matrix, Executor>),
                                            &make_flat_plan<Matrix, Executor>, &flat_direction_of<Matrix, Executor>);
        if constexpr (std::same_as<Executor, gpu>) {
            using async = void (*)(gpu&, T, Matrix const&, vector_view<T const>, T, vector_view<T>);
            return std::tuple_cat(of_all, std::make_tuple(static_cast<async>(&spmv_async<Matrix>),
                                                          static_cast<by_plan>(&spmv_async<Matrix>)));
        } else {
            return of_all;
        }
    }
    template <class... Matrix>
    struct of {
        static constexpr auto functions = std::make_tuple(of_one<Matrix>()...);
    };
};

template <any_executor Executor, class... Types>
struct compiled_flat_spmv {
    static constexpr auto functions =
        std::make_tuple(flat_matrices<Types, flat_functions<Executor>::template of>::functions...);
};

}  // namespace detail
}  // namespace copse
