// Conversion from compressed rows to CSR5 and back, on the CPU.
//
//   1. tiles, a stretch by each thread: walk through the rows, flag the entries that begin one, describe the tile,
//      transpose its entries
//   2. where tiles have empty rows: offsets of their segments' rows
#include <algorithm>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/cpu/vector_lanes.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>
#include <cstring>
#include <string>
#include <vector>

namespace copse {
namespace detail {
namespace {

constexpr int largest_sigma = 128;

/// With omega and sigma.
csr5_options with_defaults(csr5_options options, bool many_lanes, std::size_t value_bytes, flat_content const& a) {
    if (options.omega == 0)
        options.omega = many_lanes ? 32 : std::max(vector_bytes(), 32) / static_cast<int>(value_bytes);
    // The paper's 16: 12 to 32 are within 3 % of it over the matrices of the paper, and no better than a second matrix
    // of 16 was beside it. In float 18, 0.81 to 0.96 of its time: of the heights in bench/results/flat_formats.md the
    // largest of which a column's description fits a word with 16 columns (9 + 4 + 18 bits; 19 would fit too, 20 does
    // not).
    bool const by_rule = options.sigma == 0;
    if (by_rule)
        options.sigma = many_lanes ? options.rule.sigma(a.entry_count, a.row_count) : value_bytes == 4 ? 18 : 16;
    int const omega = options.omega;
    if (omega != 4 && omega != 8 && omega != 16 && omega != 32)
        throw argument_error("csr5: omega is " + std::to_string(omega) + "; tiles have 4, 8, 16 or 32 columns");
    if (options.sigma < 1 || options.sigma > largest_sigma)
        throw argument_error("csr5: sigma is " + std::to_string(options.sigma) + (by_rule ? " by the rule" : "") +
                             "; tiles have 1 to " + std::to_string(largest_sigma) + " rows");
    return options;
}

/// One tile, seen as `rows` rows of `columns` elements, transposed. rows * columns <= 32 * largest_sigma.
template <class Value>
void transpose_tile(int rows, int columns, Value const* from, Value* to) {
    Value tile[32 * largest_sigma];
    Value const* source = from;
    if (from == to) {
        std::memcpy(tile, from, static_cast<std::size_t>(rows * columns) * sizeof(Value));
        source = tile;
    }
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) to[j * rows + i] = source[i * columns + j];
}

}  // namespace

template <class Value>
void transpose_tiles(csr5_layout const& layout, std::int64_t first, std::int64_t last, Value const* from, Value* to) {
    for (std::int64_t k = first * layout.size(); k < last * layout.size(); k += layout.size())
        transpose_tile(layout.omega, layout.sigma, from + k, to + k);
}
template <class Value>
void transpose_tiles_back(csr5_layout const& layout, std::int64_t first, std::int64_t last, Value const* from,
                          Value* to) {
    for (std::int64_t k = first * layout.size(); k < last * layout.size(); k += layout.size())
        transpose_tile(layout.sigma, layout.omega, from + k, to + k);
}

template void transpose_tiles(csr5_layout const&, std::int64_t, std::int64_t, float const*, float*);
template void transpose_tiles(csr5_layout const&, std::int64_t, std::int64_t, double const*, double*);
template void transpose_tiles(csr5_layout const&, std::int64_t, std::int64_t, std::int32_t const*, std::int32_t*);
template void transpose_tiles_back(csr5_layout const&, std::int64_t, std::int64_t, float const*, float*);
template void transpose_tiles_back(csr5_layout const&, std::int64_t, std::int64_t, double const*, double*);
template void transpose_tiles_back(csr5_layout const&, std::int64_t, std::int64_t, std::int32_t const*, std::int32_t*);

namespace {

/// Tiles that a thread takes at a time: it searches for the row of the first, and walks from there.
constexpr std::int64_t tiles_at_once = 64;

/// The walk over rows from tile to tile.
class row_walk {
  public:
    row_walk(std::int64_t const* row_offsets, std::int64_t row_count, std::int64_t entry)
        : row_offsets_(row_offsets), row_count_(row_count), row_(row_of_entry(row_offsets, 0, row_count, entry)) {}

    /// The row of the next entry to be walked over.
    std::int64_t row() const { return row_; }

    /// begins(k, row) for entries begin < k < end that begin a row, and moves to entry `end`.
    template <class F>
    void walk(std::int64_t end, F begins) {
        std::int64_t next = row_ + 1;
        while (next <= row_count_ && row_offsets_[next] < end) {
            begins(row_offsets_[next], next);
            ++next;
        }
        while (next <= row_count_ && row_offsets_[next] == end) ++next;
        row_ = next - 1;
    }

