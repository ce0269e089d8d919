#include <algorithm>
#include <copse/formats/hisparse_builder.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/parallel_for.hpp>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace copse::detail {
namespace {

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
    column_block_map(column_block_map const&) = delete;
    column_block_map& operator=(column_block_map const&) = delete;

    std::uint32_t& operator[](std::int64_t block) { return numbers_[block]; }

  private:
    std::uint32_t* numbers_;  // 0: none
};

/// Calls f(column_block, first, last) for stretches of a row's entries that lie in one block.
template <class T, class F>
void for_each_stretch(compressed_rows<T> const& rows, std::int64_t stored_row, int log2, F f) {
    auto k = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(stored_row)]);
    auto const end = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(stored_row) + 1]);
    while (k < end) {
        std::int64_t const block = rows.column_indices[k] >> log2;
        std::int64_t const limit = (block + 1) << log2;
        std::size_t last = k + 1;
        while (last < end && rows.column_indices[last] < limit) ++last;
        f(block, k, last);
        k = last;
    }
}

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

/// Step 1 for one block row: its leaves by block column, with their entry counts.
template <class T>
std::vector<leaf_plan> count_leaves(compressed_rows<T> const& rows, block_row const& band, int log2,
                                    column_block_map& map) {
    std::vector<leaf_plan> leaves;
    auto const row_block = static_cast<std::uint32_t>(rows.row_id(band.first_row) >> log2);
    for (std::int64_t row = band.first_row; row < band.last_row; ++row)
        for_each_stretch(rows, row, log2, [&](std::int64_t block, std::size_t first, std::size_t last) {
            std::uint32_t& number = map[block];
            if (number == 0) {
                leaves.push_back({row_block, static_cast<std::uint32_t>(block), 0, {}});
                number = static_cast<std::uint32_t>(leaves.size());
            }
            leaves[number - 1].entries += static_cast<std::int64_t>(last - first);
        });
    for (leaf_plan const& leaf : leaves) map[leaf.column_block] = 0;
    std::sort(leaves.begin(), leaves.end(),
              [](leaf_plan const& a, leaf_plan const& b) { return a.column_block < b.column_block; });
    return leaves;
}

/// Step 1: all leaves, block row by block row.
template <class T>
std::vector<leaf_plan> count_all_leaves(compressed_rows<T> const& rows, std::vector<block_row>& bands, int log2) {
    std::vector<std::vector<leaf_plan>> of_band(bands.size());
    std::int64_t const column_blocks = (rows.column_count >> log2) + 1;
    parallel_for(
        static_cast<std::int64_t>(bands.size()), 16, [&] { return column_block_map(column_blocks); },
        [&](column_block_map& map, std::int64_t b) {
            of_band[static_cast<std::size_t>(b)] = count_leaves(rows, bands[static_cast<std::size_t>(b)], log2, map);
        });
    std::vector<leaf_plan> leaves;
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

/// Where a block stands in the tree: its digits from the root down, row before column. Sorting by it is the order of a
/// traversal, row-major within every node. At most 2 * 25 bits.
std::uint64_t path_of(std::uint32_t row_block, std::uint32_t column_block, int root_level, int log2) {
    std::uint64_t path = 0;
    std::uint32_t const mask = (1u << log2) - 1;
    for (int level = root_level - 1; level >= 0; --level) {
        path = path << log2 | (row_block >> (level * log2) & mask);
        path = path << log2 | (column_block >> (level * log2) & mask);
    }
    return path;
}

child_reference reserve_node(std::int64_t& arena_bytes, std::int64_t node_bytes, std::int64_t entries, node_kind kind,
                             int level, node_census& census) {
    if (arena_bytes + node_bytes > std::int64_t{1} << 36)
        throw shape_error("hisparse: the matrix takes more than 64 GiB; one arena holds no more");
    child_reference const reference(0, static_cast<std::uint64_t>(arena_bytes), entries, kind, level);
    census.count(reference, node_bytes);
    arena_bytes += node_bytes;
    return reference;
}

/// Step 2 for the leaves: addresses in the order of the tree.
template <class T>
std::vector<placed_node> place_leaves(std::vector<leaf_plan>& leaves, int root_level, int log2, std::int64_t& bytes,
                                      node_census& census) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(leaves.size());
    for (std::size_t i = 0; i < leaves.size(); ++i)
        order[i] = {path_of(leaves[i].row_block, leaves[i].column_block, root_level, log2),
                    static_cast<std::uint32_t>(i)};
    std::sort(order.begin(), order.end());
    std::int64_t const d = std::int64_t{1} << log2;
    std::vector<placed_node> placed;
    placed.reserve(leaves.size());
    for (auto const& [path, i] : order) {
        std::int64_t const n = leaves[i].entries;
        std::int64_t const sparse = sparse_node_bytes(n, sizeof(T));
        std::int64_t const dense = dense_leaf_bytes(n, d, sizeof(T));
        leaves[i].reference = dense < sparse ? reserve_node(bytes, dense, n, node_kind::dense, 0, census)
                                             : reserve_node(bytes, sparse, n, node_kind::sparse, 0, census);
        placed.push_back({path, leaves[i].reference});
    }
    return placed;
}

