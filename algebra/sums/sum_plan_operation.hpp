// Sums by plans, compiled for every executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/algebra/add.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/sums/sum_plan_content.hpp>
#include <copse/algebra/values/copy_with_structure.hpp>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/formats/tree/check_alike.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace copse {
namespace detail {

/// An operand of a sum, and its factor: stored values are multiplied with it.
template <class T>
struct sum_term {
    std::byte const* const* arenas;  // by number
    T factor;
};

/// One window of the sum, operand by operand.
template <class T>
struct add_window {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr char const* name = "add by plan";

    sum_window const* windows;
    std::int64_t const* bounds;
    sum_stretch const* stretches;
    std::uint16_t const* positions;
    sum_term<T> const* terms;
    std::int64_t term_count;
    std::byte* nodes;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        sum_window const window = windows[which];
        T* const to = reinterpret_cast<T*>(nodes) + window.number * sum_window_positions;
        std::uint16_t const* const listed = positions + window.first_position;
        std::int64_t const* const bound = bounds + which * (term_count + 2);
        for (std::int64_t s = bound[0]; s < bound[1]; ++s)
            for_positions(w, stretches[s], listed, [&](std::int64_t, std::int64_t p) { to[p] = T(-0.0); });
        for (std::int64_t k = 0; k < term_count; ++k) {
            sum_term<T> const term = terms[k];
            for (std::int64_t s = bound[k + 1]; s < bound[k + 2]; ++s) {
                if (k == 0)
                    for_terms(w, stretches[s], listed, term, [&](std::int64_t p, T value) { to[p] = value; });
                else
                    for_terms(w, stretches[s], listed, term, [&](std::int64_t p, T value) { to[p] += value; });
            }
            w.sync();
        }
    }

  private:
    /// f(i, position) for value i of the stretch
    template <class Worker, class F>
    COPSE_HOST_DEVICE static void for_positions(Worker& w, sum_stretch const& stretch, std::uint16_t const* listed,
                                                F f) {
        if (stretch.is_listed)
            for (std::int64_t i = w.rank(); i < stretch.count; i += w.size()) f(i, listed[stretch.to + i]);
        else
            for (std::int64_t i = w.rank(); i < stretch.count; i += w.size()) f(i, stretch.to + i);
    }
    /// f(position, term)
    template <class Worker, class F>
    COPSE_HOST_DEVICE static void for_terms(Worker& w, sum_stretch const& stretch, std::uint16_t const* listed,
                                            sum_term<T> const& term, F f) {
        auto const* const from =
            reinterpret_cast<T const*>(term.arenas[arena_of_place(stretch.from)] + offset_of_place(stretch.from));
        T const factor = (stretch.from & negative_place) != 0 ? -term.factor : term.factor;
        if (stretch.is_one) {
            T const value = factor * *from;
            for_positions(w, stretch, listed, [&](std::int64_t, std::int64_t p) { f(p, value); });
        } else {
            for_positions(w, stretch, listed, [&](std::int64_t i, std::int64_t p) { f(p, factor * from[i]); });
        }
    }
};

inline std::string operand_name(std::size_t k, std::size_t count) {
    return count == 2 ? k == 0 ? "A" : "B" : "operand " + std::to_string(k);
}

template <class T>
void check_operands_of_plan(std::span<hisparse<T> const> operands, memory_space space) {
    if (operands.empty()) throw argument_error("sum_plan: there are no operands; give one or more");
    hisparse<T> const& first = operands.front();
    for (std::size_t k = 0; k < operands.size(); ++k) {
        std::string const name = operand_name(k, operands.size());
        check_space("sum_plan", operands[k].space(), name, space);
        check_alike("sum_plan", operand_name(0, operands.size()), first, name, operands[k]);
    }
}

