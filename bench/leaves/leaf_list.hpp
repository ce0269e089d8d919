// The leaves of a matrix, plain: what every way to store a leaf is made from and checked with.
#pragma once

#include <algorithm>
#include <copse/formats/csr.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace copse::bench::leaves {

inline constexpr int dimension_log2 = 7;
inline constexpr int dimension = 1 << dimension_log2;
inline constexpr int position_mask = dimension - 1;

struct entry {
    std::uint8_t row;
    std::uint8_t column;
    double value;
};

struct leaf {
    std::int64_t row_block;
    std::int64_t column_block;
    std::size_t first;
    int count;
};

struct leaf_list {
    std::vector<leaf> leaves;    // by block row, then block column
    std::vector<entry> entries;  // of each leaf: row-major

    std::span<entry const> of(leaf const& l) const {
        return std::span(entries).subspan(l.first, static_cast<std::size_t>(l.count));
    }
};

inline leaf_list make_leaves(csr<double> const& a) {
    struct placed {
        std::int64_t block;
        entry what;
    };
    leaf_list result;
    std::vector<placed> band;
    for (std::int64_t first = 0; first < a.row_count; first += dimension) {
        band.clear();
        for (std::int64_t i = first; i < std::min(a.row_count, first + dimension); ++i)
            for (auto k = static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(i)]);
                 k < static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(i) + 1]); ++k)
                band.push_back({a.column_indices[k] >> dimension_log2,
                                {static_cast<std::uint8_t>(i & position_mask),
                                 static_cast<std::uint8_t>(a.column_indices[k] & position_mask), a.values[k]}});
        std::stable_sort(band.begin(), band.end(), [](placed const& x, placed const& y) { return x.block < y.block; });
        for (placed const& p : band) {
            if (result.leaves.empty() || result.leaves.back().row_block != first >> dimension_log2 ||
                result.leaves.back().column_block != p.block)
                result.leaves.push_back({first >> dimension_log2, p.block, result.entries.size(), 0});
            ++result.leaves.back().count;
            result.entries.push_back(p.what);
        }
    }
    return result;
}

/// Leaves of A and of B, or of B^T, at the same place: numbers in the two lists, in A's order.
inline std::vector<std::pair<std::size_t, std::size_t>> meeting_leaves(leaf_list const& a, leaf_list const& b,
                                                                       bool transpose_b) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> of_b;
    for (std::size_t i = 0; i < b.leaves.size(); ++i) {
        leaf const& l = b.leaves[i];
        of_b[transpose_b ? std::pair{l.column_block, l.row_block} : std::pair{l.row_block, l.column_block}] = i;
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < a.leaves.size(); ++i)
        if (auto const found = of_b.find({a.leaves[i].row_block, a.leaves[i].column_block}); found != of_b.end())
            pairs.push_back({i, found->second});
    return pairs;
}

}  // namespace copse::bench::leaves
