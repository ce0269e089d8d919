// Compaction by tasks: the host plans, leaves are copied side by side. Compiled for every executor:
// copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/formats/tree/compaction_plan.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

namespace copse {
namespace detail {

struct copy_leaves {
    using item = std::int64_t;  // a piece
    static constexpr int width = 32;
    static constexpr char const* name = "copy leaves";

    leaf_extent const* pieces;
    std::byte const* const* arenas;  // by number
    std::byte* to;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        leaf_extent const piece = pieces[which];
        auto const* const source =
            reinterpret_cast<std::uint64_t const*>(arenas[arena_of_place(piece.from)] + offset_of_place(piece.from));
        auto* const copy = reinterpret_cast<std::uint64_t*>(to + piece.to);
        for (std::int64_t i = w.rank(); i < piece.count; i += w.size())
            w.store_vector(copy + 2 * i, w.template load_stream_vector<2>(source + 2 * i));
    }
};

/// run_tasks(options, seeds, tasks...): run() on the executor.
template <class Executor, class T, class Run>
hisparse<T> compact_by_tasks(Executor& executor, hisparse<T> const& a, compact_options options, Run run_tasks) {
    nvtx_range const range(nvtx_room::algebra, "copse compact", a.entry_count());
    auto const& where = executor.memory();
    check_space("compact", a.space(), "the matrix", where->space());
    hisparse_content const& old = *a.content();
    if (options.share_identical || options.values_once || options.share_transposed || !old.root)
        return compact(a, options);
    compaction_plan const plan = plan_compaction(old, sizeof(T));
    auto const nodes = std::make_shared<buffer<std::byte>>(where, plan.bytes);
    buffer<leaf_extent> const pieces(temporary_memory(executor), std::span<leaf_extent const>(plan.leaves));
    copy_leaves const copy{pieces.data(), old.arena_table.data(), nodes->data()};
    run_tasks(run_options(), seed_range<copy_leaves>(0, pieces.size()), copy);
    std::size_t const inner_bytes = plan.inner_nodes.bytes();
    if (inner_bytes > 0)
        where->copy_from_host(nodes->data() + nodes->bytes() - inner_bytes, plan.inner_nodes.data(), inner_bytes);
    auto content = std::make_shared<hisparse_content>(content_like(old));
    content->root = plan.root;
    content->reachable_bytes = plan.bytes;
    content->arenas.push_back({plan.arena, nodes});
    make_arena_table(*content, where);
    hisparse<T> const result(std::move(content));
    return (a.is_transposed() ? result.transposed() : result).scaled(a.scale());
}

}  // namespace detail

template <class T, any_executor Executor>
hisparse<T> compact(Executor& executor, hisparse<T> const& a, compact_options options) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("compact");
    else
        return detail::compact_by_tasks(executor, a, options, [&](auto const&... run_of) { run(executor, run_of...); });
}

namespace detail {

template <any_executor Executor, class... Types>
struct compiled_compact {
    static constexpr auto functions = std::make_tuple(&compact<Types, Executor>...);
};
template <template <class...> class List>
using compact_runs = std::tuple<List<copy_leaves>>;

}  // namespace detail
}  // namespace copse
