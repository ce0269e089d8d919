// What a Python object holds: a matrix in one of the formats, of floats or doubles, and the plans of its content.
//
//   matrix          one of 10 `held`s: HiSparse, CSR, CSR5, SELL-P, CMRS of float and of double
//   held            the matrix, where it is, and a pointer to the plans, which A, A^T and s A share
//   plans_of        for each number of threads the plan that was made for it; on a device one
//
// Plans are made at the first product. They are of the content as it is stored; each product applies the state.
#pragma once

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/flat_formats.hpp>
#include <copse/formats/hisparse.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "places.hpp"
#include "watched.hpp"

namespace copse::python {

template <class Matrix>
struct plan_type {
    using type = flat_plan<Matrix>;
};
template <class T>
struct plan_type<hisparse<T>> {
    using type = spmv_plan<T>;
};
template <class Matrix>
using plan_for = typename plan_type<Matrix>::type;

template <class Matrix>
inline constexpr bool is_tree = false;
template <class T>
inline constexpr bool is_tree<hisparse<T>> = true;

template <class Matrix>
struct value_of {
    using type = typename Matrix::value_type;
};
template <class T>
struct value_of<hisparse<T>> {
    using type = T;
};
template <class Matrix>
using value_type_of = typename value_of<Matrix>::type;

template <class Matrix>
constexpr char const* format_name() {
    if constexpr (is_tree<Matrix>)
        return "hisparse";
    else
        return Matrix::name;
}

/// The plans of one content. Thread-safe.
template <class Matrix>
class plans_of {
  public:
    using plan = plan_for<Matrix>;

    /// The plan for the executor's number of threads; made now, if there is none, for `stored` or for its transpose.
    /// The GIL is released.
    template <class Executor>
    plan get(Executor& executor, Matrix const& stored, bool for_transpose) {
        int number = 0;
        if constexpr (std::is_same_v<Executor, cpu>) number = executor.threads();
        std::scoped_lock const lock(mutex_);
        for (auto const& [threads, made] : made_)
            if (threads == number) return made;
        plan const made =
            watched(stored.entry_count(), [&] { return plan(executor, for_transpose ? stored.transposed() : stored); });
        return made_.emplace_back(number, for_transpose ? made.transposed() : made).second;
    }
    /// The plans of `other`, a matrix with the structure of this one, or most of its nodes.
    std::shared_ptr<plans_of> updated(Matrix const& other) {
        auto result = std::make_shared<plans_of>();
        if constexpr (is_tree<Matrix>) {
            std::scoped_lock const lock(mutex_);
            for (auto const& [threads, made] : made_) result->made_.emplace_back(threads, made.updated(other));
        }
        return result;
    }
    /// Bytes of all plans.
    std::int64_t bytes() {
        std::scoped_lock const lock(mutex_);
        std::int64_t sum = 0;
        for (auto const& [threads, made] : made_) sum += made.bytes();
        return sum;
    }

  private:
    std::recursive_mutex mutex_;  // a signal handler may multiply while get() is watched
    std::vector<std::pair<int, plan>> made_;
};

template <class Matrix>
struct held {
    Matrix a;
    place where = {};
    std::shared_ptr<plans_of<Matrix>> plans = std::make_shared<plans_of<Matrix>>();

    Matrix stored() const { return Matrix(a.content()); }
    template <class Executor>
    plan_for<Matrix> plan(Executor& executor) const {
        auto made = plans->get(executor, stored(), a.is_transposed());
        if (a.is_transposed()) made = made.transposed();
        return a.scale() == value_type_of<Matrix>(1) ? made : made.scaled(a.scale());
    }
    held with(Matrix other) const { return {std::move(other), where, plans}; }
};

template <class T, class List>
struct with_trees;
template <class T, class... Matrix>
struct with_trees<T, std::variant<Matrix...>> {
    using type = std::variant<held<hisparse<T>>, held<Matrix>...>;
};
template <class First, class Second>
struct joined;
template <class... First, class... Second>
struct joined<std::variant<First...>, std::variant<Second...>> {
    using type = std::variant<First..., Second...>;
};
template <class T>
using held_of = typename with_trees<T, flat_matrices<T, std::variant>>::type;
using any_held = typename joined<held_of<float>, held_of<double>>::type;

class matrix {
  public:
    template <class Matrix>
    explicit matrix(Matrix a) : held_(held<Matrix>{std::move(a)}) {}
    template <class Matrix>
    explicit matrix(held<Matrix> h) : held_(std::move(h)) {}

    /// f(held<Matrix> const&).
    template <class F>
    decltype(auto) visit(F&& f) const {
        return std::visit(std::forward<F>(f), held_);
    }
    place where() const {
        return visit([](auto const& h) { return h.where; });
    }
    /// f(held<hisparse<T>> const&). Throws argument_error, which names the operation, for a flat format.
    template <class F>
    auto visit_tree(char const* operation, F&& f) const {
        using result = std::invoke_result_t<F, held<hisparse<double>> const&>;
        return std::visit(
            [&]<class Matrix>(held<Matrix> const& h) -> result {
                if constexpr (is_tree<Matrix>)
                    return f(h);
                else
                    refuse_format(operation, Matrix::name);
            },
            held_);
    }
    /// The matrix as one of T at that place. Throws argument_error for a flat format, another type or place.
    template <class T>
    hisparse<T> const& tree(char const* operation, place where) const {
        auto const* h = std::get_if<held<hisparse<T>>>(&held_);
        if (h && h->where == where) return h->a;
        refuse_operand(operation);
    }

  private:
    [[noreturn]] static void refuse_format(char const* operation, char const* format);
    [[noreturn]] static void refuse_operand(char const* operation);

    any_held held_;
};

/// Throws argument_error, which names the operation, for a matrix that is elsewhere.
void check_on_cpu(char const* operation, place where);

}  // namespace copse::python
