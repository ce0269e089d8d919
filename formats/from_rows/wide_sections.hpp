// What block rows have in wide leaves, from compressed rows to its place: entries are put in order section by section,
// not block by block, of which there are nearly as many as entries.
#pragma once

#include <copse/formats/from_rows/column_block_map.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/from_rows/planned_sections.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

/// An entry of a section, as a number that ascends in the order of a wide leaf:
///
///   63-56                55-40                   39-0
///   block column         position in the block   which entry of the block row it is
///   in the section
class section_entry {
  public:
    section_entry() = default;
    section_entry(int block, int position, std::int64_t entry)
        : bits_(static_cast<std::uint64_t>(block) << 56 | static_cast<std::uint64_t>(position) << 40 |
                static_cast<std::uint64_t>(entry)) {}

    int block() const { return static_cast<int>(bits_ >> 56); }
    int position() const { return static_cast<int>(bits_ >> 40 & 0xffff); }
    std::int64_t entry() const { return static_cast<std::int64_t>(bits_ & ((std::uint64_t{1} << 40) - 1)); }
    friend bool operator<(section_entry a, section_entry b) { return a.bits_ < b.bits_; }

  private:
    std::uint64_t bits_;
};

/// Sorts entries that come row by row; `between` is room for as many. A block has 2^log2 diagonals, a section at most
/// as many blocks.
inline void sort_strip(std::span<section_entry> entries, int log2, section_entry* between) {
    std::size_t const n = entries.size();
    if (n <= 24) {
        for (std::size_t i = 1; i < n; ++i) {
            section_entry const e = entries[i];
            std::size_t hole = i;
            for (; hole > 0 && e < entries[hole - 1]; --hole) entries[hole] = entries[hole - 1];
            entries[hole] = e;
        }
        return;
    }
    // By diagonal, then by block; rows ascend as they come. With comparisons of the few entries of each block instead,
    // the whole conversion takes a third longer where they are three (lp): nobody foretells which comes first.
    std::uint32_t diagonals[256] = {}, blocks[256] = {};
    for (section_entry const e : entries) {
        ++diagonals[e.position() >> log2];
        ++blocks[e.block()];
    }
    std::uint32_t before_diagonal = 0, before_block = 0;
    for (std::size_t k = 0; k < std::size_t{1} << log2; ++k) {
        before_diagonal += std::exchange(diagonals[k], before_diagonal);
        before_block += std::exchange(blocks[k], before_block);
    }
    for (section_entry const e : entries) between[diagonals[e.position() >> log2]++] = e;
    for (std::size_t i = 0; i < n; ++i) entries[blocks[between[i].block()]++] = between[i];
}

/// One thread's workplace.
template <class T>
class strip_writer {
  public:
    strip_writer(compressed_rows<T> const& rows, int log2)
        : rows_(rows), order_{log2}, numbers_((rows.column_count >> (2 * log2)) + 1) {}

    /// Writes those of a block row's sections that are in wide leaves. The leaves are prepared.
    void write(block_row const& band, std::span<planned_block const> blocks, std::byte* arena) {
        std::vector<planned_section> const& sections = band.sections;
        ends_.clear();
        std::size_t total = 0;
        for (planned_section const& section : sections) {
            if (!section.in_wide_leaf()) continue;
            ends_.push_back(total);
            numbers_[section.column_block] = static_cast<std::uint32_t>(ends_.size());
            total += static_cast<std::size_t>(section.entries);
        }
        if (ends_.empty()) return;
        if (entries_.size() < total) entries_.resize(total);
        if (between_.size() < total) between_.resize(total);
        ends_.size() < sections.size() ? gather<true>(band) : gather<false>(band);
        std::size_t begin = 0;
        for (planned_section const& section : sections) {
            if (!section.in_wide_leaf()) continue;
            numbers_[section.column_block] = 0;
            auto const own = std::span(entries_).subspan(begin, static_cast<std::size_t>(section.entries));
            sort_strip(own, order_.dimension_log2, between_.data());
            write_section(band, section, own,
                          arena + blocks[static_cast<std::size_t>(section.wide_leaf)].reference.offset());
            begin += own.size();
        }
    }

  private:
    std::int64_t offset(std::int64_t stored_row) const { return rows_.offsets[static_cast<std::size_t>(stored_row)]; }

    /// The entries section by section.
    template <bool SomeElsewhere>
    void gather(block_row const& band) {
        std::int32_t const* const columns = rows_.column_indices.data();
        std::size_t* const ends = ends_.data();
        section_entry* const entries = entries_.data();
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
                    section_entry(block & order.mask(), order.position(local_row, column & order.mask()), k - begin);
            }
        }
    }

    void write_section(block_row const& band, planned_section const& section, std::span<section_entry const> entries,
                       std::byte* leaf) const {
        wide_leaf_writer<T> const writer(leaf);
        leaf_order const order = order_;
        T const* const values = rows_.values.data() + offset(band.first_row);
        int const row = (static_cast<int>(band.row_block) & order.mask()) << order.dimension_log2;
        std::int64_t i = section.first;
        for (section_entry const e : entries)
            writer.put(i++, row | order.row(e.position()),
                       e.block() << order.dimension_log2 | order.column(e.position()), values[e.entry()]);
    }

    compressed_rows<T> const& rows_;
    leaf_order order_;
    column_block_map numbers_;       // block of d * d columns -> which of the sections + 1
    std::vector<std::size_t> ends_;  // of each section's entries: of those that are there
    std::vector<section_entry> entries_;
    std::vector<section_entry> between_;
};

}  // namespace copse::detail