/// One level of inner nodes, not yet written: node i's children are children[first_child[i]] .. children[first_child[i
/// + 1] - 1].
struct inner_level {
    std::vector<placed_node> children;
    std::vector<std::size_t> first_child;
    std::vector<placed_node> nodes;
};

/// Step 2 for inner nodes: groups of equal path prefix.
inner_level form_parents(std::vector<placed_node> children, int level, int log2, std::int64_t& bytes,
                         node_census& census) {
    inner_level result;
    result.children = std::move(children);
    std::int64_t const d = std::int64_t{1} << log2;
    for (std::size_t i = 0; i < result.children.size();) {
        std::uint64_t const path = result.children[i].path >> (2 * log2);
        std::size_t last = i;
        while (last < result.children.size() && result.children[last].path >> (2 * log2) == path) ++last;
        auto const n = static_cast<std::int64_t>(last - i);
        std::int64_t const sparse = sparse_node_bytes(n, sizeof(child_reference));
        bool const dense = dense_inner_bytes(d) < sparse;
        result.first_child.push_back(i);
        result.nodes.push_back({path, reserve_node(bytes, dense ? dense_inner_bytes(d) : sparse, n,
                                                   dense ? node_kind::dense : node_kind::sparse, level, census)});
        i = last;
    }
    result.first_child.push_back(result.children.size());
    return result;
}

/// Step 3 for one inner node.
void write_inner(std::byte* arena, child_reference node, std::span<placed_node const> children, int log2) {
    auto* const references = reinterpret_cast<child_reference*>(arena + node.offset());
    std::uint64_t const mask = (std::uint64_t{1} << log2) - 1;
    if (node.kind() == node_kind::dense) {
        for (placed_node const& child : children) references[child.path & ((mask << log2) | mask)] = child.reference;
        return;
    }
    std::int64_t const p = padded_entries(node.entries());
    auto* const rows = reinterpret_cast<std::uint8_t*>(references + p);
    for (std::size_t i = 0; i < children.size(); ++i) {
        references[i] = children[i].reference;
        rows[i] = static_cast<std::uint8_t>(children[i].path >> log2 & mask);
        rows[static_cast<std::size_t>(p) + i] = static_cast<std::uint8_t>(children[i].path & mask);
    }
}

/// Where the next entry of a leaf goes.
template <class T>
struct leaf_cursor {
    T* values;
    std::uint8_t* rows;  // nullptr in a dense leaf
    std::uint8_t* columns;
    std::uint32_t* presence;  // nullptr in a full dense leaf

