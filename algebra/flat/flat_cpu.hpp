// Products of flat formats on the cpu: items are parts of the matrix, each a call of the format's own function
// (cpu_product), which is compiled for each instruction set. Included where a format's products are compiled.
//
//   A x     phase 0   parts: all rows that begin in the part
//           phase 1   what parts have of rows that begin in earlier ones, in order
//   A^T x   phase 0   y <- beta * y
//           phase 1   a share for each thread: the first adds to y, the others to arrays of their own
//           phase 2   these are added to y, a stretch of it after the other, in the order of the shares
#pragma once

#include <algorithm>
#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <memory>
#include <vector>

namespace copse::detail {

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
    auto const shares = static_cast<std::size_t>(reads_matrix ? std::ssize(parts) - 1 : 0);
    std::vector<scattered_output<T>> outputs(std::max<std::size_t>(shares, 1));
    outputs[0] = {p.y, 0, y_size};
    std::vector<std::unique_ptr<T[]>> owned;
    for (std::size_t i = 1; i < shares; ++i) {
        owned.push_back(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(y_size)));
        outputs[i].sums = owned.back().get();
    }
    auto const share = [&](std::int64_t i) {
        auto const k = static_cast<std::size_t>(i);
        product.scatter(a, parts[k], parts[k + 1], p, outputs[k]);
    };
    std::int64_t const stretches = shares > 1 ? 4 * threads : 0;
    auto const gather = [&](std::int64_t i) {
        std::int64_t const first = part_begin(i, stretches, y_size), last = part_begin(i + 1, stretches, y_size);
        for (std::size_t k = 1; k < shares; ++k) {
            auto const& other = outputs[k];
            std::int64_t const end = std::min(last, other.end);
            for (std::int64_t j = std::max(first, other.begin); j < end; ++j) p.y[j] += other.sums[j];
        }
    };
    return run_ranges([&](auto const&... of_run) { return run(executor, of_run...); }, scaling_of(p, y_size),
                      cpu_range<1>(share, static_cast<std::int64_t>(shares)), cpu_range<2>(gather, stretches));
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

}  // namespace copse::detail
