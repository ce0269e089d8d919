// What block rows have in wide leaves, from compressed rows to its place: entries are put in order strip by strip, never
// block by block, of which there are nearly as many as entries.
#pragma once

#include <algorithm>
#include <copse/formats/column_block_map.hpp>
#include <copse/formats/hisparse_builder.hpp>
#include <copse/formats/leaf_order.hpp>
#include <copse/formats/leaf_writer.hpp>
#include <copse/formats/planned_strips.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

/// An entry of a strip, as a number that ascends in the order of a wide leaf:
///
///   63-56                55-40                   39-0
///   block column         position in the block   which entry of the block row it is
///   in the strip
class strip_entry {
  public:
    strip_entry() = default;
    strip_entry(int block, int position, std::int64_t entry)
        : bits_(static_cast<std::uint64_t>(block) << 56 | static_cast<std::uint64_t>(position) << 40 |
                static_cast<std::uint64_t>(entry)) {}

    int block() const { return static_cast<int>(bits_ >> 56); }
    int position() const { return static_cast<int>(bits_ >> 40 & 0xffff); }
    std::int64_t entry() const { return static_cast<std::int64_t>(bits_ & ((std::uint64_t{1} << 40) - 1)); }
    friend bool operator<(strip_entry a, strip_entry b) { return a.bits_ < b.bits_; }

  private:
    std::uint64_t bits_;
};

/// Sorts n entries at `from`, of which no two are equal, into `to`. The strip is `blocks` blocks wide, 256 at most.
inline void sort_strip(strip_entry const* from, std::size_t n, std::size_t blocks, strip_entry* to) {
    constexpr std::size_t few = 16;
    std::uint32_t most = static_cast<std::uint32_t>(n);
    if (n <= few) {
        std::copy_n(from, n, to);
    } else {
        // By block first: hardly any has more than a few.
        std::uint32_t ends[256] = {};
        for (std::size_t i = 0; i < n; ++i) ++ends[from[i].block()];
        std::uint32_t total = 0;
        most = 0;
        for (std::size_t b = 0; b < blocks; ++b) {
            most = std::max(most, ends[b]);
            total += std::exchange(ends[b], total);
        }
        for (std::size_t i = 0; i < n; ++i) to[ends[from[i].block()]++] = from[i];
        if (most > few)
            for (std::size_t b = 0; b < blocks; ++b) std::sort(to + (b == 0 ? 0 : ends[b - 1]), to + ends[b]);
    }
    if (most > few) return;
    for (std::size_t i = 1; i < n; ++i) {
        strip_entry const e = to[i];
        std::size_t hole = i;
        for (; hole > 0 && e < to[hole - 1]; --hole) to[hole] = to[hole - 1];
        to[hole] = e;
    }
}

/// One thread's workplace.
template <class T>
class strip_writer {
  public:
    strip_writer(compressed_rows<T> const& rows, int log2)
        : rows_(rows), order_{log2}, numbers_((rows.column_count >> (2 * log2)) + 1) {}

    /// Writes those of a block row's strips that are in wide leaves. The leaves are prepared.
    void write(block_row const& band, std::span<planned_block const> blocks, std::byte* arena) {
        std::vector<planned_strip> const& strips = band.strips;
        ends_.clear();
        std::size_t total = 0;
        for (planned_strip const& strip : strips) {
            if (!strip.in_wide_leaf()) continue;
            ends_.push_back(total);
            numbers_[strip.column_block] = static_cast<std::uint32_t>(ends_.size());
            total += static_cast<std::size_t>(strip.entries);
        }
        if (ends_.empty()) return;
        if (entries_.size() < total) entries_.resize(total);
        if (sorted_.size() < total) sorted_.resize(total);
        ends_.size() < strips.size() ? gather<true>(band) : gather<false>(band);
        std::size_t begin = 0;
        for (planned_strip const& strip : strips) {
            if (!strip.in_wide_leaf()) continue;
            numbers_[strip.column_block] = 0;
            auto const n = static_cast<std::size_t>(strip.entries);
            sort_strip(&entries_[begin], n, std::size_t{1} << order_.dimension_log2, sorted_.data());
            write_strip(band, strip, arena + blocks[static_cast<std::size_t>(strip.wide_leaf)].reference.offset());
            begin += n;
        }
    }

  private:
    std::int64_t offset(std::int64_t stored_row) const { return rows_.offsets[static_cast<std::size_t>(stored_row)]; }

    /// The entries strip by strip.
    template <bool SomeElsewhere>
    void gather(block_row const& band) {
        std::int32_t const* const columns = rows_.column_indices.data();
        std::size_t* const ends = ends_.data();
        strip_entry* const entries = entries_.data();
        leaf_order const order = order_;
        std::int64_t const begin = offset(band.first_row);
        for (std::int64_t row = band.first_row; row < band.last_row; ++row) {
            auto const local_row = static_cast<int>(rows_.row_id(row)) & order.mask();
            std::int64_t const end = offset(row + 1);
            for (std::int64_t k = offset(row); k < end; ++k) {
                std::int32_t const column = columns[k], block = column >> order.dimension_log2;
                std::uint32_t const number = numbers_[block >> order.dimension_log2];
                if (SomeElsewhere && number == 0) continue;
                entries[ends[number - 1]++] =
                    strip_entry(block & order.mask(), order.position(local_row, column & order.mask()), k - begin);
            }
        }
    }

    void write_strip(block_row const& band, planned_strip const& strip, std::byte* leaf) const {
        wide_leaf_writer<T> const writer(leaf);
        leaf_order const order = order_;
        T const* const values = rows_.values.data() + offset(band.first_row);
        int const row = (static_cast<int>(band.row_block) & order.mask()) << order.dimension_log2;
        for (std::int32_t i = 0; i < strip.entries; ++i) {
            strip_entry const e = sorted_[static_cast<std::size_t>(i)];
            writer.put(strip.first + i, row | order.row(e.position()),
                       e.block() << order.dimension_log2 | order.column(e.position()), values[e.entry()]);
        }
    }

    compressed_rows<T> const& rows_;
    leaf_order order_;
    column_block_map numbers_;       // block of d * d columns -> which of the strips + 1
    std::vector<std::size_t> ends_;  // of each strip's entries: of those that are there
    std::vector<strip_entry> entries_;
    std::vector<strip_entry> sorted_;
};

}  // namespace copse::detail
