// Edits: a new matrix with some entries set, added to or erased, that shares every node without an edit.
//
//            root                  root'              nodes on the way to an edit are written anew, in an arena of
//           /    \                /    \              the new matrix, which refers to the other nodes of the old
//         n1      n2            n1      n2'           one: n1 and l3 are shared
//        /  \    /  \                  /  \            (an entry of l4 was edited)
//       l1  l2  l3  l4                l3    l4'
//
//   auto b = copse::edit(a, copse::edits<double>().set(3, 5, 1.5).add(7, 7, -2.0).erase(0, 1));
//   auto s = copse::edit(b, changes, copse::matrix_symmetry::symmetric);     // each edit of (i, j) at (j, i), too
//   auto c = copse::prune(cpu, b);                                            // without entries of value zero
//
// How many bytes matrices share, and how to copy a matrix so that it shares none:
//
//   copse::shared_bytes(a, b);                          // nearly all of them
//   b = copse::compact(b);                              // b's nodes are in memory of their own: a's can be freed
//   b = copse::compact(b, {.share_identical = true});   // and equal sub-trees are stored once
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace copse {

enum class edit_kind : std::uint8_t { set, add, erase };

template <class T>
struct edit_entry {
    std::int64_t row;
    std::int64_t column;
    edit_kind kind;
    T value;  // unused by erase
};

/// A list of edits, which apply in this order; several edits of one place apply one after the other.
template <class T>
class edits {
  public:
    /// a(row, column) <- value. The entry is created where there is none.
    edits& set(std::int64_t row, std::int64_t column, T value) { return append({row, column, edit_kind::set, value}); }
    /// a(row, column) <- a(row, column) + value. The entry is created where there is none. An entry that becomes 0
    /// stays an entry.
    edits& add(std::int64_t row, std::int64_t column, T value) { return append({row, column, edit_kind::add, value}); }
    /// Removes the entry. Does nothing where there is none.
    edits& erase(std::int64_t row, std::int64_t column) { return append({row, column, edit_kind::erase, T(0)}); }

    std::size_t size() const noexcept { return entries_.size(); }
    std::span<edit_entry<T> const> entries() const noexcept { return entries_; }

  private:
    edits& append(edit_entry<T> const& entry) {
        entries_.push_back(entry);
        return *this;
    }

    std::vector<edit_entry<T>> entries_;
};

/// Returns A with `changes` applied; `a` stays as it was.
/// Coordinates and values are those of `a` with its state. In a transposed matrix position (i, j) is stored at (j, i).
/// In a matrix with scale s the value v is stored as v / s and reads as s (v / s), which may differ from v by a
/// rounding. A finite v other than 0 is refused if it would differ by more: if s is 0, or if v / s is not finite, is 0,
/// or is below the normal numbers (unless v is below them too and v / s loses nothing).
/// An addition under a scale below 1 is refused if its sum, divided by s, is not finite.
///
/// The new matrix has the state of `a`, its node dimension and its memory, and shares all nodes that do not change. If
/// no entry changes, the new matrix shares the whole content. A node that is written anew has the kind that a
/// conversion would give it (leaves/leaf.hpp), except that a node over leaves becomes a wide leaf only if these have at
/// most 15 entries on average. A node without entries disappears.
///
/// Time and new memory are proportional to the nodes on the way to an edit; a node that becomes a wide leaf counts with
/// all of its leaves. Nodes in device memory are fetched level by level, changed on the host, which holds all of them
/// meanwhile, and uploaded together. There is one wait for each level (and each 32 MiB), whatever the number of edits,
/// and one for each node that becomes a wide leaf.
///
/// The new nodes lie in a new arena. In a chain of edits, each applied to the result of the last one, every 32nd edit
/// copies those nodes of the last 32 arenas that are still in use into one arena; every 1024th does so for the last
/// 1024 edits, and so on. In n edits a node is copied log_32(n) times at most; nodes that no edit has touched stay
/// where they are.
///
/// The new matrix is compacted, as by compact(), and then shares nothing with `a`, in two cases: less than half
/// of the bytes of its arenas are reachable, or sums have left it in 256 arenas, the most there are. If edited nodes
/// have several parents, the number of reachable bytes is only an estimate: when it is low, they are counted anew, by a
/// walk over all inner nodes, and the matrix is compacted if less than nine sixteenths are reachable.
///
/// symmetry: if symmetric, each edit of (i, j) is made at (j, i), too; if skew, with the negative value. What an edit
/// at (i, j) follows in the list, its image follows, too. Other entries stay as they are: whether `a` is symmetric is
/// not looked at. Where nodes at mirrored places are one node (hisparse_options::share_transposed), or there are none
/// yet, symmetric edits write one node for both if it is the transpose at one of them, and skew edits if it is the
/// negative of the transpose. Other edits of such a node write a node for the edited place alone.
///
/// Throws shape_error for a position outside the matrix, for more than 64 GiB of nodes and for symmetric edits of a
/// matrix that is not square, argument_error for values that are refused, as others than 0 on the diagonal by skew
/// edits are, cuda_error. hisparse §3.1 (the paper announces editing only).
template <class T>
hisparse<T> edit(hisparse<T> const& a, edits<T> const& changes, matrix_symmetry symmetry = matrix_symmetry::general);

struct prune_options {
    /// Store sub-trees of the result that are equal byte by byte once, as hisparse_options::share_identical does.
    bool share_identical = false;
};

/// Returns A without its entries of value zero (+0 or -0, with the scale applied): explicit zeros, and entries that
/// cancelled in a sum. The result is m x n, with A's state, in the executor's memory, where A must be, too. If no entry
/// is zero, the result shares A's content. Otherwise it shares nothing with A. While it runs it takes memory for
/// building_bound::of(a) (tree_building.hpp); with share_identical also for a copy of the result, from a GPU on the
/// host. A sub-tree that A stores once for several places is stored several times without share_identical. Waits; on a
/// GPU for the executor's stream alone, unless share_identical is set.
/// Throws argument_error for a matrix in another memory, shape_error for a result that may take more than 64 GiB, what
/// run() throws, std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> prune(Executor& executor, hisparse<T> const& a, prune_options options = {});

struct compact_options {
    /// Store sub-trees that are equal byte by byte once, as hisparse_options::share_identical does. add() and prune()
    /// store such sub-trees several times.
    bool share_identical = false;
    /// Store values that repeat in a leaf once, as hisparse_options::values does; otherwise they stay as they are.
    bool values_once = false;
    /// Store sub-trees once with their transposes, or the negatives of these, as hisparse_options::share_transposed
    /// does.
    bool share_transposed = false;
};

/// Returns the same matrix with its nodes in one new arena of the same memory, in the order of a traversal. A sub-tree
/// with several parents stays one sub-tree. The result shares nothing with `a`. Time and memory are proportional to the
/// reachable nodes. Content in device memory goes through the host; compact() of algebra/new_matrices.hpp avoids that.
/// Throws shape_error when the nodes take more than 64 GiB, cuda_error.
template <class T>
hisparse<T> compact(hisparse<T> const& a, compact_options options = {});

/// Bytes of the nodes that a's root leads to, each counted once, by a walk over them. a.bytes() counts all bytes of the
/// arenas; the other ones belong to other matrices or are unused. Throws cuda_error.
template <class T>
std::int64_t reachable_bytes(hisparse<T> const& a);

/// Bytes of the nodes that both roots lead to, each counted once, by a walk over both. Throws cuda_error.
template <class T>
std::int64_t shared_bytes(hisparse<T> const& a, hisparse<T> const& b);

}  // namespace copse
