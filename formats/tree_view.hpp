// What tasks read a matrix by: a tree that knows the type of its values, the matrix's scale and the shape of op(A).
//
//   struct count_leaves {
//       using item = copse::node;
//       static constexpr int width = 32;
//       copse::tree_view<double> tree;                           // a.tree() of a copse::hisparse<double>
//       std::int64_t* leaves;
//       template <class Worker>
//       COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
//           if (!tree.is_leaf(n)) return copse::push_children<count_leaves>(w, tree, n);
//           if (w.rank() == 0) w.add(leaves, 1);
//       }
//   };
//
// The entries of a leaf are read by for_each_entry() (visit_entries.hpp), those of two trees together by
// for_each_pair() (node_pairs.hpp).
#pragma once

#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/formats/tree/refused_nodes.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <type_traits>

namespace copse {

template <class T>
class hisparse;

/// Rows or columns first .. first + count - 1 of op(A).
struct index_range {
    std::int64_t first;
    std::int64_t count;
};

/// Reads nodes of op(A) for A in HiSparse. Trivially copyable; valid while any matrix that shares A's content lives.
/// A node is named by a value that a queue holds: begin with a.root() or seed_root() (tree_seeds.hpp), and go on by
/// child() or push_children() (node_bins.hpp). On the host, and so on the executors cpu and emulated, a member throws
/// argument_error if the node is not of the kind that the member is for. On a GPU the result is then undefined; in a
/// checked build (config.hpp) run() throws the same argument_error.
template <class T>
class tree_view {
  public:
    using value_type = T;

    tree_view() = default;

    COPSE_HOST_DEVICE std::int64_t row_count() const { return row_count_; }
    COPSE_HOST_DEVICE std::int64_t column_count() const { return column_count_; }
    /// The matrix's values are the stored ones times this, in some leaves times its negative (see scale_of()).
    COPSE_HOST_DEVICE T scale() const { return scale_; }
    /// What the values of a leaf are multiplied by, as they are stored: the scale, or its negative in a leaf that is
    /// stored once for itself and its negative transpose (hisparse_options::share_transposed). for_each_entry() and its
    /// like multiply by it; the views of single kinds below have the values as they are stored.
    COPSE_HOST_DEVICE T scale_of(node leaf) const { return detail::signed_factor(leaf.reference, scale_); }
    /// Whether op(A) is the transpose of what is stored. All coordinates are op(A)'s; few tasks need to know.
    COPSE_HOST_DEVICE bool is_transposed() const { return transposed_; }
    /// d: a leaf covers d x d, unless it is wide.
    COPSE_HOST_DEVICE int dimension() const { return reader_.dimension(); }
    COPSE_HOST_DEVICE int dimension_log2() const { return reader_.dimension_log2(); }

    COPSE_HOST_DEVICE bool is_leaf(node n) const { return reader_.is_leaf(n); }
    /// The rows of op(A) that a node covers, up to the matrix's last one.
    COPSE_HOST_DEVICE index_range rows_of(node n) const { return range_of(n, n.row, row_count_); }
    COPSE_HOST_DEVICE index_range columns_of(node n) const { return range_of(n, n.column, column_count_); }

    /// The number of places for children of an inner node: its children and, in a dense node, the places without one.
    COPSE_HOST_DEVICE int child_count(node n) const {
        return expect_inner("child_count()", n) ? reader_.child_count(n) : 0;
    }
    /// The child at place i, 0 <= i < child_count(n); false where a dense node has none.
    COPSE_HOST_DEVICE node child(node n, int i) const {
        return expect_inner("child()", n) ? reader_.child(n, i) : node{};
    }

    /// The arrays of a leaf of one kind, its values as they are stored: times scale_of(n) they are the matrix's.
    template <class U = T>
    COPSE_HOST_DEVICE sparse_leaf_view<T> sparse_leaf(node n) const {
        return view_of<detail::sparse_leaf, U>("sparse_leaf()", n);
    }
    template <class U = T>
    COPSE_HOST_DEVICE dense_leaf_view<T> dense_leaf(node n) const {
        return view_of<detail::dense_leaf, U>("dense_leaf()", n);
    }
    template <class U = T>
    COPSE_HOST_DEVICE diagonal_leaf_view<T> diagonal_leaf(node n) const {
        return view_of<detail::diagonal_leaf, U>("diagonal_leaf()", n);
    }
    template <class U = T>
    COPSE_HOST_DEVICE wide_leaf_view<T> wide_leaf(node n) const {
        return view_of<detail::wide_leaf, U>("wide_leaf()", n);
    }

    /// What the library reads nodes by, without a type.
    COPSE_HOST_DEVICE friend auto const& reader_of(tree_view const& tree) { return tree.reader_; }

  private:
    friend class hisparse<T>;
    tree_view(detail::node_reader const& reader, std::int64_t row_count, std::int64_t column_count, T scale,
              bool transposed)
        : reader_(reader), row_count_(row_count), column_count_(column_count), scale_(scale), transposed_(transposed) {}

    COPSE_HOST_DEVICE index_range range_of(node n, std::int64_t first, std::int64_t end) const {
        std::int64_t const covered = std::int64_t{1} << (dimension_log2() * (n.reference.level() + 1));
        return {first, covered < end - first ? covered : end - first};
    }
    COPSE_HOST_DEVICE static bool expect_inner(char const* call, node n) {
        return detail::expect_node(n && !n.reference.is_leaf(), call, "inner node", n);
    }
    template <class Leaf, class U>
    COPSE_HOST_DEVICE auto view_of(char const* call, node n) const {
        static_assert(std::is_same_v<U, T>,
                      "copse: a tree_view<T> has values of type T only; ask without <...>, the tree knows its type");
        bool const right = n && n.reference.is_leaf() && n.reference.kind() == Leaf::kind;
        [[maybe_unused]] bool const reads = detail::expect_node(right, call, Leaf::name, n);
#if COPSE_CHECKED && defined(__CUDA_ARCH__)
        if (!reads) return detail::view_of_blank<Leaf, T>(detail::blank_leaf(), dimension_log2());
#endif
        return reader_.template view_of<Leaf, T>(n);
    }

    detail::node_reader reader_;
    std::int64_t row_count_ = 0;
    std::int64_t column_count_ = 0;
    T scale_ = T(1);
    bool transposed_ = false;
};

}  // namespace copse
