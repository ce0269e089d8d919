// The entries of a block row in row-major order, whatever has them and in whichever order it does.
#pragma once

#include <algorithm>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/to_rows/tree_bands.hpp>
#include <copse/formats/visit_entries.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

/// f(row in the block row, column in the matrix, value, where the value is stored)
template <class T, class F>
void visit_piece(tree_view const& tree, piece const& p, F f) {
    serial_worker w;
    int const mask = tree.dimension() - 1;
    visit_part<T>(w, tree, {p.reference, 0, 0}, p.first, p.count, [&](int, int row, int column, T const& value) {
        f(row & mask, static_cast<std::int32_t>(p.first_column) + column, value, &value);
    });
}

/// One thread's workplace: the entries of a block row by row, then each row's by column. Of each entry a Payload is
/// kept.
template <class T, class Payload>
class band_writer {
  public:
    band_writer(tree_view const& tree, std::vector<piece> const& pieces) : tree_(tree), pieces_(pieces) {}

    /// payload(piece, value, its address); on_row(row, begin, entries): the row's entries begin at `begin` among those
    /// of the matrix; each row of the block row, those behind the matrix too. entries: pairs of a column and a payload.
    template <class MakePayload, class OnRow>
    void write(band const& b, MakePayload payload, OnRow on_row) {
        auto const d = static_cast<std::size_t>(tree_.dimension());
        ends_.assign(d + 1, 0);
        for_each_entry(
            b, [&](piece const&, int row, std::int32_t, T, T const*) { ++ends_[static_cast<std::size_t>(row) + 1]; });
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

}  // namespace copse::detail