  private:
    std::int64_t const* row_offsets_;
    std::int64_t row_count_;
    std::int64_t row_;
};

/// All that the host makes of rows.
template <class T>
class csr5_builder {
  public:
    /// content: shape and layout are there.
    csr5_builder(csr_matrix_view<T> const& a, csr5_content<T>& content)
        : a_(a),
          content_(content),
          entry_count_(content.entry_count),
          layout_(content.layout),
          full_tiles_(entry_count_ / layout_.size()),
          tile_count_((entry_count_ + layout_.size() - 1) / layout_.size()) {}

    /// The content's arrays but row_offsets, in host memory. columns, values: room for the entries, which may be a's
    /// own.
    void build(buffer<std::int32_t> columns, buffer<T> values) {
        pointers_ = {host_memory(), tile_count_ + 1};
        descriptors_ = {host_memory(), full_tiles_ * layout_.descriptor_words()};
        columns_ = std::move(columns);
        values_ = std::move(values);
        trues_.resize(static_cast<std::size_t>(full_tiles_ + 1));
        make_tiles();
        pointers_.data()[tile_count_] =
            static_cast<std::uint32_t>(std::min<std::int64_t>(a_.row_count, ~csr5_sign));  // 2^31 rows: one less
        make_empty_offsets();
        bool const in_front = a_.row_count > 0 && a_.row_offsets[1] == 0;
        bool const in_tail = full_tiles_ < tile_count_ && (pointers_.data()[full_tiles_] & csr5_sign) != 0;
        content_.has_empty_rows = in_front || empty_offsets_.size() > 0 || in_tail;
        content_.tile_pointers = std::move(pointers_);
        content_.tile_descriptors = std::move(descriptors_);
        content_.empty_offset_pointers = std::move(empty_pointers_);
        content_.empty_offsets = std::move(empty_offsets_);
        content_.column_indices = std::move(columns_);
        content_.values = std::move(values_);
    }

  private:
    /// body(first, last) for stretches of the full tiles.
    template <class F>
    void for_tiles(F body) const {
        for_stretches(full_tiles_, tiles_at_once, body);
    }

    void make_tiles() {
        for_tiles([this](std::int64_t first, std::int64_t last) {
            row_walk walk(a_.row_offsets, a_.row_count, first * layout_.size());
            for (std::int64_t tile = first; tile < last; ++tile) make_tile(tile, walk);
            transpose_tiles(layout_, first, last, a_.column_indices, columns_.data());
            transpose_tiles(layout_, first, last, a_.values, values_.data());
        });
        if (full_tiles_ < tile_count_) {
            std::int64_t const begin = full_tiles_ * layout_.size();
            std::int64_t const row = row_of_entry(a_.row_offsets, 0, a_.row_count, begin);
            pointers_.data()[full_tiles_] =
                static_cast<std::uint32_t>(row) | (has_empty_rows_from(row) ? csr5_sign : 0);
            copy_from(begin, a_.column_indices, columns_.data());
            copy_from(begin, a_.values, values_.data());
        }
    }

    template <class Value>
    void copy_from(std::int64_t begin, Value const* from, Value* to) const {
        if (from != to) std::copy(from + begin, from + entry_count_, to + begin);
    }

    void make_tile(std::int64_t tile, row_walk& walk) {
        std::uint32_t flags[largest_sigma + 1] = {};
        std::int64_t const begin = tile * layout_.size(), end = begin + layout_.size(), row = walk.row();
        walk.walk(end, [&](std::int64_t entry, std::int64_t) {
            auto const bit = static_cast<std::uint32_t>(entry - begin);
            flags[bit / 32] |= std::uint32_t{1} << bit % 32;
        });
        int const trues = describe_tile(layout_, {flags, 0}, descriptors_.data() + tile * layout_.descriptor_words());
        bool const next_starts = a_.row_offsets[walk.row()] == end;
        bool const has_empty = tile_has_empty_rows(row, walk.row(), trues - 1, next_starts);
        pointers_.data()[tile] = static_cast<std::uint32_t>(row) | (has_empty ? csr5_sign : 0);
        trues_[static_cast<std::size_t>(tile)] = has_empty ? trues : 0;
    }

    /// CSR5 algorithm 7, but by a walk instead of a search for each segment.
    void make_empty_offsets() {
        std::int64_t total = 0;
        for (std::int64_t& count : trues_) count = std::exchange(total, total + count);
        if (total == 0) return;
        empty_pointers_ = {host_memory(), std::span<std::int64_t const>(trues_)};
        empty_offsets_ = {host_memory(), total};
        for_tiles([this](std::int64_t first, std::int64_t last) {
            row_walk walk(a_.row_offsets, a_.row_count, first * layout_.size());
            for (std::int64_t tile = first; tile < last; ++tile) {
                std::int64_t const row = walk.row(), end = (tile + 1) * layout_.size();
                if ((pointers_.data()[tile] & csr5_sign) == 0) {
                    walk.walk(end, [](std::int64_t, std::int64_t) {});
                    continue;
                }
                std::uint32_t* to = empty_offsets_.data() + trues_[static_cast<std::size_t>(tile)];
                *to = 0;
                std::int64_t entry_before = -1;
                walk.walk(end, [&](std::int64_t entry, std::int64_t at) {
                    to += entry != entry_before;  // of rows that begin at one entry, the last has it
                    entry_before = entry;
                    *to = static_cast<std::uint32_t>(at - row);
                });
            }
        });
    }

