// From HiSparse back to entries row by row: block rows side by side, each sorted by row and column.
#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_access.hpp>
#include <copse/formats/serial_worker.hpp>
#include <copse/formats/value_places.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/nvtx.hpp>
#include <copse/runtime/parallel_for.hpp>
#include <limits>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace copse {
namespace {

/// Entries of one block row: a leaf, or neighbours in a wide leaf.
struct piece {
    child_reference reference;
    std::uint32_t row_block;
    std::uint32_t first_column;  // of the leaf
    std::int32_t first;          // in a wide leaf
    std::int32_t count;
};

/// Pieces first .. last - 1 are all that a block row has; its entries begin at `begin` among those of the matrix.
struct band {
    std::size_t first;
    std::size_t last;
    std::int64_t begin;
};

template <class T>
void collect_pieces(tree_view const& tree, node n, std::vector<piece>& pieces) {
    int const log2 = tree.dimension_log2();
    if (!n.reference.is_leaf()) {
        for (int i = 0; i < tree.child_count(n); ++i)
            if (node const child = tree.child(n, i)) collect_pieces<T>(tree, child, pieces);
        return;
    }
    if (n.reference.kind() != node_kind::wide) {
        pieces.push_back({n.reference, n.row >> log2, n.column, 0, n.reference.entries()});
        return;
    }
    auto const leaf = tree.wide_leaf<T>(n);
    for (int i = 0; i < leaf.count;) {
        int const block = leaf.rows[i] >> log2;
        int last = i + 1;
        while (last < leaf.count && leaf.rows[last] >> log2 == block) ++last;
        pieces.push_back({n.reference, (n.row >> log2) + static_cast<std::uint32_t>(block), n.column, i, last - i});
        i = last;
    }
}

std::vector<band> find_bands(std::vector<piece>& pieces) {
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](piece const& a, piece const& b) { return a.row_block < b.row_block; });
    std::vector<band> bands;
    std::int64_t entries = 0;
    for (std::size_t i = 0; i < pieces.size();) {
        band b{i, i, entries};
        for (; b.last < pieces.size() && pieces[b.last].row_block == pieces[i].row_block; ++b.last)
            entries += pieces[b.last].count;
        bands.push_back(b);
        i = b.last;
    }
    return bands;
}

/// f(row in the block row, column in the matrix, value, where the value is stored)
template <class T, class F>
void visit_piece(tree_view const& tree, piece const& p, F f) {
    detail::serial_worker w;
    int const mask = tree.dimension() - 1;
    node const leaf{p.reference, 0, 0};
    T const* values = nullptr;
    // Entries that have no gap before them; a diagonal leaf has one between its list and its runs.
    int before_gap = std::numeric_limits<int>::max(), gap = 0;
    auto const entry = [&](int i, int row, int column, T value) {
        f(row & mask, static_cast<std::int32_t>(p.first_column) + column, value, values + i + (i < before_gap ? 0 : gap));
    };
    if (p.reference.kind() == node_kind::wide) {
        auto const wide = tree.wide_leaf<T>(leaf);
        values = wide.values + p.first;
        return detail::visit_wide(w, wide, p.first, p.count, entry);
    }
    if (p.reference.kind() == node_kind::diagonal) {
        auto const diagonal = tree.diagonal_leaf<T>(leaf);
        before_gap = diagonal.others.count;
        gap = static_cast<int>(diagonal.run_values - diagonal.others.values) - before_gap;
    }
    values = p.reference.kind() == node_kind::dense      ? tree.dense_leaf<T>(leaf).values
             : p.reference.kind() == node_kind::diagonal ? tree.diagonal_leaf<T>(leaf).others.values
                                                         : tree.sparse_leaf<T>(leaf).values;
    detail::visit_entries<T>(w, tree, leaf, entry);
}

/// One thread's workplace: the entries of a block row by row, then each row's by column. Of each entry a Payload is kept.
template <class T, class Payload>
class band_writer {
  public:
    band_writer(tree_view const& tree, std::vector<piece> const& pieces) : tree_(tree), pieces_(pieces) {}

    /// payload(piece, value, its address); on_row(row, begin, entries): the row's entries begin at `begin` among those of
    /// the matrix; each row of the block row, those behind the matrix too. entries: pairs of a column and a payload.
    template <class MakePayload, class OnRow>
    void write(band const& b, MakePayload payload, OnRow on_row) {
        auto const d = static_cast<std::size_t>(tree_.dimension());
        ends_.assign(d + 1, 0);
        for_each_entry(b, [&](piece const&, int row, std::int32_t, T, T const*) {
            ++ends_[static_cast<std::size_t>(row) + 1];
        });
        for (std::size_t row = 0; row < d; ++row) ends_[row + 1] += ends_[row];
        if (entries_.size() < ends_[d]) entries_.resize(ends_[d]);
        // Now ends_[row] is where the row begins; it becomes where it ends.
        for_each_entry(b, [&](piece const& p, int row, std::int32_t column, T value, T const* place) {
            entries_[ends_[static_cast<std::size_t>(row)]++] = {column, payload(p, value, place)};
        });
        std::int64_t const first_row = std::int64_t{pieces_[b.first].row_block} << tree_.dimension_log2();
        for (std::size_t row = 0, begin = 0; row < d; begin = ends_[row++]) {
            sort_row(begin, ends_[row]);
            on_row(first_row + static_cast<std::int64_t>(row), b.begin + static_cast<std::int64_t>(begin),
                   std::span(entries_).subspan(begin, ends_[row] - begin));
        }
    }

