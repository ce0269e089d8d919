// The leaves of a tree by block rows: what is written side by side on the way back to rows.
//
//   pieces   [ leaf | leaf | block of a wide leaf ][ leaf ][ block of a wide leaf | ...
//   bands    [ block row 0                       ][ 1    ][ 5
#pragma once

#include <algorithm>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace copse::detail {

/// Entries of one block row: a leaf, or neighbours in a wide leaf.
struct piece {
    child_reference reference;
    std::uint32_t row_block;
    std::uint32_t first_column;  // of the leaf
    std::int32_t first;          // in a wide leaf
    std::int32_t count;
};

/// Pieces first .. last - 1 are all that a block row has, by ascending column; its entries are begin .. end - 1 of the
/// matrix's.
struct band {
    std::size_t first;
    std::size_t last;
    std::int64_t begin;
    std::int64_t end;
};

template <class T>
void collect_pieces(node_reader const& tree, node n, std::vector<piece>& pieces) {
    int const log2 = tree.dimension_log2();
    if (!n.reference.is_leaf()) {
        for (int i = 0; i < tree.child_count(n); ++i)
            if (node const child = tree.child(n, i)) collect_pieces<T>(tree, child, pieces);
        return;
    }
    if (!n.reference.is_wide_leaf()) {
        pieces.push_back({n.reference, n.row >> log2, n.column, 0, n.reference.entries()});
        return;
    }
    auto const leaf = tree.wide_leaf<T>(n);
    detail::for_each_block_row(leaf.rows, 0, leaf.count, log2, [&](int block, int first, int last) {
        pieces.push_back(
            {n.reference, (n.row >> log2) + static_cast<std::uint32_t>(block), n.column, first, last - first});
    });
}

/// By block row; those of one stay in their order.
inline void sort_pieces(std::vector<piece>& pieces) {
    auto const by_row = [](piece const& a, piece const& b) { return a.row_block < b.row_block; };
    auto const [lowest, highest] = std::minmax_element(pieces.begin(), pieces.end(), by_row);
    std::size_t const first = lowest->row_block, rows = highest->row_block - first + 1;
    if (rows > 4 * pieces.size()) return std::stable_sort(pieces.begin(), pieces.end(), by_row);
    std::vector<std::size_t> places(rows + 1);
    for (piece const& p : pieces) ++places[p.row_block - first + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    std::vector<piece> sorted(pieces.size());
    for (piece const& p : pieces) sorted[places[p.row_block - first]++] = p;
    pieces = std::move(sorted);
}

inline std::vector<band> find_block_rows(std::vector<piece>& pieces) {
    sort_pieces(pieces);
    std::vector<band> bands;
    std::int64_t entries = 0;
    for (std::size_t i = 0; i < pieces.size();) {
        band b{i, i, entries, entries};
        for (; b.last < pieces.size() && pieces[b.last].row_block == pieces[i].row_block; ++b.last)
            b.end += pieces[b.last].count;
        entries = b.end;
        bands.push_back(b);
        i = b.last;
    }
    return bands;
}

/// Bands one after the other until there are some thousand entries.
inline std::vector<std::size_t> find_stretches(std::vector<band> const& bands) {
    std::vector<std::size_t> begins{0};
    for (std::size_t b = 0; b + 1 < bands.size(); ++b)
        if (bands[b].end - bands[begins.back()].begin >= 1 << 14) begins.push_back(b + 1);
    begins.push_back(bands.size());
    return begins;
}

}  // namespace copse::detail
