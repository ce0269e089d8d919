// From HiSparse back to entries row by row: block rows side by side, each sorted by row and column.
#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/formats/to_rows/leaf_rows.hpp>
#include <copse/formats/to_rows/tree_block_rows.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/memory/fresh_pages.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace copse {
namespace detail {
namespace {

/// f(row in the block row, column in the matrix, value as it is stored, where that is)
template <class T, class F>
void visit_piece(node_reader const& tree, piece const& p, F f) {
    serial_worker w;
    int const mask = tree.dimension() - 1;
    visit_stored_entries<T>(w, tree, {p.reference, 0, 0}, p.first, p.count,
                            [&](int, int row, int column, T const& value) {
                                f(row & mask, static_cast<std::int32_t>(p.first_column) + column, value, &value);
                            });
}

/// One thread's workplace: the entries of a block row by row, then each row's by column. Of each entry a Payload is
/// kept.
template <class T, class Payload>
class block_row_writer {
  public:
    block_row_writer(node_reader const& tree, std::vector<piece> const& pieces) : tree_(tree), pieces_(pieces) {}

    /// payload(piece, value as it is stored, its address); on_row(row, begin, entries): the row's entries begin at
    /// `begin` among those of the matrix; each row of the block row, those behind the matrix too. entries: pairs of a
    /// column and a payload.
    template <class MakePayload, class OnRow>
    void write(band const& b, MakePayload payload, OnRow on_row) {
        auto const d = static_cast<std::size_t>(tree_.dimension());
        ends_.assign(d + 1, 0);
        for_each_entry(
            b, [&](piece const&, int row, std::int32_t, T, T const*) { ++ends_[static_cast<std::size_t>(row) + 1]; });
        for (std::size_t row = 0; row < d; ++row) ends_[row + 1] += ends_[row];
        if (entries_.size() < ends_[d]) entries_.resize(ends_[d]);
        // Now ends_[row] is where the row begins; it becomes where it ends.
        for_each_entry(b, [&](piece const& p, int row, std::int32_t column, T value, T const* place) {
            entries_[ends_[static_cast<std::size_t>(row)]++] = {column, payload(p, value, place)};
        });
        std::int64_t const first_row = std::int64_t{pieces_[b.first].row_block} << tree_.dimension_log2();
        for (std::size_t row = 0, begin = 0; row < d; begin = ends_[row++]) {
            sort_row(begin, ends_[row]);
            on_row(first_row + static_cast<std::int64_t>(row), b.begin + static_cast<std::int64_t>(begin),
                   std::span(entries_).subspan(begin, ends_[row] - begin));
        }
    }

  private:
    template <class F>
    void for_each_entry(band const& b, F f) const {
        for (std::size_t i = b.first; i < b.last; ++i)
            visit_piece<T>(tree_, pieces_[i], [&](int row, std::int32_t column, T value, T const* place) {
                f(pieces_[i], row, column, value, place);
            });
    }
    void sort_row(std::size_t begin, std::size_t end) {
        auto const by_column = [](auto const& a, auto const& b) { return a.first < b.first; };
        auto const from = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
        auto const to = entries_.begin() + static_cast<std::ptrdiff_t>(end);
        if (!std::is_sorted(from, to, by_column)) std::sort(from, to, by_column);
    }

    node_reader const tree_;
    std::vector<piece> const& pieces_;
    std::vector<std::size_t> ends_;
    std::vector<std::pair<std::int32_t, Payload>> entries_;
};

/// One thread's workplace for columns and values of block rows.
template <class T>
class row_writer {
  public:
    row_writer(node_reader const& tree, std::vector<piece> const& pieces, T scale)
        : tree_(tree), pieces_(pieces), leaves_(tree), staged_(tree, pieces), scale_(scale) {}

    template <class Target>
    void write(band const& b, Target const& to) {
        auto const pieces = std::span(pieces_).subspan(b.first, b.last - b.first);
        bool const by_leaves =
            std::all_of(pieces.begin(), pieces.end(), [](piece const& p) { return leaf_rows<T>::reads(p.reference); });
        by_leaves ? write_leaves(b, pieces, to) : write_staged(b, to);
    }

