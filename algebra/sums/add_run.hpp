// Setting up an addition for an executor: checks, memory, the result. Included where run() for that
// executor is compiled.
#pragma once

#include <algorithm>
#include <cmath>
#include <copse/algebra/add.hpp>
#include <copse/algebra/sums/add_bounds.hpp>
#include <copse/algebra/sums/add_tasks.hpp>
#include <copse/algebra/sums/add_wide_nodes.hpp>
#include <copse/algebra/sums/finished_sum.hpp>
#include <copse/algebra/sums/sum_choices.hpp>
#include <copse/algebra/sums/sum_twins.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/check_alike.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/told_by_run.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace copse::detail {

template <class T>
void check_addition(hisparse<T> const& a, hisparse<T> const& b, memory_space space) {
    check_alike("add", "A", a, "B", b);
    for (auto const* m : {&a, &b})
        if (m->space() != space)
            throw argument_error(
                std::string("add: ") + (m == &a ? "A" : "B") + " is in " +
                (m->space() == memory_space::host ? "host" : "device") + " memory, but the executor works in " +
                (space == memory_space::host ? "host" : "device") + " memory; make it with the same executor");
}

/// f(task of `all`, ...)
template <class... Tasks>
struct made_of {
    template <class F, class T>
    static auto call(F f, addition<T> const& all) {
        return f(task_of<Tasks>(all)...);
    }

  private:
    template <class Task, class T>
    static Task task_of(addition<T> const& all) {
        if constexpr (requires { Task::of(all); }) {
            return Task::of(all);
        } else {
            Task task{};  // some have bases
            task.sum = all;
            return task;
        }
    }
};

/// The arenas of the result: its own, and those of operands whose nodes it shares. An operand with an arena number
/// that is taken cannot be shared; of two with the same numbers that is the smaller one.
template <class T>
std::vector<arena> arenas_of_sum(hisparse<T> const& a, bool& share_a, hisparse<T> const& b, bool& share_b) {
    std::vector<arena> arenas;
    auto const take = [&](std::vector<arena> const& others, bool& share) {
        if (!share) return;
        auto const clashes = [&](arena const& x) {
            return std::any_of(arenas.begin(), arenas.end(),
                               [&](arena const& y) { return x.number == y.number && x.memory != y.memory; });
        };
        if (std::any_of(others.begin(), others.end(), clashes)) {
            share = false;
            return;
        }
        for (arena const& x : others)
            if (std::none_of(arenas.begin(), arenas.end(), [&](arena const& y) { return x.number == y.number; }))
                arenas.push_back(x);
    };
    bool const b_is_larger = a.content()->reachable_bytes < b.content()->reachable_bytes;
    if (b_is_larger) take(b.content()->arenas, share_b);
    take(a.content()->arenas, share_a);
    if (!b_is_larger) take(b.content()->arenas, share_b);
    int const number = new_arena_number(arenas);
    if (number < 0) {  // every number is taken: nothing is shared
        share_a = share_b = false;
        return {{new_arena_number({}), nullptr}};
    }
    arenas.insert(arenas.begin(), {number, nullptr});
    return arenas;
}

struct counted_nodes {
    counted_nodes() = default;
    explicit counted_nodes(node_counts const& counts)
        : shared_bytes(counts.shared_bytes), wide_bytes(counts.wide_bytes) {
        census_counters::add_to(census, counts.census);
    }

    node_census census;
    std::int64_t shared_bytes = 0;  // as node_counts has them
    std::int64_t wide_bytes = 0;
};

/// Of the runs of one addition, and how they are to go.
class addition_report {
  public:
    explicit addition_report(run_report* all = nullptr, sum_choices const& choices = {})
        : all_(all), choices_(choices) {}

    sum_choices const& choices() const { return choices_; }
    void add(run_report const& run) const {
        if (!all_) return;
        all_->queues.insert(all_->queues.end(), run.queues.begin(), run.queues.end());
        all_->seconds += run.seconds;
    }

  private:
    run_report* all_;
    sum_choices choices_;
};

template <class T, class Executor>
counted_nodes count_all_nodes(Executor& executor, hisparse_content const& content, std::int64_t inner_nodes,
                              addition_report const& report) {
    child_reference const root = content.root;
    std::int64_t root_entries = root.entries();
    if (root.is_wide_leaf()) {  // the node knows the exact number
        std::byte head[head_bytes];
        executor.memory()->copy_to_host(head, content.arenas.front().memory->data() + root.offset(), sizeof head);
        root_entries = shape_of(root, head).entries;
    }
    node_counts counts;
    if (!root.is_leaf()) {
        using task = count_nodes;
        told_by_run<node_counts> const there(executor, counts);
        run_options options;
        options.template capacity<task>(inner_nodes, 0, 0);
        report.add(run(executor, there.with(options), seed<task>({node{root, 0, 0}}),
                       task{reader_of(content), root.arena(), sizeof(T), there.data()}));
    }
    counted_nodes result(counts);
    result.census.count(root, root_entries);
    return result;
}

