// HiSparse: a matrix as a tree of small sparse and dense nodes (hisparse §3).
//
//   content    the tree, in one or more arenas of an executor's memory; never changed, shared by all matrices that use
//              it
//   state      transposed or not, and a scale factor: both change in O(1)
//
// A matrix that was moved from is an empty 0 x 0 one in host memory.
//
//   copse::hisparse<double> a(gpu, copse::read_matrix_market<double>("a.mtx"));
//   auto b = copse::scaled(copse::transposed(a), 2.0);      // shares a's content
#pragma once

#include <algorithm>
#include <array>
#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/formats/tree/shared_content.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/views.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

template <class T>
class hisparse;

struct hisparse_options {
    int node_dimension = 128;  // d: 64, 128 or 256
    /// Store sub-trees that are equal byte by byte once. The host compares the nodes; a GPU's nodes are copied to the
    /// host and back. Edits keep such sub-trees shared, except where they change them. Results of add() and prune()
    /// store equal sub-trees several times, until compact(a, {.share_identical = true}) (hisparse_edit.hpp); prune()
    /// has an option to share them.
    bool share_identical = false;
    /// once: a leaf whose entries all have the same value, bit by bit, stores it once. A leaf with streaks that have a
    /// value each stores one for each streak. (Leaves that would take more than five eighths of their bytes then stay
    /// as they are.) An adjacency matrix takes 2 to 4 bytes for an entry, a stencil with constant coefficients less
    /// than one; products read as much less. Every operation takes such matrices. New nodes of sums store values once
    /// where both operands do and a CPU adds; those of edits, and all of with_values(), have a value for each entry;
    /// compact(a, {.values_once = true}) (hisparse_edit.hpp) stores theirs once, too.
    /// each: a value for each entry. with_values() then never changes the structure.
    /// Not given: once where the CPU converts into host memory, each where a GPU's code converts (gpu, emulated):
    /// there, once is done by the host after the conversion, and a GPU's nodes are copied to the host and back.
    std::optional<stored_values> values = {};
    /// true: store sub-trees at (row, column) and (column, row) once if they are each other's transpose, or the
    /// negative of that; together with share_identical, those at any places. Of a symmetric or a skew matrix that is
    /// one half and the blocks on its diagonal, of [A B^T; B 0] and of [A B^T; -B 0] B once. Equal means equal bits;
    /// negatives differ in the sign bit of each value, zeros and NaN included. Every operation takes such matrices.
    /// Edits store what they change by itself, with_values() keeps what is shared where the new values let it. Sums
    /// keep what both operands store so (add.hpp), prune() does not. Neither looks for transposes: compact(a,
    /// {.share_transposed = true}) (hisparse_edit.hpp) does. Plans of the cpu executor read a leaf once for both
    /// places (spmv_plan.hpp). As with share_identical, the host does this.
    /// If a view says that its matrix is symmetric or skew (view_options::symmetry), one half is read and the other
    /// becomes references, without a search; hyper-sparse lists, of more than eight rows for an entry, are read in
    /// full. false: never. Not given: where a view says symmetric or skew and the CPU converts. Where a GPU's code
    /// converts (gpu, emulated), true has the host convert such a view.
    std::optional<bool> share_transposed = {};
};

/// Memory that nodes lie in. References name an arena by its number, which is the same in every content that shares it.
struct arena {
    int number = 0;
    std::shared_ptr<buffer<std::byte> const> memory;
};

/// Facts about a tree that are computed at the first request and stay true where only values differ: where the entries
/// of A and of A^T are stored (value_places.hpp), in the content's memory.
struct structure_notes {
    std::mutex mutex;
    std::array<std::shared_ptr<buffer<std::uint64_t> const>, 2> value_places;
    bool places_repeat = false;  // several entries have one; known with the places
};

/// A tree. It never changes once it is made.
struct hisparse_content {
    std::int64_t row_count = 0;  // as stored
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    int dimension_log2 = 7;
    child_reference root;                  // null without entries
    std::vector<arena> arenas;             // no two with the same number
    buffer<std::byte const*> arena_table;  // addresses by number, in the same memory
    node_census census;
    // For each of the last arenas, which edits have added: how often its nodes were copied since they were written
    // (edits/arena_merge.hpp). No node in another arena refers to these.
    std::vector<std::uint8_t> edit_ranks;
    // Bytes of the nodes that the root leads to. Exact, after edits and additions too, while no node has several
    // parents. For a node with several parents: Conversion and compaction count the node once. An edit subtracts the
    // node when the first parent drops it: the number is then too low, and an edit counts anew before it compacts. A
    // sum counts a node of an operand for each parent, up to the operands' own numbers: the number is then too high,
    // and an edit compacts later than it could. reachable_bytes(a) of hisparse_edit.hpp walks over the nodes; it is
    // always exact.
    std::int64_t reachable_bytes = 0;
    memory_space space = memory_space::host;
    // Contents with the same notes have the same nodes at the same places, and differ in values only.
    std::shared_ptr<structure_notes> notes = std::make_shared<structure_notes>();