  private:
    template <class Target>
    void write_leaves(band const& b, std::span<piece const> pieces, Target const& to) {
        leaves_.clear();
        for (piece const& p : pieces) leaves_.count(p.reference);
        leaves_.begin_rows(b.begin);
        for (piece const& p : pieces)
            leaves_.place(p.reference, static_cast<std::int32_t>(p.first_column), scale_, to.columns, to.values);
        std::int64_t row = std::int64_t{pieces[0].row_block} << tree_.dimension_log2(), begin = b.begin;
        for (std::size_t i = 0; i < static_cast<std::size_t>(tree_.dimension()); begin = leaves_.end(i++))
            to.end_row(row++, begin, leaves_.end(i));
    }
    template <class Target>
    void write_staged(band const& b, Target const& to) {
        staged_.write(
            b, [this](piece const& p, T value, T const*) { return scale_ * value_sign<T>(p.reference)(value); },
            [&](std::int64_t row, std::int64_t begin, auto entries) {
                for (std::size_t i = 0; i < entries.size(); ++i) {
                    to.columns[static_cast<std::size_t>(begin) + i] = entries[i].first;
                    to.values[static_cast<std::size_t>(begin) + i] = entries[i].second;
                }
                to.end_row(row, begin, begin + static_cast<std::int64_t>(entries.size()));
            });
    }

    node_reader const tree_;
    std::vector<piece> const& pieces_;
    leaf_rows<T> leaves_;
    block_row_writer<T, T> staged_;
    T const scale_;
};

/// Where the arrays of a csr are, as far as they have grown.
template <class T, class Offset = std::int64_t>
struct csr_target {
    std::int64_t row_count;
    Offset* offsets;
    std::int32_t* columns;
    T* values;

    /// Rows first .. last - 1 have no entries, those of later rows begin at `begin`.
    void skip_rows(std::int64_t first, std::int64_t last, std::int64_t begin) const {
        std::fill(offsets + first + 1, offsets + last + 1, static_cast<Offset>(begin));
    }
    /// Entries begin .. end - 1 are the row's. Of rows behind the matrix too.
    void end_row(std::int64_t row, std::int64_t, std::int64_t end) const {
        if (row < row_count) offsets[row + 1] = static_cast<Offset>(end);
    }
};

/// Arrays of the caller as rows to write: they do not grow.
template <class T, class Offset>
struct rows_of_caller {
    csr_target<T, Offset> arrays;
    std::int64_t rows_begun = 0;  // offsets are written up to this row's
};

/// The same of a coo.
template <class T>
struct coo_target {
    std::int32_t* rows;
    std::int32_t* columns;
    T* values;