/// One for each thread of a cpu executor; other executors' tasks write leaves where they belong.
template <class Executor>
std::vector<leaf_outbox> make_outboxes(Executor const& executor) {
    if constexpr (requires { team_of(executor); })
        return std::vector<leaf_outbox>(static_cast<std::size_t>(team_of(executor).size()));
    else
        return {};
}

/// What the run left in them, and what its tasks told.
template <class T>
void empty_outboxes(addition<T> const& all, std::vector<leaf_outbox>& outboxes, told_by_run<sum_notes> const& told) {
    for (leaf_outbox& outbox : outboxes) {
        std::uint64_t const offset = *all.nodes.used;
        *all.nodes.used += static_cast<std::uint64_t>(outbox.used());
        outbox.send(all.nodes.memory, offset);
    }
    if (!outboxes.empty()) told.read();
}

/// Copies the nodes that the tree of `content` shares to behind its own, those with several parents for each: then it
/// has one arena. all: as for the sum, whose memory the copies fit as they would have in its run.
template <class T, class Executor>
void gather_nodes(Executor& executor, addition<T> all, std::vector<leaf_outbox>& outboxes,
                  told_by_run<sum_notes> const& told, hisparse_content& content, addition_report const& report) {
    all.a = all.b = {reader_of(content), T(1), false};
    all.counts = nullptr;
    auto const bounds = addition_bounds::of(content.census);
    run_options options;
    options.template capacity<gather_shared<T>>(bounds.inner_nodes, 0, 0);
    options.template capacity<copy_leaf<T>>(bounds.leaves + bounds.upper_nodes, 0, 0);
    options.template capacity<copy_inner_node<T>>(bounds.inner_nodes, 0, 0);
    report.add(run(executor, told.with(options), seed<gather_shared<T>>({content.root}), gather_shared<T>{all},
                   copy_inner_node<T>{all}, copy_leaf<T>{all}));
    empty_outboxes(all, outboxes, told);
    content.arenas.resize(1);
}

/// Moves the own nodes of `content` to `pool`, those that the rule wants as wide leaves as such; `of_all`: and those
/// that it shares, where they have several parents one for each. all: as for the sum. What the tasks told: the bytes
/// that the nodes take, and their marks.
template <class T, class Executor>
sum_notes make_wide_nodes(Executor& executor, addition<T> all, std::vector<leaf_outbox>& outboxes,
                          hisparse_content& content, std::shared_ptr<buffer<std::byte>> const& pool, bool of_all,
                          addition_report const& report) {
    sum_notes notes;
    told_by_run<sum_notes> const told(executor, notes);
    all.a = all.b = {reader_of(content), T(1), false};
    all.nodes = {pool->data(), &told.data()->node_bytes};
    all.notes = told.data();
    all.counts = nullptr;
    auto const bounds = addition_bounds::of(content.census);
    run_options options;
    options.template capacity<move_nodes<T>>(bounds.inner_nodes, 0, 0);
    options.template capacity<copy_leaf<T>>(bounds.leaves + bounds.upper_nodes, 0, 0);
    report.add(run(executor, told.with(options), seed<move_nodes<T>>({node_move{content.root, &told.data()->root}}),
                   move_nodes<T>{all, of_all}, copy_leaf<T>{all}));
    empty_outboxes(all, outboxes, told);
    content.root = notes.root;
    content.arenas.front().memory = pool;
    if (of_all) content.arenas.resize(1);
    check_arena_bytes("add", "the nodes of the sum take", static_cast<std::int64_t>(notes.node_bytes));
    return notes;
}

/// Bytes of a content's arenas but the first.
inline std::int64_t bytes_of_others(hisparse_content const& content) {
    std::int64_t bytes = 0;
    for (std::size_t i = 1; i < content.arenas.size(); ++i) bytes += content.arenas[i].memory->size();
    return bytes;
}

/// Whether a sum holds more of others' memory than what it shares is worth: less than half of all is its own, or it has
/// less than an eighth of what it keeps alive, which is quickly copied.
inline bool is_mostly_others(std::int64_t own, std::int64_t shared, std::int64_t others) {
    return own + 2 * shared < others || 8 * shared < others;
}