    bool has_empty_rows_from(std::int64_t row) const {
        auto const* const end = a_.row_offsets + a_.row_count + 1;
        return std::adjacent_find(a_.row_offsets + row, end) != end;
    }

    csr_matrix_view<T> const a_;
    csr5_content<T>& content_;
    std::int64_t const entry_count_;
    csr5_layout const layout_;
    std::int64_t const full_tiles_;
    std::int64_t const tile_count_;
    buffer<std::uint32_t> pointers_;
    buffer<std::uint32_t> descriptors_;
    buffer<std::int64_t> empty_pointers_;
    buffer<std::uint32_t> empty_offsets_;
    buffer<std::int32_t> columns_;
    buffer<T> values_;
    std::vector<std::int64_t> trues_;  // TRUEs of each tile with a sign; then those of all tiles before
};

/// Entries as tiles have them to those of rows, where they are.
template <class T>
void take_tiles_apart(csr5_layout const& layout, std::int64_t entry_count, std::int32_t* columns, T* values) {
    for_stretches(entry_count / layout.size(), tiles_at_once, [&](std::int64_t first, std::int64_t last) {
        transpose_tiles_back(layout, first, last, columns, columns);
        transpose_tiles_back(layout, first, last, values, values);
    });
}

}  // namespace

template <class T>
void set_layout(csr5_content<T>& content, csr5_options const& given, bool many_lanes) {
    csr5_options const sizes = with_defaults(given, many_lanes, sizeof(T), content);
    content.options = given;
    content.options.omega = sizes.omega;
    content.layout = make_csr5_layout(sizes.omega, sizes.sigma);
}
template void set_layout(csr5_content<float>&, csr5_options const&, bool);
template void set_layout(csr5_content<double>&, csr5_options const&, bool);

}  // namespace detail

template <class T>
std::shared_ptr<csr5_content<T> const> csr5_content<T>::make(std::shared_ptr<memory> const& where,
                                                             csr_view<T> const& given, csr5_options const& options,
                                                             bool many_lanes) {
    auto content = std::make_shared<csr5_content>();
    detail::rows_in_order<T> const in_order(given, "csr5", where);
    detail::compressed_rows<T> const& a = *in_order;
    static_cast<flat_content&>(*content) = {a.row_count, a.column_count, a.entry_count(), where};
    detail::set_layout(*content, options, many_lanes);
    detail::csr5_builder<T>(detail::arrays_of(a), *content)
        .build({host_memory(), a.entry_count()}, {host_memory(), a.entry_count()});
    content->row_offsets = {where, a.offsets};
    content->tile_pointers = detail::in_memory(where, std::move(content->tile_pointers));
    content->tile_descriptors = detail::in_memory(where, std::move(content->tile_descriptors));
    content->empty_offset_pointers = detail::in_memory(where, std::move(content->empty_offset_pointers));
    content->empty_offsets = detail::in_memory(where, std::move(content->empty_offsets));
    content->column_indices = detail::in_memory(where, std::move(content->column_indices));
    content->values = detail::in_memory(where, std::move(content->values));
    return content;
}

template <class T>
std::shared_ptr<csr5_content<T> const> csr5_content<T>::make_in_place(csr_content<T>&& rows,
                                                                      csr5_options const& options, bool many_lanes) {
    auto content = std::make_shared<csr5_content>();
    static_cast<flat_content&>(*content) = rows;
    detail::set_layout(*content, options, many_lanes);
    detail::csr5_builder<T>(rows.view(), *content).build(std::move(rows.column_indices), std::move(rows.values));
    content->row_offsets = std::move(rows.row_offsets);
    return content;
}

template <class T>
csr<T> csr5_content<T>::to_rows() const {
    csr<T> rows{this->row_count, this->column_count, detail::to_vector(row_offsets), detail::to_vector(column_indices),
                detail::to_vector(values)};
    detail::take_tiles_apart(layout, this->entry_count, rows.column_indices.data(), rows.values.data());
    return rows;
}

template <class T>
std::shared_ptr<csr_content<T> const> csr5_content<T>::to_rows_in_place() && {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = *this;
    rows->row_offsets = std::move(row_offsets);
    rows->column_indices = std::move(column_indices);
    rows->values = std::move(values);
    detail::take_tiles_apart(layout, rows->entry_count, rows->column_indices.data(), rows->values.data());
    detail::choose_kernel(*rows);
    return rows;
}

template struct csr5_content<float>;
template struct csr5_content<double>;

}  // namespace copse
