// Products from plans in the format that is fastest for a matrix, found by a trial on the matrix itself.
//
//   auto const verdict = copse::tune(cpu, a, {.products = 1000});           // a: csr; what will be asked of it
//   copse::tuned_plan<double> const plan(cpu, a, verdict);
//   copse::spmv(cpu, 1.0, plan, x, 0.0, y);                                 // y <- A x
//   copse::spmv(cpu, 1.0, copse::transposed(plan), x, 0.0, y);              // y <- A^T x, in a format of its own
//
//   std::string const text = verdict.text();                                // "A: csr5, A^T: cmrs": to be stored
//   copse::tuned_plan<double> const again(cpu, a, copse::format_verdict(text));
#pragma once

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/flat_formats.hpp>
#include <copse/formats/suitable_format.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace copse {

/// How long a product took in a trial, by a plan in the format.
struct format_trial {
    matrix_format format;
    bool transposed;  // A^T x
    double seconds;   // of the rows that the trial was made with
};

/// Formats for A x and for A^T x. None for A^T x: by what A x has.
struct format_verdict {
    matrix_format stored = matrix_format::hisparse;
    std::optional<matrix_format> transposed;
    std::vector<format_trial> trials;  // that led to it; not part of the text

    format_verdict() = default;
    format_verdict(matrix_format of_a, std::optional<matrix_format> of_transpose = {})
        : stored(of_a), transposed(of_transpose) {}
    /// text: what text() returned. Throws argument_error, which shows what is wrong in it.
    explicit format_verdict(std::string_view text);

    /// "A: csr5, A^T: cmrs", or "A: csr5".
    std::string text() const;
};

struct tune_options {
    /// Of each kind that is asked for. A trial and its conversions may take as long as a tenth of them; if these are
    /// fewer than 20, nothing is tried, and the verdict is that of suitable_format().
    std::int64_t products = 1000;
    /// What will be asked for; at least one of them. Without A x, the verdict for it is the rule's.
    bool stored = true;      // A x
    bool transposed = true;  // A^T x
    /// As format_use has it.
    std::int64_t cache_bytes = 0;
};

/// Returns the formats in which plans multiply fastest, by a trial. First comes what suitable_format() says, then the
/// others, as long as there is time (tune_options::products); they take turns, and the fastest wins, the rule's by 3 %.
/// If A takes more than twice the last cache, the trial is made with a part of the rows of op(A): eight stretches that
/// take as much as that. Takes memory for A^T, and for these rows in all formats. On emulated nothing is timed: the
/// verdict is the rule's. Waits. Timings differ from run to run, and so may verdicts.
/// Throws shape_error where `a` breaks csr's contract, argument_error for options out of range, std::bad_alloc,
/// cuda_error.
template <class T, any_executor Executor>
format_verdict tune(Executor& executor, csr<T> const& a, tune_options options = {});

/// Whether a plan of op(A) in this format may be faster than in others: sellp_sorted is not where slices have little
/// padding, sellp_trimmed not where no row is long.
bool is_worth_a_trial(matrix_profile const& op_a, matrix_format format) noexcept;

namespace detail {

/// SELL-P of the rows that are not long (their places in y stay), and CSR5 of the long ones.
template <class T>
struct trimmed_plan {
    flat_plan<sellp<T>> even;
    flat_plan<csr5<T>> longer;
};

template <class... Matrix>
struct plans_of {
    template <class T>
    using with_trees = std::variant<spmv_plan<T>, flat_plan<Matrix>..., trimmed_plan<T>>;
};
template <class T>
using format_plan = typename flat_matrices<T, plans_of>::template with_trees<T>;

/// Throws too_much_padding, and what the conversion throws.
template <class T, any_executor Executor>
format_plan<T> plan_in_format(Executor& executor, csr<T> const& a, matrix_format format);
template <class T, any_executor Executor>
void multiply_by_format_plan(Executor& executor, T alpha, format_plan<T> const& plan, vector_view<T const> x, T beta,
                             vector_view<T> y);

}  // namespace detail

/// Plans of A x and of A^T x in formats of their own, and their matrices: the matrix that it was made from may go.
/// Copies are cheap, and share all of it. Products with one plan may run at the same time, from several threads. A plan
/// that was moved from has 0 rows and columns; everything else that uses it throws argument_error.
template <class T>
class tuned_plan {
  public:
    using value_type = T;

    /// Converts `a` to the verdict's formats. If these differ, A^T is converted at once; else its first product makes
    /// what it needs. If SELL-P would pad too much, as it would not for the matrix that the verdict is from, throws
    /// too_much_padding. Throws shape_error, std::bad_alloc, cuda_error.
    template <any_executor Executor>
    tuned_plan(Executor& executor, csr<T> const& a, format_verdict verdict);
    /// tune() first.
    template <any_executor Executor>
    tuned_plan(Executor& executor, csr<T> const& a, tune_options options = {})
        : tuned_plan(executor, a, tune(executor, a, options)) {}

    std::int64_t row_count() const noexcept;
    std::int64_t column_count() const noexcept;
    /// Of the matrices and of what the plans take besides.
    std::int64_t bytes() const;
    format_verdict const& verdict() const noexcept { return verdict_; }

    /// Shares everything. O(1).
    tuned_plan transposed() const;
    tuned_plan scaled(T factor) const;

  private:
    friend detail::format_plan<T> const& plan_of(tuned_plan const& plan) { return plan.stored_; }

    format_verdict verdict_;
    detail::format_plan<T> stored_;
    std::optional<detail::format_plan<T>> turned_;  // none: the transpose of stored_
};

template <class T>
tuned_plan<T> transposed(tuned_plan<T> const& plan) {
    return plan.transposed();
}
template <class T>
tuned_plan<T> scaled(tuned_plan<T> const& plan, std::type_identity_t<T> factor) {
    return plan.scaled(factor);
}

/// y <- alpha * op(A) * x + beta * y, as spmv() by the format's own plan does (spmv_plan.hpp, flat_spmv.hpp): the same
/// bits every time, NaN and Inf included. x and y must not overlap. Waits. Throws what that throws.
template <class T, any_executor Executor>
void spmv(Executor& executor, std::type_identity_t<T> alpha, tuned_plan<T> const& plan,
          std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
          std::type_identity_t<vector_view<T>> y) {
    detail::multiply_by_format_plan<T>(executor, alpha, plan_of(plan), x, beta, y);
}

}  // namespace copse