    leaf_cursor(std::byte* arena, child_reference leaf, int log2)
        : values(nullptr), rows(nullptr), columns(nullptr), presence(nullptr) {
        std::byte* const memory = arena + leaf.offset();
        values = reinterpret_cast<T*>(memory);
        std::int64_t const positions = std::int64_t{1} << (2 * log2);
        if (leaf.kind() == node_kind::dense) {
            if (leaf.entries() < positions) presence = reinterpret_cast<std::uint32_t*>(values + positions);
        } else {
            std::int64_t const p = padded_entries(leaf.entries());
            rows = reinterpret_cast<std::uint8_t*>(values + p);
            columns = rows + p;
        }
    }
    void put(std::int64_t row, std::int32_t const* column_indices, T const* entries, std::size_t count, int log2) {
        std::uint32_t const mask = (1u << log2) - 1;
        auto const local_row = static_cast<std::uint32_t>(row) & mask;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t const local_column = static_cast<std::uint32_t>(column_indices[i]) & mask;
            if (rows) {
                *values++ = entries[i];
                *rows++ = static_cast<std::uint8_t>(local_row);
                *columns++ = static_cast<std::uint8_t>(local_column);
            } else {
                std::uint32_t const position = local_row << log2 | local_column;
                values[position] = entries[i];
                if (presence) presence[position / 32] |= 1u << (position % 32);
            }
        }
    }
};

/// Step 3 for one block row.
template <class T>
void fill_leaves(compressed_rows<T> const& rows, block_row const& band, std::vector<leaf_plan> const& leaves,
                 std::byte* arena, int log2, column_block_map& map) {
    std::vector<leaf_cursor<T>> cursors;
    for (std::int64_t i = 0; i < band.leaf_count; ++i) {
        leaf_plan const& leaf = leaves[static_cast<std::size_t>(band.first_leaf + i)];
        map[leaf.column_block] = static_cast<std::uint32_t>(i);
        cursors.emplace_back(arena, leaf.reference, log2);
    }
    for (std::int64_t row = band.first_row; row < band.last_row; ++row)
        for_each_stretch(rows, row, log2, [&](std::int64_t block, std::size_t first, std::size_t last) {
            cursors[map[block]].put(rows.row_id(row), &rows.column_indices[first], &rows.values[first], last - first,
                                    log2);
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

    int root_level = 0;
    while (std::max(rows.row_count, rows.column_count) > std::int64_t{1} << (log2 * (root_level + 1))) ++root_level;

    std::vector<block_row> bands = find_block_rows(rows, log2);
    std::vector<leaf_plan> leaves = count_all_leaves(rows, bands, log2);
    std::int64_t bytes = 0;
    std::vector<placed_node> nodes = place_leaves<T>(leaves, root_level, log2, bytes, content.census);
    std::vector<inner_level> inner;
    for (int level = 1; level <= root_level; ++level) {
        inner.push_back(form_parents(std::move(nodes), level, log2, bytes, content.census));
        nodes = inner.back().nodes;
    }
    content.root = nodes.front().reference;

    content.arenas.emplace_back(host_memory(), bytes);
    std::byte* const arena = content.arenas.front().data();
    std::int64_t const page = std::int64_t{1} << 16;
#pragma omp parallel for if (bytes > page)
    for (std::int64_t begin = 0; begin < bytes; begin += page)  // padding, absent positions, presence bits; first touch
        std::memset(arena + begin, 0, static_cast<std::size_t>(std::min(page, bytes - begin)));
    parallel_for(
        static_cast<std::int64_t>(bands.size()), 16, [&] { return column_block_map((rows.column_count >> log2) + 1); },
        [&](column_block_map& map, std::int64_t b) {
            fill_leaves(rows, bands[static_cast<std::size_t>(b)], leaves, arena, log2, map);
        });
    for (inner_level const& level : inner)
        for (std::size_t i = 0; i < level.nodes.size(); ++i)
            write_inner(arena, level.nodes[i].reference,
                        std::span(level.children)
                            .subspan(level.first_child[i], level.first_child[i + 1] - level.first_child[i]),
                        log2);
    return content;
}

hisparse_content place(hisparse_content&& built, std::shared_ptr<memory> const& where) {
    hisparse_content content = std::move(built);
    content.space = where->space();
    if (where != host_memory())
        for (auto& arena : content.arenas)
            arena = buffer<std::byte>(where, std::span<std::byte const>(arena.data(), arena.bytes()));
    std::vector<std::byte const*> addresses;
    for (auto const& arena : content.arenas) addresses.push_back(arena.data());
    content.arena_table = buffer<std::byte const*>(where, std::span<std::byte const* const>(addresses));
    return content;
}

template hisparse_content build_tree<float>(compressed_rows<float> const&, int);
template hisparse_content build_tree<double>(compressed_rows<double> const&, int);

}  // namespace copse::detail
