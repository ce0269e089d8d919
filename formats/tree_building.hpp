// The host's side of a matrix that tasks make: its memory before the run, the matrix after it. tree_writer.hpp is the
// tasks' side, and has an example. What the tasks make at most is a building_bound{leaves, inner_nodes, entries}
// (tree/node_sources.hpp).
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/open_nodes.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/tree_writer.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace copse {

/// The memory of a matrix that tasks make, and the matrix when they are done. For one run.
template <class T>
class tree_building {
  public:
    /// m x n, nodes of node_dimension rows. name: the operation's, for messages. bound: what the tasks make at most.
    /// Reserves 150 bytes for each place and sizeof(T) + 2 for each entry; for entries in leaves of up to 16 entries
    /// three times as much; on a CPU a third more for entries, and (sizeof(T) + 2) d^2 + 2^17 bytes for each thread.
    /// Throws argument_error for a wrong node dimension or a negative bound; shape_error for dimensions outside
    /// 0 .. 2^31 and if the bound is more than 64 GiB; std::bad_alloc, cuda_error.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    tree_building(Executor const& executor, std::string name, std::int64_t row_count, std::int64_t column_count,
                  int node_dimension, building_bound bound)
        : name_(std::move(name)), memory_(executor.memory()), temporary_(detail::temporary_memory(executor)) {
        writer_.bound_ = bound;
        check(row_count, column_count, node_dimension);
        int threads = 0;
        if constexpr (requires { executor.threads(); }) threads = executor.threads();
        writer_.row_count_ = row_count;
        writer_.column_count_ = column_count;
        while (1 << writer_.joiner_.dimension_log2 < node_dimension) ++writer_.joiner_.dimension_log2;
        writer_.joiner_.arena = detail::new_arena_number({});
        reserve(threads);
    }
    tree_building(tree_building const&) = delete;  // tasks have pointers to its memory
    tree_building& operator=(tree_building const&) = delete;

    /// Lets tree_writer::try_share() put nodes of op(A) into the new matrix. Call it before writer(); once for each
    /// matrix. The bound counts a shared sub-tree as one place, and the entries of shared leaves of d x d as entries.
    /// Waits. Throws argument_error if A has another node dimension, or is in another memory; bad_alloc, cuda_error.
    shared_tree<T> share_nodes_of(hisparse<T> const& a);

    /// What tasks write by.
    tree_writer<T> const& writer() const { return writer_; }
    /// Where the root goes. Its level is the lowest at which one node covers the matrix.
    node_place root() const { return {node_place::no_parent, 0, level_, 0, 0}; }

    /// The seed for the root, made from `source`, for the first of Tasks that takes it. Brings the capacity of the
    /// queues whose items are node_source<Source>: the places of the bound.
    template <class... Tasks, class Source>
    tree_seeds<Tasks...> seed(Source const& source) {
        seeded_ = true;
        node_source<Source> const item{source, root()};
        tree_seeds<Tasks...> seeds{detail::seeds_with<Tasks...>(item,
                                                                [&]<class Task>() {
                                                                    if constexpr (requires { Task::takes(item); })
                                                                        return Task::takes(item);
                                                                    else
                                                                        return true;
                                                                }),
                                   {}};
        seeds.bounds.leaf_places = writer_.bound_.leaves + 1;  // the root may be one
        seeds.bounds.inner_places = writer_.bound_.inner_nodes + 1;
        return seeds;
    }

    /// The matrix, after the run, once. Without a run it has no entries. It shares nodes only with matrices of which
    /// try_share() has put some. Leaves of more than 16 entries that have become part of a wide leaf are unused bytes
    /// of its arena until compact(). Waits.
    /// Throws argument_error if the bound was too small, or a place was neither written nor left out; cuda_error.
    hisparse<T> finish();

  private:
    void check(std::int64_t row_count, std::int64_t column_count, int node_dimension) const;
    void reserve(int threads);

    std::string name_;
    std::shared_ptr<memory> memory_;
    std::shared_ptr<memory> temporary_;
    bool seeded_ = false;
    std::shared_ptr<buffer<std::byte>> pool_;
    buffer<std::byte> drafts_;
    buffer<std::byte> desks_;
    buffer<detail::pool_chunk> chunks_;
    buffer<std::int64_t> counters_;
    buffer<detail::building_notes> notes_;
    std::vector<std::shared_ptr<hisparse_content const>> sources_;
    hisparse_content shared_;  // the arenas of all sources, and their table
    buffer<std::int64_t> taken_;
    int level_ = 0;
    tree_writer<T> writer_;
};

}  // namespace copse
