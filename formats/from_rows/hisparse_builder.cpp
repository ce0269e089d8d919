#include <atomic>
#include <copse/formats/from_rows/block_rows.hpp>
#include <copse/formats/from_rows/column_block_map.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/from_rows/planned_sections.hpp>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/values_once.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {
namespace {

// What block rows have in wide leaves, from compressed rows to its place: entries are put in order section by section,
// not block by block, of which there are nearly as many as entries.

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
inline void sort_section(std::span<section_entry> entries, int log2, section_entry* between) {
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
class section_writer {
  public:
    section_writer(compressed_rows<T> const& rows, int log2)
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
            sort_section(own, order_.dimension_log2, between_.data());
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
    std::vector<std::size_t> ends_;  // where each section's entries end, while they are sorted in
    std::vector<section_entry> entries_;
    std::vector<section_entry> between_;
};

template <class T>
class tree_builder {
  public:
    tree_builder(compressed_rows<T> const& rows, int log2, stored_values values, half_rows<T> const* half)
        : rows_(rows),
          log2_(log2),
          values_(values),
          half_(half ? &half->wide : nullptr),
          symmetry_(half ? half->symmetry : matrix_symmetry::general),
          block_rows_(find_block_rows(rows, log2)) {}

    /// At least one entry.
    void build_into(hisparse_content& content) {
        int const levels = root_level(rows_.row_count, rows_.column_count, log2_);
        find_sections();
        section_plan sections = plan_sections(block_rows_, rows_.column_count, levels, log2_, half_);
        find_leaves();
        int const number = new_arena_number({});
        tree_plan plan = plan_tree(sections, block_rows_, number, levels, log2_, sizeof(T), symmetry_);
        auto arena = std::make_shared<buffer<std::byte>>(host_memory(), plan.bytes);
        fill(sections.blocks, arena->data());
        if (some_once_) {
            std::vector<block_row> const filled_rows = block_rows_;
            std::vector<planned_block> const filled_blocks = sections.blocks;
            plan = plan_tree(sections, block_rows_, number, levels, log2_, sizeof(T), symmetry_);
            auto const smaller = std::make_shared<buffer<std::byte>>(host_memory(), plan.bytes);
            move_leaves(filled_rows, filled_blocks, arena->data(), sections.blocks, smaller->data());
            arena = smaller;
        }
        write_inner_nodes(plan, arena->data(), log2_);
        content.root = plan.root;
        content.census = plan.census;
        content.entry_count = plan.census.leaf_entries();
        content.reachable_bytes = plan.bytes;
        content.arenas.push_back({number, arena});
    }

  private:
    struct workplace {
        block_row_sorter<T> sorter;
        section_writer<T> sections;
        leaf_workspace leaves;
    };

    /// f(workplace, block row). Parallel.
    template <class F>
    void for_each_block_row(F f) {
        parallel_for(
            static_cast<std::int64_t>(block_rows_.size()), 4,
            [&] {
                return workplace{{rows_, log2_}, {rows_, log2_}, {}};
            },
            [&](workplace& w, std::int64_t b) { f(w, block_rows_[static_cast<std::size_t>(b)]); });
    }

    /// Step 1. The leaves too where they have so many entries that hardly any will be in a wide leaf: their columns are
    /// in the cache now.
    void find_sections() {
        for_each_block_row([&](workplace& w, block_row& band) {
            w.sorter.count(band);
            band.sections = w.sorter.sections();
            if (w.sorter.crowded(band)) plan_leaves(w, band);
        });
    }

    /// Step 2: the leaves that are in no wide leaf.
    void find_leaves() {
        for_each_block_row([&](workplace& w, block_row& band) {
            auto const wide = [](planned_section const& section) { return section.in_wide_leaf(); };
            if (!band.leaves.empty()) {
                if (std::any_of(band.sections.begin(), band.sections.end(), wide)) drop_wide(band);
            } else if (!std::all_of(band.sections.begin(), band.sections.end(), wide)) {
                w.sorter.count(band);
                plan_leaves(w, band);
            }
            std::int32_t first = 0;
            for (planned_section& section : band.sections)
                if (!wide(section)) section.first = std::exchange(first, first + section.leaves);
        });
    }
    /// What was counted becomes leaves.
    void plan_leaves(workplace& w, block_row& band) {
        band.leaves = w.sorter.leaves();
        w.sorter.sort(band, false);
        for (std::size_t i = 0; i < band.leaves.size(); ++i)
            band.leaves[i].shape = find_leaf_shape(w.leaves, {log2_}, w.sorter.entries(i).positions, sizeof(T));
    }
    /// Of a block row of which all is planned as leaves.
    static void drop_wide(block_row& band) {
        std::vector<planned_leaf> kept;
        auto leaf = band.leaves.cbegin();
        for (planned_section const& section : band.sections) {
            if (!section.in_wide_leaf()) kept.insert(kept.end(), leaf, leaf + section.leaves);
            leaf += section.leaves;
        }
        band.leaves = std::move(kept);
    }

    /// Step 3 for leaves and wide leaves, and step 4 for each as soon as it is written.
    void fill(std::vector<planned_block>& blocks, std::byte* arena) {
        auto const for_each_wide = [&](auto f) {
            parallel_for(std::ssize(blocks), 16, [&](std::int64_t b) {
                if (planned_block& block = blocks[static_cast<std::size_t>(b)]; block.wide) f(block);
            });
        };
        for_each_wide([&](planned_block const& block) {
            wide_leaf_writer<T>::prepare(arena + block.reference.offset(), block.entries);
        });
        for_each_block_row([&](workplace& w, block_row& band) {
            w.sections.write(band, blocks, arena);
            if (!band.leaves.empty()) fill_leaves(w, band, arena);
        });
        if (values_ == stored_values::once)
            for_each_wide([&](planned_block& block) {
                block.values = fold(block.wide_shape(), block.reference, arena).others_values;
            });
    }
    void fill_leaves(workplace& w, block_row& band, std::byte* arena) {
        w.sorter.sort(band, true);
        for (std::size_t i = 0; i < band.leaves.size(); ++i) {
            planned_leaf& leaf = band.leaves[i];
            assemble_leaf(w.leaves, {log2_}, w.sorter.entries(i),
                          [&](leaf_shape) { return arena + leaf.reference.offset(); });
            if (values_ == stored_values::once) leaf.shape = fold(leaf.shape, leaf.reference, arena);
        }
    }
    /// A leaf that is written stores values that repeat once, if that takes less. Returns its shape.
    leaf_shape fold(leaf_shape const& shape, child_reference leaf, std::byte* arena) {
        std::byte* const memory = arena + leaf.offset();
        leaf_with_values_once<value_word<T>> const once(leaf, memory, log2_);
        if (!once.takes_less()) return shape;
        once.write(memory);
        some_once_.store(true, std::memory_order_relaxed);
        return once.shape();
    }

    /// All leaves to where the second plan has them.
    void move_leaves(std::vector<block_row> const& filled_rows, std::vector<planned_block> const& filled_blocks,
                     std::byte const* filled, std::vector<planned_block> const& blocks, std::byte* arena) const {
        auto const move = [&](child_reference from, child_reference to, leaf_shape const& shape) {
            std::memcpy(arena + to.offset(), filled + from.offset(),
                        static_cast<std::size_t>(leaf_bytes(shape, std::int64_t{1} << log2_, sizeof(T))));
        };
        parallel_for(std::ssize(block_rows_), 4, [&](std::int64_t k) {
            auto const b = static_cast<std::size_t>(k);
            for (std::size_t i = 0; i < block_rows_[b].leaves.size(); ++i) {
                planned_leaf const& leaf = block_rows_[b].leaves[i];
                move(filled_rows[b].leaves[i].reference, leaf.reference, leaf.shape);
            }
        });
        parallel_for(std::ssize(blocks), 16, [&](std::int64_t k) {
            auto const b = static_cast<std::size_t>(k);
            if (blocks[b].wide) move(filled_blocks[b].reference, blocks[b].reference, blocks[b].wide_shape());
        });
    }

    compressed_rows<T> const& rows_;
    int log2_;
    stored_values values_;
    wide_diagonal const* half_;
    matrix_symmetry symmetry_;  // general: all entries are there
    std::atomic<bool> some_once_{false};
    std::vector<block_row> block_rows_;
};

}  // namespace

template <class T>
hisparse_content build_tree(compressed_rows<T> const& rows, int log2, stored_values values, half_rows<T> const* half) {
    hisparse_content content;
    content.row_count = rows.row_count;
    content.column_count = rows.column_count;
    content.dimension_log2 = log2;
    if (rows.entry_count() > 0) tree_builder<T>(rows, log2, values, half).build_into(content);
    return content;
}

hisparse_content place(hisparse_content&& built, std::shared_ptr<memory> const& where) {
    hisparse_content content = std::move(built);
    content.space = where->space();
    if (where != host_memory())
        for (arena& a : content.arenas)
            a.memory = std::make_shared<buffer<std::byte>>(
                where, std::span<std::byte const>(a.memory->data(), a.memory->bytes()));
    make_arena_table(content, where);
    return content;
}

template hisparse_content build_tree(compressed_rows<float> const&, int, stored_values, half_rows<float> const*);
template hisparse_content build_tree(compressed_rows<double> const&, int, stored_values, half_rows<double> const*);

}  // namespace copse::detail
