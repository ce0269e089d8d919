// From HiSparse to compressed rows where the executor works, in its memory:
//
//   1  pieces       tasks go down the tree and note its leaves
//   2  segments     the pieces sorted by block row and block column, and cut into equal shares
//   3  counts       tasks: entries by row and segment; their sums are the offsets
//   4  entries      tasks: each to its place, columns ascending
//
// The same rows as the host's to_csr() (hisparse_entries.cpp) gives of the content as it is stored. Compiled for
// emulated and gpu: copse_add_operation() in this room's CMakeLists.txt.
//
// primitives: csr_matrix/steps.hpp.
#pragma once

#include <concepts>
#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/begins_anew.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/formats/to_rows/tree_pieces_tasks.hpp>
#include <copse/formats/to_rows/tree_rows_tasks.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

namespace copse {
namespace detail {

template <class T, class Executor, class Primitives>
class tree_rows {
  public:
    tree_rows(Executor& executor, Primitives& primitives, hisparse_content const& a)
        : executor_(executor),
          primitives_(primitives),
          a_(a),
          tree_(reader_of(a)),
          order_{bits_to_sort((a.column_count - 1) >> a.dimension_log2)} {}

    /// Null where there are more pieces than numbers for them.
    std::shared_ptr<csr_content<T> const> convert() {
        std::int64_t const most = most_pieces();
        if (most > std::numeric_limits<std::uint32_t>::max()) return nullptr;
        collect(most);
        form_segments();
        buffer<std::int64_t> const places(primitives_.temporary(), (segments_.count << a_.dimension_log2) + 1);
        segments_.places = places.data();
        segment_reader<T> const from{tree_, segments_};
        run_over_segments(count_rows<T>{from});
        primitives_.sum_before(places.data(), places.size());

        flat_content sizes;
        sizes.row_count = a_.row_count;
        sizes.column_count = a_.column_count;
        sizes.entry_count = a_.entry_count;
        sizes.where = executor_.memory();
        auto const rows = make_rows_by_steps<T>(sizes, primitives_);
        primitives_.for_each(a_.row_count + 1,
                             note_row_offsets{segments_, a_.dimension_log2, rows->row_offsets.data()});
        run_over_segments(place_rows<T>{from, rows->column_indices.data(), rows->values.data()});
        choose_kernel_by_steps(*rows, primitives_);
        return rows;
    }

  private:
    /// Each entry of a wide leaf may be a block of its own.
    std::int64_t most_pieces() const { return a_.census.leaves() + a_.census.wide_entries(); }
    std::int64_t most_parts() const {
        node_census const& c = a_.census;
        std::int64_t const d = tree_.dimension(), dense = c.inner_nodes(node_kind::dense);
        std::int64_t children = dense * d * d + c.wide_entries();
        for (std::size_t level = 1; level < level_count; ++level)
            children += c.entries[level][static_cast<std::size_t>(node_kind::sparse)];
        return c.inner_nodes() + c.wide_leaves() + children / node_part_size;
    }

    void collect(std::int64_t most) {
        nvtx_range const range(nvtx_room::formats, "copse collect pieces", a_.entry_count);
        pieces_ = {primitives_.temporary(), most};
        keys_ = {primitives_.temporary(), most};
        numbers_ = {primitives_.temporary(), most};
        buffer<std::uint64_t> const count(primitives_.temporary(), 1);
        primitives_.zero(count.data(), 1);
        piece_list const list{order_, pieces_.data(), keys_.data(), numbers_.data(), count.data()};
        if (a_.root.level() == 0) {
            primitives_.for_each(1, put_only_leaf{list, a_.root});
        } else {
            run_options options;
            options.template capacity<collect_pieces<T>>(most_parts(), 0, 0);
            run(executor_, options, seed<collect_pieces<T>>(node_part{node{a_.root, 0, 0}, 0}),
                collect_pieces<T>{tree_, list});
        }
        auto const found = static_cast<std::int64_t>(count.to_host().front());
        keys_.shrink(found);
        numbers_.shrink(found);
    }