    /// The content of a 0 x 0 matrix in host memory; every call returns the same one.
    static std::shared_ptr<hisparse_content const> const& empty();
};

namespace detail {

inline constexpr int most_arenas = 256;

/// Returns a number that none of `others` has, or -1 if they have all numbers. Numbers are given out in turn, so that
/// the arenas of different matrices seldom have the same number.
int new_arena_number(std::span<arena const> others);
/// Makes `arena_table`, and fills it. sent: as memory::send_from_host() does. Throws std::bad_alloc, cuda_error.
void make_arena_table(hisparse_content& content, std::shared_ptr<memory> const& where, bool sent = false);
/// Fills a table that exists already. Its arenas must have the same numbers as before, or some of them. Allocates
/// nothing in the table's space. Throws std::bad_alloc, cuda_error.
void fill_arena_table(hisparse_content& content);
node_reader reader_of(hisparse_content const& content);
/// A content with the shape, the entries, the census and the space of `old`, for whose nodes there is no arena yet.
hisparse_content content_like(hisparse_content const& old);

/// Converts a view of rows or of a list of entries on the executor.
template <class T, class View, lanes_executor Executor>
hisparse<T> converted(Executor& executor, View const& a, hisparse_options options);

/// Rows as they are stored. A gpu that is not const takes none from the host, which should give a csr.
template <class Where, class T>
csr_view<T> stored_rows_for(Where& where, csr_matrix<T> const& a) {
    if constexpr (lanes_executor<Where>)
        if (where.memory()->space() != memory_space::host && a.space() == memory_space::host)
            throw argument_error("hisparse: the matrix is in host memory; give the result of to_csr() instead");
    return *a.content();
}

}  // namespace detail

template <class T>
class hisparse {
  public:
    /// Converts where the executor works, in its memory: on the cpu's threads (each first writes what it will read in a
    /// plan), or on the GPU; the emulated executor does what the GPU does. The same entries and options give the same
    /// tree. A GPU needs about 40 bytes for each entry of a and 40 for each node besides, while it converts.
    /// Given a memory, or an executor that is const, this converts on the CPU (OpenMP) and places the result in that
    /// memory. Matrices of 2^32 - 1 entries or nodes or more are converted so on every executor: from a GPU's memory
    /// such a matrix is copied to the host and back, which takes many times as long. Nsight shows this as "copse
    /// conversion by the host".
    /// a: a csr, a coo, or a view of rows or of a list of entries (views.hpp), of dimensions up to 2^31. Entries at one
    /// place are summed in the order given, explicit zeros stay entries. Waits.
    /// Throws what conversions of a view throw (view_options); argument_error for a node dimension other than 64, 128,
    /// 256; shape_error for a tree of more than 64 GiB; std::bad_alloc, cuda_error. hisparse §3.2.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    hisparse(Executor const& executor, csr_view<T> const& a, hisparse_options options = {})
        : hisparse(detail::on_threads_of(executor, [&] { return hisparse(executor.memory(), a, options); })) {}
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    hisparse(Executor const& executor, coo_view<T> const& a, hisparse_options options = {})
        : hisparse(detail::on_threads_of(executor, [&] { return hisparse(executor.memory(), a, options); })) {}
    template <lanes_executor Executor>
    hisparse(Executor& executor, csr_view<T> const& a, hisparse_options options = {})
        : hisparse(detail::converted<T>(executor, a, options)) {}
    template <lanes_executor Executor>
    hisparse(Executor& executor, coo_view<T> const& a, hisparse_options options = {})
        : hisparse(detail::converted<T>(executor, a, options)) {}
    hisparse(std::shared_ptr<memory> const& where, csr_view<T> const& a, hisparse_options options = {});
    hisparse(std::shared_ptr<memory> const& where, coo_view<T> const& a, hisparse_options options = {});
    /// Columns, as the rows of A^T: converts those as above, and transposes the result in O(1). where: an executor or a
    /// memory. Messages speak of the rows of A^T.
    template <class Where>
    hisparse(Where&& where, csc_view<T> const& a, hisparse_options options = {})
        : hisparse(hisparse(where, a.transposed(), options).transposed()) {}
    /// Converts from a matrix in the executor's memory, a's state included. Throws argument_error for a matrix in
    /// memory that the executor does not read, and on a gpu for one in host memory.
    template <class Where>
    hisparse(Where&& where, csr_matrix<T> const& a, hisparse_options options = {})
        : hisparse(detail::with_state_of(hisparse(where, detail::stored_rows_for(where, a), options), a.is_transposed(),
                                         a.scale())) {}

