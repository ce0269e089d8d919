// Block rows: d rows of a matrix, and their entries sorted into blocks of d x d.
#pragma once

#include <algorithm>
#include <copse/formats/from_rows/column_block_map.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/from_rows/planned_sections.hpp>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace copse::detail {

/// Stored rows of each block row that has any.
template <class T>
std::vector<block_row> find_block_rows(compressed_rows<T> const& rows, int log2) {
    std::vector<block_row> result;
    std::int64_t const stored = rows.stored_rows();
    for (std::int64_t k = 0; k < stored;) {
        std::int64_t const limit = ((rows.row_id(k) >> log2) + 1) << log2;
        std::int64_t last = rows.row_ids.empty() ? std::min(stored, limit) : k;
        while (last < stored && rows.row_id(last) < limit) ++last;
        result.push_back({static_cast<std::uint32_t>(rows.row_id(k) >> log2), k, last, {}, {}});
        k = last;
    }
    return result;
}

/// One thread's workplace: the entries of one block row, leaf by leaf.
template <class T>
class block_row_sorter {
  public:
    block_row_sorter(compressed_rows<T> const& rows, int log2)
        : rows_(rows),
          order_{log2},
          numbers_((rows.column_count >> log2) + 1),
          section_numbers_((rows.column_count >> (2 * log2)) + 1),
          touched_((rows.column_count >> log2) + 2) {}

    /// Counts the entries in each block of d x d that is in no wide leaf, for sections() and leaves().
    void count(block_row const& band) {
        forget_blocks();
        bool const some_wide = mark_wide(band, 1);
        with_flags(
            [&]<bool... Flags>() { count_blocks<Flags...>(band); }, some_wide, has_long_pieces(band));
        mark_wide(band, 0);
    }

    /// Whether the blocks that were counted have more entries on average than those of a wide leaf.
    bool crowded(block_row const& band) const {
        return offset(band.last_row) - offset(band.first_row) >
               wide_mean_in_leaf * static_cast<std::int64_t>(touched_count_);
    }

    /// What was counted: ascending by block column.
    std::vector<planned_section> sections() {
        touched_sections_.clear();
        for (std::uint32_t const block : touched_blocks()) {
            std::uint32_t& number = section_numbers_[block >> log2()];
            if (number == 0) touched_sections_.push_back(block >> log2());
            number = 1;
        }
        std::sort(touched_sections_.begin(), touched_sections_.end());
        std::vector<planned_section> sections;
        sections.reserve(touched_sections_.size());
        for (std::uint32_t const column_block : touched_sections_) {
            sections.push_back({column_block});
            section_numbers_[column_block] = static_cast<std::uint32_t>(sections.size());
        }
        for (std::uint32_t const block : touched_blocks()) {
            planned_section& section = sections[section_numbers_[block >> log2()] - 1];
            section.entries += static_cast<std::int32_t>(numbers_[block]);
            ++section.leaves;
        }
        for (std::uint32_t const column_block : touched_sections_) section_numbers_[column_block] = 0;
        return sections;
    }
    /// The same as leaves, of which only the entry count is known.
    std::vector<planned_leaf> leaves() {
        std::span<std::uint32_t> const blocks = touched_blocks();
        std::sort(blocks.begin(), blocks.end());
        std::vector<planned_leaf> leaves;
        leaves.reserve(blocks.size());
        for (std::uint32_t const block : blocks)
            leaves.push_back({block, {.entries = static_cast<std::int32_t>(numbers_[block])}, {}});
        return leaves;
    }

    /// After this, entries(i) are those of band.leaves[i]. Without `with_values` only the positions.
    void sort(block_row const& band, bool with_values) {
        forget_blocks();
        ends_.clear();
        std::size_t total = 0;
        for (planned_leaf const& leaf : band.leaves) {
            numbers_[leaf.column_block] = static_cast<std::uint32_t>(ends_.size());
            ends_.push_back(total);
            total += static_cast<std::size_t>(leaf.shape.entries);
        }
        positions_.resize(std::max(positions_.size(), total));
        if (with_values) values_.resize(std::max(values_.size(), total));
        with_flags(
            [&]<bool... Flags>() { scatter<Flags...>(band); }, with_values, mark_wide(band, 1), has_long_pieces(band));
        mark_wide(band, 0);
        for (planned_leaf const& leaf : band.leaves) numbers_[leaf.column_block] = 0;
    }
    leaf_entries<T> entries(std::size_t leaf) const {
        std::size_t const begin = leaf == 0 ? 0 : ends_[leaf - 1];
        std::size_t const size = ends_[leaf] - begin;
        return {std::span(positions_).subspan(begin, size),
                values_.empty() ? std::span<T const>() : std::span<T const>(values_).subspan(begin, size)};
    }

  private:
    int log2() const { return order_.dimension_log2; }