  private:
    template <class F>
    void for_each_entry(band const& b, F f) const {
        for (std::size_t i = b.first; i < b.last; ++i)
            visit_piece<T>(tree_, pieces_[i], [&](int row, std::int32_t column, T value, T const* place) {
                f(pieces_[i], row, column, value, place);
            });
    }
    void sort_row(std::size_t begin, std::size_t end) {
        auto const by_column = [](auto const& a, auto const& b) { return a.first < b.first; };
        auto const from = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
        auto const to = entries_.begin() + static_cast<std::ptrdiff_t>(end);
        if (!std::is_sorted(from, to, by_column)) std::sort(from, to, by_column);
    }

    tree_view const tree_;
    std::vector<piece> const& pieces_;
    std::vector<std::size_t> ends_;
    std::vector<std::pair<std::int32_t, Payload>> entries_;
};

/// All entries of op(A), which has some, row by row.
template <class T, class Payload, class MakePayload, class OnRow>
void visit_rows(tree_view const& tree, std::vector<piece>& pieces, MakePayload payload, OnRow on_row) {
    std::vector<band> const bands = find_bands(pieces);
    detail::parallel_for(
        static_cast<std::int64_t>(bands.size()), 16, [&] { return band_writer<T, Payload>(tree, pieces); },
        [&](band_writer<T, Payload>& writer, std::int64_t b) {
            writer.write(bands[static_cast<std::size_t>(b)], payload, on_row);
        });
}

/// Columns and values into these arrays; on_row(row, begin, end): it has these of all entries.
template <class T, class OnRow>
void write_rows(hisparse<T> const& a, std::vector<std::int32_t>& columns, std::vector<T>& values, OnRow on_row) {
    detail::host_tree const tree(*a.content(), sizeof(T));
    std::vector<piece> pieces;
    collect_pieces<T>(tree.view(), a.root(), pieces);
    auto const count = static_cast<std::size_t>(a.entry_count());
    columns.resize(count);
    values.resize(count);
    T const scale = a.scale();
    visit_rows<T, T>(
        tree.view(), pieces, [scale](piece const&, T value, T const*) { return scale * value; },
        [&](std::int64_t row, std::int64_t begin, auto entries) {
            for (std::size_t i = 0; i < entries.size(); ++i) {
                columns[static_cast<std::size_t>(begin) + i] = entries[i].first;
                values[static_cast<std::size_t>(begin) + i] = entries[i].second;
            }
            on_row(row, begin, begin + static_cast<std::int64_t>(entries.size()));
        });
}

/// Whether a leaf is met more than once.
bool has_shared_leaf(std::vector<piece> const& pieces) {
    std::unordered_set<std::uint64_t> seen;
    seen.reserve(pieces.size());
    return !std::all_of(pieces.begin(), pieces.end(), [&](piece const& p) {
        return p.first > 0 || seen.insert(detail::value_place(p.reference.arena(), p.reference.offset())).second;
    });
}

}  // namespace

template <class T>
coo<T> to_coo(hisparse<T> const& a) {
    nvtx_range const range("copse conversion from hisparse");
    coo<T> entries;
    entries.row_count = a.row_count();
    entries.column_count = a.column_count();
    if (!a.root()) return entries;
    entries.rows.resize(static_cast<std::size_t>(a.entry_count()));
    write_rows<T>(a, entries.columns, entries.values, [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
        std::fill(entries.rows.begin() + begin, entries.rows.begin() + end, static_cast<std::int32_t>(row));
    });
    return entries;
}

template <class T>
csr<T> to_csr(hisparse<T> const& a) {
    nvtx_range const range("copse conversion from hisparse");
    csr<T> rows;
    rows.row_count = a.row_count();
    rows.column_count = a.column_count();
    rows.row_offsets.assign(static_cast<std::size_t>(a.row_count()) + 1, 0);
    if (!a.root()) return rows;
    auto const offsets = std::span(rows.row_offsets).subspan(1);  // where rows end
    write_rows<T>(a, rows.column_indices, rows.values, [&](std::int64_t row, std::int64_t, std::int64_t end) {
        if (row < rows.row_count) offsets[static_cast<std::size_t>(row)] = end;
    });
    // Rows of block rows without entries end where the row before them does.
    for (std::size_t row = 1; row < offsets.size(); ++row) offsets[row] = std::max(offsets[row], offsets[row - 1]);
    return rows;
}

namespace detail {

template <class T>
std::vector<std::uint64_t> value_places(hisparse<T> const& a) {
    if (!a.root()) return {};
    host_tree const tree(*a.content(), sizeof(T));
    std::vector<piece> pieces;
    collect_pieces<T>(tree.view(), a.root(), pieces);
    if (has_shared_leaf(pieces)) return {};
    std::vector<std::uint64_t> places(static_cast<std::size_t>(a.entry_count()));
    auto const place_of = [&](piece const& p, T, T const* value) {
        auto const in_node = reinterpret_cast<std::byte const*>(value) - tree.address(p.reference);
        return value_place(p.reference.arena(), p.reference.offset() + static_cast<std::uint64_t>(in_node));
    };
    visit_rows<T, std::uint64_t>(tree.view(), pieces, place_of, [&](std::int64_t, std::int64_t begin, auto entries) {
        for (std::size_t i = 0; i < entries.size(); ++i) places[static_cast<std::size_t>(begin) + i] = entries[i].second;
    });
    return places;
}

template std::vector<std::uint64_t> value_places(hisparse<float> const&);
template std::vector<std::uint64_t> value_places(hisparse<double> const&);

}  // namespace detail

template coo<float> to_coo(hisparse<float> const&);
template coo<double> to_coo(hisparse<double> const&);
template csr<float> to_csr(hisparse<float> const&);
template csr<double> to_csr(hisparse<double> const&);

}  // namespace copse
