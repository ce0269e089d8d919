// A part is tiles begin .. end - 1, of which the last may be the tail. Rows without entries belong to the part that has
// the next entry; those behind the last entry to the last part.
#include <algorithm>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/flat/csr5_tiles.hpp>
#include <copse/cpu/flat/index_range.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/cpu/parts.hpp>

namespace copse::detail {
namespace {

/// Goes through entries in their order, wherever their tile keeps them.
template <class T>
class entry_cursor {
  public:
    entry_cursor(csr5_view<T> const& a, std::int64_t entry)
        : layout_(a.layout), full_(a.full_tiles() * layout_.size()) {
        place_ = entry;
        in_tiles_ = entry < full_;  // of a tile's first entry: place and number are the same
        next_tile_ = entry + layout_.size();
    }

    std::int64_t place() const { return place_; }
    void advance() {
        if (!in_tiles_) {
            ++place_;
        } else if (++row_ < layout_.sigma) {
            place_ += layout_.omega;
        } else {
            next_column();
        }
    }

  private:
    void next_column() {
        row_ = 0;
        if (++column_ < layout_.omega) {
            place_ += 1 - std::int64_t{layout_.sigma - 1} * layout_.omega;
        } else {
            column_ = 0;
            place_ = next_tile_;
            next_tile_ += layout_.size();
            in_tiles_ = place_ < full_;
        }
    }

    csr5_layout const& layout_;
    std::int64_t full_;
    std::int64_t place_;
    std::int64_t next_tile_;
    int row_ = 0;
    int column_ = 0;
    bool in_tiles_;
};

/// f(row, k_end) for each row with entries among begin .. end - 1, in order; k_end: its last of these and one.
template <class T, class F>
void for_rows(csr5_view<T> const& a, std::int64_t begin, std::int64_t end, F f) {
    std::int64_t row = row_of_entry(a.row_offsets, 0, a.row_count, begin);
    for (std::int64_t k = begin; k < end; ++row) {
        std::int64_t const row_end = std::min(end, a.row_offsets[row + 1]);
        if (row_end > k) f(row, row_end);
        k = row_end;
    }
}

/// Entries begin .. end - 1, of tiles of any shape and of the tail; `begin` is a tile's first.
template <class T>
void multiply_entry_by_entry(csr5_view<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                             open_row<T>& open) {
    entry_cursor<T> at(a, begin);
    std::int64_t k = begin;
    for_rows(a, begin, end, [&](std::int64_t row, std::int64_t row_end) {
        if (row != open.row) {
            open.close(p);
            if (open.row >= 0)
                for (std::int64_t i = open.row + 1; i < row; ++i) p.write_empty(i);
            open.row = row;
            open.sum = T(0);
        }
        for (; k < row_end; ++k, at.advance()) open.sum += a.values[at.place()] * p.x[a.column_indices[at.place()]];
    });
}

/// A full tile, column by column: entries in their order.
template <class T>
void scatter_tile(csr5_view<T> const& a, std::int64_t tile, flat_product<T> const& p, scattered_output<T>& out) {
    csr5_layout const& layout = a.layout;
    std::int32_t const* const columns = a.column_indices + tile * layout.size();
    T const* const values = a.values + tile * layout.size();
    auto const [least, most] = range_of(reinterpret_cast<std::uint32_t const*>(columns), layout.size());
    out.cover(least, most, a.column_count);
    T* const sums = out.sums;
    csr5_segments const segments = a.segments(tile);
    int segment = -1;
    T factor = T(0);  // the first entry is flagged
    for (int i = 0; i < layout.omega; ++i) {
        column_flags flags(layout, a.descriptor(tile), i);
        for (int k = i; k < layout.size(); k += layout.omega) {
            if (flags.next()) factor = p.factor * p.x[segments.row(++segment)];
            sums[columns[k]] += values[k] * factor;
        }
    }
}

/// Equal numbers of tiles are equal numbers of entries.
template <class T>
std::vector<std::int64_t> parts(csr5_content<T> const& a, std::int64_t wanted) {
    std::int64_t const tiles = a.view().tile_count();
    std::int64_t const count = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(tiles, 1));
    std::vector<std::int64_t> boundaries;
    for (std::int64_t part = 0; part <= count; ++part) boundaries.push_back(part_begin(part, count, tiles));
    return boundaries;
}

template <class T>
row_carry<T> multiply(csr5_content<T> const& content, std::int64_t begin, std::int64_t end, flat_product<T> const& p) {
    csr5_view<T> const a = content.view();
    std::int64_t const size = a.layout.size();
    std::int64_t const first = begin * size, last = std::min(end * size, a.entry_count);
    std::int64_t const row = a.first_row(begin);
    open_row<T> open;
    if (a.row_offsets[row] < first) {
        open.row = row;
        open.is_own = false;
    }
    for (std::int64_t i = row - 1; i >= 0 && a.row_offsets[i] == first && open.row < 0; --i) p.write_empty(i);
    bool const in_simd = a.layout.sigma <= most_simd_sigma;
    std::int64_t const full = in_simd ? std::min(end, a.full_tiles()) : begin;
    if (full > begin) multiply_csr5_tiles(a, begin, full, p, open);
    if (full < end) multiply_entry_by_entry(a, full * size, last, p, open);
    open.close(p);
    if (last == a.entry_count)
        for (std::int64_t i = open.row + 1; i < a.row_count; ++i) p.write_empty(i);
    return open.carry;
}

template <class T>
void scatter(csr5_content<T> const& content, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
             scattered_output<T>& out) {
    csr5_view<T> const a = content.view();
    for (std::int64_t tile = begin; tile < std::min(end, a.full_tiles()); ++tile) scatter_tile(a, tile, p, out);
    std::int64_t k = std::max(begin, a.full_tiles()) * a.layout.size();
    std::int64_t const last = std::min(end * a.layout.size(), a.entry_count);
    for_rows(a, k, last, [&](std::int64_t row, std::int64_t row_end) {
        out.cover(a.column_indices[k], a.column_indices[row_end - 1], a.column_count);
        T const factor = p.factor * p.x[row];
        for (; k < row_end; ++k) out.sums[a.column_indices[k]] += a.values[k] * factor;
    });
}

}  // namespace

template <>
cpu_product<csr5<float>> cpu_product_of() {
    return {parts<float>, multiply<float>, scatter<float>};
}
template <>
cpu_product<csr5<double>> cpu_product_of() {
    return {parts<double>, multiply<double>, scatter<double>};
}

}  // namespace copse::detail