    void form_segments() {
        nvtx_range const range(nvtx_room::formats, "copse form segments", keys_.size());
        std::int64_t const n = keys_.size();
        int const row_bits = bits_to_sort((a_.row_count - 1) >> a_.dimension_log2);
        primitives_.sort_pairs(keys_, numbers_, 0, row_bits + order_.column_bits);
        ordered_pieces const pieces{order_, pieces_.data(), keys_.data(), numbers_.data(), n};
        buffer<std::int64_t> const weights(primitives_.temporary(), n + 1), marks(primitives_.temporary(), n + 1);
        primitives_.for_each(n + 1, weigh_pieces{pieces, weights.data()});
        primitives_.sum_before(weights.data(), n + 1);
        primitives_.for_each(n + 1, mark_segments{pieces, weights.data(), marks.data()});
        primitives_.sum_before(marks.data(), n + 1);
        std::int64_t count = 0;
        marks.read(n, {&count, 1});
        begin_ = {primitives_.temporary(), count + 1};
        row_blocks_ = {primitives_.temporary(), count};
        primitives_.for_each(n + 1, note_segments{pieces, marks.data(), begin_.data(), row_blocks_.data()});
        segments_ = {pieces, begin_.data(), row_blocks_.data(), count, nullptr};
    }

    template <class Task>
    void run_over_segments(Task const& task) {
        nvtx_range const range(nvtx_room::formats, Task::name);
        run_options options;
        options.template capacity<Task>(0, 0, 1);
        run(executor_, options, seed_range<Task>(0, segments_.count), task);
    }

    Executor& executor_;
    Primitives& primitives_;
    hisparse_content const& a_;
    node_reader const tree_;
    piece_order const order_;
    buffer<tree_piece> pieces_;
    buffer<std::uint64_t> keys_;
    buffer<std::uint32_t> numbers_;
    buffer<std::int64_t> begin_;
    buffer<std::uint32_t> row_blocks_;
    tree_segments segments_{};
};

/// The rows of `a`, which lies in the executor's memory, as it is stored. Waits. Null when it has more leaves, and
/// entries in wide leaves, than 32 bits number: the host's conversion is the way then. Throws what run() throws.
template <class T, class Executor, class Primitives>
std::shared_ptr<csr_content<T> const> rows_on(Executor& executor, Primitives&& primitives, hisparse_content const& a) {
    if (a.root) return tree_rows<T, Executor, std::remove_reference_t<Primitives>>(executor, primitives, a).convert();
    flat_content sizes;
    sizes.row_count = a.row_count;
    sizes.column_count = a.column_count;
    sizes.where = executor.memory();
    auto const rows = make_rows_by_steps<T>(sizes, primitives);
    choose_kernel_by_steps(*rows, primitives);
    return rows;
}

template <class T, class Executor>
csr_matrix<T> stored_rows(Executor& executor, hisparse<T> const& a) {
    if (auto const rows = rows_on<T>(executor, steps_on<Executor>(executor), *a.content())) return csr_matrix<T>(rows);
    nvtx_range const range(nvtx_room::formats, "copse conversion by the host", a.entry_count());
    return csr_matrix<T>(executor, to_csr(hisparse<T>(a.content())));
}

}  // namespace detail

template <class T, lanes_executor Executor>
csr_matrix<T> to_csr_matrix(Executor& executor, hisparse<T> const& a) {
    if constexpr (!detail::can_run_on<Executor>) {
        detail::refuse_without_cuda("hisparse");
    } else {
        nvtx_range const range(nvtx_room::formats, "copse conversion to compressed rows", a.entry_count());
        if (a.space() != executor.memory()->space())
            throw argument_error(
                "to_csr_matrix: the matrix is in host memory; call to_csr(), or make the matrix with the gpu executor");
        return detail::with_state_of(detail::stored_rows(executor, a), a.is_transposed(), a.scale());
    }
}

namespace detail {

template <any_executor Executor, class... Types>
struct compiled_tree_rows {
    template <class T>
    static constexpr auto of() {
        if constexpr (std::same_as<Executor, cpu>) {
            return 0;
        } else {
            using way = csr_matrix<T> (*)(Executor&, hisparse<T> const&);
            return static_cast<way>(&to_csr_matrix<T, Executor>);
        }
    }
    static constexpr auto functions = std::make_tuple(of<Types>()...);
};

}  // namespace detail
}  // namespace copse
