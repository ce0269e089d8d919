// New values by tasks: arenas are copied, then each value goes to its place. Compiled for every executor:
// copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <cmath>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/values/copy_with_structure.hpp>
#include <copse/formats/edits/stored_value.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace copse {
namespace detail {

/// Arenas have whole nodes, which are multiples of 16 bytes.
struct copy_nodes {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "copy nodes";
    static constexpr std::int64_t stretch = 8192;

    std::uint64_t const* from;
    std::uint64_t* to;
    std::int64_t count;  // of 16 bytes

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        for_stretch(w, which, stretch, count, [&](std::int64_t i) {
            w.store_vector(to + 2 * i, w.template load_stream_vector<2>(from + 2 * i));
        });
    }
};

/// Of entries with one place the one whose place is not marked. Fails with the number of a value that the scale does
/// not let the matrix store.
template <class T>
struct set_values {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "set values";
    static constexpr std::int64_t stretch = 4096;

    std::uint64_t const* places;
    T const* values;
    std::byte const* const* arenas;  // of the new matrix, by number
    std::int64_t count;
    T scale;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        for_stretch(w, which, stretch, count, [&](std::int64_t i) {
            T const value = values[i];
            if (!keeps_value(value, scale)) w.fail(i);
            if (!is_repeated(i)) *at(i) = stored(i);
        });
    }
    COPSE_HOST_DEVICE bool is_repeated(std::int64_t i) const { return (places[i] & repeated_place) != 0; }
    /// Value i as it is stored.
    COPSE_HOST_DEVICE T stored(std::int64_t i) const {
        return value_sign<T>((places[i] & negative_place) != 0)(values[i] / scale);
    }
    /// Where value i goes.
    COPSE_HOST_DEVICE T* at(std::int64_t i) const {
        std::byte const* const place = arenas[arena_of_place(places[i])] + offset_of_place(places[i]);
        return reinterpret_cast<T*>(const_cast<std::byte*>(place));
    }
};

/// After set_values: fails where an entry has another value, bit by bit, than the one that its place was given.
template <class T>
struct compare_values {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "compare values";

    set_values<T> given;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        for_stretch(w, which, given.stretch, given.count, [&](std::int64_t i) {
            if (!given.is_repeated(i)) return;
            if (as_word(given.stored(i)) != as_word(*given.at(i))) w.fail(i);
        });
    }

  private:
    COPSE_HOST_DEVICE static value_word<T> as_word(T const& value) {
        return *reinterpret_cast<value_word<T> const*>(&value);
    }
};

template <class T>
void check_values(hisparse<T> const& a, vector_view<T const> values, memory_space space) {
    check_space("with_values", a.space(), "A", space);
    check_space("with_values", values.space(), "the list of values", space);
    if (values.size() != a.entry_count())
        throw shape_error("with_values: A has " + std::to_string(a.entry_count()) + " entries, but there are " +
                          std::to_string(values.size()) + " values");
    if (a.scale() == T(0))
        throw argument_error(
            "with_values: the matrix's scale is 0, so every entry reads as 0; give values to the "
            "matrix before it is scaled");
    if (!std::isfinite(a.scale()))
        throw argument_error(
            "with_values: the matrix's scale is not finite, so no stored value would read as the given one; give "
            "values to the matrix before it is scaled");
}

/// Null where a node stores a value for several entries.
template <class T>
std::shared_ptr<buffer<std::uint64_t> const> places_of(hisparse<T> const& a, std::shared_ptr<memory> const& where) {
    structure_notes& notes = *a.content()->notes;
    std::scoped_lock const lock(notes.mutex);
    auto& places = notes.value_places[a.is_transposed() ? 1 : 0];
    if (!places) {
        value_place_list const found = value_places(a);
        if (found.places.empty()) return nullptr;
        places = std::make_shared<buffer<std::uint64_t>>(where, std::span<std::uint64_t const>(found.places));
        notes.places_repeat = found.some_repeated;
    }
    return places;
}

/// The values on a structure of their own: no node stands for several parts, none stores a value for several entries.
template <class T>
hisparse<T> converted_anew(hisparse<T> const& a, vector_view<T const> values, std::shared_ptr<memory> const& where) {
    csr<T> rows = to_csr(a);
    where->copy_to_host(rows.values.data(), values.data(), rows.values.size() * sizeof(T));
    return hisparse<T>(where, rows, {.node_dimension = a.node_dimension(), .values = stored_values::each});
}

