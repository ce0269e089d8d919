// Edits: a new matrix with some entries set, added to or erased, that shares every node without an edit.
//
//            root                  root'              nodes on the way to an edit are written anew, in an arena of
//           /    \                /    \              the new matrix; the others are referred to where they are
//         n1      n2            n1      n2'
//        /  \    /  \          (shared) /  \          .
//       l1  l2  l3  l4                l3    l4'
//
//   auto b = copse::edit(a, copse::edits<double>().set(3, 5, 1.5).add(7, 7, -2.0).erase(0, 1));
#pragma once

#include <copse/formats/hisparse.hpp>
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
    T value;  // not of erase
};

/// What is to change, in this order: several edits of one position apply one after the other.
template <class T>
class edits {
  public:
    /// a(row, column) <- value. The entry is created where there is none.
    edits& set(std::int64_t row, std::int64_t column, T value) { return append({row, column, edit_kind::set, value}); }
    /// a(row, column) <- a(row, column) + value. The entry is created where there is none. One that becomes 0 stays.
    edits& add(std::int64_t row, std::int64_t column, T value) { return append({row, column, edit_kind::add, value}); }
    /// The entry is no more. Does nothing where there is none.
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

/// A with `changes` applied; `a` stays as it was.
/// Coordinates and values are those of `a` with its state: of a transposed matrix position (i, j) is stored at (j, i),
/// of one with scale s the value v is stored as v / s and reads as s (v / s), which may differ from v by a rounding. A
/// finite v other than 0 is refused if it would differ by more: if v / s is not finite, is 0, or is below the normal
/// numbers (unless v is below them too and v / s loses nothing), and with scale 0, under which every entry reads as 0.
/// An addition under a scale below 1 is refused if its sum, divided by s, is not finite.
///
/// The new matrix has the state of `a`, its node dimension and its memory, and shares all nodes without a change: where
/// no entry changes, the whole content. A node that is written anew has the kind that a conversion would give it
/// (leaves/leaf.hpp); one without entries disappears. But a node over leaves becomes a wide leaf only if these have at
/// most wide_mean_of_node entries on average. Time and new memory are proportional to the nodes on the way to an edit;
/// a node that becomes a wide leaf counts with all of its leaves. Nodes in device memory are fetched level by level,
/// changed on the host, which has room for all of them meanwhile, and uploaded together. There is one wait for each
/// level (and each 32 MiB), however many edits there are, and one for each node that becomes a wide leaf.
///
/// The new nodes are an arena. In a row of edits, each of what the last one gave, every 32nd writes the nodes that are
/// left of the last 32 into one arena, in the same way, every 1024th those of the last 1024, and so on: in n edits a
/// node is copied log_32(n) times at most, and what no edit has touched stays where it is. When less than half of the
/// bytes that the arenas take are reachable from the new matrix, it is compacted (hisparse_sharing.hpp) and shares
/// nothing with `a`; likewise when sums have left it in 256 arenas, the most there are. If edited nodes have several
/// parents, reachable bytes are counted anew when they may be so few, by a look at all inner nodes; less than nine
/// sixteenths are then enough to compact.
///
/// Throws shape_error for a position outside the matrix and for more than 64 GiB of nodes, argument_error for values
/// that are refused, cuda_error. hisparse §3.1 (editing; the paper announces it only).
template <class T>
hisparse<T> edit(hisparse<T> const& a, edits<T> const& changes);

}  // namespace copse
