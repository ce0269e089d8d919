// The place of an entry in a tree as one number: sorted by it, entries lie in the order of a traversal.
//
//   | row, column in the root | row, column in level L - 1 | ... | row, column in level 1 | position in the leaf |
//     as many bits as needed    log2 d bits each                                            2 log2 d bits (leaf_order)
//
// A matrix has at most 2^31 rows and columns, so that 62 bits suffice. The number of a node at level l is what is left
// of its entries' keys without the last 2 (l + 1) log2 d bits: the root's is 0.
#pragma once

#include <bit>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

class tree_key {
  public:
    tree_key() = default;
    tree_key(std::int64_t row_count, std::int64_t column_count, int dimension_log2)
        : dimension_log2_(dimension_log2), root_level_(detail::root_level(row_count, column_count, dimension_log2)) {
        auto const bits_in_root = [&](std::int64_t count) {
            auto const bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
            return bits < dimension_log2 * root_level_ ? 0 : bits - dimension_log2 * root_level_;
        };
        root_row_bits_ = bits_in_root(row_count);
        root_column_bits_ = bits_in_root(column_count);
    }

    COPSE_HOST_DEVICE int dimension_log2() const { return dimension_log2_; }
    COPSE_HOST_DEVICE int root_level() const { return root_level_; }
    COPSE_HOST_DEVICE leaf_order order() const { return {dimension_log2_}; }
    /// Bits that one level takes below the root.
    COPSE_HOST_DEVICE int level_bits() const { return 2 * dimension_log2_; }
    /// Bits that a key takes.
    int bits() const {
        return root_level_ == 0 ? level_bits() : level_bits() * root_level_ + root_row_bits_ + root_column_bits_;
    }
    /// The binary logarithm of the number of nodes that there can be at a level.
    int node_bits(int level) const { return level == root_level_ ? 0 : bits() - level_bits() * (level + 1); }

    COPSE_HOST_DEVICE std::uint64_t of(std::int32_t row, std::int32_t column) const {
        auto const r = static_cast<std::uint32_t>(row), c = static_cast<std::uint32_t>(column);
        auto const mask = static_cast<std::uint32_t>(order().mask());
        auto key = static_cast<std::uint64_t>(order().position(static_cast<int>(r & mask), static_cast<int>(c & mask)));
        for (int level = 1; level <= root_level_; ++level) {
            int const shift = dimension_log2_ * level;
            std::uint64_t const of_row = level < root_level_ ? r >> shift & mask : r >> shift;
            std::uint64_t const of_column = level < root_level_ ? c >> shift & mask : c >> shift;
            key |= (of_row << column_bits(level) | of_column) << (2 * shift);
        }
        return key;
    }
    COPSE_HOST_DEVICE int position(std::uint64_t key) const {
        return static_cast<int>(key & ((std::uint64_t{1} << level_bits()) - 1));
    }
    /// Where node `number` of a level stands in the node above.
    COPSE_HOST_DEVICE int row_in_parent(std::uint64_t number, int level) const {
        return static_cast<int>(number >> column_bits(level + 1)) & order().mask();
    }
    COPSE_HOST_DEVICE int column_in_parent(std::uint64_t number, int level) const {
        return static_cast<int>(number & ((std::uint64_t{1} << column_bits(level + 1)) - 1));
    }
    /// The same, row-major among d x d.
    COPSE_HOST_DEVICE int position_in_parent(std::uint64_t number, int level) const {
        return row_in_parent(number, level) << dimension_log2_ | column_in_parent(number, level);
    }

  private:
    COPSE_HOST_DEVICE int column_bits(int level) const {
        return level < root_level_ ? dimension_log2_ : root_column_bits_;
    }

    int dimension_log2_ = 0;
    int root_level_ = 0;
    int root_row_bits_ = 0;
    int root_column_bits_ = 0;
};

}  // namespace copse::detail