/// Whether a value that C does not share is not finite.
template <class T, class Executor>
bool has_overflow(Executor& executor, hisparse_content const& content, addition_report const& report) {
    std::int64_t found = 0;
    told_by_run<std::int64_t> const there(executor, found);
    using task = find_overflow<T>;
    auto const bounds = addition_bounds::of(content.census);
    run_options options;
    options.template capacity<task>(bounds.leaves + bounds.upper_nodes, 0, 0);
    report.add(run(executor, there.with(options), seed<task>({node{content.root, 0, 0}}),
                   task{reader_of(content), content.root.arena(), there.data()}));
    return found > 0;
}

/// Marks in the own nodes of `content`, in `pool`, become references.
template <class Executor>
void replace_marks(Executor& executor, hisparse_content const& content, buffer<std::byte>& pool,
                   addition_report const& report) {
    run_options options;
    options.template capacity<refer_to_twins>(content.census.inner_nodes(), 0, 0);
    report.add(run(executor, options, seed<refer_to_twins>({content.root}),
                   refer_to_twins{pool.data(), content.root.arena(), content.dimension_log2}));
}

/// factor_a A + factor_b B, factors of stored values, with this scale; none where that is below 1, and a stored value
/// would not be finite.
template <class Tasks, class T, class Executor>
std::optional<hisparse<T>> unite_scaled(Executor& executor, T scale, T factor_a, hisparse<T> const& a, T factor_b,
                                        hisparse<T> const& b, addition_report const& report) {
    bool share_a = factor_a == scale, share_b = factor_b == scale;
    auto content = std::make_shared<hisparse_content>();
    content->row_count = a.row_count();
    content->column_count = a.column_count();
    content->dimension_log2 = a.content()->dimension_log2;
    content->space = a.space();
    content->arenas = arenas_of_sum(a, share_a, b, share_b);

    auto pool = std::make_shared<buffer<std::byte>>(executor.memory(), node_bytes_bound<T>(a.census(), b.census()));
    auto const& temporary = temporary_memory(executor);
    std::vector<leaf_outbox> outboxes = make_outboxes(executor);
    std::int64_t const dimension = a.node_dimension(), threads = static_cast<std::int64_t>(outboxes.size());
    std::int64_t const workspace = threads == 0 ? 0 : workspace_bytes_bound<T>(a.census(), b.census(), dimension);
    buffer<std::byte> const tables(
        temporary, threads == 0 ? table_bytes_bound<T>(a.census(), b.census(), dimension) : threads * workspace);
    sum_notes notes;
    told_by_run<sum_notes> const told(executor, notes);
    sum_notes* const to = told.data();
    content->arenas.front().memory = pool;
    make_arena_table(*content, executor.memory(), true);
    addition<T> const all{{reader_of(*a.content()), factor_a == scale ? T(1) : factor_a, share_a},
                          {reader_of(*b.content()), factor_b == scale ? T(1) : factor_b, share_b},
                          {pool->data(), &to->node_bytes},
                          {tables.data(), &to->table_bytes},
                          content->arenas.front().number,
                          content->arena_table.data(),
                          to,
                          report.choices().counts_at_once && threads == 0 ? &to->counts : nullptr,
                          outboxes.data(),
                          workspace};

    auto const bounds_a = addition_bounds::of(a.census()), bounds_b = addition_bounds::of(b.census());
    run_options options;
    reserve_wide_queues<T>(options, a.census(), b.census());
    options.template capacity<copy_leaf<T>>(
        (share_a ? 0 : bounds_a.leaves + bounds_a.upper_nodes) + (share_b ? 0 : bounds_b.leaves + bounds_b.upper_nodes),
        0, 0);
    options.template capacity<copy_inner_node<T>>(
        (share_a ? 0 : bounds_a.inner_nodes) + (share_b ? 0 : bounds_b.inner_nodes), 0, 0);
    std::int64_t const upper_nodes = bounds_a.upper_nodes + bounds_b.upper_nodes;
    options.template capacity<count_nodes>(all.counts ? upper_nodes : 0, 0, 0);
    auto const seeds = Tasks::template pairs<T, pair_queues>::seed({a.root().reference, b.root().reference, &to->root},
                                                                   a.census(), b.census());
    report.add(Tasks::template tasks<T, made_of>::call(
        [&](auto const&... tasks) { return run(executor, told.with(options), seeds, tasks...); }, all));
    empty_outboxes(all, outboxes, told);
    content->root = notes.root;
    // Beyond it references are wrong, though nothing was written outside of the pool.
    check_arena_bytes("add", "the nodes of the sum take", static_cast<std::int64_t>(notes.node_bytes));
    // Arenas that C uses nothing of need not live as long as C.
    auto const has = [](hisparse<T> const& m, arena const& x) {
        auto const& arenas = m.content()->arenas;
        return std::any_of(arenas.begin(), arenas.end(), [&](arena const& y) { return x.memory == y.memory; });
    };
    bool const uses_a = notes.taken[0] > 0, uses_b = notes.taken[1] > 0;
    std::erase_if(content->arenas,
                  [&](arena const& x) { return x.memory != pool && !(uses_a && has(a, x)) && !(uses_b && has(b, x)); });
    // What stands at both places of twins was counted once.
    counted_nodes counted = all.counts && notes.twins == 0
                                ? counted_nodes(notes.counts)
                                : count_all_nodes<T>(executor, *content, upper_nodes, report);
    content->census = counted.census;
    content->entry_count = content->census.leaf_entries();
    if (std::abs(scale) < T(1) && has_overflow<T>(executor, *content, report)) {
        pool->release_unused();
        content->arena_table.release_unused();
        return std::nullopt;
    }
    // Visits count a node with several parents several times; C has no more of an operand than there is.
    std::int64_t const most_shared =
        (uses_a ? a.content()->reachable_bytes : 0) + (uses_b ? b.content()->reachable_bytes : 0);
    std::int64_t shared = std::min(counted.shared_bytes, most_shared);
    auto own = static_cast<std::int64_t>(notes.node_bytes);
    bool const gathers = is_mostly_others(own, shared, bytes_of_others(*content));
    if (counted.wide_bytes > 0) {
        auto const first = std::exchange(
            pool, std::make_shared<buffer<std::byte>>(executor.memory(),
                                                      own + counted.wide_bytes + (gathers ? counted.shared_bytes : 0)));
        sum_notes const moved = make_wide_nodes(executor, all, outboxes, *content, pool, gathers, report);
        own = static_cast<std::int64_t>(moved.node_bytes);
        notes.twins += moved.twins;
        first->release_unused();
        counted = count_all_nodes<T>(executor, *content, upper_nodes, report);
        content->census = counted.census;
        shared = std::min(counted.shared_bytes, most_shared);
        if (shared == 0) content->arenas.resize(1);
    } else if (gathers) {
        gather_nodes(executor, all, outboxes, told, *content, report);
        own = static_cast<std::int64_t>(notes.node_bytes);
        check_arena_bytes("add", "the nodes of the sum take", own);
        shared = 0;
    }
    if (notes.twins > 0 && !content->root.is_leaf()) replace_marks(executor, *content, *pool, report);
    pool->shrink(own);
    if (pool->data() != all.nodes.memory) fill_arena_table(*content);
    content->reachable_bytes = own + shared;
    return hisparse<T>(std::move(content)).scaled(scale);
}

