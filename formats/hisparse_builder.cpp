#include <copse/formats/block_rows.hpp>
#include <copse/formats/hisparse_builder.hpp>
#include <copse/formats/leaf_assembly.hpp>
#include <copse/formats/leaf_writer.hpp>
#include <copse/runtime/parallel_for.hpp>

namespace copse::detail {
namespace {

/// Step 1: all leaves, block row by block row.
template <class T>
std::vector<planned_leaf> find_leaves(compressed_rows<T> const& rows, std::vector<block_row>& bands, int log2) {
    struct state {
        block_row_sorter<T> sorter;
        leaf_workspace workspace;
    };
    std::vector<std::vector<planned_leaf>> of_band(bands.size());
    parallel_for(
        static_cast<std::int64_t>(bands.size()), 16,
        [&] {
            return state{{rows, log2}, {}};
        },
        [&](state& s, std::int64_t b) {
            block_row const& band = bands[static_cast<std::size_t>(b)];
            std::vector<planned_leaf> leaves = s.sorter.count(band);
            s.sorter.sort(band, leaves, false);
            for (std::size_t i = 0; i < leaves.size(); ++i)
                leaves[i].shape = find_leaf_shape(s.workspace, {log2}, s.sorter.entries(i).positions, sizeof(T));
            of_band[static_cast<std::size_t>(b)] = std::move(leaves);
        });
    std::vector<planned_leaf> leaves;
    std::size_t total = 0;
    for (auto const& some : of_band) total += some.size();
    leaves.reserve(total);
    for (std::size_t b = 0; b < bands.size(); ++b) {
        bands[b].first_leaf = static_cast<std::int64_t>(leaves.size());
        bands[b].leaf_count = static_cast<std::int64_t>(of_band[b].size());
        leaves.insert(leaves.end(), of_band[b].begin(), of_band[b].end());
    }
    return leaves;
}

/// Step 3 for the leaves.
template <class T>
void fill_leaves(compressed_rows<T> const& rows, std::vector<block_row> const& bands,
                 std::vector<planned_leaf> const& leaves, std::byte* arena, int log2) {
    auto const mask = static_cast<std::uint32_t>(leaf_order{log2}.mask());
    struct state {
        block_row_sorter<T> sorter;
        leaf_workspace workspace;
    };
    parallel_for(
        static_cast<std::int64_t>(bands.size()), 16,
        [&] {
            return state{{rows, log2}, {}};
        },
        [&](state& s, std::int64_t b) {
            block_row const& band = bands[static_cast<std::size_t>(b)];
            auto const own = std::span(leaves).subspan(static_cast<std::size_t>(band.first_leaf),
                                                       static_cast<std::size_t>(band.leaf_count));
            s.sorter.sort(band, own, true);
            for (std::size_t i = 0; i < own.size(); ++i) {
                planned_leaf const& leaf = own[i];
                std::byte* const memory = arena + leaf.reference.offset();
                if (leaf.reference.kind() == node_kind::wide)
                    write_wide_part(s.workspace, {log2}, s.sorter.entries(i),
                                    {memory, leaf.first, static_cast<int>(leaf.row_block & mask) << log2,
                                     static_cast<int>(leaf.column_block & mask) << log2});
                else
                    assemble_leaf(s.workspace, {log2}, s.sorter.entries(i), [&](leaf_shape) { return memory; });
            }
        });
}

}  // namespace

template <class T>
hisparse_content build_tree(compressed_rows<T> const& rows, int log2) {
    hisparse_content content;
    content.row_count = rows.row_count;
    content.column_count = rows.column_count;
    content.entry_count = static_cast<std::int64_t>(rows.values.size());
    content.dimension_log2 = log2;
    if (content.entry_count == 0) return content;

    std::vector<block_row> bands = find_block_rows(rows, log2);
    std::vector<planned_leaf> leaves = find_leaves(rows, bands, log2);
    int const number = new_arena_number({});
    tree_plan const plan =
        plan_tree(leaves, number, root_level(rows.row_count, rows.column_count, log2), log2, sizeof(T));
    content.root = plan.root;
    content.census = plan.census;
    content.reachable_bytes = plan.bytes;
    auto const arena_buffer = std::make_shared<buffer<std::byte>>(host_memory(), plan.bytes);
    content.arenas.push_back({number, arena_buffer});
    std::byte* const arena = arena_buffer->data();
    for (planned_wide_leaf const& leaf : plan.wide_leaves)
        wide_leaf_writer<T>::prepare(arena + leaf.reference.offset(), leaf.entries);
    fill_leaves(rows, bands, leaves, arena, log2);
    write_inner_nodes(plan, arena, log2);
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

template hisparse_content build_tree<float>(compressed_rows<float> const&, int);
template hisparse_content build_tree<double>(compressed_rows<double> const&, int);

}  // namespace copse::detail