/// Value i of a list for op(A), which the scale does not let A store.
template <class T>
[[noreturn]] void refuse_value(hisparse<T> const& a, vector_view<T const> values, memory& where, std::int64_t i) {
    T value;
    where.copy_to_host(&value, values.data() + i, sizeof value);
    coo<T> const entries = to_coo(a);
    auto const k = static_cast<std::size_t>(i);
    throw argument_error("with_values: the value for row " + std::to_string(entries.rows[k]) + ", column " +
                         std::to_string(entries.columns[k]) + " (counted from 0) of " +
                         cannot_be_stored(value, a.scale()) + "; give values to the matrix before it is scaled");
}

/// run_tasks(options, seeds, tasks...): run() on the executor.
template <class Executor, class Run>
std::shared_ptr<hisparse_content> copy_by_tasks(Executor& executor, hisparse_content const& old, Run run_tasks) {
    auto const& where = executor.memory();
    auto content = std::make_shared<hisparse_content>(content_like(old));
    content->root = old.root;
    content->reachable_bytes = old.reachable_bytes;
    content->notes = old.notes;
    content->edit_ranks = old.edit_ranks;
    for (arena const& from : old.arenas) {
        auto to = std::make_shared<buffer<std::byte>>(where, from.memory->size());
        copy_nodes const copy{reinterpret_cast<std::uint64_t const*>(from.memory->data()),
                              reinterpret_cast<std::uint64_t*>(to->data()), from.memory->size() / 16};
        run_tasks(run_options(), seed_range<copy_nodes>(0, stretches(copy.count, copy.stretch)), copy);
        content->arenas.push_back({from.number, std::move(to)});
    }
    make_arena_table(*content, where);
    return content;
}

template <any_executor Executor>
std::shared_ptr<hisparse_content> copy_with_structure(Executor& executor, hisparse_content const& old) {
    if constexpr (!can_run_on<Executor>)
        refuse_without_cuda("with_values");
    else
        return copy_by_tasks(executor, old, [&](auto const&... run_of) { run(executor, run_of...); });
}

/// The same.
template <class Executor, class T, class Run>
hisparse<T> give_values(Executor& executor, hisparse<T> const& a, vector_view<T const> values, Run run_tasks) {
    nvtx_range const range(nvtx_room::algebra, "copse with values", a.entry_count());
    auto const& where = executor.memory();
    check_values(a, values, where->space());
    if (a.entry_count() == 0) return a;
    auto const places = places_of(a, where);
    if (!places) return converted_anew(a, values, where);
    auto content = copy_by_tasks(executor, *a.content(), run_tasks);
    set_values<T> const set{places->data(), values.data(), content->arena_table.data(), a.entry_count(), a.scale()};
    try {
        run_tasks(run_options(), seed_range<set_values<T>>(0, stretches(set.count, set.stretch)), set);
    } catch (task_error const& e) {
        refuse_value(a, values, *where, e.code());
    }
    if (content->notes->places_repeat) {
        try {
            compare_values<T> const compare{set};
            run_tasks(run_options(), seed_range<compare_values<T>>(0, stretches(set.count, set.stretch)), compare);
        } catch (task_error const&) {
            return converted_anew(a, values, where);
        }
    }
    hisparse<T> const result(std::move(content));
    return (a.is_transposed() ? result.transposed() : result).scaled(a.scale());
}

}  // namespace detail

template <class T, any_executor Executor>
hisparse<T> with_values(Executor& executor, hisparse<T> const& a, std::type_identity_t<vector_view<T const>> values) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("with_values");
    else
        return detail::give_values<Executor, T>(executor, a, values,
                                                [&](auto const&... run_of) { run(executor, run_of...); });
}

namespace detail {

template <any_executor Executor, class... Types>
struct compiled_with_values {
    static constexpr auto functions = std::make_tuple(&copy_with_structure<Executor>, &with_values<Types, Executor>...);
};
template <template <class...> class List>
using with_values_runs = std::tuple<List<copy_nodes>, List<set_values<float>>, List<set_values<double>>,
                                    List<compare_values<float>>, List<compare_values<double>>>;

}  // namespace detail
}  // namespace copse