    void skip_rows(std::int64_t, std::int64_t, std::int64_t) const {}
    void end_row(std::int64_t row, std::int64_t begin, std::int64_t end) const {
        std::fill(rows + begin, rows + end, static_cast<std::int32_t>(row));
    }
};

template <class T>
void reserve(csr<T>& to, std::size_t entries) {
    reserve_touched(to.row_offsets, static_cast<std::size_t>(to.row_count) + 1);
    reserve_touched(to.column_indices, entries);
    reserve_touched(to.values, entries);
}
template <class T, class Offset>
void reserve(rows_of_caller<T, Offset>&, std::size_t) {}
template <class T>
void reserve(coo<T>& to, std::size_t entries) {
    reserve_touched(to.rows, entries);
    reserve_touched(to.columns, entries);
    reserve_touched(to.values, entries);
}

/// Within what is reserved: the arrays stay where they are.
template <class T>
csr_target<T> grow(csr<T>& to, std::int64_t rows, std::size_t entries) {
    to.row_offsets.resize(static_cast<std::size_t>(std::min(rows, to.row_count)) + 1);
    to.column_indices.resize(entries);
    to.values.resize(entries);
    return {to.row_count, to.row_offsets.data(), to.column_indices.data(), to.values.data()};
}
template <class T, class Offset>
csr_target<T, Offset> grow(rows_of_caller<T, Offset>& to, std::int64_t rows, std::size_t) {
    to.rows_begun = std::min(rows, to.arrays.row_count);
    return to.arrays;
}
template <class T>
coo_target<T> grow(coo<T>& to, std::int64_t, std::size_t entries) {
    to.rows.resize(entries);
    to.columns.resize(entries);
    to.values.resize(entries);
    return {to.rows.data(), to.columns.data(), to.values.data()};
}

/// Fills the arrays of a csr or coo, which are empty, or those of a caller.
template <class T, class Rows>
void write_rows(hisparse<T> const& a, Rows& to) {
    host_tree const tree(*a.content(), sizeof(T));
    std::vector<piece> pieces;
    collect_pieces<T>(tree.view(), a.root(), pieces);
    std::vector<band> const bands = find_block_rows(pieces);
    std::vector<std::size_t> const stretches = find_stretches(bands);
    auto const first_row = [&](std::size_t b, int blocks_later) {
        return std::int64_t{pieces[bands[b].first].row_block + blocks_later} << tree.view().dimension_log2();
    };
    reserve(to, static_cast<std::size_t>(a.entry_count()));
    // What a std::vector grows by is zeros. They are written where it is filled next, while that is in the cache:
    // stretches are taken in order, by whoever comes.
    std::mutex growing;
    std::size_t next = 0;
    parallel_for(
        static_cast<std::int64_t>(stretches.size()) - 1, 1,
        [&] { return row_writer<T>(tree.view(), pieces, a.scale()); },
        [&](row_writer<T>& writer, std::int64_t) {
            std::unique_lock lock(growing);
            std::size_t const s = next++, end = stretches[s + 1];
            auto const target = grow(to, first_row(end - 1, 1), static_cast<std::size_t>(bands[end - 1].end));
            lock.unlock();
            for (std::size_t b = stretches[s]; b < end; ++b) {
                target.skip_rows(b == 0 ? 0 : first_row(b - 1, 1), first_row(b, 0), bands[b].begin);
                writer.write(bands[b], target);
            }
        });
}

/// Leaves that are met more than once: which of their places is the first.
class first_places {
  public:
    first_places(std::vector<piece> const& pieces, int dimension_log2) : log2_(dimension_log2) {
        first_.reserve(pieces.size());
        for (piece const& p : pieces) some_repeated_ |= is_other(p, first_.try_emplace(key_of(p), place_of(p)).first);
    }
    bool some_repeated() const { return some_repeated_; }
    bool is_repeated(piece const& p) const { return some_repeated_ && is_other(p, first_.find(key_of(p))); }

  private:
    using place_map = std::unordered_map<std::uint64_t, std::uint64_t>;

    static std::uint64_t key_of(piece const& p) { return value_place(p.reference.arena(), p.reference.offset()); }
    /// Of the leaf in the matrix. A wide leaf has pieces in several block rows, and is cut otherwise where it is
    /// transposed.
    std::uint64_t place_of(piece const& p) const {
        std::uint64_t const row = p.reference.is_wide_leaf() ? p.row_block >> log2_ : p.row_block;
        return row << 32 | p.first_column;
    }
    bool is_other(piece const& p, place_map::const_iterator first) const { return first->second != place_of(p); }

    int log2_;
    bool some_repeated_ = false;
    place_map first_;  // by key
};

}  // namespace
}  // namespace detail

template <class T>
coo<T> to_coo(hisparse<T> const& a) {
    nvtx_range const range(nvtx_room::formats, "copse conversion from hisparse", a.entry_count());
    coo<T> entries;
    entries.row_count = a.row_count();
    entries.column_count = a.column_count();
    if (a.root()) detail::write_rows(a, entries);
    return entries;
}

