// What further kinds of leaves would save: for each leaf the fewest bytes, with and without them.
#pragma once

#include <bench/leaves/bitmap.hpp>
#include <bench/leaves/local_csr.hpp>
#include <bench/leaves/runs.hpp>
#include <map>
#include <utility>

namespace copse::bench::leaves {

struct byte_study {
    std::int64_t leaves = 0;    // that are no part of a wide leaf
    std::int64_t bytes = 0;     // of all leaves by the rule as it is, wide ones included
    std::int64_t of_kind[3]{};  // sparse, dense, diagonal: leaves
    std::int64_t smaller_bitmap =
        0;  // leaves for which a bitmap takes fewer bytes than these, with local CSR or without
    std::int64_t smaller_csr = 0;
    std::int64_t saved_by_bitmap = 0;  // bytes, were it the only further kind
    std::int64_t saved_by_csr = 0;
    std::int64_t saved_by_both = 0;
};

inline byte_study study_bytes(leaf_list const& all, std::int64_t value_bytes) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> parents;  // entries, leaves
    auto const parent_of = [](leaf const& l) {
        return std::pair{l.row_block >> dimension_log2, l.column_block >> dimension_log2};
    };
    for (leaf const& l : all.leaves) {
        auto& [entries, count] = parents[parent_of(l)];
        entries += l.count;
        ++count;
    }
    byte_study s;
    for (auto const& [place, parent] : parents)
        if (detail::is_wide(parent.first, parent.second)) s.bytes += detail::wide_leaf::bytes(parent.first, value_bytes);
    for (leaf const& l : all.leaves) {
        auto const& [entries, count] = parents[parent_of(l)];
        if (detail::is_wide(entries, count)) continue;
        detail::leaf_shape const shape = runs<double>::shape(all.of(l), value_bytes);
        std::int64_t const now = detail::leaf_bytes(shape, dimension, value_bytes);
        std::int64_t const as_bitmap = detail::align_node(8 * bitmap_words + value_bytes * l.count);
        std::int64_t const as_csr = local_csr<double>::bytes(l.count, value_bytes);
        ++s.leaves;
        ++s.of_kind[static_cast<int>(shape.kind)];
        s.bytes += now;
        s.smaller_bitmap += as_bitmap < now;
        s.smaller_csr += as_csr < now;
        s.saved_by_bitmap += std::max<std::int64_t>(now - as_bitmap, 0);
        s.saved_by_csr += std::max<std::int64_t>(now - as_csr, 0);
        s.saved_by_both += std::max<std::int64_t>(now - std::min(as_bitmap, as_csr), 0);
    }
    return s;
}

}  // namespace copse::bench::leaves