/// factor times what `m` stores, in m's direction: a sum of which the other operand has no entries. C shares m's nodes,
/// unless the factor is not finite: as C's scale it would meet sums of entries in a product, and rows without entries.
template <class Tasks, class T, class Executor>
hisparse<T> unite_with_none(Executor& executor, T factor, hisparse<T> const& m, addition_report const& report) {
    hisparse<T> c(m.content());
    if (std::isfinite(factor))
        c = c.scaled(factor);
    else if (c.root())
        c = *unite_scaled<Tasks>(executor, T(1), factor, c, factor, c, report);  // Inf or NaN twice is what it is once
    return m.is_transposed() ? c.transposed() : c;
}

template <class Tasks, class T, class Executor>
hisparse<T> unite(Executor& executor, T alpha, hisparse<T> const& a, T beta, hisparse<T> const& b,
                  addition_report const& report) {
    if (a.is_transposed() && b.is_transposed())
        return unite<Tasks>(executor, alpha, a.transposed(), beta, b.transposed(), report).transposed();
    T const factor_a = alpha * a.scale(), factor_b = beta * b.scale();
    if (!a.root()) return unite_with_none<Tasks>(executor, factor_b, b, report);
    if (!b.root()) return unite_with_none<Tasks>(executor, factor_a, a, report);
    // Equal factors are the result's scale: then both operands' nodes fit it as they are.
    if (factor_a == factor_b && factor_a != T(0) && std::isfinite(factor_a))
        if (auto const sum = unite_scaled<Tasks>(executor, factor_a, factor_a, a, factor_b, b, report)) return *sum;
    return *unite_scaled<Tasks>(executor, T(1), factor_a, a, factor_b, b, report);
}

/// What add() does, but for options.prune. Tasks: add_by_blocks, add_by_halves or add_by_intervals.
template <class T, class Tasks = add_by_blocks, class Executor>
hisparse<T> add_on(Executor& executor, T alpha, hisparse<T> const& a, T beta, hisparse<T> const& b, add_options options,
                   sum_choices const& choices = {}) {
    nvtx_range const range(nvtx_room::algebra, "copse add", a.entry_count() + b.entry_count());
    check_addition(a, b, executor.memory()->space());
    if (options.report) *options.report = {};
    return unite<Tasks>(executor, alpha, a, beta, b, addition_report(options.report, choices));
}

}  // namespace copse::detail
