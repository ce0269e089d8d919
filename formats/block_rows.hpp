// Block rows: d rows of a matrix, and their entries sorted into blocks of d x d.
#pragma once

#include <algorithm>
#include <copse/formats/hisparse_builder.hpp>
#include <copse/formats/leaf_assembly.hpp>
#include <copse/formats/leaf_order.hpp>
#include <copse/formats/tree_plan.hpp>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

namespace copse::detail {

/// Block column -> a number, for one block row at a time. As long as the matrix is wide, but only touched pages take
/// memory.
class column_block_map {
  public:
    explicit column_block_map(std::int64_t blocks)
        : numbers_(
              static_cast<std::uint32_t*>(std::calloc(static_cast<std::size_t>(blocks) + 1, sizeof(std::uint32_t)))) {
        if (!numbers_) throw std::bad_alloc();
    }
    ~column_block_map() { std::free(numbers_); }
    column_block_map(column_block_map&& other) noexcept : numbers_(other.numbers_) { other.numbers_ = nullptr; }
    column_block_map& operator=(column_block_map const&) = delete;

    std::uint32_t& operator[](std::int64_t block) { return numbers_[block]; }

  private:
    std::uint32_t* numbers_;  // 0: none
};

/// A block row among the stored rows, and its leaves among all.
struct block_row {
    std::int64_t first_row;
    std::int64_t last_row;
    std::int64_t first_leaf;  // ascending by block column
    std::int64_t leaf_count;
};

/// Stored rows of each block row that has any.
template <class T>
std::vector<block_row> find_block_rows(compressed_rows<T> const& rows, int log2) {
    std::vector<block_row> result;
    std::int64_t const stored = rows.stored_rows();
    for (std::int64_t k = 0; k < stored;) {
        std::int64_t const limit = ((rows.row_id(k) >> log2) + 1) << log2;
        std::int64_t last = rows.row_ids.empty() ? std::min(stored, limit) : k;
        while (last < stored && rows.row_id(last) < limit) ++last;
        result.push_back({k, last, 0, 0});
        k = last;
    }
    return result;
}

/// One thread's workplace: the entries of one block row, leaf by leaf.
template <class T>
class block_row_sorter {
  public:
    block_row_sorter(compressed_rows<T> const& rows, int log2)
        : rows_(rows), order_{log2}, numbers_((rows.column_count >> log2) + 1) {}

    /// The leaves with their entry counts, ascending by block column.
    std::vector<planned_leaf> count(block_row const& band) {
        std::vector<planned_leaf> leaves;
        auto const row_block = static_cast<std::uint32_t>(rows_.row_id(band.first_row) >> log2());
        std::int32_t const* const columns = rows_.column_indices.data();
        std::int64_t const end = offset(band.last_row);
        for (std::int64_t k = offset(band.first_row); k < end; ++k) {
            std::uint32_t& number = numbers_[columns[k] >> log2()];
            if (number == 0) {
                leaves.push_back({row_block, static_cast<std::uint32_t>(columns[k] >> log2()), {}, {}});
                number = static_cast<std::uint32_t>(leaves.size());
            }
            ++leaves[number - 1].shape.entries;
        }
        for (planned_leaf const& leaf : leaves) numbers_[leaf.column_block] = 0;
        std::sort(leaves.begin(), leaves.end(),
                  [](planned_leaf const& a, planned_leaf const& b) { return a.column_block < b.column_block; });
        return leaves;
    }

    /// After this, entries(i) are those of leaves[i]. Without `with_values` only the positions.
    void sort(block_row const& band, std::span<planned_leaf const> leaves, bool with_values) {
        ends_.clear();
        std::size_t total = 0;
        for (planned_leaf const& leaf : leaves) {
            numbers_[leaf.column_block] = static_cast<std::uint32_t>(ends_.size());
            ends_.push_back(total);
            total += static_cast<std::size_t>(leaf.shape.entries);
        }
        positions_.resize(std::max(positions_.size(), total));
        if (with_values) {
            values_.resize(std::max(values_.size(), total));
            scatter<true>(band);
        } else {
            scatter<false>(band);
        }
        for (planned_leaf const& leaf : leaves) numbers_[leaf.column_block] = 0;
    }
    leaf_entries<T> entries(std::size_t leaf) const {
        std::size_t const begin = leaf == 0 ? 0 : ends_[leaf - 1];
        std::size_t const size = ends_[leaf] - begin;
        return {std::span(positions_).subspan(begin, size),
                values_.empty() ? std::span<T const>() : std::span<T const>(values_).subspan(begin, size)};
    }

  private:
    int log2() const { return order_.dimension_log2; }

    std::int64_t offset(std::int64_t stored_row) const { return rows_.offsets[static_cast<std::size_t>(stored_row)]; }

    template <bool WithValues>
    void scatter(block_row const& band) {
        std::int32_t const* const columns = rows_.column_indices.data();
        T const* const values = rows_.values.data();
        std::size_t* const ends = ends_.data();
        std::uint16_t* const positions = positions_.data();
        T* const sorted_values = values_.data();
        leaf_order const order = order_;
        for (std::int64_t row = band.first_row; row < band.last_row; ++row) {
            auto const local_row = static_cast<int>(rows_.row_id(row)) & order.mask();
            std::int64_t const end = offset(row + 1);
            for (std::int64_t k = offset(row); k < end; ++k) {
                std::size_t const place = ends[numbers_[columns[k] >> order.dimension_log2]]++;
                positions[place] = static_cast<std::uint16_t>(order.position(local_row, columns[k] & order.mask()));
                if constexpr (WithValues) sorted_values[place] = values[k];
            }
        }
    }

    compressed_rows<T> const& rows_;
    leaf_order order_;
    column_block_map numbers_;
    std::vector<std::size_t> ends_;  // of each leaf's entries, while they are sorted in: of those that are there
    std::vector<std::uint16_t> positions_;
    std::vector<T> values_;
};

}  // namespace copse::detail
