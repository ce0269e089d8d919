#include <algorithm>
#include <copse/formats/from_rows/column_block_map.hpp>
#include <copse/formats/from_rows/planned_sections.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>

namespace copse::detail {
namespace {

/// Block rows first .. last - 1: all that lie in one row of blocks of level 1.
struct block_row_group {
    std::size_t first;
    std::size_t last;
    std::size_t first_section;
    std::vector<planned_block> blocks;
};

std::vector<block_row_group> group_block_rows(std::vector<block_row> const& block_rows, int log2) {
    std::vector<block_row_group> groups;
    std::size_t sections = 0;
    for (std::size_t b = 0; b < block_rows.size(); ++b) {
        if (b == 0 || block_rows[b].row_block >> log2 != block_rows[b - 1].row_block >> log2)
            groups.push_back({b, b, sections, {}});
        groups.back().last = b + 1;
        sections += block_rows[b].sections.size();
    }
    return groups;
}

/// f(band, section) for all of a group.
template <class F>
void for_each_section(std::vector<block_row>& block_rows, block_row_group const& group, F f) {
    for (std::size_t b = group.first; b < group.last; ++b)
        for (std::size_t i = 0; i < block_rows[b].sections.size(); ++i)
            f(section_number{static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(i)}, block_rows[b].sections[i]);
}

/// One thread's workplace: sorts the sections of a group by column.
class group_planner {
  public:
    group_planner(std::vector<block_row>& block_rows, std::int64_t column_count, bool wide_leaves, int log2,
                  wide_diagonal const* half)
        : block_rows_(block_rows),
          wide_leaves_(wide_leaves),
          log2_(log2),
          half_(half),
          numbers_((column_count >> (2 * log2)) + 1) {}

    void plan(block_row_group& group, std::vector<section_number>& places) {
        columns_.clear();
        for_each_section(block_rows_, group, [&](section_number, planned_section const& section) {
            if (numbers_[section.column_block]++ == 0) columns_.push_back(section.column_block);
        });
        std::sort(columns_.begin(), columns_.end());
        std::uint32_t const row_block = block_rows_[group.first].row_block >> log2_;
        std::size_t first = group.first_section;
        for (std::uint32_t const column : columns_) {
            group.blocks.push_back({row_block, column, false, 0, first, first, {}, stored_values::each});
            first += numbers_[column];
            numbers_[column] = static_cast<std::uint32_t>(group.blocks.size()) - 1;
        }
        leaves_.assign(columns_.size(), 0);
        for_each_section(block_rows_, group, [&](section_number place, planned_section& section) {
            std::uint32_t const number = numbers_[section.column_block];
            planned_block& block = group.blocks[number];
            places[block.last_section++] = place;
            section.first = static_cast<std::int32_t>(std::min(block.entries, child_reference::most_wide_entries));
            block.entries += section.entries;
            leaves_[number] += section.leaves;
        });
        for (std::size_t i = 0; i < group.blocks.size(); ++i)
            group.blocks[i].wide = wide_leaves_ && becomes_wide(group.blocks[i], leaves_[i]);
        for (std::uint32_t const column : columns_) numbers_[column] = 0;
    }

  private:
    bool becomes_wide(planned_block const& block, std::int64_t leaves) const {
        bool const is_half_there = half_ && block.row_block == block.column_block;
        return is_half_there ? (*half_)[block.row_block] != 0 : is_wide(block.entries, leaves);
    }

    std::vector<block_row>& block_rows_;
    bool wide_leaves_;
    int log2_;
    wide_diagonal const* half_;
    column_block_map numbers_;  // of blocks of d * d columns: sections, then the number of the block
    std::vector<std::uint32_t> columns_;
    std::vector<std::int64_t> leaves_;
};

std::vector<std::uint32_t> traversal_order(std::vector<planned_block> const& blocks, int root_level, int log2) {
    std::vector<std::uint32_t> order(blocks.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    // Sorted by row digits, then column digits. A stable sort by the column digits of a level, among blocks with equal
    // row digits of that level, moves these in front of the row digits below.
    for (int level = 2; level < root_level; ++level) {
        int const shift = (level - 1) * log2;
        for (auto begin = order.begin(); begin != order.end();) {
            std::uint32_t const row = blocks[*begin].row_block >> shift;
            auto const end =
                std::find_if(begin, order.end(), [&](std::uint32_t i) { return blocks[i].row_block >> shift != row; });
            std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
                return blocks[a].column_block >> shift < blocks[b].column_block >> shift;
            });
            begin = end;
        }
    }
    return order;
}

}  // namespace

section_plan plan_sections(std::vector<block_row>& block_rows, std::int64_t column_count, int root_level, int log2,
                           wide_diagonal const* half) {
    section_plan plan;
    std::vector<block_row_group> groups = group_block_rows(block_rows, log2);
    std::size_t sections = 0;
    for (block_row const& band : block_rows) sections += band.sections.size();
    plan.places.resize(sections);
    auto const count = static_cast<std::int64_t>(groups.size());
    parallel_for(
        count, 1, [&] { return group_planner(block_rows, column_count, root_level > 0, log2, half); },
        [&](group_planner& planner, std::int64_t g) {
            planner.plan(groups[static_cast<std::size_t>(g)], plan.places);
        });
    std::vector<std::size_t> first_blocks;
    for (block_row_group const& group : groups) {
        first_blocks.push_back(plan.blocks.size());
        plan.blocks.insert(plan.blocks.end(), group.blocks.begin(), group.blocks.end());
    }
    parallel_for(
        count, 1, [] { return 0; },
        [&](int, std::int64_t g) {
            std::size_t const first = first_blocks[static_cast<std::size_t>(g)];
            for (std::size_t i = first; i < first + groups[static_cast<std::size_t>(g)].blocks.size(); ++i) {
                planned_block const& block = plan.blocks[i];
                for (std::size_t k = block.first_section; block.wide && k < block.last_section; ++k)
                    block_rows[plan.places[k].band].sections[plan.places[k].section].wide_leaf =
                        static_cast<std::int32_t>(i);
            }
        });
    plan.order = traversal_order(plan.blocks, root_level, log2);
    return plan;
}

}  // namespace copse::detail