template <class T>
void check_planned(sum_plan_content<T> const& plan, std::size_t factors, std::span<hisparse<T> const> operands,
                   memory_space space) {
    std::size_t const count = plan.operands.size();
    if (operands.size() != count || factors != count)
        throw argument_error("add: the plan was made for " + std::to_string(count) + " operands, but there are " +
                             std::to_string(operands.size()) + ", and " + std::to_string(factors) + " factors");
    for (std::size_t k = 0; k < count; ++k) {
        std::string const name = operand_name(k, count);
        check_space("add", operands[k].space(), name, space);
        check_space("add", plan.sums->structure().space, "the plan", space);
        if (operands[k].content()->notes != plan.operands[k].notes)
            throw argument_error("add: the structure of " + name +
                                 " is not the one that the plan was made for; give values to the plan's operand by "
                                 "with_values(), or make a new sum_plan");
        if (operands[k].is_transposed() != plan.operands[k].is_transposed)
            throw argument_error("add: the plan was made for " + name +
                                 (plan.operands[k].is_transposed ? " transposed" : " as it is stored") +
                                 "; make a new sum_plan for the other direction");
    }
}

template <class T, any_executor Executor>
std::shared_ptr<sum_plan_content<T> const> record_sum(Executor& executor, std::span<hisparse<T> const> operands) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("sum_plan");
    } else {
        auto const& where = executor.memory();
        check_operands_of_plan(operands, where->space());
        nvtx_range const range(nvtx_room::algebra, "copse sum plan");
        recorded_sum<T> const recorded = on_threads_of(executor, [&] { return record_sum_lists(where, operands); });
        auto plan = std::make_shared<sum_plan_content<T>>();
        for (hisparse<T> const& m : operands) plan->operands.push_back({m.content()->notes, m.is_transposed()});
        auto const place = [&]<class Element>(std::vector<Element> const& list) {
            return buffer<Element>(where, std::span<Element const>(list));
        };
        plan->windows = place(recorded.lists.windows);
        plan->bounds = place(recorded.lists.bounds);
        plan->stretches = place(recorded.lists.stretches);
        plan->positions = place(recorded.lists.positions);
        plan->sums = std::make_shared<kept_sums>(std::const_pointer_cast<hisparse_content>(recorded.content));
        return plan;
    }
}

template <class T, any_executor Executor>
hisparse<T> add_by_plan(Executor& executor, sum_plan<T> const& plan, std::span<T const> factors,
                        std::span<hisparse<T> const> operands) {
    if constexpr (!can_run_on<Executor>) {
        refuse_without_cuda("add");
    } else {
        sum_plan_content<T> const& recorded = *content_of(plan);
        check_planned(recorded, factors.size(), operands, executor.memory()->space());
        hisparse_content const& structure = recorded.sums->structure();
        nvtx_range const range(nvtx_room::algebra, "copse add by plan", structure.entry_count);
        if (structure.entry_count == 0) return hisparse<T>(recorded.sums->take());
        std::vector<sum_term<T>> terms;
        for (std::size_t k = 0; k < operands.size(); ++k)
            terms.push_back({operands[k].content()->arena_table.data(), factors[k] * operands[k].scale()});
        buffer<sum_term<T>> const terms_there(temporary_memory(executor), std::span<sum_term<T> const>(terms));
        auto const turn = recorded.sums->turn();
        std::shared_ptr<hisparse_content> sum = recorded.sums->take();
        bool const is_new = !sum;
        if (is_new) sum = copy_with_structure(executor, structure);
        add_window<T> const add{recorded.windows.data(),
                                recorded.bounds.data(),
                                recorded.stretches.data(),
                                recorded.positions.data(),
                                terms_there.data(),
                                std::ssize(terms),
                                const_cast<std::byte*>(sum->arenas.front().memory->data())};
        run(executor, run_options(), seed_range<add_window<T>>(0, recorded.windows.size()), add);
        if (is_new) recorded.sums->keep(sum);
        return hisparse<T>(std::move(sum));
    }
}

template <any_executor Executor, class... Types>
struct compiled_sum_plan {
    static constexpr auto functions =
        std::make_tuple(&record_sum<Types, Executor>..., &add_by_plan<Types, Executor>...);
};
template <template <class...> class List>
using sum_plan_runs = std::tuple<List<add_window<float>>, List<add_window<double>>>;

}  // namespace detail
}  // namespace copse