template <class T>
csr<T> to_csr(hisparse<T> const& a) {
    nvtx_range const range(nvtx_room::formats, "copse conversion from hisparse", a.entry_count());
    csr<T> rows;
    rows.row_count = a.row_count();
    rows.column_count = a.column_count();
    if (a.root()) detail::write_rows(a, rows);
    rows.row_offsets.resize(static_cast<std::size_t>(rows.row_count) + 1, a.entry_count());
    return rows;
}

template <class T>
void to_csr(hisparse<T> const& a, std::type_identity_t<csr_arrays<T>> const& to) {
    nvtx_range const range(nvtx_room::formats, "copse conversion from hisparse", a.entry_count());
    detail::check_room(to, a.row_count(), a.entry_count());
    to.with_offsets([&]<class Offset>(Offset* offsets) {
        detail::rows_of_caller<T, Offset> rows{
            {a.row_count(), offsets, to.column_indices().data(), to.values().data()}};
        offsets[0] = 0;
        if (a.root()) detail::write_rows(a, rows);
        rows.arrays.skip_rows(rows.rows_begun, a.row_count(), a.entry_count());
    });
}

namespace detail {

namespace {

/// place_of(piece, value's place): of each entry, row by row.
template <class T, class Place>
std::vector<std::uint64_t> list_places(hisparse<T> const& a, host_tree const& tree, std::vector<piece>& pieces,
                                       Place place_of) {
    std::vector<band> const bands = find_block_rows(pieces);
    std::vector<std::uint64_t> places(static_cast<std::size_t>(a.entry_count()));
    auto const of_value = [&](piece const& p, T, T const* value) {
        auto const in_node = reinterpret_cast<std::byte const*>(value) - tree.address(p.reference);
        std::uint64_t const place =
            value_place(p.reference.arena(), p.reference.offset() + static_cast<std::uint64_t>(in_node));
        return place_of(p, p.reference.negative() ? place | negative_place : place);
    };
    parallel_for(
        static_cast<std::int64_t>(bands.size()), 16,
        [&] { return block_row_writer<T, std::uint64_t>(tree.view(), pieces); },
        [&](block_row_writer<T, std::uint64_t>& writer, std::int64_t b) {
            writer.write(bands[static_cast<std::size_t>(b)], of_value,
                         [&](std::int64_t, std::int64_t begin, auto entries) {
                             for (std::size_t i = 0; i < entries.size(); ++i)
                                 places[static_cast<std::size_t>(begin) + i] = entries[i].second;
                         });
        });
    return places;
}

}  // namespace

template <class T>
value_place_list value_places(hisparse<T> const& a) {
    if (!a.root()) return {};
    host_tree const tree(*a.content(), sizeof(T));
    std::vector<piece> pieces;
    collect_pieces<T>(tree.view(), a.root(), pieces);
    if (std::any_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.reference.values_once(); })) return {};
    first_places const first(pieces, tree.view().dimension_log2());
    return {list_places(a, tree, pieces,
                        [&](piece const& p, std::uint64_t place) {
                            return place | (first.is_repeated(p) ? repeated_place : 0);
                        }),
            first.some_repeated()};
}

template <class T>
value_place_list places_to_read(hisparse<T> const& a) {
    if (!a.root()) return {};
    host_tree const tree(*a.content(), sizeof(T));
    std::vector<piece> pieces;
    collect_pieces<T>(tree.view(), a.root(), pieces);
    first_places const first(pieces, tree.view().dimension_log2());
    return {list_places(a, tree, pieces, [](piece const&, std::uint64_t place) { return place; }),
            first.some_repeated()};
}

template value_place_list value_places(hisparse<float> const&);
template value_place_list value_places(hisparse<double> const&);
template value_place_list places_to_read(hisparse<float> const&);
template value_place_list places_to_read(hisparse<double> const&);

}  // namespace detail

template coo<float> to_coo(hisparse<float> const&);
template coo<double> to_coo(hisparse<double> const&);
template csr<float> to_csr(hisparse<float> const&);
template csr<double> to_csr(hisparse<double> const&);
template void to_csr(hisparse<float> const&, csr_arrays<float> const&);
template void to_csr(hisparse<double> const&, csr_arrays<double> const&);

}  // namespace copse
