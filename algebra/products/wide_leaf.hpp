// Wide leaves in a product: cut into parts, which are worked on side by side.
#pragma once

#include <array>
#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/algebra/products/leaf_sums.hpp>
#include <copse/algebra/products/sparse_leaf.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// A block of a wide leaf: entries first .. first + wide_stretch_entries - 1, as far as there are any.
struct wide_stretch {
    node leaf;
    std::int32_t first;
};
/// A warp's part should stay in a few blocks; a core's is sorted by block where it goes through all of them.
inline constexpr int least_wide_stretch = 1024;
template <class Worker>
inline constexpr int wide_stretch_entries = core_worker<Worker> ? 4096 : least_wide_stretch;

/// Entries of a wide leaf in order of their blocks of d rows, for leaves that are stored in another order: a counting
/// sort of positions 0 .. count - 1 by rows[position] / d, stable. Most: of entries.
template <int Most>
class block_order {
  public:
    /// count <= Most <= 65536.
    block_order(std::uint16_t const* rows, int count, int dimension_log2) {
        for (int i = 0; i < count; ++i) ++ends_[rows[i] >> dimension_log2];
        int begin = 0;
        for (int block = 0; block < most_blocks; ++block) {
            int const size = ends_[block];
            ends_[block] = begin;
            begin += size;
        }
        for (int i = 0; i < count; ++i) positions_[ends_[rows[i] >> dimension_log2]++] = static_cast<std::uint16_t>(i);
    }

    /// f(block, positions, count) for each block that has any.
    template <class F>
    void for_each_block(F const& f) const {
        for (int block = 0, begin = 0; block < most_blocks; begin = ends_[block++])
            if (begin < ends_[block]) f(block, positions_.data() + begin, ends_[block] - begin);
    }

  private:
    static constexpr int most_blocks = 256;  // a wide leaf covers d^2 rows, d at most 256
    std::array<int, most_blocks> ends_{};    // of blocks, in positions_
    std::array<std::uint16_t, Most> positions_;
};

template <class T>
struct wide_stretch_task {
    using item = wide_stretch;
    static constexpr int width = 32;
    static constexpr int phase = 1;
    static constexpr char const* name = "block of a wide leaf";
    static constexpr int tile_rows = 256;
    static constexpr std::size_t scratch_bytes = tile_rows * sizeof(T);

    leaf_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item part, Worker& w) const {
        auto const leaf = product.tree.template wide_leaf<T>(part.leaf);
        T const* const x = product.x + part.leaf.column;
        int constexpr most = wide_stretch_entries<Worker>;
        int const last = part.first + most < leaf.count ? part.first + most : leaf.count;
        multiply(leaf, part, last, x, w);
    }

    static std::int64_t visits(node_census const& census) {
        return census.wide_leaves() + census.wide_entries() / least_wide_stretch;
    }

  private:
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE void multiply(wide_leaf_view<T> const& leaf, item const& part, int last, T const* x,
                                    Worker& w) const {
        T* const y = product.y + part.leaf.row;
        T const factor = signed_factor(part.leaf.reference, product.factor);
        if (part.leaf.reference.transposed() || leaf.rows[last - 1] - leaf.rows[part.first] > 4 * tile_rows)
            for_each_product(leaf, part.first, last, x, w, [&](bool mine, int row, T term) {
                if (mine) w.add(&y[row], factor * term);
            });
        else
            add_to_tile(leaf, part, last, x, y, factor, w);
    }
    /// Not the lanes' additions to y one by one: other threads' tiles add there in place (runtime/cpu/tile.hpp).
    template <core_worker Worker>
    void multiply(wide_leaf_view<T> const& leaf, item const& part, int last, T const* x, Worker& w) const {
        part.leaf.reference.transposed() ? add_by_ordered_block(leaf, part, last, x, w)
                                         : add_by_block(leaf, part, last, x, w);
    }
    /// Entries that follow one another by rows, more or less: most are in the tile_rows about the middle one, or a good
    /// part of them.
    template <class Worker>
    COPSE_HOST_DEVICE void add_to_tile(wide_leaf_view<T> const& leaf, item const& part, int last, T const* x, T* y,
                                       T factor, Worker& w) const {
        int const first_row = leaf.rows[(part.first + last) / 2] / tile_rows * tile_rows;
        std::int64_t const rows = product.m - part.leaf.row - first_row;
        auto tile = w.tile(y + first_row, rows < tile_rows ? static_cast<int>(rows) : tile_rows);
        for_each_product(leaf, part.first, last, x, w, [&](bool mine, int row, T term) {
            int const in_tile = row - first_row;
            bool const on_chip = mine && in_tile >= 0 && in_tile < tile_rows;
            tile.add(on_chip ? in_tile : -1, factor * term);
            if (mine && !on_chip) w.add(&y[row], factor * term);
        });
        tile.close();
    }
    /// Tiles as other leaves have them: as long as entries stay in d rows, one is enough.
    template <class Worker>
    void add_by_block(wide_leaf_view<T> const& leaf, item const& part, int last, T const* x, Worker& w) const {
        int const log2 = product.tree.dimension_log2();
        for_each_block_row(leaf.rows, part.first, last, log2, [&](int block, int first, int end) {
            node const rows{part.leaf.reference, part.leaf.row + (static_cast<std::uint32_t>(block) << log2), 0};
            multiply_leaf<wide_leaf>(product, rows, x, w, first, end);
        });
    }
    /// Entries that go through the blocks over and over, as those of a transposed leaf do, would open a tile each.
    template <class Worker>
    void add_by_ordered_block(wide_leaf_view<T> const& leaf, item const& part, int last, T const* x, Worker& w) const {
        auto const *rows = leaf.rows + part.first, *columns = leaf.columns + part.first;
        entry_values<T> const values = leaf.values.from(part.first);
        T const factor = signed_factor(part.leaf.reference, product.factor);
        int const log2 = product.tree.dimension_log2();
        block_order<wide_stretch_entries<Worker>> const order(rows, last - part.first, log2);
        order.for_each_block([&](int block, std::uint16_t const* positions, int count) {
            node const first{part.leaf.reference, part.leaf.row + (static_cast<std::uint32_t>(block) << log2), 0};
            auto tile = w.tile(product.y + first.row, product.rows_of(first));
            for (int k = 0; k < count; ++k) {
                int const i = positions[k];
                tile.add_alone(rows[i] - (block << log2), factor * values[i] * x[columns[i]]);
            }
            tile.close();
        });
    }
};

/// Cuts a wide leaf into parts for the task Stretch, whose items are wide_stretch.
template <class Stretch>
struct wide_leaf_task : takes_inner_nodes<wide_leaf::kind> {
    using item = node;
    static constexpr int width = 32;
    static constexpr char const* name = "wide leaf";

    node_reader tree;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        int constexpr most = wide_stretch_entries<Worker>;
        int const parts = (tree.wide_count(n) + most - 1) / most;
        w.template push_n<Stretch>(static_cast<std::uint32_t>(parts), [&](std::uint32_t i) {
            return wide_stretch{n, static_cast<std::int32_t>(i) * most};
        });
    }
};

}  // namespace copse::detail