    /// f<flag, flags ...>()
    template <bool... Known, class F, class... Flags>
    static void with_flags(F f, bool flag, Flags... flags) {
        if constexpr (sizeof...(flags) > 0)
            flag ? with_flags<Known..., true>(f, flags...) : with_flags<Known..., false>(f, flags...);
        else
            flag ? f.template operator()<Known..., true>() : f.template operator()<Known..., false>();
    }

    std::int64_t offset(std::int64_t stored_row) const { return rows_.offsets[static_cast<std::size_t>(stored_row)]; }

    std::span<std::uint32_t> touched_blocks() { return {touched_.data(), touched_count_}; }

    void forget_blocks() {
        for (std::uint32_t const block : touched_blocks()) numbers_[block] = 0;
        touched_count_ = 0;
    }

    /// Marks the columns of sections in wide leaves; whether there are any.
    bool mark_wide(block_row const& band, std::uint32_t mark) {
        bool any = false;
        for (planned_section const& section : band.sections)
            if (section.in_wide_leaf()) {
                section_numbers_[section.column_block] = mark;
                any = true;
            }
        return any;
    }

    /// Whether a row in the middle has three entries and more in a block that it meets.
    bool has_long_pieces(block_row const& band) const {
        std::int64_t const row = (band.first_row + band.last_row) / 2, begin = offset(row), end = offset(row + 1);
        std::int64_t pieces = 1;
        for (std::int64_t k = begin + 1; k < end; ++k)
            pieces += rows_.column_indices[static_cast<std::size_t>(k)] >> log2() !=
                      rows_.column_indices[static_cast<std::size_t>(k - 1)] >> log2();
        return end - begin >= 3 * pieces;
    }

    /// f(k, last, block): entries k .. last - 1 of a row lie in one block: one entry or, where pieces are long, all
    /// that do. Not of sections that are marked. Entry by entry, counting and placing wait for what was done to the
    /// entry before, if that is in the same block; by pieces they wait for branches that nobody foretells where pieces
    /// are short. By turns, one thread: elasticity 15 % faster by pieces, banded 10 to 20 %, stencil27 6 %, poisson3d
    /// and circuit 4 and 12 % slower.
    template <bool SkipMarked, bool LongPieces, class F>
    void for_each_piece(std::int64_t row, F f) {
        std::int32_t const* const columns = rows_.column_indices.data();
        int const shift = log2();
        std::int64_t const end = offset(row + 1);
        for (std::int64_t k = offset(row), last = k; k < end; k = last) {
            std::int32_t const block = columns[k] >> shift;
            last = k + 1;
            if constexpr (LongPieces)
                while (last < end && columns[last] >> shift == block) ++last;
            if (!SkipMarked || section_numbers_[block >> shift] == 0) f(k, last, block);
        }
    }

    template <bool SkipMarked, bool LongPieces>
    void count_blocks(block_row const& band) {
        std::uint32_t* const touched = touched_.data();
        std::size_t count = 0;
        for (std::int64_t row = band.first_row; row < band.last_row; ++row)
            for_each_piece<SkipMarked, LongPieces>(row, [&](std::int64_t k, std::int64_t last, std::int32_t block) {
                std::uint32_t& number = numbers_[block];
                touched[count] = static_cast<std::uint32_t>(block);
                count += number == 0 ? 1 : 0;  // no branch: where blocks have an entry or two, nobody could foretell it
                number += static_cast<std::uint32_t>(last - k);
            });
        touched_count_ = count;
    }

    template <bool WithValues, bool SkipMarked, bool LongPieces>
    void scatter(block_row const& band) {
        std::int32_t const* const columns = rows_.column_indices.data();
        T const* const values = rows_.values.data();
        std::size_t* const ends = ends_.data();
        leaf_order const order = order_;
        for (std::int64_t row = band.first_row; row < band.last_row; ++row) {
            auto const local_row = static_cast<int>(rows_.row_id(row)) & order.mask();
            for_each_piece<SkipMarked, LongPieces>(row, [&](std::int64_t k, std::int64_t last, std::int32_t block) {
                std::size_t& place = ends[numbers_[block]];
                std::uint16_t* COPSE_RESTRICT to = positions_.data() + place;
                T* COPSE_RESTRICT value = WithValues ? values_.data() + place : nullptr;
                place += static_cast<std::size_t>(last - k);
                for (; k < last; ++k) {
                    *to++ = static_cast<std::uint16_t>(order.position(local_row, columns[k] & order.mask()));
                    if constexpr (WithValues) *value++ = values[k];
                }
            });
        }
    }

    compressed_rows<T> const& rows_;
    leaf_order order_;
    column_block_map numbers_;          // of blocks of d columns: entries, or which leaf
    column_block_map section_numbers_;  // of d * d columns
    column_block_map touched_;          // the first touched_count_: blocks of d columns that have entries
    std::size_t touched_count_ = 0;
    std::vector<std::uint32_t> touched_sections_;
    std::vector<std::size_t> ends_;  // where each leaf's entries end, while they are sorted in
    std::vector<std::uint16_t> positions_;
    std::vector<T> values_;
};

}  // namespace copse::detail