    std::int64_t row_count() const noexcept { return transposed_ ? content_->column_count : content_->row_count; }
    std::int64_t column_count() const noexcept { return transposed_ ? content_->row_count : content_->column_count; }
    std::int64_t entry_count() const noexcept { return content_->entry_count; }
    int node_dimension() const noexcept { return 1 << content_->dimension_log2; }
    /// Bytes of the content's arenas, including shared arenas and bytes that are no longer reachable.
    std::int64_t bytes() const noexcept;
    memory_space space() const noexcept { return content_->space; }

    bool is_transposed() const noexcept { return transposed_; }
    T scale() const noexcept { return scale_; }

    /// What tasks read the matrix by, its state included.
    tree_view<T> tree() const {
        return {detail::reader_of(*content_), row_count(), column_count(), scale_, transposed_};
    }
    /// False without entries.
    node root() const noexcept {
        return {content_->root ? content_->root.transposed_if(transposed_) : content_->root, 0, 0};
    }
    node_census const& census() const noexcept { return content_->census; }
    std::shared_ptr<hisparse_content const> const& content() const noexcept { return content_.pointer(); }

    /// Shares the content. O(1).
    hisparse transposed() const {
        hisparse result = *this;
        result.transposed_ = !transposed_;
        return result;
    }
    /// Every value times `factor`, applied when values are read. Shares the content. O(1). Factors of several calls are
    /// multiplied with each other first: if their product overflows or underflows T, so does every value.
    hisparse scaled(T factor) const {
        hisparse result = *this;
        result.scale_ *= factor;
        return result;
    }

    /// A matrix that shares `content`, whose values are of type T.
    explicit hisparse(std::shared_ptr<hisparse_content const> content) : content_(std::move(content)) {}

  private:
    detail::shared_content<hisparse_content> content_;
    bool transposed_ = false;
    T scale_ = T(1);
};

/// A^T, sharing A's content. O(1).
template <class T>
hisparse<T> transposed(hisparse<T> const& a) {
    return a.transposed();
}

/// factor * A, sharing A's content. O(1).
template <class T>
hisparse<T> scaled(hisparse<T> const& a, std::type_identity_t<T> factor) {
    return a.scaled(factor);
}

/// The entries of the matrix with its state applied, row by row, columns ascending. Parallel on the CPU.
/// Works for content in any memory. Throws cuda_error.
template <class T>
coo<T> to_coo(hisparse<T> const& a);

/// The same in compressed rows. Takes 8 bytes for every row, empty rows included.
template <class T>
csr<T> to_csr(hisparse<T> const& a);

/// The same into arrays of the caller, in host memory (csr.hpp). Throws shape_error, which names the array, if
/// one is too short; nothing is written then.
template <class T>
void to_csr(hisparse<T> const& a, std::type_identity_t<csr_arrays<T>> const& to);

/// The same as a csr_matrix, state included, converted by the executor in its memory, where `a` must be. During the
/// conversion a GPU needs about 60 bytes for each leaf and each entry of a wide leaf, and 8 for each row, besides the
/// result. If there are 2^32 of them or more, the matrix goes through the host, as in the constructor. Waits. Throws
/// argument_error for a matrix in host memory, std::bad_alloc, cuda_error.
template <class T, lanes_executor Executor>
csr_matrix<T> to_csr_matrix(Executor& executor, hisparse<T> const& a);

/// Returns the entries of the matrix with its state applied, row by row, columns ascending, as to_coo(a) does.
/// The executor makes compressed rows in its memory and copies them to the host. The host transposes them if they are
/// those of A^T, and writes a row number for each entry. Takes 8 bytes for every row in the executor's memory, and as
/// many on the host. If there are more than eight times as many rows or columns as entries, this calls to_coo(a).
/// Waits. Throws what to_csr_matrix() throws.
template <class T, class Executor>
requires requires(Executor& e, hisparse<T> const& a) {
    to_csr_matrix(e, a);
}
coo<T> to_coo(Executor& executor, hisparse<T> const& a) {
    if (std::max(a.row_count(), a.column_count()) / 8 > a.entry_count()) return to_coo(a);
    csr<T> rows = to_csr(to_csr_matrix(executor, a));
    coo<T> entries{rows.row_count, rows.column_count, {}, std::move(rows.column_indices), std::move(rows.values)};
    entries.rows.resize(entries.values.size());
    detail::parallel_for(entries.row_count, 1024, [&](std::int64_t row) {
        auto const begin = entries.rows.begin();
        auto const r = static_cast<std::size_t>(row);
        std::fill(begin + rows.row_offsets[r], begin + rows.row_offsets[r + 1], static_cast<std::int32_t>(row));
    });
    return entries;
}

}  // namespace copse
